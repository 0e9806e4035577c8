package cli

import (
	"slices"
	"strings"
	"testing"
)

type line struct {
	Run  run      `cmd:"" default:"withargs" help:"Run it."`
	Copy copyFile `cmd:"" help:"Copy a file."`
	User struct {
		Show   user `cmd:"" help:"Show one."`
		Delete user `cmd:"" help:"Delete one."`
	} `cmd:"" help:"Look after users."`
	Raw struct {
		Args []string `arg:"" passthrough:""`
	} `cmd:"" hidden:"" help:"Never shown."`

	Config    string `placeholder:"FILE" help:"Settings."`
	MaxUpload string `group:"Storage:" default:"20MB" help:"Largest file, with a help that is longer than one line can be."`
}

type run struct {
	When string `default:"now" enum:"now,never" help:"When."`
}

type copyFile struct {
	From  string `arg:"" help:"Source."`
	To    string `arg:"" help:"Target."`
	Force bool   `help:"Replace it."`
}

func (copyFile) Help() string { return "It is copied.\n\nReally." }

type user struct {
	Name string `arg:"" name:"id" enum:"ada,bob" help:"Who."`
}

func TestCommandLinesAreRead(t *testing.T) {
	for args, want := range map[string]string{
		"":                            "run now  20MB",
		"--when never --max-upload=1": "run never  1",
		"run --config=a=b":            "run now a=b 20MB",
		"--max-upload=":               "run now  ",
		"copy a b":                    "copy now  20MB a b false",
		"--config c copy --force a b": "copy now c 20MB a b true",
		"copy a b --force --force=no": "copy now  20MB a b false",
		"copy -- --force -":           "copy now  20MB --force - false",
		"user delete bob":             "user delete now  20MB",
		"raw -x --help":               "raw now  20MB",
	} {
		var l line
		command, help, err := New("program", "Does it.", &l).Parse(strings.Fields(args))
		got := []string{command.Path(), l.Run.When, l.Config, l.MaxUpload}
		if l.Copy.From != "" {
			got = append(got, l.Copy.From, l.Copy.To, map[bool]string{true: "true", false: "false"}[l.Copy.Force])
		}
		if err != nil || help || strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v, %v", args, got, help, err)
		}
		if args == "raw -x --help" && !slices.Equal(l.Raw.Args, []string{"-x", "--help"}) {
			t.Errorf("got %q", l.Raw.Args)
		}
	}
}

func TestWrongCommandLinesAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"copy":                `expected "<from> <to>"`,
		"copy a":              `expected "<to>"`,
		"copy a b c":          "unexpected argument c",
		"launch":              "unexpected argument launch",
		"user":                `expected one of "show", "delete"`,
		"user show eve":       `<id> must be one of ada, bob but is "eve"`,
		"--when=soon":         `--when must be one of now, never but is "soon"`,
		"--config":            "--config needs a value",
		"--config --when=now": "--config needs a value",
		"--confg=a":           "unknown flag --confg, did you mean --config?",
		"copy --when=now":     "unknown flag --when",
		"-x":                  "unknown flag -x",
		"copy --force=maybe":  `--force: "maybe" is neither true nor false`,
	} {
		var l line
		_, help, err := New("program", "Does it.", &l).Parse(strings.Fields(args))
		if err == nil || help || err.Error() != want {
			t.Errorf("%q: got %v, %v", args, help, err)
		}
	}
}

func TestHelpIsAskedForAnywhere(t *testing.T) {
	for args, want := range map[string]string{
		"-h": "", "copy --help": "copy", "copy -h a b c": "copy", "user nobody --help": "user", "run --help": "run",
	} {
		var l line
		command, help, _ := New("program", "Does it.", &l).Parse(strings.Fields(args))
		if !help || command.Path() != want {
			t.Errorf("%q: got %v of %q", args, help, command.Path())
		}
	}
}

func TestTheHelpShowsWhatThereIs(t *testing.T) {
	var l line
	program := New("program", "Does it.", &l)
	for want, command := range map[string]*Command{
		`Usage: program <command> [flags]

Does it.

Commands:
  run            Run it.
  copy           Copy a file.
  user show      Show one.
  user delete    Delete one.

Flags:
  -h, --help       Show this help.
  --config=FILE    Settings.!

Storage:
  --max-upload="20MB"    Largest file, with a help that is longer than one line
                         can be.!
`: program,
		`Usage: program copy <from> <to> [flags]

Copy a file.

It is copied.

Really.

Arguments:
  <from>    Source.
  <to>      Target.

Flags:
  -h, --help       Show this help.
  --force          Replace it.!
  --config=FILE    Settings.!

Storage:
  --max-upload="20MB"    Largest file, with a help that is longer than one line
                         can be.!
`: program.Commands[1],
	} {
		var out strings.Builder
		err := command.WriteHelp(&out, func(f *Flag) string { return f.Help + "!" })
		if got := out.String(); err != nil || got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("copy\x00--force\x00a\x00--\x00-b")
	f.Add("--config\x00c\x00user\x00show\x00ada\x00-h")
	f.Fuzz(func(t *testing.T, args string) {
		var l line
		command, help, err := New("program", "Does it.", &l).Parse(strings.Split(args, "\x00"))
		if command == nil {
			t.Fatal("no command")
		}
		if err == nil && !help && command.Path() == "copy" && l.Run.When != "now" {
			t.Errorf("another command's flag is %q", l.Run.When)
		}
	})
}

// TestAFlagWithATypeIsStoredByTheCaller has fields in a struct of their own, with its heading.
func TestAFlagWithATypeIsStoredByTheCaller(t *testing.T) {
	var l struct {
		Limits struct {
			Pages  int    `type:"number" default:"3" help:"Pages."`
			Secret string `type:"text" group:"Secrets:" file:"File of the secret." help:"Secret."`
			inner  int
		} `group:"Limits:"`
	}
	program := New("program", "Does it.", &l)
	if _, _, err := program.Parse([]string{"--pages=7", "--secret-file", "here"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, flag := range program.Flags {
		got = append(got, flag.Group+" "+flag.Name+" "+flag.Type+" "+flag.Value())
	}
	want := []string{"Limits: pages number 7", "Secrets: secret text ", "Secrets: secret-file  here"}
	if !slices.Equal(got, want) || program.Flags[1].File != program.Flags[2] {
		t.Errorf("got %q, want %q", got, want)
	}
	if program.Flags[0].Store(7); l.Limits.Pages != 7 || l.Limits.Secret != "" || l.Limits.inner != 0 {
		t.Errorf("stored %+v", l)
	}
}
