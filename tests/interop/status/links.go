package main

import (
	"context"
	"unsafe"

	"go.opentelemetry.io/otel/trace"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	internalapi "k8s.io/cri-api/pkg/apis"
	"k8s.io/kubernetes/pkg/kubelet"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	_ "k8s.io/kubernetes/pkg/kubelet/kuberuntime"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/utils/clock"
)

// The functions that are asked are not exported: the linker finds them by name. The file empty.s lets the
// compiler take functions without a body.

//go:linkname generateAPIPodStatus k8s.io/kubernetes/pkg/kubelet.(*Kubelet).generateAPIPodStatus
func generateAPIPodStatus(kl *kubelet.Kubelet, ctx context.Context, pod *v1.Pod, seen *kubecontainer.PodStatus,
	podIsTerminal bool) v1.PodStatus

//go:linkname checkContainerStateTransition k8s.io/kubernetes/pkg/kubelet/status.checkContainerStateTransition
func checkContainerStateTransition(old, new *v1.PodStatus, spec *v1.PodSpec) error

//go:linkname mergePodStatus k8s.io/kubernetes/pkg/kubelet/status.mergePodStatus
func mergePodStatus(pod *v1.Pod, old, new v1.PodStatus, couldHaveRunningContainers bool) v1.PodStatus

//go:linkname newActiveDeadlineHandler k8s.io/kubernetes/pkg/kubelet.newActiveDeadlineHandler
func newActiveDeadlineHandler(statuses status.PodStatusProvider, recorder record.EventRecorder,
	clock clock.Clock) (*activeDeadlineHandler, error)

// What that returns, of which only the methods are used.
type activeDeadlineHandler struct{ _ [5]uintptr }

//go:linkname pastActiveDeadline k8s.io/kubernetes/pkg/kubelet.(*activeDeadlineHandler).ShouldEvict
func pastActiveDeadline(handler *activeDeadlineHandler, pod *v1.Pod) lifecycle.ShouldEvictResponse

func (h *activeDeadlineHandler) ShouldEvict(pod *v1.Pod) lifecycle.ShouldEvictResponse {
	return pastActiveDeadline(h, pod)
}

//go:linkname newRuntimeManager k8s.io/kubernetes/pkg/kubelet/kuberuntime.newFakeKubeRuntimeManager
func newRuntimeManager(ctx context.Context, service internalapi.RuntimeService,
	images internalapi.ImageManagerService, machine unsafe.Pointer, os kubecontainer.OSInterface,
	helper kubecontainer.RuntimeHelper, tracer trace.Tracer, recorder *record.FakeRecorder) (unsafe.Pointer, error)

//go:linkname getPods k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).GetPods
func getPods(manager unsafe.Pointer, ctx context.Context, all bool) ([]*kubecontainer.Pod, error)

//go:linkname getPodStatus k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).GetPodStatus
func getPodStatus(manager unsafe.Pointer, ctx context.Context, pod *kubecontainer.Pod) (*kubecontainer.PodStatus, error)
