// Command status answers what a kubelet says of a pod: with the kubelet's own code, from the pod as the API
// server has it, the status that the kubelet gave last, and what a container runtime shows.
//
// It reads cases from its input and writes one answer for each. A case is a number of parts, each a byte that
// says what it is, and an encoded message: P the pod, L the last status, S the status of a sandbox, C a container
// as lists have it, D the status of a container; N is the time, as decimal seconds since 1970. Counts and lengths
// are 32 bits, the smallest byte first.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
)

// A case as it came.
type question struct {
	pod        *v1.Pod
	last       *v1.PodStatus
	now        time.Time
	sandboxes  []*runtime.PodSandboxStatus
	listed     []*runtime.Container
	containers map[string]*runtime.ContainerStatus
}

func main() {
	klog.SetLogger(klog.Logger{})
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	asked := newKubelet()
	for {
		question, err := read(in)
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
		status, refused := asked.status(context.Background(), question)
		encoded, err := status.Marshal()
		must(err)
		must(binary.Write(out, binary.LittleEndian, uint32(len(encoded)+1)))
		// Whether the status manager took a change for impossible and left the status as it was.
		must(out.WriteByte(map[bool]byte{true: 1}[refused]))
		_, err = out.Write(encoded)
		must(err)
		must(out.Flush())
	}
}

func read(in *bufio.Reader) (*question, error) {
	asked := &question{containers: map[string]*runtime.ContainerStatus{}}
	var parts uint32
	if err := binary.Read(in, binary.LittleEndian, &parts); err != nil {
		return nil, err
	}
	for range parts {
		kind, err := in.ReadByte()
		if err != nil {
			return nil, err
		}
		var length uint32
		if err := binary.Read(in, binary.LittleEndian, &length); err != nil {
			return nil, err
		}
		bytes := make([]byte, length)
		if _, err := io.ReadFull(in, bytes); err != nil {
			return nil, err
		}
		if err := asked.take(kind, bytes); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

func (q *question) take(kind byte, bytes []byte) error {
	switch kind {
	case 'P':
		q.pod = &v1.Pod{}
		return q.pod.Unmarshal(bytes)
	case 'L':
		q.last = &v1.PodStatus{}
		return q.last.Unmarshal(bytes)
	case 'N':
		seconds, err := strconv.ParseInt(string(bytes), 10, 64)
		q.now = time.Unix(seconds, 0)
		return err
	case 'S':
		q.sandboxes = append(q.sandboxes, &runtime.PodSandboxStatus{})
		return proto.Unmarshal(bytes, q.sandboxes[len(q.sandboxes)-1])
	case 'C':
		q.listed = append(q.listed, &runtime.Container{})
		return proto.Unmarshal(bytes, q.listed[len(q.listed)-1])
	case 'D':
		status := &runtime.ContainerStatus{}
		err := proto.Unmarshal(bytes, status)
		q.containers[status.GetId()] = status
		return err
	}
	return errors.New("a part of an unknown kind")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
