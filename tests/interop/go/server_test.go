package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// patience is longer than anything here takes on a busy machine.
const patience = time.Minute

// dialers are the ways in which public consumers reach a UNIX socket from Go.
var dialers = map[string]func(socket string) (*grpc.ClientConn, error){
	"unix target": func(socket string) (*grpc.ClientConn, error) {
		return grpc.NewClient("unix:"+socket, options()...)
	},
	"bare path with a custom dialer": func(socket string) (*grpc.ClientConn, error) {
		dial := func(ctx context.Context, path string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
		return grpc.NewClient("passthrough:///"+socket, append(options(), grpc.WithContextDialer(dial))...)
	},
}

func options() []grpc.DialOption {
	quick := backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond}
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: patience}),
	}
}

// each runs a test once for each way to reach the server.
func each(t *testing.T, test func(t *testing.T, dial func(*server) pods.PodsClient)) {
	for name, dialer := range dialers {
		t.Run(name, func(t *testing.T) {
			test(t, func(s *server) pods.PodsClient {
				connection, err := dialer(s.socket)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { connection.Close() })
				return pods.NewPodsClient(connection)
			})
		})
	}
}

// server is a process of the binary under test, in a folder of its own.
type server struct {
	t                            *testing.T
	socket, manifests, file, web string
	flags                        []string
	process                      *exec.Cmd
}

// prepare makes a server with these flags and does not start it.
func prepare(t *testing.T, flags ...string) *server {
	folder, err := os.MkdirTemp("", "podsapi-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &server{
		t:         t,
		socket:    filepath.Join(folder, "pods.sock"),
		manifests: filepath.Join(folder, "manifests"),
		file:      filepath.Join(folder, "pods.json"),
		web:       filepath.Join(folder, "web.sock"),
	}
	if err := os.Mkdir(s.manifests, 0o755); err != nil {
		t.Fatal(err)
	}
	s.flags = append([]string{"serve", "--socket", s.socket, "--node-name", "Node-A", "--metrics", s.web}, flags...)
	t.Cleanup(func() { s.kill(syscall.SIGTERM) })
	return s
}

// serve starts a server of a folder of manifests.
func serve(t *testing.T, flags ...string) *server {
	s := prepare(t, flags...)
	s.flags = append(s.flags, "--manifests", s.manifests)
	s.start()
	return s
}

// serveList starts a server of these pods, without a rate limit.
func serveList(t *testing.T, list []*v1.Pod, flags ...string) *server {
	s := prepare(t, append([]string{"--qps", "0"}, flags...)...)
	s.flags = append(s.flags, "--snapshot", s.file)
	s.list(list...)
	s.start()
	return s
}

// launch starts the process and waits until it listens.
func (s *server) launch() {
	s.run(os.Getenv("PODSAPI_BIN"))
	eventually(s.t, func() error {
		connection, err := net.Dial("unix", s.socket)
		if err == nil {
			connection.Close()
		}
		return err
	})
}

// run starts the process.
func (s *server) run(program string) {
	s.t.Helper()
	process := exec.Command(program, s.flags...)
	if err := process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.process = process
}

// start starts the process and waits until it is ready.
func (s *server) start() {
	s.launch()
	s.ready()
}

func (s *server) ready() {
	s.t.Helper()
	eventually(s.t, func() error {
		report, err := exec.Command(os.Getenv("PODSAPI_BIN"), "check", "--socket", s.socket).CombinedOutput()
		if err != nil {
			return fmt.Errorf("not ready: %w\n%s", err, report)
		}
		return nil
	})
}

func (s *server) kill(how syscall.Signal) {
	if s.process != nil {
		s.process.Process.Signal(how)
		s.process.Wait()
	}
}

