// Package interop checks the Pods API with the Kubernetes project's own Go client.
//
// Run by tests/interop/run, which sets PODSAPI_BIN (the binary under test).
package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	v1 "k8s.io/api/core/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

func TestListGetAndNotFound(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		s.write("two", "uid-2", 0)
		eventually(t, func() error {
			list, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
			if err != nil || len(list.Pods) != 2 {
				return fmt.Errorf("%d pods, %w", len(list.GetPods()), err)
			}
			for i, uid := range []string{"uid-1", "uid-2"} {
				if got := decode(t, list.Pods[i]); string(got.UID) != uid {
					t.Fatalf("pod %d is %s", i, got.UID)
				}
			}
			return nil
		})
		got, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-2"})
		if err != nil {
			t.Fatal(err)
		}
		pod := decode(t, got.Pod)
		if pod.Name != "two-node-a" || pod.Spec.NodeName != "node-a" || pod.Status.Phase != v1.PodPending {
			t.Fatalf("%s on %s is %s", pod.Name, pod.Spec.NodeName, pod.Status.Phase)
		}
		_, err = client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "nobody"})
		if status.Code(err) != codes.NotFound || status.Convert(err).Message() != "pod with UID nobody not found" {
			t.Fatal(err)
		}
	})
}

func TestWatchToSyncAndAChange(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		eventually(t, func() error {
			_, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-1"})
			return err
		})
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		watch, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		expect := func(kind pods.EventType) *v1.Pod {
			t.Helper()
			event, err := watch.Recv()
			if err != nil || event.Type != kind {
				t.Fatalf("%v, %v instead of %v", event, err, kind)
			}
			return decode(t, event.Pod)
		}
		expect(pods.EventType_ADDED)
		if marker := expect(pods.EventType_INITIAL_SYNC_COMPLETE); marker.Name != "" {
			t.Fatal("the sync marker has a pod")
		}
		s.write("one", "uid-1", 1)
		if got := expect(pods.EventType_MODIFIED); got.Labels["step"] != "1" {
			t.Fatal(got.Labels)
		}
		os.Remove(filepath.Join(s.manifests, "one.json"))
		gone := expect(pods.EventType_DELETED)
		if gone.Name != "one-node-a" || gone.Namespace != "interop" || gone.UID != "uid-1" || len(gone.Spec.Containers) != 0 {
			t.Fatal(gone)
		}
		cancel()
		if _, err := watch.Recv(); status.Code(err) != codes.Canceled {
			t.Fatal(err)
		}
	})
}

const (
	maskText    = "x-kubernetes-fieldmask"
	maskBin     = "x-kubernetes-fieldmask-bin"
	maskApplied = "x-kubernetes-fieldmask-applied"
)

