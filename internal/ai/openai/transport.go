package openai

import (
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	// maxHeader limits the header of a response, in bytes.
	maxHeader = 64 << 10
	// connBuffer is the size of a connection's read and write buffers. They are small because every reply in progress has
	// its own connection.
	connBuffer  = 1 << 10
	idleTimeout = 90 * time.Second
	idlePerHost = 256
)

// NewTransport returns a transport for many streams to few hosts.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		ReadBufferSize:         connBuffer,
		WriteBufferSize:        connBuffer,
	}
}
