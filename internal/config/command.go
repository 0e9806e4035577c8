package config

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The commands of the program.
const (
	CommandServe         = "serve"
	CommandReady         = "ready"
	CommandVersion       = "version"
	CommandBackup        = "backup"
	CommandRestore       = "restore"
	CommandDoctor        = "doctor"
	CommandUserList      = "user list"
	CommandUserShow      = "user show"
	CommandUserDisable   = "user disable"
	CommandUserEnable    = "user enable"
	CommandResetPassword = "user reset-password"
	CommandUserDelete    = "user delete"
	// CommandExtract makes the program a reader of documents for another one of its kind.
	CommandExtract = "extract"
	// CommandHelp means that the help was asked for, and has been printed.
	CommandHelp = "help"
)

// Command is what the program is asked to do.
type Command struct {
	Name string
	// Settings are nil for the commands that need no valid ones: version, extract, help.
	Settings *Settings
	Options  Options
}

// Options is what an operator's command is told beside the settings. Each command has
// those that its help names.
type Options struct {
	// File is the archive of a backup.
	File string
	// User is a user's id or e-mail address.
	User string
	// Force lets something be replaced, Yes something be deleted.
	Force bool
	Yes   bool
	// JSON asks for output that programs read.
	JSON bool
	// Fix asks for the repair of what can be repaired without a loss.
	Fix bool
	// Stdin says that the new password comes from the standard input.
	Stdin bool
}

type readyCommand struct{}

// Help is kong's.
func (readyCommand) Help() string {
	return `Asks the server on this machine, at PARLEY_ADDR, for its /readyz: whether it serves and its database answers. The exit code is 0 where it is ready, else 1. It is for health checks of containers, which have no other program in them.`
}

type backupCommand struct {
	File  string `arg:"" help:"Archive to write: one tar file."`
	Force bool   `help:"Replace the archive where it exists."`
}

// Help is kong's.
func (backupCommand) Help() string {
	return `The server may go on running: what is backed up is the database of one moment, and the documents that belonged to it then. FILE gets its name when everything in it is safe on disk. Beside it there must be room for a copy of the database for a while.

This is for SQLite and the data folder. On PostgreSQL or S3 the command says what to use instead.`
}

type restoreCommand struct {
	File  string `arg:"" help:"Archive that parley backup has written."`
	Force bool   `help:"Restore into a data folder that is not empty. What was there is moved aside within it, not deleted."`
}

// Help is kong's.
func (restoreCommand) Help() string {
	return `Restores into the data folder (--data), which must be empty and not in use by a server. The whole archive is unpacked and checked beside what is there before anything is replaced. Start the server afterwards: it brings the database of an older release up to date.

Run it as the user that the server runs as, so that the files are its own.`
}

type doctorCommand struct {
	JSON bool `name:"json" help:"Print one JSON object instead of a table."`
	Fix  bool `help:"Repair what can be repaired without a loss: counters, the search index, bytes that belong to nothing."`
}

// Help is kong's.
func (doctorCommand) Help() string {
	return `Looks at settings, database, counters, search index, documents, open replies, model, web search and disk, and says of each whether it is ok, and what to do where it is not. The server may be running. The model server is asked for its list of models, the web-search service for one search.

The exit code is 1 where there is a problem; warnings leave it at 0.`
}

type userCommand struct {
	List          userListCommand   `cmd:"" help:"List all accounts, oldest first."`
	Show          userShowCommand   `cmd:"" help:"Show one account and what it owns."`
	Disable       userNamed         `cmd:"" help:"End an account's logins and refuse new ones; nothing of it is deleted."`
	Enable        userNamed         `cmd:"" help:"Let a disabled account log in again."`
	ResetPassword userResetPassword `cmd:"" help:"Give an account a new password and end its logins."`
	Delete        userDeleteCommand `cmd:"" help:"Delete an account and all it owns."`
}

type userNamed struct {
	User string `arg:"" help:"The account's id or e-mail address."`
}

type userListCommand struct {
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

type userShowCommand struct {
	userNamed
	JSON bool `name:"json" help:"Print one JSON object."`
}

type userResetPassword struct {
	userNamed
	Stdin bool `help:"Read the new password from the standard input (its first line) instead of making one up and printing it."`
}

type userDeleteCommand struct {
	userNamed
	Yes bool `help:"Really delete it. Without this the command only says what would go."`
}

// commandName is the words of the command that was given, without its arguments.
func commandName(ctx *kong.Context) string {
	name, _, _ := strings.Cut(ctx.Command(), " <")
	return name
}

// needsSettings says whether a command can do nothing without valid settings.
func needsSettings(name string) bool {
	return name != CommandVersion && name != CommandExtract
}

// options gathers what the given command was told.
func (c *commandLine) options(name string) Options {
	switch name {
	case CommandBackup:
		return Options{File: c.Backup.File, Force: c.Backup.Force}
	case CommandRestore:
		return Options{File: c.Restore.File, Force: c.Restore.Force}
	case CommandDoctor:
		return Options{JSON: c.Doctor.JSON, Fix: c.Doctor.Fix}
	case CommandUserList:
		return Options{JSON: c.User.List.JSON}
	case CommandUserShow:
		return Options{User: c.User.Show.User, JSON: c.User.Show.JSON}
	case CommandUserDisable:
		return Options{User: c.User.Disable.User}
	case CommandUserEnable:
		return Options{User: c.User.Enable.User}
	case CommandResetPassword:
		return Options{User: c.User.ResetPassword.User, Stdin: c.User.ResetPassword.Stdin}
	case CommandUserDelete:
		return Options{User: c.User.Delete.User, Yes: c.User.Delete.Yes}
	default:
		return Options{}
	}
}

// printHelp shows all settings with serve and where no command is named; an operator's
// command would drown in them.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if selected := ctx.Selected(); selected != nil && selected.Name != CommandServe {
		for _, flag := range ctx.Model.Flags {
			flag.Hidden = !slices.Contains([]string{"help", "config", "data"}, flag.Name)
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}
