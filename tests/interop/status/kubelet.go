package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientset "k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/prober"
	"k8s.io/kubernetes/pkg/kubelet/prober/results"
	"k8s.io/kubernetes/pkg/kubelet/status"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/format"
	testingclock "k8s.io/utils/clock/testing"
)

// The node's addresses.
var nodeIPs = []string{"192.0.2.1", "2001:db8::1"}

// A kubelet without a node: what it needs to work out a status, and nothing else.
type asked struct {
	kubelet  *kubelet.Kubelet
	statuses status.Manager
	probes   prober.Manager
	started  *probed
	ready    *probed
	runtime  *shown
	manager  unsafe.Pointer
	clock    *testingclock.FakeClock
}

func newKubelet() *asked {
	a := &asked{kubelet: &kubelet.Kubelet{}, runtime: &shown{}, started: &probed{}, ready: &probed{}}
	a.clock = testingclock.NewFakeClock(time.Time{})
	a.statuses = status.NewManager(nil, pods{}, pods{}, pods{})
	a.probes = prober.NewManager(a.statuses, &probed{}, a.ready, a.started, nil, nil)
	set(a.probes, "start", time.Time{})
	set(a.kubelet, "statusManager", a.statuses)
	set(a.kubelet, "probeManager", a.probes)
	set(a.kubelet, "containerManager", cm.NewFakeContainerManager(klog.Background()))
	set(a.kubelet, "kubeClient", clientset.Interface(client{}))
	set(a.kubelet, "nodeLister", corelisters.NodeLister(node{}))
	set(a.kubelet, "nodeHasSynced", func() bool { return true })
	deadline, err := newActiveDeadlineHandler(a.statuses, &record.FakeRecorder{}, a.clock)
	must(err)
	a.kubelet.AddPodSyncHandler(deadline)
	set(a.kubelet, "nodeIPs", []net.IP{net.ParseIP(nodeIPs[0]), net.ParseIP(nodeIPs[1])})
	manager, err := newRuntimeManager(context.Background(), a.runtime, nil, nil, nil, nil, nil, nil)
	must(err)
	a.manager = manager
	return a
}

// Returns the status that the API server gets, and whether the status manager refused a change.
func (a *asked) status(ctx context.Context, q *question) (v1.PodStatus, bool) {
	a.runtime.question = q
	a.clock.SetTime(q.now)
	// What the cgroup of a pod that runs says cannot be asked of a node that is not there.
	must(utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("InPlacePodLevelResourcesVerticalScaling=%t",
		q.pod.Status.Phase != v1.PodRunning)))
	before := q.pod.Status
	cached := map[types.UID]v1.PodStatus{}
	if q.last != nil {
		before = *q.last
		cached[q.pod.UID] = before
	}
	a.remember(cached)
	seen := a.look(ctx, q, &before)
	a.hear(q.pod, &before, seen)

	generated := generateAPIPodStatus(a.kubelet, ctx, q.pod, seen, false)
	refused := checkContainerStateTransition(&before, &generated, &q.pod.Spec) != nil
	result := before
	if !refused {
		result, _ = a.statuses.SetPodStatus(klog.Background(), q.pod, generated)
	}
	running := len(seen.GetRunningContainerStatuses()) > 0
	over := q.pod.DeletionTimestamp != nil || podutil.IsPodPhaseTerminal(result.Phase) ||
		podutil.IsPodPhaseTerminal(q.pod.Status.Phase)
	if over && !running && !anyReady(seen) {
		generated = generateAPIPodStatus(a.kubelet, ctx, q.pod, seen, true)
		cache, _ := a.statuses.GetPodStatus(q.pod.UID)
		refused = refused || checkContainerStateTransition(&cache, &generated, &q.pod.Spec) != nil
		a.statuses.SetPodStatus(klog.Background(), q.pod, generated)
		a.statuses.TerminatePod(klog.Background(), q.pod)
		result, _ = a.statuses.GetPodStatus(q.pod.UID)
	}
	// That a pod was active for too long a kubelet says itself at once, and an API server hears it when nothing
	// runs any more.
	exceeded := result.Reason == "DeadlineExceeded"
	return mergePodStatus(q.pod, q.pod.Status, result, running && !exceeded), refused
}

// What the kubelet's cache of pods has: the runtime's word, and the addresses that a stopped pod had.
func (a *asked) look(ctx context.Context, q *question, before *v1.PodStatus) *kubecontainer.PodStatus {
	all, err := getPods(a.manager, ctx, true)
	must(err)
	seen := &kubecontainer.PodStatus{ID: q.pod.UID, Name: q.pod.Name, Namespace: q.pod.Namespace}
	for _, pod := range all {
		if pod.ID == q.pod.UID {
			seen, err = getPodStatus(a.manager, ctx, pod)
			must(err)
		}
	}
	if len(seen.IPs) == 0 && !anyReady(seen) {
		for _, ip := range before.PodIPs {
			seen.IPs = append(seen.IPs, ip.IP)
		}
	}
	return seen
}

