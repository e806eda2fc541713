// Command manifests says what a kubelet makes of manifests of static pods.
//
// It reads cases from standard input and writes one line of JSON for each, in their order. A case
// is a line `NODE LENGTH PATH`, then LENGTH bytes: the name of the node, and the manifest as it
// stands in the file PATH. An answer has these fields:
//
//   - stage: "accepted", or what refused it: "decode", "name", "validate" or "reference";
//   - error: the kubelet's words, when it is refused;
//   - uid: the pod's, when it could be decoded;
//   - printed: what that UID is a hash of, but for the node and the path behind it; nothing for a
//     pod that has a UID of its own;
//   - pod: a v1.Pod with its defaults in protobuf and base64, when it could be decoded, also when
//     the pod is refused afterwards.
//
// What is called here is the kubelet's own code, of the release in go.mod, with the feature gates
// that a kubelet has by default.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	_ "unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/capabilities"
	_ "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/utils/dump"
)

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(logger klog.Logger, data []byte, defaultFn func(klog.Logger, *api.Pod) error) (bool, *v1.Pod, error)

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(logger klog.Logger, pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error

type answer struct {
	Stage   string `json:"stage"`
	Error   string `json:"error,omitempty"`
	UID     string `json:"uid,omitempty"`
	Printed []byte `json:"printed,omitempty"`
	Pod     []byte `json:"pod,omitempty"`
}

func main() {
	// A kubelet has read the clock: a time in a manifest is printed with all that is known of the zone.
	time.Now().Zone()
	// As a kubelet does when it starts: privileged containers may run.
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20)
	if err := answerAll(in, json.NewEncoder(out)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answerAll(in *bufio.Reader, out *json.Encoder) error {
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the line of a case: %w", err)
		}
		var node string
		var length int
		if _, err := fmt.Sscanf(line, "%s %d ", &node, &length); err != nil {
			return fmt.Errorf("the line of a case, %q: %w", line, err)
		}
		path := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)[2]
		data := make([]byte, length)
		if _, err := io.ReadFull(in, data); err != nil {
			return fmt.Errorf("the bytes of a case: %w", err)
		}
		if err := out.Encode(ask(data, path, types.NodeName(node))); err != nil {
			return err
		}
	}
}

// ask puts one manifest to the kubelet's decoder, as its source of files does.
func ask(data []byte, path string, node types.NodeName) (found answer) {
	defer func() {
		if panicked := recover(); panicked != nil {
			found = answer{Stage: "decode", Error: fmt.Sprintf("panic: %v", panicked)}
		}
	}()
	logger := klog.Logger{}
	var printed string
	complete := func(logger klog.Logger, pod *api.Pod) error {
		if pod.UID == "" {
			printed = dump.ForHash(pod)
		}
		return applyDefaults(logger, pod, path, true, node)
	}
	_, pod, err := tryDecodeSinglePod(logger, append([]byte(nil), data...), complete)
	if err == nil {
		return encoded(answer{Stage: "accepted", Printed: []byte(printed)}, pod)
	}
	found = answer{Stage: stage(err.Error()), Error: err.Error(), Printed: []byte(printed)}
	if found.Stage == "decode" || found.Stage == "name" {
		return found
	}
	pod, err = decode(logger, data, complete)
	if err != nil {
		return answer{Stage: "decode", Error: err.Error()}
	}
	return encoded(found, pod)
}

// decode does what the kubelet does up to validation, for pods that it refuses there.
func decode(logger klog.Logger, data []byte, complete func(klog.Logger, *api.Pod) error) (*v1.Pod, error) {
	text, err := utilyaml.ToJSON(data)
	if err != nil {
		return nil, err
	}
	object, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
	if err != nil {
		return nil, err
	}
	internal, is := object.(*api.Pod)
	if !is {
		return nil, fmt.Errorf("no pod")
	}
	if err := complete(logger, internal); err != nil {
		return nil, err
	}
	pod := &v1.Pod{}
	return pod, conversion.Convert_core_Pod_To_v1_Pod(internal, pod, nil)
}

func encoded(found answer, pod *v1.Pod) answer {
	bytes, err := pod.Marshal()
	if err != nil {
		return answer{Stage: "decode", Error: err.Error()}
	}
	found.UID, found.Pod = string(pod.UID), bytes
	return found
}

func stage(text string) string {
	switch {
	case strings.HasPrefix(text, "invalid pod: name is needed"):
		return "name"
	case strings.HasPrefix(text, "invalid pod: &"):
		return "decode"
	case strings.HasPrefix(text, "invalid pod: "):
		return "validate"
	case strings.HasPrefix(text, "static pods may not "):
		return "reference"
	default:
		return "decode"
	}
}
