package parley

// Limits of an account's fields, in characters unless the name ends in Bytes.
const (
	MaxEmailBytes  = 254
	MinPassword    = 6
	MaxPassword    = 256
	MaxNickname    = 64
	MaxAvatarBytes = 2048
)

// User is an account.
type User struct {
	ID       int64
	Email    string
	Nickname string
	Avatar   string
	// Instructions are what every reply to the user should follow.
	Instructions string
	CreatedAt    int64
	// DisabledAt is when an operator disabled the account; 0 if it is enabled.
	DisabledAt int64
	// SeenAt is when the account was last used, to about an hour; 0 is never.
	SeenAt int64
	// Admin is set for administrators of the server.
	Admin bool
	// SignOn is whether the account is linked to a provider of single sign-on.
	SignOn bool
	// Passwordless is whether the account has no password. Then its user signs in at the provider only.
	Passwordless bool
	// TOTP is set if a login needs a code of the user's second factor.
	TOTP bool
}

// Invited reports whether an operator created the account and its user has not chosen a password yet.
func (u User) Invited() bool { return u.Passwordless && !u.SignOn }

// Info returns the account in the form of GET /api/user/info.
func (u User) Info() UserInfo {
	return UserInfo{
		UserID: u.ID, Nickname: u.Nickname, Email: u.Email, Avatar: u.Avatar, Instructions: u.Instructions,
		CreatedAt: u.CreatedAt, Admin: u.Admin, SignOn: u.SignOn, Passwordless: u.Passwordless, TOTP: u.TOTP,
	}
}

// Profile returns the account in the form of a login's response.
func (u User) Profile() UserProfile {
	return UserProfile{ID: u.ID, Nickname: u.Nickname, Email: u.Email, Avatar: u.Avatar, Admin: u.Admin}
}

// RegisterInput holds the fields of a new account.
type RegisterInput struct {
	Email    string `json:"email" maxLength:"1024" doc:"One plain address of at most 254 bytes. White space around it is removed. Case is ignored." example:"ada@example.com"`
	Password string `json:"password" minLength:"6" maxLength:"256" doc:"6 to 256 characters." example:"correct horse"`
	Nickname string `json:"nickname,omitempty" required:"false" maxLength:"64" doc:"Display name, at most 64 characters, no control characters. Default: the part of the e-mail address before the @." example:"Ada"`
}

// RegisterOutput is a new account's id and its first token.
type RegisterOutput struct {
	UserID int64  `json:"user_id" doc:"Identifier of the new account." example:"1"`
	Token  string `json:"token" doc:"Access token, for the Authorization header." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgdG9rZW4hISE"`
}

// RegistrationStatus is whether people can register themselves.
type RegistrationStatus struct {
	Open  bool `json:"open" doc:"Whether people can register themselves." example:"true"`
	First bool `json:"first" doc:"Whether the server has no account yet." example:"false"`
}

// LoginInput is an e-mail address and its password.
type LoginInput struct {
	Email    string `json:"email" maxLength:"1024" doc:"The account's e-mail address, in any case." example:"ada@example.com"`
	Password string `json:"password" minLength:"1" maxLength:"256" doc:"The account's password." example:"correct horse"`
	Code     string `json:"code,omitempty" required:"false" maxLength:"64" doc:"If the account has a second factor: the current code of the authenticator app, or a recovery code. White space and hyphens are ignored." example:"492039"`
}

// LoginOutput is a new token and its account.
type LoginOutput struct {
	Token string      `json:"token" doc:"Access token, for the Authorization header. Each login has its own." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgdG9rZW4hISE"`
	User  UserProfile `json:"user"`
}

// UserProfile is an account in the response to a login.
type UserProfile struct {
	ID       int64  `json:"id" doc:"User identifier." example:"1"`
	Nickname string `json:"nickname" doc:"Display name." example:"Ada"`
	Email    string `json:"email" doc:"E-mail address, as typed at registration." example:"ada@example.com"`
	Avatar   string `json:"avatar" doc:"Avatar URL, empty until set." example:""`
	Admin    bool   `json:"admin,omitempty" doc:"Whether the user is an administrator; left out if not." example:"true"`
}

