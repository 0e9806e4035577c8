package main

import (
	"bytes"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/extract/sandbox"
)

func TestSecretsLeaveTheEnvironment(t *testing.T) {
	forgotten := []string{
		"PARLEY_DATABASE_URL", "PARLEY_AI_API_KEY", "PARLEY_AI_API_KEEY", "AWS_SECRET_ACCESS_KEY",
		"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
	}
	kept := []string{"PGPASSWORD", "SSL_CERT_FILE", "OTEL_SERVICE_NAME"}
	for _, name := range slices.Concat(forgotten, kept) {
		t.Setenv(name, "secret")
	}
	if err := forgetSecrets(); err != nil {
		t.Fatal(err)
	}
	for _, name := range forgotten {
		if _, found := os.LookupEnv(name); found {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range kept {
		if os.Getenv(name) != "secret" {
			t.Errorf("%s is gone", name)
		}
	}
}

func TestAMissingWallIsLogged(t *testing.T) {
	for report, want := range map[string]string{
		`i\000\000\000\026{"landlock":"too old"}d\000\000\000\002{}`: "landlock: too old",
		`i\000\000\000\002{}d\000\000\000\002{}`:                     "",
		`nonsense`:                                                   "start a reader",
	} {
		pool, err := sandbox.New(sandbox.Config{
			Command: []string{"/bin/sh", "-c", "printf '" + report + "'; cat"},
			Time:    time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		checkWalls(t.Context(), pool, slog.New(slog.NewTextHandler(&log, nil)))
		pool.Close()
		if got := log.String(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: it says %q", report, got)
		}
	}
}

func TestContainersAreRecognized(t *testing.T) {
	for mark, want := range map[string]bool{
		"": false, "/.dockerenv": true, "/run/.containerenv": true, "container": true, "KUBERNETES_SERVICE_HOST": true,
	} {
		getenv := func(name string) string {
			if name == mark {
				return "x"
			}
			return ""
		}
		if got := inContainer(getenv, func(path string) bool { return path == mark }); got != want {
			t.Errorf("%q: got %t", mark, got)
		}
	}
}

func TestRootIsWarnedOutsideOfContainers(t *testing.T) {
	for _, test := range []struct {
		uid       int
		container bool
		want      bool
	}{{0, false, true}, {0, true, false}, {1000, false, false}, {1000, true, false}} {
		var log bytes.Buffer
		warnOfRoot(slog.New(slog.NewTextHandler(&log, nil)), test.uid, test.container)
		if warned := strings.Contains(log.String(), "the server runs as root"); warned != test.want {
			t.Errorf("%+v: it says %q", test, log.String())
		}
	}
}
