package main

import (
	"log/slog"
	"os"
	"strings"
)

// warnOfRoot warns if the server, which runs as the user uid, has root's rights on the whole machine.
func warnOfRoot(log *slog.Logger, uid int, container bool) {
	if uid == 0 && !container {
		log.Warn("the server runs as root; run it as a user of its own, as the systemd unit in deploy/ does")
	}
}

// inContainer reports whether the process runs in a container. It looks for the marks of common container engines.
func inContainer(getenv func(string) string, exists func(path string) bool) bool {
	return getenv("container") != "" || getenv("KUBERNETES_SERVICE_HOST") != "" ||
		exists("/.dockerenv") || exists("/run/.containerenv")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// forgetSecrets removes variables that hold secrets from the environment: all settings, and the keys of S3 and of the
// receiver of traces. Nothing reads them after the start. PGPASSWORD stays because every new connection to PostgreSQL
// reads it.
func forgetSecrets() error {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		switch {
		case strings.HasPrefix(name, "PARLEY_"),
			strings.HasPrefix(name, "AWS_"),
			strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && strings.HasSuffix(name, "HEADERS"):
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return nil
}
