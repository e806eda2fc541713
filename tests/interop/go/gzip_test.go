package interop

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"net"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"
)

// peer is what grpc-go itself makes of requests: every pod is unknown.
type peer struct {
	pods.UnimplementedPodsServer
}

func (peer) GetPod(_ context.Context, request *pods.GetPodRequest) (*pods.GetPodResponse, error) {
	return nil, status.Errorf(codes.NotFound, "pod with UID %s not found", request.PodUID)
}

// The same bytes go to grpc-go with its codec and to the server under test; both name the same status.
func TestWhatGrpcGoMakesOfGzipIsMadeOfItHere(t *testing.T) {
	theirs := filepath.Join(t.TempDir(), "go.sock")
	listener, err := net.Listen("unix", theirs)
	if err != nil {
		t.Fatal(err)
	}
	goServer := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 10))
	pods.RegisterPodsServer(goServer, peer{})
	go goServer.Serve(listener)
	t.Cleanup(goServer.Stop)
	ours := serve(t, "--qps", "0").socket

	request := append([]byte{0x0a, 1}, 'u')
	whole := zip(request)
	change := func(back int) []byte {
		changed := bytes.Clone(whole)
		changed[len(changed)-back] ^= 1
		return changed
	}
	header := bytes.Clone(whole)
	header[3] = 0x08 // a name follows
	named := append(header[:10:10], append([]byte("name\x00"), whole[10:]...)...)
	cases := []struct {
		what, encoding string
		flag           byte
		message        []byte
	}{
		{"plain, no encoding", "", 0, request},
		{"plain, identity", "identity", 0, request},
		{"plain, gzip", "gzip", 0, request},
		{"whole", "gzip", 1, whole},
		{"with a name", "gzip", 1, named},
		{"of nothing", "gzip", 1, zip(nil)},
		{"two members", "gzip", 1, append(zip(request[:2]), zip(request[2:])...)},
		{"an empty member behind", "gzip", 1, append(bytes.Clone(whole), zip(nil)...)},
		{"no bytes", "gzip", 1, nil},
		{"no gzip", "gzip", 1, request},
		{"cut in the header", "gzip", 1, whole[:5]},
		{"cut in the middle", "gzip", 1, whole[:12]},
		{"cut in the checksum", "gzip", 1, whole[:len(whole)-6]},
		{"cut by one", "gzip", 1, whole[:len(whole)-1]},
		{"another checksum", "gzip", 1, change(8)},
		{"another length", "gzip", 1, change(1)},
		{"garbage behind", "gzip", 1, append(bytes.Clone(whole), "garbage, and more of it"...)},
		{"zeros behind", "gzip", 1, append(bytes.Clone(whole), make([]byte, 16)...)},
		{"half a member behind", "gzip", 1, append(bytes.Clone(whole), whole[:5]...)},
		{"gzip without the flag", "gzip", 0, whole},
		{"a flag without an encoding", "", 1, whole},
		{"a flag with identity", "identity", 1, whole},
		{"an odd flag", "gzip", 2, whole},
		{"an unknown encoding", "zstd", 1, whole},
		{"an unknown encoding, plain", "zstd", 0, request},
		{"another case", "GZIP", 1, whole},
		{"a bomb", "gzip", 1, zip(make([]byte, 32<<20))},
		{"as large as it may be", "gzip", 1, zip(padded(64 << 10))},
		{"larger by one", "gzip", 1, zip(padded(64<<10 + 1))},
	}
	for _, one := range cases {
		want := raw(t, theirs, one.encoding, one.flag, one.message)
		got := raw(t, ours, one.encoding, one.flag, one.message)
		t.Logf("%-28s %s here, %s of grpc-go", one.what, got, want)
		if got != want {
			t.Errorf("%s: status %s, of grpc-go %s", one.what, got, want)
		}
	}
}

func zip(text []byte) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	writer.Write(text)
	writer.Close()
	return out.Bytes()
}

// padded is a request of this size: the UID and a field that nobody knows.
func padded(size int) []byte {
	request := []byte{0x0a, 1, 'u', 0x7a}
	length := uint64(size - len(request) - 3)
	request = append(request, byte(length)|0x80, byte(length>>7)|0x80, byte(length>>14))
	return append(request, make([]byte, length)...)
}

// raw makes a call of GetPod frame by frame, and returns its grpc-status.
func raw(t *testing.T, socket, encoding string, flag byte, message []byte) string {
	t.Helper()
	connection, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	connection.Write([]byte(http2.ClientPreface))
	framer := http2.NewFramer(connection, connection)
	framer.WriteSettings()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	fields := [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", "/v1alpha1.Pods/GetPod"}, {":authority", "localhost"},
		{"content-type", "application/grpc"}, {"te", "trailers"},
	}
	if encoding != "" {
		fields = append(fields, [2]string{"grpc-encoding", encoding})
	}
	for _, field := range fields {
		encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	body := append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(message))), message...)
	go func() {
		// All that is sent is less than the first window of a stream.
		for len(body) > 16_384 {
			framer.WriteData(1, false, body[:16_384])
			body = body[16_384:]
		}
		framer.WriteData(1, true, body)
	}()
	found := ""
	decoder := hpack.NewDecoder(4096, func(field hpack.HeaderField) {
		if field.Name == "grpc-status" {
			found = field.Value
		}
	})
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("no status: %v", err)
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			// Nothing of it matters for one call.
		case *http2.HeadersFrame:
			decoder.Write(frame.HeaderBlockFragment())
			if frame.StreamEnded() {
				return found
			}
		case *http2.RSTStreamFrame:
			return "reset " + frame.ErrCode.String()
		case *http2.GoAwayFrame:
			t.Fatalf("the connection ends: %v", frame.ErrCode)
		}
	}
}
