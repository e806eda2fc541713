package interop

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// isIdentity fails unless a pod is nothing but name, namespace and UID of another.
func isIdentity(t *testing.T, pod, of *v1.Pod) {
	t.Helper()
	identity := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: of.Name, Namespace: of.Namespace, UID: of.UID}}
	if !apiequality.Semantic.DeepEqual(pod, identity) {
		t.Fatalf("%v is not just %v", pod, identity)
	}
}

// Items 1, 2, 3 and 4.
func TestTheEventsOfAPodAreAddedModifiedDeletedAndNoMore(t *testing.T) {
	s := serveList(t, nil)
	w := watch(t, s.dial())
	w.marker()
	first := running("a", phase(v1.PodPending))
	s.list(first)
	if added := w.expect(pods.EventType_ADDED); added.UID != "a" || added.Status.Phase != v1.PodPending {
		t.Fatal(added)
	}
	s.list(running("a"))
	if modified := w.expect(pods.EventType_MODIFIED); modified.UID != "a" || modified.Status.Phase != v1.PodRunning {
		t.Fatal(modified)
	}
	s.list()
	isIdentity(t, w.expect(pods.EventType_DELETED), first)
	s.list(running("b"))
	if next := w.expect(pods.EventType_ADDED); next.UID != "b" {
		t.Fatalf("%v comes after the end of a", next.UID)
	}
}

// Items 5, 6, 7, 8, 35 and 42.
func TestAWatchBeginsWithThePodsThatExist(t *testing.T) {
	s := serveList(t, []*v1.Pod{running("a"), running("b")})
	client := s.dial()
	w := watch(t, client)
	for _, uid := range []string{"a", "b"} {
		if added := w.expect(pods.EventType_ADDED); string(added.UID) != uid || len(added.Spec.Containers) != 1 {
			t.Fatal(added)
		}
	}
	w.marker()
	changed := running("a", phase(v1.PodSucceeded))
	s.list(changed, running("b"))
	if modified := w.expect(pods.EventType_MODIFIED); modified.UID != "a" || modified.Status.Phase != v1.PodSucceeded {
		t.Fatal(modified)
	}
	s.list(running("b"))
	isIdentity(t, w.expect(pods.EventType_DELETED), changed)

	empty := serveList(t, nil)
	watch(t, empty.dial()).marker()
}

// Items 29, 30, 31, 32, 36 and 38.
func TestANewPodIsListedGotWatchedAndDeletedOnce(t *testing.T) {
	s := serveList(t, nil)
	client := s.dial()
	before := watch(t, client)
	before.marker()
	s.list(running("a"))
	before.expect(pods.EventType_ADDED)
	if all := listed(t, client); len(all) != 1 || all[0].UID != "a" {
		t.Fatal(all)
	}
	if pod := got(t, client, "a"); pod.Name != "a" {
		t.Fatal(pod)
	}
	after := watch(t, client)
	after.expect(pods.EventType_ADDED)
	after.marker()
	// Once it is known it is never added again; once it is gone it is not spoken of.
	s.list(running("a", labelled("1")))
	s.ready()
	before.expect(pods.EventType_MODIFIED)
	after.expect(pods.EventType_MODIFIED)
	s.list(running("fence"))
	for _, w := range []*watching{before, after} {
		var kinds []pods.EventType
		for range 2 {
			event, err := w.stream.Recv()
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, event.Type)
			if event.Type == pods.EventType_DELETED {
				isIdentity(t, decode(t, event.Pod), running("a"))
			}
		}
		if kinds[0] == kinds[1] {
			t.Fatal(kinds)
		}
	}
	s.list(running("fence", labelled("1")))
	before.expect(pods.EventType_MODIFIED)
	after.expect(pods.EventType_MODIFIED)
}

// Item 37.
func TestAGracefulDeletionShowsItsTimestampUntilTheEnd(t *testing.T) {
	s := serveList(t, []*v1.Pod{running("a")})
	w := watch(t, s.dial())
	w.expect(pods.EventType_ADDED)
	w.marker()
	at, grace := metav1.NewTime(time.Unix(1_800_000_000, 0)), int64(30)
	dying := func(pod *v1.Pod) { pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &at, &grace }
	for _, phases := range []v1.PodPhase{v1.PodRunning, v1.PodSucceeded} {
		s.list(running("a", dying, phase(phases)))
		modified := w.expect(pods.EventType_MODIFIED)
		if !modified.DeletionTimestamp.Equal(&at) || *modified.DeletionGracePeriodSeconds != grace {
			t.Fatal(modified)
		}
	}
	s.list()
	isIdentity(t, w.expect(pods.EventType_DELETED), running("a"))
}

