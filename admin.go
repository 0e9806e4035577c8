package parley

// ClaimInput is the code that makes a user the first administrator.
type ClaimInput struct {
	Code string `json:"code" minLength:"1" maxLength:"100" doc:"The code that the server has written to its log when it started." example:"k7w2mfq4zr6xhd3tnb5ycv8sae"`
}

// Account is an account as administrators see it.
type Account struct {
	UserID     int64        `json:"user_id" doc:"User identifier." example:"2"`
	Email      string       `json:"email" doc:"E-mail address, as typed at registration." example:"bob@example.com"`
	Nickname   string       `json:"nickname" doc:"Display name." example:"Bob"`
	Admin      bool         `json:"admin" doc:"Whether the user is an administrator." example:"false"`
	Disabled   bool         `json:"disabled" doc:"Whether the account can't log in." example:"false"`
	Invited    bool         `json:"invited" doc:"Whether its user was invited and has not chosen a password yet." example:"false"`
	CreatedAt  int64        `json:"created_at" doc:"When the account was registered, Unix seconds." example:"1767225600"`
	LastSeenAt int64        `json:"last_seen_at" doc:"When the account was last used, Unix seconds, to about an hour; 0 is never." example:"1767312000"`
	TOTP       bool         `json:"totp" doc:"Whether a login needs a code of a second factor." example:"false"`
	Sessions   int64        `json:"sessions" doc:"Number of sessions." example:"12"`
	Storage    int64        `json:"storage" doc:"What the account's files take, with their text and index, in bytes." example:"1048576"`
	Quota      string       `json:"quota" doc:"The account's own limits, or none for no limits; empty for those of the server." example:"messages=3/d"`
	Usage      AccountUsage `json:"usage" doc:"What the account has used in the last 30 days."`
}

// AccountUsage is what an account has used in the last 30 days.
type AccountUsage struct {
	Messages     int64   `json:"messages" doc:"Number of replies." example:"10"`
	InputTokens  int64   `json:"input_tokens" doc:"Tokens of prompts." example:"8120"`
	OutputTokens int64   `json:"output_tokens" doc:"Tokens that models generated, thinking included." example:"1640"`
	Cost         float64 `json:"cost" doc:"What the tokens cost, by the prices at that time; 0 without prices." example:"0.0312"`
	Currency     string  `json:"currency,omitempty" doc:"Currency of cost; left out without prices." example:"USD"`
}

// UsersOutput is a page of accounts.
type UsersOutput struct {
	Users []Account `json:"users" nullable:"false" doc:"The accounts on this page, newest first."`
	Total int64     `json:"total" doc:"Number of accounts on all pages." example:"1"`
}

// AddUserInput invites somebody.
type AddUserInput struct {
	Email    string `json:"email" maxLength:"1024" doc:"One plain address of at most 254 bytes. White space around it is removed. Case is ignored." example:"bob@example.com"`
	Nickname string `json:"nickname,omitempty" required:"false" maxLength:"64" doc:"Display name, at most 64 characters, no control characters. Default: the part of the e-mail address before the @." example:"Bob"`
	Admin    bool   `json:"admin,omitempty" required:"false" doc:"Whether the user becomes an administrator." example:"false"`
}

// AddUserOutput is an account whose user has to choose a password.
type AddUserOutput struct {
	UserID    int64  `json:"user_id" doc:"Identifier of the account." example:"2"`
	InviteURL string `json:"invite_url" doc:"The link to choose a password. It works once and is not shown again. Without PARLEY_PUBLIC_URL it begins with the slash after the server's address." example:"https://chat.example.com/#invite=2.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgY29kZSEhISE"`
	ExpiresAt int64  `json:"expires_at" doc:"Until when the link is good, Unix seconds." example:"1767830400"`
	Mailed    bool   `json:"mailed" doc:"Whether the link is also sent to the address by mail." example:"true"`
}

// ResetPasswordOutput is the new password of an account.
type ResetPasswordOutput struct {
	Password string `json:"password" doc:"The new password. It is not shown again." example:"k7w2mfq4zr6xhd3tnb5ycv8sae"`
}

// QuotaInput sets the quota of an account.
type QuotaInput struct {
	Quota string `json:"quota" minLength:"1" maxLength:"100" doc:"Limits per day such as tokens=1M/d,messages=200/d, none for no limits, or default for those of the server." example:"messages=3/d"`
}
