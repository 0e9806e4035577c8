package parley

// The errors of forgotten passwords.
var (
	ErrNoMail = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "this server sends no mail; ask its administrator for a new password",
	}
	ErrBadReset = &Error{
		Code: CodeBadToken, Kind: Unknown,
		Message: "the link to set a new password is wrong, used or expired; ask for a new one",
	}
)

// ResetStatus is whether the server helps with forgotten passwords.
type ResetStatus struct {
	Email      bool   `json:"email" doc:"Whether the server sends a link by mail. If not, its administrator can set a new password." example:"true"`
	SignOnName string `json:"sign_on_name,omitempty" doc:"Name of the provider where users can sign in without a password; left out if there is none." example:"Example Company"`
}

// ResetInput asks for a link to set a new password.
type ResetInput struct {
	Email string `json:"email" maxLength:"1024" doc:"The account's e-mail address, in any case." example:"ada@example.com"`
}

// CheckResetInput is a link whose account is asked for.
type CheckResetInput struct {
	Code string `json:"code" minLength:"1" maxLength:"256" doc:"The code in the link: what follows #reset= or #invite=." example:"1.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgY29kZSEhISE"`
}

// CheckResetOutput is the account of a link.
type CheckResetOutput struct {
	Email   string `json:"email" doc:"The account's e-mail address." example:"ada@example.com"`
	Invited bool   `json:"invited" doc:"Whether the link is an invitation: the account has no password yet." example:"true"`
}

// ConfirmResetInput sets a new password. Every token and key of the account ends.
type ConfirmResetInput struct {
	Code     string `json:"code" minLength:"1" maxLength:"256" doc:"The code in the link: what follows #reset= or #invite=." example:"1.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgY29kZSEhISE"`
	Password string `json:"password" minLength:"6" maxLength:"256" doc:"The new password, 6 to 256 characters." example:"battery staple"`
}
