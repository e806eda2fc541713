package interop

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// metric returns the value of a series without labels.
func (s *server) metric(name string) int {
	s.t.Helper()
	for line := range strings.Lines(s.metrics()) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			number, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				s.t.Fatal(err)
			}
			return number
		}
	}
	s.t.Fatalf("no %s", name)
	return 0
}

func refusal(err error) codes.Code { return status.Code(err) }

// becomes waits for a count of requests.
func (s *server) becomes(method, code string, wanted int) {
	s.t.Helper()
	eventually(s.t, func() error {
		if counted := s.counted(method, code); counted != wanted {
			return fmt.Errorf("%d %srequests end with %s, not %d", counted, method, code, wanted)
		}
		return nil
	})
}

// Items 19, 20, 21, 22 and 23.
func TestRequestsAreCountedByMethodAndCode(t *testing.T) {
	upstream := prepare(t)
	upstream.flags = append(upstream.flags, "--manifests", upstream.manifests)
	upstream.write("web", "uid-web", 0)
	s := prepare(t, "--kubelet", upstream.socket)
	s.launch()
	client := s.dial()
	_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
	refused(t, err, codes.FailedPrecondition, "Kubelet is initializing")
	s.becomes("", "FailedPrecondition", 1)
	s.becomes("list_", "FailedPrecondition", 1)

	upstream.start()
	s.ready()
	listed(t, client)
	s.becomes("list_", "OK", 1)
	s.becomes("", "OK", 1)
	got(t, client, "uid-web")
	s.becomes("get_", "OK", 1)
	_, err = client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "nobody"})
	refused(t, err, codes.NotFound, "nobody")
	s.becomes("get_", "NotFound", 1)
	w := watch(t, client)
	w.expect(pods.EventType_ADDED)
	w.marker()
	w.cancel()
	s.becomes("watch_", "Canceled", 1)
	for code, wanted := range map[string]int{"OK": 2, "FailedPrecondition": 1, "NotFound": 1, "Canceled": 1, "ResourceExhausted": 0} {
		s.becomes("", code, wanted)
	}
}

// Item 13.
func TestOfAFullQueueExactlyOneEventIsCountedAsDropped(t *testing.T) {
	const name = "kubelet_pod_watch_events_dropped_total"
	s := serveList(t, []*v1.Pod{running("a")}, "--watch-buffer", "1")
	w := watch(t, s.dial(grpc.WithInitialWindowSize(1<<16)))
	w.expect(pods.EventType_ADDED)
	w.marker()
	if s.metric(name) != 0 {
		t.Fatal(s.metric(name))
	}
	// What the transport takes without a reader comes first, then one is queued, then one is too many.
	for step := 0; s.metric(name) == 0; step++ {
		if step == 100 {
			t.Fatal("nothing was dropped")
		}
		before := s.metric("podsapi_pod_changes_total")
		s.list(running("a", labelled(fmt.Sprint(step)), heavy(200_000)))
		eventually(t, func() error {
			if s.metric("podsapi_pod_changes_total") == before {
				return fmt.Errorf("change %d was not seen", step)
			}
			return nil
		})
	}
	refused(t, ended(w.stream, nil), codes.ResourceExhausted, "watch again")
	if s.metric(name) != 1 {
		t.Fatal(s.metric(name))
	}
	var about []string
	for line := range strings.Lines(s.metrics()) {
		if strings.Contains(line, name) {
			about = append(about, strings.TrimSpace(line))
		}
	}
	if len(about) != 3 || !strings.Contains(about[0], "events") || about[1] != "# TYPE "+name+" counter" || about[2] != name+" 1" {
		t.Fatalf("%q", about)
	}
}
