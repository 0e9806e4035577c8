package config

import (
	"io"

	"parley/internal/cli"
)

// The commands of the program.
const (
	CommandServe         = "serve"
	CommandReady         = "ready"
	CommandVersion       = "version"
	CommandBackup        = "backup"
	CommandRestore       = "restore"
	CommandMove          = "move"
	CommandDoctor        = "doctor"
	CommandUserList      = "user list"
	CommandUserShow      = "user show"
	CommandUserAdd       = "user add"
	CommandUserDisable   = "user disable"
	CommandUserEnable    = "user enable"
	CommandResetPassword = "user reset-password"
	CommandUserQuota     = "user quota"
	CommandUserTOTPOff   = "user totp-off"
	CommandUserDelete    = "user delete"
	CommandUserPromote   = "user promote"
	CommandUserDemote    = "user demote"
	CommandSettingsList  = "settings list"
	CommandSettingsSet   = "settings set"
	CommandSettingsUnset = "settings unset"
	// CommandExtract reads one document for a server that started this process.
	CommandExtract = "extract"
	// CommandRecognize becomes Tesseract, for a server that started this process.
	CommandRecognize = "recognize"
	// CommandHelp means that the help has been printed.
	CommandHelp = "help"
)

// Command is a parsed command line.
type Command struct {
	Name string
	// Settings is nil for the commands that need no settings: version, extract, recognize, help.
	Settings *Settings
	Options  Options
	// Variables are the environment variables of all settings.
	Variables []string
	// Args are the arguments of recognize.
	Args []string
}

// Options holds the flags and arguments of commands. Each command sets only those that its help lists.
type Options struct {
	// File is the archive of a backup.
	File string
	// User is a user's id or e-mail address.
	User string
	// Nickname and Admin are those of a new account.
	Nickname string
	Admin    bool
	// Quota is a user's own quota.
	Quota string
	// Setting is the name of a setting that can be changed while the server runs, and Value its new value.
	Setting string
	Value   string
	// Force allows replacing something, Yes allows deleting something.
	Force bool
	Yes   bool
	// JSON selects output for programs.
	JSON bool
	// Fix repairs what can be repaired without loss.
	Fix bool
	// Mail is the address of a test mail.
	Mail string
	// Stdin reads the new password from the standard input.
	Stdin bool
	// Migrate is when serve changes the schema of the database: one of MigrateAuto, MigrateOnly and MigrateNever.
	Migrate string
	// To and FilesTo are where move puts the data. Each is empty, a URL as in the settings, or SQLiteScheme or
	// FolderScheme followed by the path of a data folder.
	To, FilesTo Secret
	// Undo removes the marks of a move.
	Undo bool
}

// MigrateAuto changes the schema of the database when serve starts. MigrateOnly does the same and exits. MigrateNever
// leaves the schema alone.
const (
	MigrateAuto  = "auto"
	MigrateOnly  = "only"
	MigrateNever = "never"
)

// SQLiteScheme and FolderScheme come before the path of a data folder in a target of move.
const (
	SQLiteScheme = "sqlite:"
	FolderScheme = "folder:"
)

type serveCommand struct {
	Migrate string `default:"auto" enum:"auto,only,never" help:"When to bring the database to the schema of this release: auto (at the start), only (and exit then), or never (refuse to start if it is due)."`
}

// recognizeCommand takes its arguments as they are, even if they look like flags.
type recognizeCommand struct {
	Args []string `arg:"" passthrough:""`
}

type readyCommand struct{}

// Help returns the long help text.
func (readyCommand) Help() string {
	return `Requests /readyz from the server on this machine, at PARLEY_ADDR: whether it serves requests and its
database responds. The exit code is 0 if it is ready, else 1. This is for health checks of containers, which contain
no other program.`
}

type backupCommand struct {
	File  string `arg:"" help:"Archive to write: one tar file."`
	Force bool   `help:"Replace the archive if it exists."`
}

// Help returns the long help text.
func (backupCommand) Help() string {
	return `The server may keep running: the backup is a snapshot of the database and the documents that belong to it.
FILE appears under its name once everything in it is safe on disk. Its folder needs temporary space for a copy of
the database.

This is for SQLite and the data folder. With PostgreSQL or S3 the command prints what to use instead.`
}

type restoreCommand struct {
	File  string `arg:"" help:"Archive that parley backup has written."`
	Force bool   `help:"Restore into a data folder that is not empty. What was there is moved aside within it, not deleted."`
}

// Help returns the long help text.
func (restoreCommand) Help() string {
	return `Restores into the data folder (--data), which must be empty and not in use by a server. The whole archive is
unpacked and checked before anything is replaced. Start the server afterwards: it upgrades the database of an older
release.

Run it as the user that the server runs as, so that the server owns the files.`
}

type moveCommand struct {
	To      Secret `type:"database or folder" placeholder:"URL" file:"File that holds the URL of --to. Other users of this machine can see flags." help:"Database to move to: postgres://user:password@host/database, or sqlite:FOLDER for SQLite in that data folder."`
	FilesTo Secret `type:"bucket or folder" placeholder:"URL" file:"File that holds the URL of --files-to." help:"Place to move the uploaded files to: s3://bucket?endpoint=https://host&region=name, or folder:FOLDER for that data folder."`
	Undo    bool   `help:"Remove the mark that a move has left here, so that servers use this place again."`
}

