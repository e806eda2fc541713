// Serves a corpus of pods with grpc-go, as the kubelet's own server does it: pods are held as typed
// objects, sorted by UID for each list and marshalled for each answer, and each watch has a channel of
// its own from which it marshals what it sends.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	podsv1alpha1 "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// changing is how many pods, from the first, can change.
const changing = 16

// watchBuffer is how many events a watch may leave unread.
const watchBuffer = 100

type event struct {
	kind podsv1alpha1.EventType
	pod  *v1.Pod
}

type server struct {
	podsv1alpha1.UnimplementedPodsServer

	lock    sync.RWMutex
	pods    map[types.UID]*v1.Pod
	watches map[chan event]struct{}
}

func (s *server) sorted() []*v1.Pod {
	pods := make([]*v1.Pod, 0, len(s.pods))
	for _, pod := range s.pods {
		pods = append(pods, pod)
	}
	slices.SortFunc(pods, func(a, b *v1.Pod) int { return strings.Compare(string(a.UID), string(b.UID)) })
	return pods
}

func (s *server) ListPods(context.Context, *podsv1alpha1.ListPodsRequest) (*podsv1alpha1.ListPodsResponse, error) {
	s.lock.RLock()
	pods := s.sorted()
	s.lock.RUnlock()
	list := &podsv1alpha1.ListPodsResponse{Pods: make([][]byte, 0, len(pods))}
	for _, pod := range pods {
		encoded, err := pod.Marshal()
		if err != nil {
			return nil, status.Errorf(codes.Internal, "pod %s: %v", pod.UID, err)
		}
		list.Pods = append(list.Pods, encoded)
	}
	return list, nil
}

func (s *server) GetPod(_ context.Context, request *podsv1alpha1.GetPodRequest) (*podsv1alpha1.GetPodResponse, error) {
	s.lock.RLock()
	pod, found := s.pods[types.UID(request.PodUID)]
	s.lock.RUnlock()
	if !found {
		return nil, status.Errorf(codes.NotFound, "no pod %q", request.PodUID)
	}
	encoded, err := pod.Marshal()
	if err != nil {
		return nil, status.Errorf(codes.Internal, "pod %s: %v", pod.UID, err)
	}
	return &podsv1alpha1.GetPodResponse{Pod: encoded}, nil
}

func (s *server) WatchPods(_ *podsv1alpha1.WatchPodsRequest, stream podsv1alpha1.Pods_WatchPodsServer) error {
	events := make(chan event, watchBuffer)
	s.lock.Lock()
	pods := s.sorted()
	s.watches[events] = struct{}{}
	s.lock.Unlock()
	defer func() {
		s.lock.Lock()
		delete(s.watches, events)
		s.lock.Unlock()
	}()
	for _, pod := range pods {
		if err := send(stream, event{podsv1alpha1.EventType_ADDED, pod}); err != nil {
			return err
		}
	}
	if err := send(stream, event{kind: podsv1alpha1.EventType_INITIAL_SYNC_COMPLETE}); err != nil {
		return err
	}
	for {
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case next := <-events:
			if err := send(stream, next); err != nil {
				return err
			}
		}
	}
}

func send(stream podsv1alpha1.Pods_WatchPodsServer, next event) error {
	message := &podsv1alpha1.WatchPodsEvent{Type: next.kind}
	if next.pod != nil {
		encoded, err := next.pod.Marshal()
		if err != nil {
			return status.Errorf(codes.Internal, "pod %s: %v", next.pod.UID, err)
		}
		message.Pod = encoded
	}
	return stream.Send(message)
}

// put makes a pod known, and tells the watches of a change; a watch whose channel is full misses it.
func (s *server) put(encoded []byte) error {
	pod := &v1.Pod{}
	if err := pod.Unmarshal(encoded); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	kind := podsv1alpha1.EventType_ADDED
	if _, known := s.pods[pod.UID]; known {
		kind = podsv1alpha1.EventType_MODIFIED
	}
	s.pods[pod.UID] = pod
	for watch := range s.watches {
		select {
		case watch <- event{kind, pod}:
		default:
		}
	}
	return nil
}

// load reads a corpus: for each pod its UID and its two states, each with its length before it. The first
// state is served; both are returned for the pods that change.
func (s *server) load(path string) ([][2][]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	take := func() ([]byte, error) {
		if len(file) < 4 {
			return nil, errors.New("the corpus ends within a length")
		}
		length := int(binary.BigEndian.Uint32(file))
		if len(file)-4 < length {
			return nil, errors.New("the corpus ends within a pod")
		}
		part := file[4 : 4+length]
		file = file[4+length:]
		return part, nil
	}
	var states [][2][]byte
	for len(file) > 0 {
		var parts [3][]byte
		for i := range parts {
			if parts[i], err = take(); err != nil {
				return nil, err
			}
		}
		if err := s.put(parts[1]); err != nil {
			return nil, err
		}
		if len(states) < changing {
			states = append(states, [2][]byte{slices.Clone(parts[1]), slices.Clone(parts[2])})
		}
	}
	return states, nil
}

// answer does what the standard input says until it ends.
func (s *server) answer(states [][2][]byte) error {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "change":
			number, err := strconv.Atoi(rest)
			if err != nil || number < 0 || number >= len(states) {
				return fmt.Errorf("no such pod: %q", rest)
			}
			state := &states[number]
			state[0], state[1] = state[1], state[0]
			if err := s.put(state[0]); err != nil {
				return err
			}
		case "usage":
			var used syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
				return err
			}
			fmt.Println(used.Utime.Nano()/1000, used.Stime.Nano()/1000)
		default:
			return fmt.Errorf("not known: %q", lines.Text())
		}
	}
	return lines.Err()
}

func run() error {
	if len(os.Args) != 5 || os.Args[1] != "--socket" || os.Args[3] != "--corpus" {
		return errors.New("expected --socket PATH --corpus FILE")
	}
	pods := &server{pods: map[types.UID]*v1.Pod{}, watches: map[chan event]struct{}{}}
	states, err := pods.load(os.Args[4])
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", os.Args[2])
	if err != nil {
		return err
	}
	serving := grpc.NewServer()
	podsv1alpha1.RegisterPodsServer(serving, pods)
	go func() {
		if err := serving.Serve(listener); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	return pods.answer(states)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
