package api_test

import (
	"parley"
	"parley/client"
	"parley/internal/account"
)

// guest returns a client without a login.
func (w *world) guest() *client.Client { return client.New(w.URL, client.WithHTTPClient(w.http)) }

// address returns the e-mail address of a user.
func (w *world) address(name string) string { return name + "@" + w.domain }

// user registers the address of a name and returns a client with its token.
func (w *world) user(name string) *client.Client {
	w.Helper()
	c := w.guest()
	_, err := c.Register(w.Context(), parley.RegisterInput{Email: w.address(name), Password: "password of " + name})
	w.must(err)
	return c
}

// admin registers an administrator.
func (w *world) admin(name string) *client.Client {
	w.Helper()
	c := w.user(name)
	w.must(w.app.Accounts.Promote(w.Context(), account.Shell(), w.id(c)))
	return c
}

// id returns the id of a user.
func (w *world) id(c *client.Client) int64 {
	w.Helper()
	info, err := c.User(w.Context())
	w.must(err)
	return info.UserID
}

// session creates a session and returns its id.
func (w *world) session(c *client.Client, title string) string {
	w.Helper()
	out, err := c.CreateSession(w.Context(), parley.CreateSessionInput{Title: title})
	w.must(err)
	return out.SessionID
}

// say sends a message and returns the reply.
func (w *world) say(c *client.Client, sessionID, content string) parley.SendOutput {
	w.Helper()
	out, err := c.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: content})
	w.must(err)
	return out
}

// messages reads the first 200 messages of a session.
func (w *world) messages(c *client.Client, sessionID string) []parley.Message {
	w.Helper()
	out, err := c.Messages(w.Context(), sessionID, parley.Page{Number: 1, Size: 200})
	w.must(err)
	return out.Messages
}
