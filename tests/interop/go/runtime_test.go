package interop

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runtime is a container runtime that has what a test says.
type runtime struct {
	cri.UnimplementedRuntimeServiceServer
	socket string
	server *grpc.Server

	mutex      sync.Mutex
	sandboxes  []*cri.PodSandboxStatus
	containers []*cri.ContainerStatus
	owners     map[string]string
}

// newRuntime makes a runtime that does not listen yet.
func newRuntime(t *testing.T) *runtime {
	r := &runtime{socket: filepath.Join(t.TempDir(), "cri.sock"), owners: map[string]string{}}
	t.Cleanup(r.stop)
	return r
}

func (r *runtime) start(t *testing.T) {
	listener, err := net.Listen("unix", r.socket)
	if err != nil {
		t.Fatal(err)
	}
	r.server = grpc.NewServer()
	cri.RegisterRuntimeServiceServer(r.server, r)
	go r.server.Serve(listener)
}

func (r *runtime) stop() {
	if r.server != nil {
		r.server.Stop()
	}
}

// runs has the runtime run a pod with this address.
func (r *runtime) runs(pod *v1.Pod, ip string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	sandbox := "sandbox-" + string(pod.UID)
	r.sandboxes = append(r.sandboxes, &cri.PodSandboxStatus{
		Id:        sandbox,
		Metadata:  &cri.PodSandboxMetadata{Name: pod.Name, Namespace: pod.Namespace, Uid: string(pod.UID)},
		State:     cri.PodSandboxState_SANDBOX_READY,
		CreatedAt: 1_700_000_000_000_000_000,
		Network:   &cri.PodSandboxNetworkStatus{Ip: ip},
	})
	for _, container := range pod.Spec.Containers {
		id := "container-" + string(pod.UID) + "-" + container.Name
		r.owners[id] = sandbox
		// As a kubelet labels them: a container without them is nobody's.
		labels := map[string]string{
			"io.kubernetes.pod.namespace":  pod.Namespace,
			"io.kubernetes.pod.name":       pod.Name,
			"io.kubernetes.pod.uid":        string(pod.UID),
			"io.kubernetes.container.name": container.Name,
		}
		r.containers = append(r.containers, &cri.ContainerStatus{
			Id:        id,
			Metadata:  &cri.ContainerMetadata{Name: container.Name},
			State:     cri.ContainerState_CONTAINER_RUNNING,
			CreatedAt: 1_700_000_000_000_000_000,
			StartedAt: 1_700_000_001_000_000_000,
			Image:     &cri.ImageSpec{Image: container.Image},
			Labels:    labels,
		})
	}
}

func (r *runtime) Version(context.Context, *cri.VersionRequest) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{RuntimeName: "fake", RuntimeVersion: "1", RuntimeApiVersion: "v1"}, nil
}

func (r *runtime) ListPodSandbox(context.Context, *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	list := &cri.ListPodSandboxResponse{}
	for _, status := range r.sandboxes {
		list.Items = append(list.Items, &cri.PodSandbox{
			Id: status.Id, Metadata: status.Metadata, State: status.State, CreatedAt: status.CreatedAt,
		})
	}
	return list, nil
}

func (r *runtime) ListContainers(context.Context, *cri.ListContainersRequest) (*cri.ListContainersResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	list := &cri.ListContainersResponse{}
	for _, status := range r.containers {
		list.Containers = append(list.Containers, &cri.Container{
			Id: status.Id, PodSandboxId: r.owners[status.Id], Metadata: status.Metadata, State: status.State,
			Labels: status.Labels,
		})
	}
	return list, nil
}

func (r *runtime) PodSandboxStatus(_ context.Context, asked *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	answer := &cri.PodSandboxStatusResponse{}
	for _, status := range r.sandboxes {
		if status.Id == asked.PodSandboxId {
			answer.Status = status
		}
	}
	return answer, nil
}

func (r *runtime) ContainerStatus(_ context.Context, asked *cri.ContainerStatusRequest) (*cri.ContainerStatusResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	answer := &cri.ContainerStatusResponse{}
	for _, status := range r.containers {
		if status.Id == asked.ContainerId {
			answer.Status = status
		}
	}
	return answer, nil
}