func encoded(t *testing.T, paths ...string) string {
	t.Helper()
	data, err := proto.Marshal(&fieldmaskpb.FieldMask{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// with returns a context whose calls carry these headers: names and values by turns.
func with(t *testing.T, headers ...string) context.Context {
	return metadata.AppendToOutgoingContext(within(t, patience), headers...)
}

func TestMasksSelectFieldsHoweverTheyAreSent(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		get := &pods.GetPodRequest{PodUID: "uid-1"}
		eventually(t, func() error {
			_, err := client.GetPod(within(t, patience), get)
			return err
		})
		expected := &v1.Pod{}
		expected.UID = "uid-1"
		expected.Status.Phase = v1.PodPending
		for _, headers := range [][]string{
			{maskText, "status.phase,metadata.uid"},
			{maskText, "status.phase", maskText, "metadata.uid"},
			{maskText, "metadata.uid, status.phase,, metadata.uid"},
			{maskBin, encoded(t, "status.phase", "metadata.uid")},
			{maskBin, encoded(t, "status.phase"), maskBin, encoded(t, "metadata.uid")},
			{maskBin, encoded(t, "status.phase"), maskText, "metadata.uid", maskText, ""},
		} {
			var listed, got metadata.MD
			list, err := client.ListPods(with(t, headers...), &pods.ListPodsRequest{}, grpc.Header(&listed))
			if err != nil || len(list.Pods) != 1 {
				t.Fatalf("%q: %d pods, %v", headers, len(list.GetPods()), err)
			}
			one, err := client.GetPod(with(t, headers...), get, grpc.Header(&got))
			if err != nil {
				t.Fatalf("%q: %v", headers, err)
			}
			for _, data := range [][]byte{list.Pods[0], one.Pod} {
				if pod := decode(t, data); pod.String() != expected.String() {
					t.Fatalf("%q: %v", headers, pod)
				}
			}
			for _, header := range []metadata.MD{listed, got} {
				if told := header.Get(maskApplied); !slices.Equal(told, []string{"metadata.uid,status.phase"}) {
					t.Fatalf("%q: %q", headers, told)
				}
			}
		}
		for _, headers := range [][]string{{}, {maskText, ""}, {maskText, " ,"}, {maskBin, encoded(t)}} {
			var header metadata.MD
			one, err := client.GetPod(with(t, headers...), get, grpc.Header(&header))
			if err != nil || len(header.Get(maskApplied)) != 0 || len(decode(t, one.Pod).Spec.Containers) != 1 {
				t.Fatalf("%q: %v, %v", headers, header, err)
			}
		}
	})
}

func TestABadMaskIsRefusedWithEveryBadPath(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		client := dial(serve(t, "--qps", "0"))
		eventually(t, func() error {
			_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
			return err
		})
		_, err := client.ListPods(with(t, maskText, "status.podIps,metadata.uid,spec..nodeName"), &pods.ListPodsRequest{})
		text := `x-kubernetes-fieldmask: path 1 "status.podIps": "podIps" (byte 7) is not a field of PodStatus; ` +
			`names are case-sensitive: did you mean "podIPs"?; path 3 "spec..nodeName": empty segment at byte 5`
		if status.Code(err) != codes.InvalidArgument || status.Convert(err).Message() != text {
			t.Fatal(err)
		}
		var fields []string
		for _, detail := range status.Convert(err).Details() {
			if request, ok := detail.(*errdetails.BadRequest); ok {
				for _, violation := range request.FieldViolations {
					fields = append(fields, violation.Field)
				}
			}
		}
		if !slices.Equal(fields, []string{"status.podIps", "spec..nodeName"}) {
			t.Fatalf("%q", fields)
		}
		_, err = client.GetPod(with(t, maskBin, "\x0a\x7f"), &pods.GetPodRequest{PodUID: "nobody"})
		if status.Code(err) != codes.InvalidArgument || !strings.HasPrefix(status.Convert(err).Message(), maskBin+": ") {
			t.Fatal(err)
		}
		var many []string
		for number := range 500 {
			many = append(many, fmt.Sprintf("status.p%03d", number))
		}
		watch, err := client.WatchPods(with(t, maskText, strings.Join(many, ",")), &pods.WatchPodsRequest{})
		if err == nil {
			_, err = watch.Recv()
		}
		if status.Code(err) != codes.InvalidArgument || len(status.Convert(err).Details()) == 0 {
			t.Fatal(err)
		}
	})
}

