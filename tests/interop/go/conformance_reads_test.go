package interop

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
	"sigs.k8s.io/randfill"
)

// Items 9, 10, 43 and 45.
func TestAListIsInTheOrderOfUIDsAndAGetIsOfOne(t *testing.T) {
	without := func(pod *v1.Pod) {
		pod.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", Image: "example.test/main:1"}}
	}
	s := serveList(t, []*v1.Pod{running("b", phase(v1.PodFailed)), running("a", without), running("c", phase(v1.PodPending))})
	client := s.dial()
	var uids []string
	for _, pod := range listed(t, client) {
		uids = append(uids, string(pod.UID))
		if pod.Spec.NodeName != "node-a" {
			t.Fatal(pod.Spec.NodeName)
		}
	}
	if strings.Join(uids, " ") != "a b c" {
		t.Fatal(uids)
	}
	if pod := got(t, client, "b"); pod.Status.Phase != v1.PodFailed {
		t.Fatal(pod.Status.Phase)
	}
	if pod := got(t, client, "a"); pod.Status.ContainerStatuses[0].ContainerID != "" {
		t.Fatal(pod.Status)
	}
}

// Items 11 and 47.
func TestEphemeralContainersAndAddressesSurviveWhole(t *testing.T) {
	debugger := v1.EphemeralContainer{
		EphemeralContainerCommon: v1.EphemeralContainerCommon{
			Name: "debugger", Image: "example.test/shell:2", Command: []string{"sh", "-i"}, Stdin: true, TTY: true,
		},
		TargetContainerName: "main",
	}
	ips := []v1.PodIP{{IP: "10.0.0.9"}, {IP: "fd00::9"}}
	s := serveList(t, []*v1.Pod{running("a", func(pod *v1.Pod) {
		pod.Spec.EphemeralContainers = []v1.EphemeralContainer{debugger}
		pod.Status.PodIP, pod.Status.PodIPs = ips[0].IP, ips
	})})
	pod := got(t, s.dial(), "a")
	if !apiequality.Semantic.DeepEqual(pod.Spec.EphemeralContainers, []v1.EphemeralContainer{debugger}) {
		t.Fatal(pod.Spec.EphemeralContainers)
	}
	if pod.Status.PodIP != ips[0].IP || !apiequality.Semantic.DeepEqual(pod.Status.PodIPs, ips) {
		t.Fatal(pod.Status)
	}
}

// Items 12, 33 and 34.
func TestAStaticPodIsNamedAfterTheNodeAndEndsWithItsFile(t *testing.T) {
	s := serve(t, "--qps", "0")
	client := s.dial()
	w := watch(t, client)
	w.marker()
	s.write("web", "uid-web", 0)
	added := w.expect(pods.EventType_ADDED)
	if added.Name != "web-node-a" || added.Namespace != "interop" {
		t.Fatal(added)
	}
	if pod := got(t, client, added.UID); pod.Annotations["kubernetes.io/config.source"] != "file" {
		t.Fatal(pod.Annotations)
	}
	if err := os.Remove(filepath.Join(s.manifests, "web.json")); err != nil {
		t.Fatal(err)
	}
	isIdentity(t, w.expect(pods.EventType_DELETED), added)
}

