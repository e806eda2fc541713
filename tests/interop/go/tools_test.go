package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// tool runs a program that `run` has installed, or skips the test where there is none.
func tool(t *testing.T, name string, arguments ...string) (string, error) {
	t.Helper()
	folder := os.Getenv("PODSAPI_GO_TOOLS")
	if folder == "" {
		t.Skipf("SKIPPED %s: PODSAPI_GO_TOOLS names no folder with it", name)
	}
	// What they wait for themselves is a second or ten, which a busy machine may not keep.
	limits := map[string][]string{
		"grpcurl":           {"-connect-timeout", "60"},
		"grpc-health-probe": {"-connect-timeout", "60s", "-rpc-timeout", "60s"},
	}
	arguments = append(limits[name], arguments...)
	output, err := exec.CommandContext(within(t, 2*patience), filepath.Join(folder, name), arguments...).CombinedOutput()
	return string(output), err
}

func TestGrpcurlListsDescribesAndCallsWithoutFiles(t *testing.T) {
	s := serve(t)
	s.write("a", "uid-a", 1)
	run := func(arguments ...string) string {
		t.Helper()
		output, err := tool(t, "grpcurl", append([]string{"-plaintext", "-unix"}, arguments...)...)
		if err != nil {
			t.Fatalf("grpcurl %v: %v\n%s", arguments, err, output)
		}
		return output
	}
	grpcurl := func(arguments ...string) string {
		t.Helper()
		return run(append([]string{s.socket}, arguments...)...)
	}
	services := strings.Fields(grpcurl("list"))
	expected := []string{
		"Pods",
		"grpc.health.v1.Health",
		"grpc.reflection.v1.ServerReflection",
		"grpc.reflection.v1alpha.ServerReflection",
		"podsapi.v1.Diagnostics",
		"v1alpha1.Pods",
	}
	if !slices.Equal(services, expected) {
		t.Fatalf("services: %q", services)
	}
	for _, service := range services {
		if text := grpcurl("describe", service); !strings.Contains(text, "is a service") || !strings.Contains(text, "rpc ") {
			t.Fatalf("%s: %s", service, text)
		}
	}
	for symbol, wanted := range map[string]string{
		"v1alpha1.Pods.ListPods":                 "rpc ListPods",
		"v1alpha1.EventType":                     "INITIAL_SYNC_COMPLETE = 4",
		"k8s.io.api.core.v1.PodSpec":             "string nodeName = 10",
		"k8s.io.api.core.v1.PodStatus":           "repeated .k8s.io.api.core.v1.PodIP podIPs = 12",
		"grpc.health.v1.HealthListResponse":      "map<string, .grpc.health.v1.HealthCheckResponse> statuses = 1",
		"k8s.io.api.core.v1.Container.resources": "ResourceRequirements resources = 8",
	} {
		if text := grpcurl("describe", symbol); !strings.Contains(text, wanted) {
			t.Fatalf("%s: %s", symbol, text)
		}
	}
	// The documented dialect carries pods that the definitions describe to the last field.
	eventually(t, func() error {
		return contains(grpcurl("Pods/ListPods"), `"uid": "uid-a"`, `"image": "example.test/main:1"`)
	})
	if err := contains(run("-d", `{"podUID": "uid-a"}`, s.socket, "v1alpha1.Pods/GetPod"), `"pod": "`); err != nil {
		t.Fatal(err)
	}
	if output, err := tool(t, "grpcurl", "-plaintext", "-unix", s.socket, "describe", "no.Such"); err == nil ||
		!strings.Contains(output, "no.Such") {
		t.Fatalf("%v: %s", err, output)
	}
}

// Details of an error are messages in Any, which grpcurl shows by their definitions, or as base64.
func TestGrpcurlShowsTheDetailsOfErrors(t *testing.T) {
	shows := func(s *server, header string, wanted ...string) {
		t.Helper()
		eventually(t, func() error {
			output, err := tool(t, "grpcurl", "-plaintext", "-unix", "-H", header, s.socket, "v1alpha1.Pods/ListPods")
			if err == nil {
				return errors.New("the call is answered")
			}
			return contains(strings.Join(strings.Fields(output), ""), wanted...)
		})
	}
	shows(serve(t), "x-kubernetes-fieldmask: no.such",
		"google.rpc.ErrorInfo", `"reason":"INVALID_FIELD_MASK"`, `"domain":"podsapi"`,
		"google.rpc.BadRequest", `"field":"no.such"`, `"description":"`)

	// Another client takes what the rate allows.
	s := serve(t, "--qps", "1", "--burst", "1")
	connection, err := dialers["unix target"](s.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(within(t, patience))
	defer cancel()
	go func() {
		for client := pods.NewPodsClient(connection); ctx.Err() == nil; time.Sleep(time.Millisecond) {
			_, _ = client.ListPods(ctx, &pods.ListPodsRequest{})
		}
	}()
	shows(s, "a: b", "google.rpc.ErrorInfo", `"reason":"RATE_LIMITED"`, "google.rpc.RetryInfo", `"retry_delay":"0.`)
}

func contains(text string, wanted ...string) error {
	for _, part := range wanted {
		if !strings.Contains(text, part) {
			return &missing{part, text}
		}
	}
	return nil
}

type missing struct{ part, text string }

func (m *missing) Error() string { return m.part + " is not in " + m.text }

func TestGrpcHealthProbeFindsTheServerServing(t *testing.T) {
	s := serve(t)
	for _, service := range []string{"", "Pods", "v1alpha1.Pods", "grpc.health.v1.Health"} {
		output, err := tool(t, "grpc-health-probe", "-addr", "unix://"+s.socket, "-service", service)
		if err != nil || !strings.Contains(output, "SERVING") {
			t.Fatalf("%q: %v: %s", service, err, output)
		}
	}
	if output, err := tool(t, "grpc-health-probe", "-addr", "unix://"+s.socket, "-service", "nobody"); err == nil {
		t.Fatal(output)
	}
	s.kill(syscall.SIGTERM)
	if output, err := tool(t, "grpc-health-probe", "-addr", "unix://"+s.socket, "-connect-timeout", "200ms"); err == nil {
		t.Fatal(output)
	}
}
