package api

import (
	"parley"
	"parley/internal/account"
)

// access says who may call an operation.
type access int

const (
	open    access = 0 // anyone
	private access = 1 // users with the token of a login
	// waits is added for operations that wait for something other than the database, such as a model or a password
	// hash. These operations take no slot of the limiter.
	waits access = 2

	// Users with the token of a login, or with a key that has the scope.
	reads = private | 4  // parley.ScopeRead, which every key has
	chats = private | 8  // parley.ScopeChat
	files = private | 16 // parley.ScopeFiles

	// Users with the token of a login. For keys the path does not exist.
	logins = private | 32
	// Administrators with the token of a login. For everybody else the path does not exist.
	admins = private | 64
)

// scope returns the scope that a key needs, or false if no key is allowed.
func (a access) scope() (parley.Scope, bool) {
	switch {
	case a&reads == reads:
		return parley.ScopeRead, true
	case a&chats == chats:
		return parley.ScopeChat, true
	case a&files == files:
		return parley.ScopeFiles, true
	default:
		return "", false
	}
}

// check returns an error if the user may not call the operation, or not with a key.
func (a access) check(who *account.Identity) error {
	if a.hidden() && !who.IsAdmin() || a&logins == logins && who.IsKey() {
		return errNoSuchPath
	}
	if scope, keys := a.scope(); keys {
		return who.RequireScope(scope)
	}
	return who.RequireLogin()
}

// hidden reports whether the operation exists only for administrators.
func (a access) hidden() bool { return a&admins == admins }

// keyError returns the error for a key that may not call the operation. It returns nil if every key may.
func (a access) keyError() error {
	switch scope, keys := a.scope(); {
	case a.hidden() || a&logins == logins:
		return errNoSuchPath
	case !keys:
		return parley.ErrNeedsLogin
	case scope == parley.ScopeRead:
		return nil
	default:
		return parley.NeedsScope(scope)
	}
}

// security describes for the document which credentials a user needs.
func (a access) security() []map[string][]string {
	token := map[string][]string{"token": {}}
	if scope, keys := a.scope(); keys {
		return []map[string][]string{token, {"key": {string(scope)}}}
	}
	return []map[string][]string{token}
}
