// Package parley defines the domain types of the chat-assistant service: users, sessions,
// messages, favorites, files, and the errors of its operations.
//
// The types are also the JSON of the HTTP API, shared by the server, the Go client and the
// tests. A response always has every field of the contract; fields beyond the contract are
// left out when empty. Times are Unix seconds, UTC.
//
// The package uses the standard library only and imports no other package of Parley.
package parley

// APIVersion is the version of the HTTP contract in openapi.json.
const APIVersion = "1.0.0"

// Done is the empty body of an operation that returns nothing.
type Done struct{}
