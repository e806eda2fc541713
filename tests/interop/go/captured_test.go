package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
	"sigs.k8s.io/yaml"
)

// same fails unless both pods are equal in every field, where empty is as good as absent.
func same(t *testing.T, served, expected *v1.Pod) {
	t.Helper()
	if apiequality.Semantic.DeepEqual(served, expected) {
		return
	}
	is, _ := json.MarshalIndent(served, "", " ")
	was, _ := json.MarshalIndent(expected, "", " ")
	t.Fatalf("served:\n%s\nexpected:\n%s", is, was)
}

func TestPodsOfARealNodeAreServedAsTheProjectsOwnDecoderReadsTheirFile(t *testing.T) {
	captured := "../../../../shared/testdata/nodes/v1.31"
	if _, err := os.Stat(captured); err != nil {
		t.Skip("../shared/testdata is missing")
	}
	for name, read := range map[string]func([]byte, any) error{
		"kubelet-pods.json": json.Unmarshal,
		"pods.yaml":         func(text []byte, into any) error { return yaml.Unmarshal(text, into) },
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(captured, name))
			if err != nil {
				t.Fatal(err)
			}
			var file v1.PodList
			if err := read(text, &file); err != nil {
				t.Fatal(err)
			}
			expected := map[types.UID]*v1.Pod{}
			for number := range file.Items {
				pod := &file.Items[number]
				// What says of what type an item is has no place in the encoding of a pod.
				pod.APIVersion, pod.Kind = "", ""
				expected[pod.UID] = pod
			}
			s := prepare(t, "--qps", "0", "--snapshot", filepath.Join(captured, name))
			s.start()
			client := s.dial()
			w := watch(t, client)
			all := listed(t, client)
			if len(all) != len(expected) || len(all) == 0 {
				t.Fatalf("%d pods of %d", len(all), len(expected))
			}
			for _, pod := range all {
				if expected[pod.UID] == nil {
					t.Fatalf("nobody wrote %s", pod.UID)
				}
				same(t, pod, expected[pod.UID])
				same(t, got(t, client, pod.UID), expected[pod.UID])
				same(t, w.expect(pods.EventType_ADDED), expected[pod.UID])
			}
			w.marker()
			t.Logf("%d pods are equal", len(all))
		})
	}
}
