package interop

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

func TestRequestsInGzipAreTaken(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		compressed := grpc.UseCompressor(gzip.Name)
		eventually(t, func() error {
			_, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-1"}, compressed)
			return err
		})
		list, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{}, compressed)
		if err != nil || len(list.Pods) != 1 {
			t.Fatal(list, err)
		}
		watch, err := client.WatchPods(within(t, patience), &pods.WatchPodsRequest{}, compressed)
		if err != nil {
			t.Fatal(err)
		}
		if event, err := watch.Recv(); err != nil || event.Type != pods.EventType_ADDED {
			t.Fatal(event, err)
		}
		for size, want := range map[int]codes.Code{10_000: codes.NotFound, 100_000: codes.ResourceExhausted} {
			request := &pods.GetPodRequest{PodUID: strings.Repeat("u", size)}
			if _, err := client.GetPod(within(t, patience), request, compressed); status.Code(err) != want {
				t.Fatalf("%d bytes: %v", size, err)
			}
		}
	})
}

func TestTwoHundredWatchesLeaveRoomForOtherCalls(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		begin := func(ctx context.Context) error {
			watch, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
			if err != nil {
				return err
			}
			_, err = watch.Recv()
			return err
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		for i := range 200 {
			if err := begin(ctx); err != nil {
				t.Fatalf("watch %d: %v", i, err)
			}
		}
		for range 3 {
			if _, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := begin(within(t, patience)); status.Code(err) != codes.ResourceExhausted {
			t.Fatal(err)
		}
		end()
		eventually(t, func() error { return begin(within(t, patience)) })
	})
}

// A client of Go reads what the server takes at most, and does not send more.
func TestHeadersThatAreTooLargeCostTheirCallAlone(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		watch, err := client.WatchPods(within(t, 4*patience), &pods.WatchPodsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := watch.Recv(); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{17_000, 48_000, 1_000_000} {
			ctx := metadata.AppendToOutgoingContext(within(t, patience), "x-much", strings.Repeat("a", size))
			_, err := client.ListPods(ctx, &pods.ListPodsRequest{})
			if err == nil || !strings.Contains(err.Error(), "16384") {
				t.Fatalf("%d bytes: %v", size, err)
			}
		}
		s.write("one", "uid-1", 0)
		event, err := watch.Recv()
		if err != nil || event.Type != pods.EventType_ADDED {
			t.Fatal(fmt.Errorf("%v, %w", event, err))
		}
	})
}
