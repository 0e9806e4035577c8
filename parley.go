// Package parley holds the words of the chat-assistant service: users, sessions,
// messages, favorites, files, and the errors a caller can meet.
//
// Its types are what travels over HTTP, so that the server, the Go client and the
// tests mean the same thing by the same name. Every field of the contract is always
// present in an answer; fields beyond the contract are left out when empty.
// Times are Unix seconds, UTC.
//
// The package uses the standard library only and imports no other package of Parley.
package parley

// APIVersion is the version of the HTTP contract, as it stands in openapi.json.
const APIVersion = "1.0.0"

// Done is the answer of an operation that has nothing to return.
type Done struct{}
