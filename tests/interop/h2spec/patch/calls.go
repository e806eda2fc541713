//go:build patched

// Package spec is h2spec's own; this file of it speaks to a server of gRPC on a UNIX socket.
package spec

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/summerwind/h2spec/config"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

var (
	// Socket is where the server listens.
	Socket string
	// Calls makes each request a call with an empty message, which a server of gRPC answers with DATA.
	Calls bool
)

// CommonHeaders takes the place of h2spec's function of this name, which `build` renames.
func CommonHeaders(c *config.Config) []hpack.HeaderField {
	headers := plainHeaders(c)
	if Calls {
		headers[0].Value = "POST"
		headers = append(headers, HeaderField("te", "trailers"), HeaderField("content-type", "application/grpc"))
	}
	return headers
}

// dial takes the place of h2spec's call of net.DialTimeout.
func dial(c *config.Config) (net.Conn, error) {
	conn, err := net.DialTimeout("unix", Socket, c.Timeout)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn}, nil
}

type connection struct {
	net.Conn
	// last is the highest stream that was opened.
	last uint32
}

// Read tells a reset as the end that it is: this h2spec compares errors as only a Go of its time has
// them. A UNIX socket that is closed with bytes unread is reset.
func (c *connection) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	if errors.Is(err, syscall.ECONNRESET) {
		err = io.EOF
	}
	return n, err
}

// Write lets the empty message end a request that its HEADERS would end. h2spec writes frames whole.
func (c *connection) Write(frame []byte) (int, error) {
	if !Calls || !c.isWholeRequest(frame) {
		return c.Conn.Write(frame)
	}
	call := append([]byte{}, frame...)
	call[4] &^= byte(http2.FlagHeadersEndStream)
	call = append(call, 0, 0, 5, byte(http2.FrameData), byte(http2.FlagDataEndStream))
	call = append(call, frame[5:9]...)
	call = append(call, 0, 0, 0, 0, 0)
	if _, err := c.Conn.Write(call); err != nil {
		return 0, err
	}
	return len(frame), nil
}

// isWholeRequest returns whether these are HEADERS that open a stream and end it.
func (c *connection) isWholeRequest(frame []byte) bool {
	if len(frame) < 9 || http2.FrameType(frame[3]) != http2.FrameHeaders {
		return false
	}
	length := int(frame[0])<<16 | int(frame[1])<<8 | int(frame[2])
	stream := binary.BigEndian.Uint32(frame[5:9])
	opens := stream%2 == 1 && stream > c.last
	if opens {
		c.last = stream
	}
	const whole = http2.FlagHeadersEndStream | http2.FlagHeadersEndHeaders
	return opens && length == len(frame)-9 && length <= DefaultFrameSize && http2.Flags(frame[4])&whole == whole
}
