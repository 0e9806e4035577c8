package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"parley/internal/limit"
)

func (s *server) httpServer() (*http.Server, error) {
	security, err := s.tlsConfig()
	if err != nil {
		return nil, err
	}
	return &http.Server{
		Handler:           s.closing(s.app.Handler),
		TLSConfig:         security,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       limit.ConnContext,
		// In HTTP/2, the write deadline of a response ends only its stream. This timeout ends the connection.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: s.limits.MaxWrite},
	}, nil
}

// closing makes each response during shutdown close its connection. Otherwise the server might close an idle
// connection just as its client sends another request.
func (s *server) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.app.Leaving() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func listen(web *http.Server, listener net.Listener) error {
	var err error
	if web.TLSConfig != nil {
		err = web.ServeTLS(listener, "", "")
	} else {
		err = web.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

func (s *server) address(listener net.Listener) string {
	if s.settings.HTTP.TLSCert != "" {
		return "https://" + listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}