func anyReady(seen *kubecontainer.PodStatus) bool {
	for _, sandbox := range seen.SandboxStatuses {
		if sandbox.State == runtime.PodSandboxState_SANDBOX_READY {
			return true
		}
	}
	return false
}

// What only the kubelet knows, the results of its probes and why it could not start a container, is what the
// pod's status says of exactly the newest run.
func (a *asked) hear(pod *v1.Pod, old *v1.PodStatus, seen *kubecontainer.PodStatus) {
	*a.started, *a.ready = probed{}, probed{}
	reasons := kubelet.NewReasonCache()
	set(a.kubelet, "reasonCache", reasons)
	workers := field(a.probes, "workers")
	workers.Set(reflect.MakeMap(workers.Type()))
	byName, olds := byName(&pod.Status), byName(old)
	for _, list := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range list {
			newest := seen.FindContainerStatusByName(container.Name)
			said, known := byName[container.Name]
			var before *v1.ContainerStatus
			if old, known := olds[container.Name]; known {
				before = &old
			}
			same := known && newest != nil && said.ContainerID == newest.ID.String()
			if container.ReadinessProbe != nil {
				// Of the kinds of probes it is the second: liveness, readiness, startup.
				work(workers, pod.UID, container.Name, 1)
			}
			if newest != nil && newest.State == kubecontainer.ContainerStateRunning {
				says := same && said.State.Running != nil
				if container.StartupProbe != nil {
					a.started.say(newest.ID, says && said.Started != nil && *said.Started)
				}
				if container.ReadinessProbe != nil {
					a.ready.say(newest.ID, says && said.Ready)
				}
			}
			reason, message := a.waits(pod, container, old, before, seen)
			if waiting := said.State.Waiting; waiting != nil && waiting.Reason != "" &&
				!waitsAnyway[waiting.Reason] && (same || newest == nil && fresh(pod, said, before)) {
				reason, message = waiting.Reason, waiting.Message
			}
			if reason != "" {
				result := kubecontainer.NewSyncResult(kubecontainer.StartContainer, container.Name)
				result.Fail(errors.New(reason), message)
				synced := kubecontainer.PodSyncResult{}
				synced.AddSyncResult(result)
				reasons.Update(pod.UID, synced)
			}
		}
	}
}

// Why a container waits that has ended for at least the second time: what the kubelet's own back-off says of the
// two runs that are left.
func (a *asked) waits(pod *v1.Pod, container v1.Container, old *v1.PodStatus, before *v1.ContainerStatus,
	seen *kubecontainer.PodStatus) (string, string) {
	runs := []*kubecontainer.Status{}
	for _, run := range seen.ContainerStatuses {
		if run.Name == container.Name {
			runs = append(runs, run)
		}
	}
	slices.SortStableFunc(runs, func(a, b *kubecontainer.Status) int { return b.CreatedAt.Compare(a.CreatedAt) })
	if len(runs) == 0 || runs[0].State != kubecontainer.ContainerStateExited {
		return "", ""
	}
	newest, restarts := runs[0], runs[0].RestartCount
	if before != nil {
		restarts = max(restarts, int(before.RestartCount))
	}
	over := podutil.IsPodPhaseTerminal(old.Phase) || podutil.IsPodPhaseTerminal(pod.Status.Phase)
	if deadline := pod.Spec.ActiveDeadlineSeconds; deadline != nil && old.StartTime != nil {
		over = over || a.clock.Since(old.StartTime.Time) >= time.Duration(*deadline)*time.Second
	}
	if restarts == 0 || over || kubecontainer.ShouldAllContainersRestart(pod, seen, old) {
		return "", ""
	}
	clock := testingclock.NewFakeClock(newest.CreatedAt)
	backOff := flowcontrol.NewFakeBackOff(10*time.Second, kubelet.MaxCrashLoopBackOff, clock)
	backOff.Next(container.Name, newest.CreatedAt)
	for range restarts - 1 {
		// The newest run was started, so the back-off was over.
		if len(runs) > 1 && runs[1].FinishedAt.Unix() > 0 &&
			backOff.IsInBackOffSince(container.Name, runs[1].FinishedAt) {
			break
		}
		backOff.Next(container.Name, newest.CreatedAt)
	}
	clock.SetTime(newest.FinishedAt)
	if !backOff.IsInBackOffSince(container.Name, newest.FinishedAt) {
		return "", ""
	}
	return kubecontainer.ErrCrashLoopBackOff.Error(), fmt.Sprintf("back-off %s restarting failed container=%s pod=%s",
		backOff.Get(container.Name), container.Name, format.Pod(pod))
}