// Help returns the long help text.
func (moveCommand) Help() string {
	return `Moves the data from where the settings say to another database, another place for files, or both. Stop all
servers first. The target must be empty. Everything is copied, read again at both ends and compared, before the old
place is marked as moved. No server starts on a marked place; nothing is deleted there.

The command can be interrupted at any moment. Run it again to go on. With --undo, and the old settings, the old place
is used again as it was left.

If only --to is given, files in an S3 store stay there, and files in a data folder stay if the data folder does: they
go to FOLDER with sqlite:FOLDER.`
}

type doctorCommand struct {
	JSON bool   `name:"json" help:"Print one JSON object instead of a table."`
	Mail string `placeholder:"ADDRESS" help:"Send a test mail to this address."`
	Fix  bool   `help:"Repair what can be repaired without loss: counters, the search index, bytes that belong to no document."`
}

// Help returns the long help text.
func (doctorCommand) Help() string {
	return `Checks settings, database, counters, search index, documents, open replies, model, web search, mail and disk,
and prints for each whether it is ok and what to do if it is not. The server may be running. The checks request the list
of models from the model server and one search from the web-search service, and log in to the mail server.

The exit code is 1 if there is a problem; warnings leave it at 0.`
}

type settingsCommand struct {
	List  settingsListCommand `cmd:"" help:"List the settings that can be changed while the server runs, and where their values come from."`
	Set   settingsSetCommand  `cmd:"" help:"Change a setting. All servers on the database take it up within 2 seconds."`
	Unset settingArg          `cmd:"" help:"Go back to the default of a setting."`
}

// Help returns the long help text.
func (settingsCommand) Help() string {
	return `A setting that is a flag, an environment variable or a line of the settings file can't be changed here. Run the
command with those of the server. Administrators can change the same settings with the API and in the browser.`
}

type settingArg struct {
	Name string `arg:"" enum:"registration,sharing,quota,retention,instructions" help:"registration, sharing, quota, retention or instructions (PARLEY_SYSTEM_PROMPT)."`
}

type settingsListCommand struct {
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

type settingsSetCommand struct {
	settingArg
	Value string `arg:"" help:"The value, as it would be written in the environment."`
	Yes   bool   `help:"Also set a retention that deletes chats. Without this the command only prints how many."`
}

// needsSettings reports whether a command needs valid settings.
func needsSettings(name string) bool {
	return name != CommandVersion && name != CommandExtract && name != CommandRecognize
}

// options returns the flags and arguments of a command.
func (c *commandLine) options(name string) Options {
	switch name {
	case CommandServe:
		return Options{Migrate: c.Serve.Migrate}
	case CommandMove:
		return Options{To: c.Move.To, FilesTo: c.Move.FilesTo, Undo: c.Move.Undo}
	case CommandBackup:
		return Options{File: c.Backup.File, Force: c.Backup.Force}
	case CommandRestore:
		return Options{File: c.Restore.File, Force: c.Restore.Force}
	case CommandDoctor:
		return Options{JSON: c.Doctor.JSON, Fix: c.Doctor.Fix, Mail: c.Doctor.Mail}
	case CommandUserList:
		return Options{JSON: c.User.List.JSON}
	case CommandUserShow:
		return Options{User: c.User.Show.User, JSON: c.User.Show.JSON}
	case CommandUserAdd:
		return Options{User: c.User.Add.Email, Nickname: c.User.Add.Nickname, Admin: c.User.Add.Admin}
	case CommandUserDisable:
		return Options{User: c.User.Disable.User}
	case CommandUserEnable:
		return Options{User: c.User.Enable.User}
	case CommandResetPassword:
		return Options{User: c.User.ResetPassword.User, Stdin: c.User.ResetPassword.Stdin}
	case CommandUserQuota:
		return Options{User: c.User.Quota.User, Quota: c.User.Quota.Quota}
	case CommandUserTOTPOff:
		return Options{User: c.User.TOTPOff.User}
	case CommandUserPromote:
		return Options{User: c.User.Promote.User}
	case CommandUserDemote:
		return Options{User: c.User.Demote.User}
	case CommandUserDelete:
		return Options{User: c.User.Delete.User, Yes: c.User.Delete.Yes}
	case CommandSettingsList:
		return Options{JSON: c.Settings.List.JSON}
	case CommandSettingsSet:
		return Options{Setting: c.Settings.Set.Name, Value: c.Settings.Set.Value, Yes: c.Settings.Set.Yes}
	case CommandSettingsUnset:
		return Options{Setting: c.Settings.Unset.Name}
	default:
		return Options{}
	}
}

// printHelp lists every setting if the command is serve or none is given. For other commands it lists only their own
// flags and the most important settings.
func printHelp(out io.Writer, program, selected *cli.Command) error {
	if selected != program && selected.Name != CommandServe {
		for _, flag := range program.Flags {
			flag.Hidden = flag.Name != "config" && flag.Name != "data"
		}
	}
	return selected.WriteHelp(out, helpWithVariable)
}
