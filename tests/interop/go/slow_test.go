package interop

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// Readers of a watch that take a while for each event, of a node that does not stand still. The windows are
// small, so that what is not read waits at the server and not in this process.
func slowly(t *testing.T, mode, node string, list int, pause, long time.Duration) error {
	t.Helper()
	s := prepare(t, "--slow-watch", mode, "--simulate", node)
	s.start()
	client := s.dial(grpc.WithInitialWindowSize(1<<16), grpc.WithInitialConnWindowSize(1<<16), grpc.WithStaticStreamWindowSize(1<<16))
	ctx, cancel := context.WithTimeout(context.Background(), patience+long)
	defer cancel()
	stream, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	began, synced := time.Now(), time.Duration(0)
	known := map[types.UID]bool{}
	events := 0
	for time.Since(began) < long {
		event, err := stream.Recv()
		if err != nil {
			t.Logf("%s, %s, %v an event: synced after %v, %d events, %v", mode, node, pause, synced, events, err)
			return err
		}
		events++
		pod := &v1.Pod{}
		if err := pod.Unmarshal(event.Pod); err != nil {
			t.Fatal(err)
		}
		switch event.Type {
		case pods.EventType_ADDED:
			if known[pod.UID] {
				t.Fatalf("%s is added twice", pod.UID)
			}
			known[pod.UID] = true
		case pods.EventType_MODIFIED:
			if !known[pod.UID] {
				t.Fatalf("%s changes that was not added", pod.UID)
			}
		case pods.EventType_DELETED:
			if !known[pod.UID] {
				t.Fatalf("%s goes that was not added", pod.UID)
			}
			delete(known, pod.UID)
		case pods.EventType_INITIAL_SYNC_COMPLETE:
			if synced = time.Since(began); events != list+1 {
				t.Fatalf("the marker is the event %d", events)
			}
		}
		time.Sleep(pause)
	}
	t.Logf("%s, %s, %v an event: synced after %v, %d events, not ended", mode, node, pause, synced, events)
	if synced == 0 {
		t.Fatal("never synced")
	}
	return nil
}

func TestSlowConsumers(t *testing.T) {
	if os.Getenv("PODSAPI_SLOW") == "" {
		t.Skip("slow consumers are tried by hand: PODSAPI_SLOW=1")
	}
	for _, mode := range []string{"end", "coalesce"} {
		t.Run("faster than the changes, "+mode, func(t *testing.T) {
			t.Parallel()
			if err := slowly(t, mode, "250:10", 250, 50*time.Millisecond, 40*time.Second); err != nil {
				t.Fatal(err)
			}
		})
		t.Run("slower than the changes, "+mode, func(t *testing.T) {
			t.Parallel()
			err := slowly(t, mode, "40:20", 40, 200*time.Millisecond, 100*time.Second)
			if mode == "coalesce" && err != nil {
				t.Fatal(err)
			}
			if mode == "end" && (status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "watch again")) {
				t.Fatal(err)
			}
		})
	}
}