// Item 14.
func TestAHundredRandomPodsSurviveEncodeListAndDecode(t *testing.T) {
	const seed = 42
	fill := randfill.NewWithSeed(seed).NilChance(0.4).NumElements(1, 2).MaxDepth(12).Funcs(
		func(text *string, c randfill.Continue) { *text = words[c.Intn(len(words))] },
		func(quantity *resource.Quantity, c randfill.Continue) {
			*quantity = resource.MustParse([]string{"1", "100m", "2Gi", "1500Mi", "0"}[c.Intn(5)])
		},
		func(at *metav1.Time, c randfill.Continue) { *at = metav1.Unix(c.Int63n(4_000_000_000), 0) },
		func(port *intstr.IntOrString, c randfill.Continue) {
			*port = []intstr.IntOrString{intstr.FromInt32(c.Int31()), intstr.FromString("http")}[c.Intn(2)]
		},
		func(fields *metav1.FieldsV1, _ randfill.Continue) { fields.Raw = []byte(`{"f:spec":{}}`) },
		func(kind *metav1.TypeMeta, _ randfill.Continue) { *kind = metav1.TypeMeta{} },
	)
	random := rand.New(rand.NewSource(seed))
	var made []*v1.Pod
	for number := range 100 {
		pod := &v1.Pod{}
		fill.Fill(pod)
		pod.UID, pod.Name, pod.Namespace = types.UID(fmt.Sprintf("uid-%03d", number)), fmt.Sprint("pod-", number), "interop"
		pod.Spec.NodeName = "node-a"
		if pod.Status.Phase == "" {
			pod.Status.Phase = v1.PodPending
		}
		made = append(made, pod)
	}
	random.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	s := serveList(t, made)
	byUID := map[types.UID]*v1.Pod{}
	for _, pod := range made {
		byUID[pod.UID] = pod
	}
	all := listed(t, s.dial())
	if len(all) != len(made) {
		t.Fatalf("%d pods", len(all))
	}
	for number, pod := range all {
		if string(pod.UID) != fmt.Sprintf("uid-%03d", number) {
			t.Fatal(pod.UID)
		}
		same(t, pod, byUID[pod.UID])
	}
}

// words hold what encoders stumble over.
var words = []string{"", "a", "Ünïcödé ✓ 𝄞", "line\nbreak \"quoted\" \\", "<&>\u2028", "0", "true", "null", " spaces "}

// Items 24, 25, 26 and 28, and the first half of 41.
func TestBeforeItsSourcesAreThereAServerRefusesEveryMethod(t *testing.T) {
	upstream := prepare(t, "--qps", "0")
	upstream.flags = append(upstream.flags, "--manifests", upstream.manifests)
	upstream.write("web", "uid-web", 0)
	s := prepare(t, "--qps", "0", "--kubelet", upstream.socket)
	s.launch()
	client := s.dial()
	for range 2 {
		const text = "Kubelet is initializing"
		_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
		refused(t, err, codes.FailedPrecondition, text)
		_, err = client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-web"})
		refused(t, err, codes.FailedPrecondition, text)
		refused(t, ended(client.WatchPods(within(t, patience), &pods.WatchPodsRequest{})), codes.FailedPrecondition, text)

		upstream.start()
		s.ready()
		if all := listed(t, client); len(all) != 1 || all[0].UID != "uid-web" {
			t.Fatal(all)
		}
		if pod := got(t, client, "uid-web"); pod.Name != "web-node-a" {
			t.Fatal(pod)
		}
		w := watch(t, client)
		w.expect(pods.EventType_ADDED)
		w.marker()
		// Ready stays ready without the upstream; a restart begins anew.
		upstream.kill(syscall.SIGKILL)
		listed(t, client)
		s.kill(syscall.SIGKILL)
		s.launch()
		eventually(t, func() error {
			_, err := client.ListPods(within(t, time.Second), &pods.ListPodsRequest{})
			if code := refusal(err); code != codes.FailedPrecondition {
				return fmt.Errorf("%v", err)
			}
			return nil
		})
	}
}

// Item 28.
func TestTheListSucceedsOnTheDefaultSocket(t *testing.T) {
	s := prepare(t)
	// The usual path belongs to the node: the server gets a /var/lib of its own.
	s.flags = append([]string{"--mount", "sh", "-c", `mount -t tmpfs none /var/lib && exec "$@"`, "sh", os.Getenv("PODSAPI_BIN")},
		"serve", "--node-name", "node-a", "--manifests", s.manifests)
	s.write("web", "uid-web", 0)
	if err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/var/lib").Run(); err != nil {
		t.Skipf("no mounts of one's own here: %v", err)
	}
	s.run("unshare")
	inside := fmt.Sprintf("/proc/%d/root", s.process.Process.Pid)
	s.socket = inside + "/var/lib/kubelet/pods-api/pods-api.sock"
	client := s.dial(options()...)
	eventually(t, func() error {
		list, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
		if err == nil && len(list.Pods) != 1 {
			err = fmt.Errorf("%d pods", len(list.Pods))
		}
		return err
	})
}
