package interop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// A client takes 4 MiB in one message unless it is told otherwise. There are three ways out: ask for
// fewer fields, raise the limit, or watch, where each pod is a message of its own.
func TestAListLargerThanTheDefaultReceiveLimit(t *testing.T) {
	const number = 60
	var large []*v1.Pod
	for pod := range number {
		large = append(large, running(fmt.Sprintf("uid-%02d", pod), heavy(100_000)))
	}
	s := serveList(t, large)
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		client := dial(s)
		_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
		refused(t, err, codes.ResourceExhausted, "received message larger than max")
		// The refusal is the client's own; the connection goes on.
		if pod := got(t, client, "uid-07"); pod.Name != "uid-07" {
			t.Fatal(pod.Name)
		}
		fields := with(t, maskText, "metadata.name,metadata.namespace,metadata.uid,status.containerStatuses")
		list, err := client.ListPods(fields, &pods.ListPodsRequest{})
		if err != nil || len(list.Pods) != number {
			t.Fatalf("%d pods, %v", len(list.GetPods()), err)
		}
		list, err = client.ListPods(within(t, patience), &pods.ListPodsRequest{}, grpc.MaxCallRecvMsgSize(64<<20))
		if err != nil || len(list.Pods) != number {
			t.Fatalf("%d pods, %v", len(list.GetPods()), err)
		}
		w := watch(t, client)
		for range number {
			if pod := w.expect(pods.EventType_ADDED); len(pod.Annotations["ballast"]) != 100_000 {
				t.Fatal(pod.UID)
			}
		}
		w.marker()
	})
}

// As tools that trace containers: for each one that starts a list, all at once.
func TestAListForEachNewContainerFindsItsPod(t *testing.T) {
	const number = 20
	var list []*v1.Pod
	for pod := range number {
		list = append(list, running(fmt.Sprintf("uid-%02d", pod), func(pod *v1.Pod) {
			pod.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", ContainerID: "containerd://" + string(pod.UID)}}
		}))
	}
	s := serveList(t, list)
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		client := dial(s)
		failures := make(chan error, number)
		var group sync.WaitGroup
		for _, pod := range list {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				answer, err := client.ListPods(ctx, &pods.ListPodsRequest{})
				if err != nil {
					failures <- err
					return
				}
				found := slices.ContainsFunc(answer.Pods, func(data []byte) bool {
					read := &v1.Pod{}
					return read.Unmarshal(data) == nil &&
						read.Status.ContainerStatuses[0].ContainerID == pod.Status.ContainerStatuses[0].ContainerID
				})
				if !found {
					failures <- fmt.Errorf("no pod has the container of %s", pod.UID)
				}
			})
		}
		group.Wait()
		close(failures)
		for err := range failures {
			t.Error(err)
		}
	})
}

// cache is what a consumer keeps of a node, fed by watches that it opens again after each end.
type cache struct {
	mutex  sync.Mutex
	labels map[types.UID]string
	syncs  int
}

// follow watches until it is cancelled. A consumer that waits for the marker then drops what was not
// listed again; one that does not cannot know.
func (c *cache) follow(ctx context.Context, client pods.PodsClient, waits bool) {
	for ctx.Err() == nil {
		stream, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
		seen := map[types.UID]bool{}
		for err == nil {
			var event *pods.WatchPodsEvent
			if event, err = stream.Recv(); err == nil {
				c.take(event, seen, waits)
			}
		}
		// All ends are alike: wait a little and begin anew.
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *cache) take(event *pods.WatchPodsEvent, seen map[types.UID]bool, waits bool) {
	pod := &v1.Pod{}
	if pod.Unmarshal(event.Pod) != nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case event.Type == pods.EventType_INITIAL_SYNC_COMPLETE:
		c.syncs++
		if waits {
			maps.DeleteFunc(c.labels, func(uid types.UID, _ string) bool { return !seen[uid] })
		}
	case event.Type == pods.EventType_DELETED:
		delete(c.labels, pod.UID)
	default:
		// Whatever else it may be, it is a pod to keep.
		seen[pod.UID] = true
		c.labels[pod.UID] = pod.Labels["step"]
	}
}

func (c *cache) becomes(t *testing.T, syncs int, wanted map[types.UID]string) {
	t.Helper()
	eventually(t, func() error {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if c.syncs < syncs || !maps.Equal(c.labels, wanted) {
			return fmt.Errorf("after %d lists %v instead of %v", c.syncs, c.labels, wanted)
		}
		return nil
	})
}

// Item 44.
func TestConsumersFollowANodeThroughRestartsWithTheMarkerAndWithout(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serveList(t, []*v1.Pod{running("kept", labelled("0")), running("gone", labelled("0"))})
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		caches := map[bool]*cache{}
		for _, waits := range []bool{true, false} {
			cache := &cache{labels: map[types.UID]string{}}
			caches[waits] = cache
			group.Go(func() { cache.follow(ctx, dial(s), waits) })
		}
		everyone := func(syncs int, wanted map[types.UID]string) {
			t.Helper()
			for _, cache := range caches {
				cache.becomes(t, syncs, wanted)
			}
		}
		everyone(1, map[types.UID]string{"kept": "0", "gone": "0"})
		s.list(running("kept", labelled("1")), running("gone", labelled("0")), running("new", labelled("1")))
		everyone(1, map[types.UID]string{"kept": "1", "gone": "0", "new": "1"})

		s.kill(syscall.SIGKILL)
		s.list(running("kept", labelled("2")), running("new", labelled("1")))
		s.start()
		caches[true].becomes(t, 2, map[types.UID]string{"kept": "2", "new": "1"})
		// What ended while nobody watched is known to be gone only by the end of the list.
		caches[false].becomes(t, 2, map[types.UID]string{"kept": "2", "new": "1", "gone": "0"})

		s.kill(syscall.SIGTERM)
		s.list(running("kept", labelled("3")))
		s.start()
		caches[true].becomes(t, 3, map[types.UID]string{"kept": "3"})
	})
}