// UserInfo is the current account.
type UserInfo struct {
	UserID       int64  `json:"user_id" doc:"User identifier." example:"1"`
	Nickname     string `json:"nickname" doc:"Display name." example:"Ada"`
	Email        string `json:"email" doc:"E-mail address, as typed at registration." example:"ada@example.com"`
	Avatar       string `json:"avatar" doc:"Avatar URL, empty until set." example:""`
	Instructions string `json:"instructions,omitempty" doc:"What every reply to the user follows." example:"Call me Ada."`
	CreatedAt    int64  `json:"created_at" doc:"When the account was registered, Unix seconds." example:"1767225600"`
	Admin        bool   `json:"admin,omitempty" doc:"Whether the user is an administrator; left out if not." example:"true"`
	Claimable    bool   `json:"claimable,omitempty" doc:"Whether the server has no administrator, so that the code in its log makes the user one; left out if it has one." example:"true"`
	SignOn       bool   `json:"sign_on,omitempty" doc:"Whether the account is linked to the provider of single sign-on." example:"true"`
	Passwordless bool   `json:"passwordless,omitempty" doc:"Whether the account has no password, because its user signs in at the provider." example:"true"`
	TOTP         bool   `json:"totp,omitempty" doc:"Whether a login needs a code of a second factor; left out if not." example:"true"`
}

// ProfileInput holds the fields to change. Those that are nil stay the same.
type ProfileInput struct {
	Nickname     *string `json:"nickname,omitempty" required:"false" maxLength:"64" doc:"New display name, not blank, at most 64 characters, no control characters." example:"Ada L."`
	Avatar       *string `json:"avatar,omitempty" required:"false" maxLength:"2048" doc:"New avatar address (http, https, or empty to remove it)." example:"https://example.com/ada.png"`
	Instructions *string `json:"instructions,omitempty" required:"false" maxLength:"4000" doc:"What every reply to the user should follow, in all sessions, at most 4,000 characters; empty removes them." example:"Call me Ada."`
}

// PasswordInput changes a password. Every other token of the account ends.
type PasswordInput struct {
	OldPassword string `json:"old_password" minLength:"1" maxLength:"256" doc:"The current password." example:"correct horse"`
	NewPassword string `json:"new_password" minLength:"6" maxLength:"256" doc:"The new password, 6 to 256 characters." example:"battery staple"`
}

// DeleteUserInput confirms the deletion of an account.
type DeleteUserInput struct {
	Password string `json:"password,omitempty" required:"false" minLength:"1" maxLength:"256" doc:"The account's password. An account without one is deleted within 5 minutes of its login." example:"correct horse"`
}

// SignOn is the provider of single sign-on.
type SignOn struct {
	Name string `json:"name" doc:"What users call the provider." example:"Example Company"`
}

// SignInInput exchanges the code of a sign-in for a login.
type SignInInput struct {
	Code     string `json:"code" minLength:"1" maxLength:"256" doc:"The code that the browser came back with, after #login= or #link=." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgY29kZSEhISE"`
	Password string `json:"password,omitempty" required:"false" minLength:"1" maxLength:"256" doc:"With #link=: the password of the account to link." example:"correct horse"`
	TOTP     string `json:"totp,omitempty" required:"false" maxLength:"64" doc:"With #link=: a current code of the account's second factor, or a recovery code, if it has one." example:"492039"`
}

// Token is a login of an account. The secret itself is never returned again.
type Token struct {
	ID        string `json:"id" doc:"Identifier of the login." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Client    string `json:"client" doc:"The User-Agent of the client that logged in." example:"Mozilla/5.0"`
	CreatedAt int64  `json:"created_at" doc:"When it was issued, Unix seconds." example:"1767225600"`
	ExpiresAt int64  `json:"expires_at" doc:"When it ends, Unix seconds." example:"1769817600"`
	Current   bool   `json:"current" doc:"Whether this request uses it." example:"true"`
}

// TokensOutput lists an account's logins, newest first.
type TokensOutput struct {
	Tokens []Token `json:"tokens" nullable:"false" doc:"The account's logins."`
}
