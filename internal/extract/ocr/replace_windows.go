package ocr

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs a program and exits as it does: a process can't be replaced here.
func replaceProcess(program string, args, environment []string) error {
	cmd := exec.Command(program, args...) //nolint:noctx // this process ends with it
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		os.Exit(failed.ExitCode())
	}
	return err
}
