package parley

import "slices"

// Limits of keys.
const (
	// MaxKeys is how many keys a user can have at once.
	MaxKeys = 50
	// MaxKeyName is how many characters the name of a key can have.
	MaxKeyName = 64
	// MinKeyExpiresIn is the shortest time that a key can be given, in seconds. MaxExpiresIn is the longest.
	MinKeyExpiresIn = 60
)

// Scope is what a key may do.
type Scope string

// The scopes. Each of them includes ScopeRead.
const (
	ScopeRead  Scope = "read"  // read all that the account owns
	ScopeChat  Scope = "chat"  // sessions, messages, favorites, shares and imports
	ScopeFiles Scope = "files" // upload and delete files
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeChat, ScopeFiles} }

// Allows reports whether a key with the given scopes may do what needs the scope.
func Allows(scopes []Scope, needed Scope) bool {
	return needed == ScopeRead && len(scopes) > 0 || slices.Contains(scopes, needed)
}

// NeedsScope returns the error for a key without the scope.
func NeedsScope(scope Scope) *Error {
	switch scope {
	case ScopeChat:
		return ErrNeedsChat
	case ScopeFiles:
		return ErrNeedsFiles
	default:
		return ErrNeedsLogin
	}
}

// KeyInput is the input of create key.
type KeyInput struct {
	Name      string  `json:"name" maxLength:"64" doc:"What the key is for, not blank, at most 64 characters, no control characters." example:"Backup script"`
	Scopes    []Scope `json:"scopes" nullable:"false" minItems:"1" enum:"read,chat,files" doc:"What the key may do, one or more of: read (read all that the account owns), chat (read, and sessions, messages, favorites, shares and imports), files (read, and upload and delete files)." example:"[\"chat\",\"files\"]"`
	ExpiresIn int64   `json:"expires_in,omitempty" required:"false" minimum:"0" doc:"Seconds until the key ends, from 60 to 315,360,000; 0 is never. Default: 0." example:"7776000"`
}

// KeyOutput is a new key.
type KeyOutput struct {
	KeyID string `json:"key_id" doc:"Identifier of the key." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f16"`
	Key   string `json:"key" doc:"The key, for the Authorization header. It is not shown again." example:"pk-1.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEga2V5ISEhISE"`
}

// Key is an entry of the list of keys. The key itself is never returned again.
type Key struct {
	KeyID     string  `json:"key_id" doc:"Identifier of the key." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f16"`
	Name      string  `json:"name" doc:"What the key is for." example:"Backup script"`
	Scopes    []Scope `json:"scopes" nullable:"false" enum:"read,chat,files" doc:"What the key may do." example:"[\"chat\",\"files\"]"`
	CreatedAt int64   `json:"created_at" doc:"When it was created, Unix seconds." example:"1767225600"`
	LastUsed  int64   `json:"last_used" doc:"When it was last used, Unix seconds, to about ten minutes; 0 is never." example:"1767312000"`
	ExpiresAt int64   `json:"expires_at" doc:"When it ends, Unix seconds; 0 is never." example:"1775001600"`
}

// KeysOutput lists a user's keys, newest first.
type KeysOutput struct {
	Keys []Key `json:"keys" nullable:"false" doc:"The keys that have not ended."`
}
