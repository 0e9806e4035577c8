package main

import (
	"log/slog"
	"os"

	"parley/internal/config"
)

func newLog(settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level}
	if settings.JSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

// newAuditLog returns the audit log, which ignores the log level.
func newAuditLog(settings config.Log) *slog.Logger {
	settings.Level = slog.LevelInfo
	return newLog(settings)
}
