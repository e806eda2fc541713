package interop

import (
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// claimsReady has the owner of a pod call it ready.
func claimsReady(pod *v1.Pod) {
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
}

// readiness returns the status and the reason of the Ready condition, of which there must be one.
func readiness(t *testing.T, pod *v1.Pod) (v1.ConditionStatus, string) {
	t.Helper()
	var found []v1.PodCondition
	for _, condition := range pod.Status.Conditions {
		if condition.Type == v1.PodReady {
			found = append(found, condition)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d Ready conditions in %v", len(found), pod.Status)
	}
	return found[0].Status, found[0].Reason
}

// Items 16, 17 and 18.
func TestALocalStatusIsShownByGetListAndTheFirstBurstOfAWatch(t *testing.T) {
	node := newRuntime(t)
	owned := running("a", phase(v1.PodPending))
	node.runs(owned, "10.0.0.9")
	node.start(t)
	s := serveList(t, []*v1.Pod{owned}, "--cri", node.socket, "--host-ip", "192.0.2.7")
	client := s.dial()
	w := watch(t, client)
	for _, pod := range []*v1.Pod{got(t, client, "a"), listed(t, client)[0], w.expect(pods.EventType_ADDED)} {
		status := pod.Status
		if status.Phase != v1.PodRunning || status.PodIP != "10.0.0.9" || status.HostIP != "192.0.2.7" {
			t.Fatal(status)
		}
		if len(status.ContainerStatuses) != 1 || status.ContainerStatuses[0].ContainerID != "fake://container-a-main" {
			t.Fatal(status.ContainerStatuses)
		}
	}
	w.marker()
}

// Item 27.
func TestAClaimToBeReadyIsNotServedWhileALocalSourceCouldConfirmIt(t *testing.T) {
	owned := running("a", claimsReady)
	alone := serveList(t, []*v1.Pod{owned})
	if is, _ := readiness(t, got(t, alone.dial(), "a")); is != v1.ConditionTrue {
		t.Fatal(is)
	}
	node := newRuntime(t)
	node.start(t)
	s := serveList(t, []*v1.Pod{owned}, "--cri", node.socket)
	client := s.dial()
	w := watch(t, client)
	for _, pod := range []*v1.Pod{got(t, client, "a"), listed(t, client)[0], w.expect(pods.EventType_ADDED)} {
		if is, reason := readiness(t, pod); is != v1.ConditionFalse || reason != "ContainersNotReady" {
			t.Fatal(is, reason)
		}
	}
	w.marker()
}

// Item 41.
func TestAfterARestartAPodIsNotReadyUntilSomebodyConfirmsIt(t *testing.T) {
	node := newRuntime(t)
	owned := running("a", claimsReady)
	s := prepare(t, "--qps", "0", "--cri", node.socket)
	s.flags = append(s.flags, "--snapshot", s.file)
	s.list(owned)
	s.launch()
	client := s.dial(options()...)
	_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
	refused(t, err, codes.FailedPrecondition, "cri")
	node.start(t)
	s.ready()
	w := watch(t, client)
	if is, _ := readiness(t, w.expect(pods.EventType_ADDED)); is != v1.ConditionFalse {
		t.Fatal(is)
	}
	w.marker()
	node.runs(owned, "10.0.0.9")
	if is, _ := readiness(t, w.expect(pods.EventType_MODIFIED)); is != v1.ConditionTrue {
		t.Fatal(is)
	}

	node.stop()
	s.kill(syscall.SIGKILL)
	s.launch()
	client = s.dial(options()...)
	_, err = client.ListPods(within(t, patience), &pods.ListPodsRequest{})
	refused(t, err, codes.FailedPrecondition, "cri")
	node.start(t)
	s.ready()
	if is, _ := readiness(t, got(t, client, "a")); is != v1.ConditionTrue {
		t.Fatal(is)
	}
}
