package config

type userCommand struct {
	List          userListCommand   `cmd:"" help:"List all accounts, oldest first."`
	Show          userShowCommand   `cmd:"" help:"Show one account and what it owns."`
	Add           userAddCommand    `cmd:"" help:"Create an account and print a link to choose its password."`
	Disable       userArg           `cmd:"" help:"End an account's logins and refuse new ones; nothing of it is deleted."`
	Enable        userArg           `cmd:"" help:"Allow a disabled account to log in again."`
	ResetPassword userResetPassword `cmd:"" help:"Give an account a new password and end its logins and keys."`
	Quota         userQuotaCommand  `cmd:"" help:"Set what an account may use in a day."`
	TOTPOff       userArg           `cmd:"" name:"totp-off" help:"Turn an account's second factor off, so that its password is enough to log in."`
	Promote       userArg           `cmd:"" help:"Make an account an administrator."`
	Demote        userArg           `cmd:"" help:"Make an administrator an ordinary user."`
	Delete        userDeleteCommand `cmd:"" help:"Delete an account and all it owns."`
}

type userArg struct {
	User string `arg:"" help:"The account's id or e-mail address."`
}

type userListCommand struct {
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

type userShowCommand struct {
	userArg
	JSON bool `name:"json" help:"Print one JSON object."`
}

type userAddCommand struct {
	Email    string `arg:"" help:"E-mail address of the new user."`
	Nickname string `placeholder:"NAME" help:"Display name; otherwise the part of the address before the @."`
	Admin    bool   `help:"Make the user an administrator."`
}

// Help returns the long help text.
func (userAddCommand) Help() string {
	return `The link works once, within 7 days. It is also sent to the address if PARLEY_SMTP_URL is set. Registration may
be closed. For somebody who was invited before and has not chosen a password yet, the command makes a new link.`
}

type userResetPassword struct {
	userArg
	Stdin bool `help:"Read the new password from the standard input (its first line) instead of making one up and printing it."`
}

type userQuotaCommand struct {
	userArg
	Quota string `arg:"" help:"Limits such as tokens=1M/d,messages=200/d, none for no limits, or default for those of PARLEY_QUOTA."`
}

type userDeleteCommand struct {
	userArg
	Yes bool `help:"Really delete it. Without this the command only prints what would be deleted."`
}