func TestAMaskedWatchHearsOfAPodWhenTheSelectedFieldsChanged(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		eventually(t, func() error {
			_, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-1"})
			return err
		})
		type stream = grpc.ServerStreamingClient[pods.WatchPodsEvent]
		expect := func(watch stream, kind pods.EventType) *v1.Pod {
			t.Helper()
			event, err := watch.Recv()
			if err != nil || event.Type != kind {
				t.Fatalf("%v, %v instead of %v", event, err, kind)
			}
			return decode(t, event.Pod)
		}
		open := func(mask string) stream {
			t.Helper()
			watch, err := client.WatchPods(with(t, maskText, mask), &pods.WatchPodsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			header, err := watch.Header()
			if told := header.Get(maskApplied); err != nil || !slices.Equal(told, []string{mask}) {
				t.Fatalf("%q, %v", told, err)
			}
			expect(watch, pods.EventType_ADDED)
			expect(watch, pods.EventType_INITIAL_SYNC_COMPLETE)
			return watch
		}
		steps, uids := open("metadata.labels.step"), open("metadata.uid")
		s.write("one", "uid-1", 1)
		if got := expect(steps, pods.EventType_MODIFIED); got.Labels["step"] != "1" || got.UID != "" {
			t.Fatal(got)
		}
		s.write("two", "uid-2", 0)
		if got := expect(uids, pods.EventType_ADDED); got.UID != "uid-2" || got.Name != "" {
			t.Fatal(got)
		}
		os.Remove(filepath.Join(s.manifests, "one.json"))
		gone := expect(uids, pods.EventType_DELETED)
		if gone.Name != "one-node-a" || gone.Namespace != "interop" || gone.UID != "uid-1" || len(gone.Labels) != 0 {
			t.Fatal(gone)
		}
	})
}

func TestADeadlineEndsAWatch(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		watch, err := dial(serve(t)).WatchPods(within(t, 400*time.Millisecond), &pods.WatchPodsRequest{})
		for err == nil {
			_, err = watch.Recv()
		}
		if status.Code(err) != codes.DeadlineExceeded {
			t.Fatal(err)
		}
	})
}

func TestARestartedServerReplays(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		s := serve(t, "--qps", "0")
		client := dial(s)
		s.write("one", "uid-1", 0)
		eventually(t, func() error {
			_, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: "uid-1"})
			return err
		})
		watch, err := client.WatchPods(within(t, patience), &pods.WatchPodsRequest{})
		for err == nil {
			var event *pods.WatchPodsEvent
			if event, err = watch.Recv(); err == nil && event.Type == pods.EventType_INITIAL_SYNC_COMPLETE {
				s.kill(syscall.SIGKILL)
			}
		}
		if status.Code(err) != codes.Unavailable && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		s.start()
		eventually(t, func() error {
			watch, err := client.WatchPods(within(t, patience), &pods.WatchPodsRequest{})
			if err != nil {
				return err
			}
			event, err := watch.Recv()
			if err == nil && event.Type != pods.EventType_ADDED {
				err = fmt.Errorf("%v comes first", event.Type)
			}
			return err
		})
	})
}

func TestErrorDetailsSayTheReason(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		client := dial(serve(t, "--qps", "1", "--burst", "1"))
		eventually(t, func() error {
			_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
			if status.Code(err) != codes.ResourceExhausted {
				return fmt.Errorf("not refused: %w", err)
			}
			for _, detail := range status.Convert(err).Details() {
				if info, ok := detail.(*errdetails.ErrorInfo); ok && info.Reason == "RATE_LIMITED" {
					return nil
				}
			}
			t.Fatalf("no reason in %v", status.Convert(err).Details())
			return nil
		})
	})
}

func TestSixHundredConcurrentCalls(t *testing.T) {
	each(t, func(t *testing.T, dial func(*server) pods.PodsClient) {
		client := dial(serve(t, "--qps", "0", "--simulate", "50:0:7"))
		eventually(t, func() error {
			_, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
			return err
		})
		ctx := within(t, 4*patience)
		failures := make(chan error, 600)
		var group sync.WaitGroup
		for range 600 {
			group.Go(func() {
				list, err := client.ListPods(ctx, &pods.ListPodsRequest{})
				if err == nil && len(list.Pods) != 50 {
					err = fmt.Errorf("%d pods", len(list.Pods))
				}
				if err != nil {
					failures <- err
				}
			})
		}
		group.Wait()
		close(failures)
		for err := range failures {
			t.Fatal(err)
		}
	})
}
