// Command parley runs the chat-assistant server and manages its data.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"parley/internal/config"
	"parley/internal/extract/ocr"
)

// The build sets version and commit.
var (
	version = "dev"
	commit  = "unknown"
)

// gcPercent is how much the heap grows before a collection, unless GOGC is set. The heap of a server is small, so
// Go's default of 100 would collect too often: requests took up to a tenth more CPU. With 200 they took about as long
// as with 400, and memory did not shrink. Each hash of a password leaves 19 MiB, so account collects garbage itself
// after every few hashes.
const gcPercent = 400

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "parley:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	command, err := config.Parse(os.Args[1:], os.Getenv, os.Stdout)
	if err != nil {
		return err
	}
	switch command.Name {
	case config.CommandVersion:
		fmt.Printf("parley %s\ncommit %s, %s, %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return nil
	case config.CommandExtract:
		return extractOne()
	case config.CommandRecognize:
		return ocr.Become(command.Args)
	case config.CommandServe:
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(gcPercent)
		}
		return serve(ctx, command)
	case config.CommandReady:
		return checkReady(ctx, command.Settings)
	case config.CommandBackup:
		return backUp(ctx, command.Settings, command.Options)
	case config.CommandRestore:
		return restore(ctx, command.Settings, command.Options)
	case config.CommandMove:
		return moveData(ctx, command.Settings, command.Options)
	case config.CommandDoctor:
		return diagnose(ctx, command.Settings, command.Options)
	case config.CommandUserList, config.CommandUserShow, config.CommandUserAdd, config.CommandUserDisable,
		config.CommandUserEnable, config.CommandResetPassword, config.CommandUserQuota, config.CommandUserPromote,
		config.CommandUserDemote, config.CommandUserTOTPOff, config.CommandUserDelete:
		return users(ctx, command)
	case config.CommandSettingsList, config.CommandSettingsSet, config.CommandSettingsUnset:
		return changeSettings(ctx, command)
	default: // the help was printed
		return nil
	}
}