// write puts a manifest into the server's folder.
func (s *server) write(name, uid string, step int) {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"interop","uid":%q,"labels":{"step":"%d"}},
"spec":{"containers":[{"name":"main","image":"example.test/main:1"}]}}`, name, uid, step)
	s.replace(filepath.Join(s.manifests, name+".json"), []byte(text))
}

// list replaces the server's list of pods.
func (s *server) list(list ...*v1.Pod) {
	all := v1.PodList{Items: []v1.Pod{}}
	all.APIVersion, all.Kind = "v1", "PodList"
	for _, pod := range list {
		all.Items = append(all.Items, *pod)
	}
	text, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	s.replace(s.file, text)
}

func (s *server) replace(path string, content []byte) {
	hidden := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.WriteFile(hidden, content, 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(hidden, path); err != nil {
		s.t.Fatal(err)
	}
}

// dial connects as most consumers do.
func (s *server) dial(options ...grpc.DialOption) pods.PodsClient {
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	connection, err := grpc.NewClient("unix:"+s.socket, options...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { connection.Close() })
	return pods.NewPodsClient(connection)
}

// metrics returns the page of metrics.
func (s *server) metrics() string {
	s.t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", s.web)
	}
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	answer, err := (&http.Client{Transport: transport, Timeout: patience}).Get("http://localhost/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatal(answer.Status, err)
	}
	return string(text)
}

// counted returns the value of a series of requests: "", "list_", "get_" or "watch_".
func (s *server) counted(method, code string) int {
	s.t.Helper()
	name := fmt.Sprintf(`kubelet_pod_requests_%stotal{server_api_version="v1alpha1",status_code=%q} `, method, code)
	for line := range strings.Lines(s.metrics()) {
		if value, found := strings.CutPrefix(line, name); found {
			number, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				s.t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// watching is an open watch that fails its test when an event does not come in time.
type watching struct {
	t      *testing.T
	stream grpc.ServerStreamingClient[pods.WatchPodsEvent]
	cancel context.CancelFunc
}

func watch(t *testing.T, client pods.PodsClient) *watching {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	t.Cleanup(cancel)
	stream, err := client.WatchPods(ctx, &pods.WatchPodsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &watching{t, stream, cancel}
}

// expect returns the pod of the next event, which must be of this type.
func (w *watching) expect(kind pods.EventType) *v1.Pod {
	w.t.Helper()
	event, err := w.stream.Recv()
	if err != nil {
		w.t.Fatalf("%v instead of %v", err, kind)
	}
	pod := decode(w.t, event.Pod)
	if event.Type != kind {
		w.t.Fatalf("%v of %q instead of %v", event.Type, pod.UID, kind)
	}
	return pod
}

// marker expects the end of the first list, which carries no bytes of a pod.
func (w *watching) marker() {
	w.t.Helper()
	event, err := w.stream.Recv()
	if err != nil || event.Type != pods.EventType_INITIAL_SYNC_COMPLETE || len(event.Pod) != 0 {
		w.t.Fatalf("%v, %v instead of the sync marker", event, err)
	}
}

func eventually(t *testing.T, check func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func within(t *testing.T, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

func decode(t *testing.T, data []byte) *v1.Pod {
	t.Helper()
	pod := &v1.Pod{}
	if err := pod.Unmarshal(data); err != nil {
		t.Fatalf("Unmarshal: %v", err)
	}
	return pod
}

// listed returns what a list returns, decoded.
func listed(t *testing.T, client pods.PodsClient) []*v1.Pod {
	t.Helper()
	list, err := client.ListPods(within(t, patience), &pods.ListPodsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*v1.Pod
	for _, data := range list.Pods {
		all = append(all, decode(t, data))
	}
	return all
}

// got returns the pod of this UID.
func got(t *testing.T, client pods.PodsClient, uid types.UID) *v1.Pod {
	t.Helper()
	answer, err := client.GetPod(within(t, patience), &pods.GetPodRequest{PodUID: string(uid)})
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, answer.Pod)
}

// refused fails unless the error has this code and its text has these words.
func refused(t *testing.T, err error, code codes.Code, words string) {
	t.Helper()
	if status.Code(err) != code || !strings.Contains(status.Convert(err).Message(), words) {
		t.Fatalf("%v instead of %v with %q", err, code, words)
	}
}

// ended reads a watch to its end.
func ended(stream grpc.ServerStreamingClient[pods.WatchPodsEvent], err error) error {
	for err == nil {
		_, err = stream.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// running returns a running pod of this UID, which is its name too.
func running(uid string, changes ...func(*v1.Pod)) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: uid, Namespace: "interop", UID: types.UID(uid)},
		Spec: v1.PodSpec{
			NodeName:   "node-a",
			Containers: []v1.Container{{Name: "main", Image: "example.test/main:1"}},
		},
		Status: v1.PodStatus{Phase: v1.PodRunning},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func phase(phase v1.PodPhase) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Status.Phase = phase }
}

func labelled(value string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Labels = map[string]string{"step": value} }
}

// heavy gives a pod an annotation of so many bytes.
func heavy(bytes int) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Annotations = map[string]string{"ballast": strings.Repeat("x", bytes)} }
}
