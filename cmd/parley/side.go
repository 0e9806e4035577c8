package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"parley/internal/metrics"
)

// sideServer serves something for operators on a separate address.
type sideServer struct {
	what    string
	addr    string
	handler http.Handler
	log     *slog.Logger
}

// newProfileServer serves Go profiles.
func newProfileServer(addr string, log *slog.Logger) *sideServer {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &sideServer{what: "profiles", addr: addr, handler: mux, log: log}
}

// newMetricsServer serves /metrics.
func newMetricsServer(addr string, counters *metrics.Metrics, log *slog.Logger) *sideServer {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", counters.Handler())
	return &sideServer{what: "metrics", addr: addr, handler: mux, log: log}
}

// Run serves until ctx ends.
func (s *sideServer) Run(ctx context.Context) {
	if err := s.serve(ctx); err != nil {
		s.log.Error("serve "+s.what, "error", err)
	}
}

func (s *sideServer) serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	s.log.Info("serve "+s.what, "address", "http://"+listener.Addr().String())
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
