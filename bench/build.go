package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build builds the binary from the sources in dir, as `make build` does. Early revisions
// have no profile.
func build(ctx context.Context, dir, binary string) error {
	profile := filepath.Join("cmd", "parley", "parley.pgo")
	if _, err := os.Stat(filepath.Join(dir, profile)); err != nil {
		profile = "off"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-pgo="+profile, "-ldflags", "-s -w", "-o", binary, "./cmd/parley")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return output(cmd)
}

// checkOut puts the sources of a revision into dir. The repository is only read.
func checkOut(ctx context.Context, root, revision, dir string) error {
	if strings.HasPrefix(revision, "-") {
		return fmt.Errorf("%q is no revision", revision)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	archive := dir + ".tar"
	defer os.Remove(archive) //nolint:errcheck // it goes with its folder
	pack := exec.CommandContext(ctx, "git", "archive", "--format=tar", "--output", archive, revision)
	pack.Dir = root
	if err := output(pack); err != nil {
		return err
	}
	return output(exec.CommandContext(ctx, "tar", "-xf", archive, "-C", dir))
}

// sources is the folder of the module that the command is run in.
func sources(ctx context.Context) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	if _, err := os.Stat(filepath.Join(root, "cmd", "parley")); err != nil {
		return "", fmt.Errorf("run it inside the repository: %w", err)
	}
	return root, nil
}

// output runs a command; what it said is part of its error.
func output(cmd *exec.Cmd) error {
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said)
	}
	return nil
}
