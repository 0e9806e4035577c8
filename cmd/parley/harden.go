package main

import (
	"os"
	"strings"
)

// forgetSecrets removes the variables that hold secrets from the environment, which nothing reads
// after the start: all settings, the keys of S3 and of the receiver of traces. PGPASSWORD stays,
// since every new connection to PostgreSQL reads it.
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
