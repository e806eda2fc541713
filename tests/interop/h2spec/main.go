// Command h2spec runs every case of h2spec against a `podsapi serve`, as plain requests and as calls,
// and compares what did not pass with the list of exceptions.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

// pods is what the server serves: any answer with a body will do.
const pods = `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod",
"metadata": {"name": "a", "namespace": "default", "uid": "uid-a"},
"spec": {"containers": [{"name": "main", "image": "example.test/main:1"}]}}]}`

// patience is how long a case waits for a frame, and how long the server may take to come.
const patience = time.Minute

// atOnce is how many cases run at a time: each has a connection of its own, and most of them wait.
const atOnce = 8

// Outcomes of a case.
const (
	failed  = "failed"
	notRun  = "not-run"
	passed  = "passed"
	skipped = "skipped"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: h2spec PODSAPI EXCEPTIONS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "h2spec:", err)
		os.Exit(1)
	}
}

func run(program, list string) error {
	expected, err := exceptions(list)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "h2spec-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	stop, err := serve(program, folder)
	if err != nil {
		return err
	}
	defer stop()
	found := map[string]string{}
	for _, mode := range []string{"plain", "calls"} {
		spec.Calls = mode == "calls"
		counts := map[string]int{}
		results := all(requests(), func(name string) bool { return expected[mode+" "+name] != notRun })
		for _, result := range results {
			counts[result.outcome]++
			if result.outcome == passed {
				continue
			}
			name := mode + " " + result.name
			found[name] = result.outcome
			fmt.Printf("%s: %s: %s\n", name, result.outcome, result.why)
		}
		fmt.Printf("h2spec %s: %d cases, %d passed, %d failed, %d skipped, %d not run\n",
			mode, len(results), counts[passed], counts[failed], counts[skipped], counts[notRun])
	}
	if maps.Equal(found, expected) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if found[name] != expected[name] {
			fmt.Printf("%s: listed as %s, which it is not\n", name, expected[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if expected[name] == "" {
			fmt.Printf("%s: %s, and not listed\n", name, found[name])
		}
	}
	return fmt.Errorf("not what %s lists", list)
}

// exceptions reads which cases do not pass: "MODE CASE OUTCOME" on each line that is no comment.
func exceptions(list string) (map[string]string, error) {
	file, err := os.Open(list)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	expected := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 3:
			expected[words[0]+" "+words[1]] = words[2]
		default:
			return nil, fmt.Errorf("%s: %q is not MODE CASE OUTCOME", list, lines.Text())
		}
	}
	return expected, lines.Err()
}

// serve starts the server and waits until it answers with a body.
func serve(program, folder string) (stop func(), err error) {
	snapshot := filepath.Join(folder, "pods.json")
	if err := os.WriteFile(snapshot, []byte(pods), 0o600); err != nil {
		return nil, err
	}
	spec.Socket = filepath.Join(folder, "pods.sock")
	server := exec.Command(program, "serve", "--socket", spec.Socket, "--node-name", "a", "--snapshot", snapshot,
		"--qps", "0")
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	server.Stdout, server.Stderr = log, log
	// The server ends with the thread that started it: that of main, which is the last to end.
	runtime.LockOSThread()
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	stop = func() {
		server.Process.Kill()
		<-ended
	}
	spec.Calls = true
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		length, err := spec.ServerDataLength(requests())
		if err == nil && length > 0 {
			return stop, nil
		}
		if time.Now().After(deadline) {
			stop()
			said, _ := os.ReadFile(log.Name())
			return nil, errors.Join(fmt.Errorf("the server does not answer with pods: %s", said), err)
		}
	}
}

func requests() *config.Config {
	return &config.Config{
		Host:         "localhost",
		Port:         80,
		Path:         "/v1alpha1.Pods/ListPods",
		Timeout:      patience,
		MaxHeaderLen: 4000,
		Strict:       true,
	}
}

type result struct{ name, outcome, why string }

// all runs every wanted case, and returns the results in the order of the suite.
func all(c *config.Config, isWanted func(name string) bool) []result {
	var cases []func() result
	var walk func(group *spec.TestGroup)
	walk = func(group *spec.TestGroup) {
		for i, test := range append(slices.Clone(group.Tests), group.StrictTests...) {
			name := fmt.Sprintf("%s/%d", group.ID(), i+1)
			cases = append(cases, func() result {
				if !isWanted(name) {
					return result{name, notRun, test.Desc}
				}
				return one(c, test, name)
			})
		}
		for _, child := range group.Groups {
			walk(child)
		}
	}
	for _, group := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		walk(group)
	}
	results := make([]result, len(cases))
	slots := make(chan struct{}, atOnce)
	var done sync.WaitGroup
	for i, run := range cases {
		slots <- struct{}{}
		done.Go(func() {
			results[i] = run()
			<-slots
		})
	}
	done.Wait()
	return results
}

func one(c *config.Config, test *spec.TestCase, name string) result {
	conn, err := spec.Dial(c)
	if err == nil {
		defer conn.Close()
		err = test.Run(c, conn)
	}
	switch {
	case err == nil:
		return result{name, passed, ""}
	case errors.Is(err, spec.ErrSkipped):
		return result{name, skipped, test.Desc}
	default:
		why := strings.Join(strings.Fields(err.Error()), " ")
		return result{name, failed, test.Desc + ": " + why}
	}
}