// Item 39.
func TestLabelsNeverGoBackwardsAndTheLastOneIsSeen(t *testing.T) {
	s := serveList(t, []*v1.Pod{running("a", labelled("0"))})
	w := watch(t, s.dial())
	w.expect(pods.EventType_ADDED)
	w.marker()
	const last = 30
	for step := range last {
		s.list(running("a", labelled(fmt.Sprint(step+1))))
	}
	for seen := 0; seen < last; {
		var step int
		fmt.Sscan(w.expect(pods.EventType_MODIFIED).Labels["step"], &step)
		if step <= seen {
			t.Fatalf("%d after %d", step, seen)
		}
		seen = step
	}
}

// Items 40, 43 and 46.
func TestALongHistoryHasNoContradiction(t *testing.T) {
	s := prepare(t, "--qps", "0", "--simulate", "30:200:7", "--watch-buffer", "10000")
	s.start()
	w := watch(t, s.dial())
	phases := map[string]v1.PodPhase{}
	uids := map[string]string{}
	counts := map[pods.EventType]int{}
	for range 500 {
		event, err := w.stream.Recv()
		if err != nil {
			t.Fatalf("%v after %v", err, counts)
		}
		counts[event.Type]++
		pod := decode(t, event.Pod)
		uid, name := string(pod.UID), pod.Namespace+"/"+pod.Name
		_, known := phases[uid]
		switch event.Type {
		case pods.EventType_ADDED, pods.EventType_MODIFIED:
			if known != (event.Type == pods.EventType_MODIFIED) {
				t.Fatalf("%v of %s, known: %v", event.Type, uid, known)
			}
			if pod.Status.Phase == "" || phases[uid] == v1.PodRunning && pod.Status.Phase == v1.PodPending {
				t.Fatalf("%s of %q after %q", uid, pod.Status.Phase, phases[uid])
			}
			if before, named := uids[name]; known && named && before != uid {
				t.Fatalf("%s was %s and is %s", name, before, uid)
			}
			if pod.Spec.NodeName != "node-a" {
				t.Fatalf("%s is of %q", uid, pod.Spec.NodeName)
			}
			phases[uid], uids[name] = pod.Status.Phase, uid
		case pods.EventType_DELETED:
			if !known || uid == "" || name == "/" {
				t.Fatalf("%s was not there", uid)
			}
			delete(phases, uid)
		case pods.EventType_INITIAL_SYNC_COMPLETE:
			if len(event.Pod) != 0 {
				t.Fatal("the marker has a pod")
			}
		default:
			t.Fatalf("an event of type %v", event.Type)
		}
	}
	if counts[pods.EventType_INITIAL_SYNC_COMPLETE] != 1 || counts[pods.EventType_MODIFIED] == 0 {
		t.Fatal(counts)
	}
}

// Item 15.
func TestOfFourWatchesOnlyTheOneThatDoesNotReadIsEnded(t *testing.T) {
	s := serveList(t, []*v1.Pod{running("a")}, "--watch-buffer", "20")
	var reading []*watching
	for range 3 {
		w := watch(t, s.dial())
		w.expect(pods.EventType_ADDED)
		w.marker()
		reading = append(reading, w)
	}
	stuck := watch(t, s.dial())
	stuck.expect(pods.EventType_ADDED)
	stuck.marker()
	// A client that does not receive has its transport's window filled for it; then events queue up.
	steps := 0
	for end := time.Now().Add(2 * patience); s.metric("kubelet_pod_watch_events_dropped_total") == 0; steps++ {
		if time.Now().After(end) {
			t.Fatal("nothing was dropped")
		}
		s.list(running("a", labelled(fmt.Sprint(steps+1)), heavy(200_000)))
		for _, w := range reading {
			if modified := w.expect(pods.EventType_MODIFIED); modified.Labels["step"] != fmt.Sprint(steps+1) {
				t.Fatal(modified.Labels)
			}
		}
	}
	refused(t, ended(stuck.stream, nil), codes.ResourceExhausted, "watch again")
	if steps < 10 {
		t.Fatalf("only %d events", steps)
	}
	s.list(running("b"))
	for _, w := range reading {
		w.stream.Recv()
		if _, err := w.stream.Recv(); err != nil {
			t.Fatal(err)
		}
	}
}