func byName(status *v1.PodStatus) map[string]v1.ContainerStatus {
	all := map[string]v1.ContainerStatus{}
	for _, list := range [][]v1.ContainerStatus{status.ContainerStatuses, status.InitContainerStatuses} {
		for _, one := range list {
			all[one.Name] = one
		}
	}
	return all
}

// Tells whether what was said of a container that is not there is said of it since it ran last.
func fresh(pod *v1.Pod, said v1.ContainerStatus, before *v1.ContainerStatus) bool {
	switch {
	case before == nil:
		return true
	case before.State.Terminated != nil:
		return said.ContainerID != "" && said.ContainerID == before.ContainerID || said.RestartCount > before.RestartCount
	case before.State.Running != nil && before.LastTerminationState.Terminated == nil && pod.DeletionTimestamp == nil:
		return said.RestartCount > before.RestartCount
	}
	return said.RestartCount >= before.RestartCount
}

// The reasons that a kubelet gives without having tried to start a container.
var waitsAnyway = map[string]bool{
	kubelet.ContainerCreating: true, kubelet.PodInitializing: true, kubelet.RestartingAllContainers: true,
}

// Notes that a container has a probe of a kind.
func work(workers reflect.Value, pod types.UID, container string, kind int64) {
	key := reflect.New(workers.Type().Key())
	set(key.Interface(), "podUID", pod)
	set(key.Interface(), "containerName", container)
	field(key.Interface(), "probeType").SetInt(kind)
	workers.SetMapIndex(key.Elem(), reflect.New(workers.Type().Elem().Elem()))
}

// Makes the status manager remember these statuses and no others.
func (a *asked) remember(statuses map[types.UID]v1.PodStatus) {
	remembered := field(a.statuses, "podStatuses")
	remembered.Set(reflect.MakeMap(remembered.Type()))
	for uid, status := range statuses {
		one := reflect.New(remembered.Type().Elem())
		set(one.Interface(), "status", status)
		remembered.SetMapIndex(reflect.ValueOf(uid), one.Elem())
	}
}

// The results of one kind of probe.
type probed map[kubecontainer.ContainerID]results.Result

func (p *probed) Get(id kubecontainer.ContainerID) (results.Result, bool) {
	result, known := (*p)[id]
	return result, known
}
func (p *probed) Set(id kubecontainer.ContainerID, result results.Result, _ *v1.Pod) {
	(*p)[id] = result
}
func (p *probed) Remove(id kubecontainer.ContainerID) { delete(*p, id) }
func (p *probed) Updates() <-chan results.Update      { return nil }
func (p *probed) say(id kubecontainer.ContainerID, success bool) {
	(*p)[id] = map[bool]results.Result{true: results.Success, false: results.Failure}[success]
}

// A client that is not asked: that there is one makes the kubelet look at its node.
type client struct{ clientset.Interface }

// The node.
type node struct{}

func (node) List(labels.Selector) ([]*v1.Node, error) { return nil, nil }
func (node) Get(name string) (*v1.Node, error) {
	addresses := []v1.NodeAddress{}
	for _, ip := range nodeIPs {
		addresses = append(addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: ip})
	}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{Addresses: addresses}}, nil
}

// The kubelet's pods, of which the status manager is told each time.
type pods struct{}

func (pods) GetPodByUID(types.UID) (*v1.Pod, bool)     { return nil, false }
func (pods) GetMirrorPodByPod(*v1.Pod) (*v1.Pod, bool) { return nil, false }
func (pods) TranslatePodUID(uid types.UID) kubetypes.ResolvedPodUID {
	return kubetypes.ResolvedPodUID(uid)
}
func (pods) PodCouldHaveRunningContainers(*v1.Pod) bool { return false }
func (pods) RecordStatusUpdated(klog.Logger, *v1.Pod)   {}
func (pods) DeletePodStartupState(types.UID)            {}
func (pods) GetUIDTranslations() (
	map[kubetypes.ResolvedPodUID]kubetypes.MirrorPodUID, map[kubetypes.MirrorPodUID]kubetypes.ResolvedPodUID) {
	return nil, nil
}

// Gives a field its value, exported or not.
func set(of any, name string, value any) { field(of, name).Set(reflect.ValueOf(value)) }

func field(of any, name string) reflect.Value {
	found := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(found.Type(), unsafe.Pointer(found.UnsafeAddr())).Elem()
}
