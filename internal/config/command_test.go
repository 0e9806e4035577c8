package config

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestACommandHasItsOptionsAndTheSettings(t *testing.T) {
	for _, test := range []struct {
		args string
		want Command
	}{
		{"ready", Command{Name: CommandReady}},
		{"backup a.tar", Command{Name: CommandBackup, Options: Options{File: "a.tar"}}},
		{"backup --force a.tar", Command{Name: CommandBackup, Options: Options{File: "a.tar", Force: true}}},
		{"restore a.tar --force", Command{Name: CommandRestore, Options: Options{File: "a.tar", Force: true}}},
		{"serve", Command{Name: CommandServe, Options: Options{Migrate: MigrateAuto}}},
		{"--migrate=only", Command{Name: CommandServe, Options: Options{Migrate: MigrateOnly}}},
		{"serve --migrate never", Command{Name: CommandServe, Options: Options{Migrate: MigrateNever}}},
		{"move --undo", Command{Name: CommandMove, Options: Options{Undo: true}}},
		{"move --to sqlite:/new", Command{Name: CommandMove, Options: Options{To: "sqlite:/new"}}},
		{
			"move --to postgres://db/x --files-to folder:/new",
			Command{Name: CommandMove, Options: Options{To: "postgres://db/x", FilesTo: "folder:/new"}},
		},
		{"doctor", Command{Name: CommandDoctor}},
		{"doctor --json --fix", Command{Name: CommandDoctor, Options: Options{JSON: true, Fix: true}}},
		{"user list --json", Command{Name: CommandUserList, Options: Options{JSON: true}}},
		{"user show 1 --json", Command{Name: CommandUserShow, Options: Options{User: "1", JSON: true}}},
		{"user add ada@example.com --nickname Ada --admin", Command{
			Name: CommandUserAdd, Options: Options{User: "ada@example.com", Nickname: "Ada", Admin: true},
		}},
		{"user disable ada@example.com", Command{Name: CommandUserDisable, Options: Options{User: "ada@example.com"}}},
		{"user enable 1", Command{Name: CommandUserEnable, Options: Options{User: "1"}}},
		{"user reset-password --stdin 1", Command{Name: CommandResetPassword, Options: Options{User: "1", Stdin: true}}},
		{"settings list --json", Command{Name: CommandSettingsList, Options: Options{JSON: true}}},
		{"settings set retention 1h --yes", Command{
			Name: CommandSettingsSet, Options: Options{Setting: "retention", Value: "1h", Yes: true},
		}},
		{"settings set quota none", Command{Name: CommandSettingsSet, Options: Options{Setting: "quota", Value: "none"}}},
		{"settings unset quota", Command{Name: CommandSettingsUnset, Options: Options{Setting: "quota"}}},
		{"user delete 1 --yes", Command{Name: CommandUserDelete, Options: Options{User: "1", Yes: true}}},
	} {
		// A command's own flags are not settings: the environment can't set them.
		got, err := Parse(strings.Fields(test.args), env("PARLEY_DATA=/there", "PARLEY_FORCE=true", "PARLEY_JSON=true"), nil)
		if err != nil || got.Name != test.want.Name || got.Options != test.want.Options || got.Settings == nil ||
			got.Settings.Store.Data != "/there" {
			t.Errorf("%s: got %+v, %v", test.args, got, err)
		}
	}
}

func TestRecognizeTakesItsArgumentsAsTheyAre(t *testing.T) {
	args := []string{"", "/usr/bin/tesseract", "stdin", "stdout", "-l", "eng", "--version", "--help"}
	got, err := Parse(append([]string{CommandRecognize}, args...), env("PARLEY_MAX_UPLOAD=5x"), nil)
	if err != nil || got.Name != CommandRecognize || !slices.Equal(got.Args, args) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestACommandNeedsItsArguments(t *testing.T) {
	for _, args := range []string{
		"backup", "restore", "backup a b", "restore --nonsense a", "user", "user show",
		"user nonsense 1", "settings", "settings set", "settings set quota", "settings set addr :80", "settings unset data",
		"serve --migrate=soon", "move", "move --undo --to sqlite:/new", "move --to sqlite:",
		"move --to mysql://db", "move --files-to sqlite:/new", "move --to sqlite:/new --to-file /there",
	} {
		refuse(t, env(), strings.Fields(args))
	}
	refuse(t, env("PARLEY_MAX_UPLOAD=5x"), []string{"backup", "a"}, "PARLEY_MAX_UPLOAD")
}

func TestTheHelpOfACommandIsItsOwn(t *testing.T) {
	for args, says := range map[string][]string{
		"backup --help":      {"--force", "--data", "PARLEY_CONFIG", "one tar file", "With PostgreSQL or S3"},
		"user delete --help": {"--yes", "id or e-mail address"},
		"user --help":        {"user reset-password"},
		"settings --help":    {"settings unset", "can't be changed here"},
		"restore --help":     {"--force", "must be empty", "moved aside"},
		"move --help":        {"--to", "sqlite:FOLDER", "--files-to-file", "--undo", "Stop all"},
	} {
		var out bytes.Buffer
		command, err := Parse(strings.Fields(args), env(), &out)
		if err != nil || command.Name != CommandHelp {
			t.Errorf("%s: %+v, %v", args, command, err)
		}
		for _, text := range says {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s does not say %q:\n%s", args, text, out.String())
			}
		}
		if strings.Contains(out.String(), "--ai-model") || strings.Contains(out.String(), "PARLEY_FORCE") {
			t.Errorf("%s says too much:\n%s", args, out.String())
		}
	}
}
