package config

const description = `Parley is a chat-assistant service: accounts, chats, documents and web search in front of any
model.

It needs no settings to start. Each one is a flag, an environment variable, or a line of a YAML file named by --config
(the same name with underscores: max_upload). A flag wins over the environment, the environment over the file.`

// commandLine declares the commands with their flags, and the settings.
type commandLine struct {
	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run the server (the default command)."`
	Ready   readyCommand   `cmd:"" help:"Check whether the server is ready."`
	Version struct{}       `cmd:"" help:"Print the version."`
	Backup  backupCommand  `cmd:"" help:"Write database and documents into one archive."`
	Restore restoreCommand `cmd:"" help:"Put an archive's database and documents in place."`
	Move    moveCommand    `cmd:"" help:"Move the data to another database or another place for files."`
	Doctor  doctorCommand  `cmd:"" help:"Check settings and data, and what the server depends on."`
	User    userCommand    `cmd:"" help:"List, disable, delete accounts, set quotas, make administrators, or give an account a new password."`
	Extract struct{}       `cmd:"" hidden:"" help:"Read one document for the server that started this process."`

	Settings  settingsCommand  `cmd:"" help:"List or change the settings that can be changed while the server runs."`
	Recognize recognizeCommand `cmd:"" hidden:"" help:"Become Tesseract, for the server that started this process."`

	Config string `placeholder:"FILE" help:"YAML file with settings."`

	All Settings `group:""`
}
