package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheProgramGoesOnWithoutItsPages(t *testing.T) {
	if err := forgetStartup(); err != nil {
		t.Fatal(err)
	}
	if version := strings.ToUpper(runtime.Version()); !strings.HasPrefix(version, "GO") {
		t.Errorf("the program reads %q", version)
	}
}

func TestTheOperatorsMemorySettingsStand(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, setting := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(setting, "100")
		tuneMemory()()
		if percent := debug.SetGCPercent(100); percent != 100 {
			t.Errorf("with %s set, garbage is collected at %d %%", setting, percent)
		}
		if err := os.Unsetenv(setting); err != nil {
			t.Fatal(err)
		}
	}
	tuneMemory()()
	if percent := debug.SetGCPercent(100); percent != collectAt {
		t.Errorf("with nothing set, garbage is collected at %d %%", percent)
	}
}
