package client_test

import (
	"context"
	"net/http"
	"testing"

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

// only adapts a call that returns nothing but an error.
func only(call func(*client.Client, context.Context) error) func(*client.Client, context.Context) (any, error) {
	return func(c *client.Client, ctx context.Context) (any, error) { return nil, call(c, ctx) }
}

// with adapts a call that returns a result.
func with[Out any](
	call func(*client.Client, context.Context) (Out, error),
) func(*client.Client, context.Context) (any, error) {
	return func(c *client.Client, ctx context.Context) (any, error) { return call(c, ctx) }
}

func TestEveryCallSaysExactlyWhatTheContractSays(t *testing.T) {
	nickname, empty := "Ada", ""
	tests := []struct {
		name   string
		call   func(*client.Client, context.Context) (any, error)
		method string
		uri    string
		body   string
		answer string
		want   any
	}{
		{
			name: "register",
			call: with(func(c *client.Client, ctx context.Context) (parley.RegisterOutput, error) {
				return c.Register(ctx, parley.RegisterInput{Email: "ada@example.com", Password: "correct horse", Nickname: "Ada"})
			}),
			method: "POST", uri: "/api/auth/register",
			body:   `{"email":"ada@example.com","password":"correct horse","nickname":"Ada"}`,
			answer: `{"user_id":7,"token":"new"}`,
			want:   parley.RegisterOutput{UserID: 7, Token: "new"},
		},
		{
			name: "login",
			call: with(func(c *client.Client, ctx context.Context) (parley.LoginOutput, error) {
				return c.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "correct horse"})
			}),
			method: "POST", uri: "/api/auth/login",
			body:   `{"email":"ada@example.com","password":"correct horse"}`,
			answer: `{"token":"new","user":{"id":7,"nickname":"Ada","email":"ada@example.com","avatar":""}}`,
			want:   parley.LoginOutput{Token: "new", User: parley.UserProfile{ID: 7, Nickname: "Ada", Email: "ada@example.com"}},
		},
		{
			name:   "logout",
			call:   only((*client.Client).Logout),
			method: "POST", uri: "/api/auth/logout",
		},
		{
			name:   "user",
			call:   with((*client.Client).User),
			method: "GET", uri: "/api/user/info",
			answer: `{"user_id":7,"nickname":"Ada","email":"ada@example.com","avatar":"https://example.com/a.png",` +
				`"created_at":1767225600}`,
			want: parley.UserInfo{
				UserID: 7, Nickname: "Ada", Email: "ada@example.com", Avatar: "https://example.com/a.png", CreatedAt: 1767225600,
			},
		},
		{
			name: "profile, only what is given",
			call: with(func(c *client.Client, ctx context.Context) (parley.UserInfo, error) {
				return c.UpdateProfile(ctx, parley.ProfileInput{Nickname: &nickname})
			}),
			method: "PATCH", uri: "/api/user/info", body: `{"nickname":"Ada"}`,
			answer: `{"user_id":7,"nickname":"Ada","email":"ada@example.com","avatar":"","created_at":1767225600}`,
			want:   parley.UserInfo{UserID: 7, Nickname: "Ada", Email: "ada@example.com", CreatedAt: 1767225600},
		},
		{
			name: "profile, the avatar removed",
			call: with(func(c *client.Client, ctx context.Context) (parley.UserInfo, error) {
				return c.UpdateProfile(ctx, parley.ProfileInput{Avatar: &empty})
			}),
			method: "PATCH", uri: "/api/user/info", body: `{"avatar":""}`,
			answer: `{"user_id":7,"nickname":"Ada","email":"ada@example.com","avatar":"","created_at":1767225600}`,
			want:   parley.UserInfo{UserID: 7, Nickname: "Ada", Email: "ada@example.com", CreatedAt: 1767225600},
		},
		{
			name: "password",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.ChangePassword(ctx, parley.PasswordInput{OldPassword: "old one", NewPassword: "new one"})
			}),
			method: "POST", uri: "/api/user/password", body: `{"old_password":"old one","new_password":"new one"}`,
		},
		{
			name: "delete user",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.DeleteUser(ctx, parley.DeleteUserInput{Password: "old one"})
			}),
			method: "DELETE", uri: "/api/user", body: `{"password":"old one"}`,
		},
		{
			name: "login with a code",
			call: with(func(c *client.Client, ctx context.Context) (parley.LoginOutput, error) {
				return c.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "correct horse", Code: "123456"})
			}),
			method: "POST", uri: "/api/auth/login",
			body:   `{"email":"ada@example.com","password":"correct horse","code":"123456"}`,
			answer: `{"token":"new","user":{"id":7}}`,
			want:   parley.LoginOutput{Token: "new", User: parley.UserProfile{ID: 7}},
		},
		{
			name: "set up a second factor",
			call: with(func(c *client.Client, ctx context.Context) (parley.SecondFactorOutput, error) {
				return c.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: "old one", Code: "123456"})
			}),
			method: "POST", uri: "/api/user/totp", body: `{"password":"old one","code":"123456"}`,
			answer: `{"secret":"ABC","uri":"otpauth://totp/x"}`,
			want:   parley.SecondFactorOutput{Secret: "ABC", URI: "otpauth://totp/x"},
		},
		{
			name: "confirm a second factor",
			call: with(func(c *client.Client, ctx context.Context) (parley.RecoveryCodesOutput, error) {
				return c.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: "123456"})
			}),
			method: "POST", uri: "/api/user/totp/confirm", body: `{"code":"123456"}`,
			answer: `{"recovery_codes":["a","b"]}`, want: parley.RecoveryCodesOutput{RecoveryCodes: []string{"a", "b"}},
		},
		{
			name: "remove a second factor",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{Password: "old one"})
			}),
			method: "DELETE", uri: "/api/user/totp", body: `{"password":"old one"}`,
		},
		{
			name:   "reset status",
			call:   with((*client.Client).ResetStatus),
			method: "GET", uri: "/api/auth/reset", answer: `{"email":true}`, want: parley.ResetStatus{Email: true},
		},
		{
			name:   "registration status",
			call:   with((*client.Client).RegistrationStatus),
			method: "GET", uri: "/api/auth/registration", answer: `{"open":true,"first":true}`,
			want: parley.RegistrationStatus{Open: true, First: true},
		},
		{
			name: "request a reset",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.RequestReset(ctx, parley.ResetInput{Email: "ada@example.com"})
			}),
			method: "POST", uri: "/api/auth/reset", body: `{"email":"ada@example.com"}`,
		},
		{
			name: "check a reset",
			call: with(func(c *client.Client, ctx context.Context) (parley.CheckResetOutput, error) {
				return c.CheckReset(ctx, parley.CheckResetInput{Code: "7.x"})
			}),
			method: "POST", uri: "/api/auth/reset/check", body: `{"code":"7.x"}`,
			answer: `{"email":"ada@example.com","invited":true}`,
			want:   parley.CheckResetOutput{Email: "ada@example.com", Invited: true},
		},
		{
			name: "confirm a reset",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.ConfirmReset(ctx, parley.ConfirmResetInput{Code: "7.x", Password: "new one"})
			}),
			method: "POST", uri: "/api/auth/reset/confirm", body: `{"code":"7.x","password":"new one"}`,
		},
		{
			name: "usage",
			call: with(func(c *client.Client, ctx context.Context) (parley.UsageOutput, error) {
				return c.Usage(ctx, parley.UsageInput{From: 1, To: 2, By: parley.ByModel})
			}),
			method: "GET", uri: "/api/user/usage?by=model&from=1&to=2",
			answer: `{"usage":[{"model":"m","input_tokens":3,"output_tokens":2,"thinking_tokens":1,"messages":1,"cost":0.5}],
				"quota":{"messages":{"limit":2,"used":1,"left":1},"resets_at":9}}`,
			want: parley.UsageOutput{
				Usage: []parley.UsageSum{{
					Model: "m", InputTokens: 3, OutputTokens: 2, ThinkingTokens: 1, Messages: 1, Cost: 0.5,
				}},
				Quota: &parley.QuotaStatus{Messages: &parley.QuotaPart{Limit: 2, Used: 1, Left: 1}, ResetsAt: 9},
			},
		},
		{
			name: "audit log",
			call: with(func(c *client.Client, ctx context.Context) (parley.AuditOutput, error) {
				return c.AuditLog(ctx, parley.AuditInput{
					Event: "login-failed", UserID: 7, Address: "192.0.2.1", From: 1, To: 2, Before: "an id", Limit: 3,
				})
			}),
			method: "GET",
			uri:    "/api/admin/audit?address=192.0.2.1&before=an+id&event=login-failed&from=1&limit=3&to=2&user_id=7",
			answer: `{"entries":[{"id":"e1","at":1,"event":"login-failed","user_id":7,"actor_id":-1,"code":1003,
				"address":"192.0.2.1","request_id":"r","object":"o"}],"more":true}`,
			want: parley.AuditOutput{More: true, Entries: []parley.AuditEntry{{
				ID: "e1", At: 1, Event: "login-failed", UserID: 7, ActorID: -1, Code: 1003,
				Address: "192.0.2.1", RequestID: "r", Object: "o",
			}}},
		},
		{
			name: "total usage",
			call: with(func(c *client.Client, ctx context.Context) (parley.TotalUsageOutput, error) {
				return c.TotalUsage(ctx, parley.TotalUsageInput{From: 1, To: 2, By: parley.ByUser})
			}),
			method: "GET", uri: "/api/admin/usage?by=user&from=1&to=2",
			answer: `{"usage":[{"user_id":7,"email":"ada@example.com","input_tokens":3,"messages":1}]}`,
			want: parley.TotalUsageOutput{Usage: []parley.TotalUsageSum{{
				UserID: 7, Email: "ada@example.com", UsageSum: parley.UsageSum{InputTokens: 3, Messages: 1},
			}}},
		},
		{
			name:   "overview",
			call:   with((*client.Client).Overview),
			method: "GET", uri: "/api/admin/overview",
			answer: `{"version":"1","users":2,"database":{"kind":"sqlite","size":3},"errors":[{"code":5000,"count":4}]}`,
			want: parley.Overview{
				Version: "1", Users: 2, Database: parley.DatabaseState{Kind: parley.DatabaseSQLite, Size: 3},
				Errors: []parley.ErrorCount{{Code: parley.CodeInternal, Count: 4}},
			},
		},
		{
			name:   "settings",
			call:   with((*client.Client).Settings),
			method: "GET", uri: "/api/admin/settings",
			answer: `{"registration":true,"sharing":false,"quota":"none","retention":"","instructions":"","fixed":["quota"]}`,
			want:   parley.SettingsOutput{Registration: true, Quota: "none", Fixed: []string{"quota"}},
		},
		{
			name: "change settings, one back to its default",
			call: with(func(c *client.Client, ctx context.Context) (parley.SettingsOutput, error) {
				return c.UpdateSettings(ctx, parley.SettingsInput{Retention: &empty, Reset: []string{parley.SettingQuota}})
			}),
			method: "PATCH", uri: "/api/admin/settings", body: `{"quota":null,"retention":""}`,
			answer: `{"registration":true,"sharing":true,"quota":"none","retention":"","instructions":"","fixed":[]}`,
			want:   parley.SettingsOutput{Registration: true, Sharing: true, Quota: "none", Fixed: []string{}},
		},
		{
			name:   "tokens",
			call:   with((*client.Client).Tokens),
			method: "GET", uri: "/api/user/tokens",
			answer: `{"tokens":[{"id":"t1","client":"curl","created_at":1,"expires_at":2,"current":true}]}`,
			want: parley.TokensOutput{Tokens: []parley.Token{{
				ID: "t1", Client: "curl", CreatedAt: 1, ExpiresAt: 2, Current: true,
			}}},
		},
		{
			name: "end token, an id that is no path",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.EndToken(ctx, "a/b?c")
			}),
			method: "DELETE", uri: "/api/user/tokens/a%2Fb%3Fc",
		},
		{
			name: "create key",
			call: with(func(c *client.Client, ctx context.Context) (parley.KeyOutput, error) {
				return c.CreateKey(ctx, parley.KeyInput{Name: "a", Scopes: []parley.Scope{parley.ScopeRead}})
			}),
			method: "POST", uri: "/api/user/keys", body: `{"name":"a","scopes":["read"]}`,
			answer: `{"key_id":"k1","key":"pk-1.secret"}`, want: parley.KeyOutput{KeyID: "k1", Key: "pk-1.secret"},
		},
		{
			name:   "keys",
			call:   with((*client.Client).Keys),
			method: "GET", uri: "/api/user/keys",
			answer: `{"keys":[{"key_id":"k1","name":"a","scopes":["chat"],"created_at":1,"last_used":2,"expires_at":3}]}`,
			want: parley.KeysOutput{Keys: []parley.Key{{
				KeyID: "k1", Name: "a", Scopes: []parley.Scope{parley.ScopeChat}, CreatedAt: 1, LastUsed: 2, ExpiresAt: 3,
			}}},
		},
		{
			name: "delete key, an id that is no path",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.DeleteKey(ctx, "a/b?c")
			}),
			method: "DELETE", uri: "/api/user/keys/a%2Fb%3Fc",
		},
		{
			name: "claim",
			call: with(func(c *client.Client, ctx context.Context) (parley.UserInfo, error) {
				return c.Claim(ctx, parley.ClaimInput{Code: "secret"})
			}),
			method: "POST", uri: "/api/admin/claim", body: `{"code":"secret"}`,
			answer: `{"user_id":7,"nickname":"Ada","email":"ada@example.com","avatar":"","created_at":1,"admin":true}`,
			want: parley.UserInfo{
				UserID: 7, Nickname: "Ada", Email: "ada@example.com", CreatedAt: 1, Admin: true,
			},
		},
		{
			name: "users, a keyword and a page",
			call: with(func(c *client.Client, ctx context.Context) (parley.UsersOutput, error) {
				return c.Users(ctx, "渡", parley.Page{Number: 2})
			}),
			method: "GET", uri: "/api/admin/users?keyword=%E6%B8%A1&page=2",
			answer: `{"users":[{"user_id":2,"email":"bob@example.com","nickname":"渡船","disabled":true,"storage":5,` +
				`"usage":{"messages":1,"cost":0.5,"currency":"USD"}}],"total":21}`,
			want: parley.UsersOutput{Total: 21, Users: []parley.Account{{
				UserID: 2, Email: "bob@example.com", Nickname: "渡船", Disabled: true, Storage: 5,
				Usage: parley.AccountUsage{Messages: 1, Cost: 0.5, Currency: "USD"},
			}}},
		},
		{
			name: "add user",
			call: with(func(c *client.Client, ctx context.Context) (parley.AddUserOutput, error) {
				return c.AddUser(ctx, parley.AddUserInput{Email: "bob@example.com", Admin: true})
			}),
			method: "POST", uri: "/api/admin/users", body: `{"email":"bob@example.com","admin":true}`,
			answer: `{"user_id":2,"invite_url":"/#invite=2.x","expires_at":3,"mailed":true}`,
			want:   parley.AddUserOutput{UserID: 2, InviteURL: "/#invite=2.x", ExpiresAt: 3, Mailed: true},
		},
		{
			name:   "disable user",
			call:   only(func(c *client.Client, ctx context.Context) error { return c.DisableUser(ctx, 2) }),
			method: "POST", uri: "/api/admin/users/2/disable",
		},
		{
			name:   "enable user",
			call:   only(func(c *client.Client, ctx context.Context) error { return c.EnableUser(ctx, 2) }),
			method: "POST", uri: "/api/admin/users/2/enable",
		},
		{
			name: "reset user password",
			call: with(func(c *client.Client, ctx context.Context) (parley.ResetPasswordOutput, error) {
				return c.ResetUserPassword(ctx, 2)
			}),
			method: "POST", uri: "/api/admin/users/2/reset-password",
			answer: `{"password":"secret"}`, want: parley.ResetPasswordOutput{Password: "secret"},
		},
		{
			name: "set user quota",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.SetUserQuota(ctx, 2, parley.QuotaInput{Quota: "none"})
			}),
			method: "POST", uri: "/api/admin/users/2/quota", body: `{"quota":"none"}`,
		},
		{
			name:   "promote user",
			call:   only(func(c *client.Client, ctx context.Context) error { return c.PromoteUser(ctx, 2) }),
			method: "POST", uri: "/api/admin/users/2/promote",
		},
		{
			name:   "demote user",
			call:   only(func(c *client.Client, ctx context.Context) error { return c.DemoteUser(ctx, 2) }),
			method: "POST", uri: "/api/admin/users/2/demote",
		},
		{
			name:   "remove user",
			call:   only(func(c *client.Client, ctx context.Context) error { return c.RemoveUser(ctx, 2) }),
			method: "DELETE", uri: "/api/admin/users/2",
		},
		{
			name: "create session, untitled",
			call: with(func(c *client.Client, ctx context.Context) (parley.CreateSessionOutput, error) {
				return c.CreateSession(ctx, parley.CreateSessionInput{})
			}),
			method: "POST", uri: "/api/chat/session", body: `{}`,
			answer: `{"session_id":"s1","title":"New chat","untitled":true,"created_at":3}`,
			want:   parley.CreateSessionOutput{SessionID: "s1", Title: "New chat", Untitled: true, CreatedAt: 3},
		},
		{
			name: "sessions, defaults",
			call: with(func(c *client.Client, ctx context.Context) (parley.SessionsOutput, error) {
				return c.Sessions(ctx, "", parley.Page{})
			}),
			method: "GET", uri: "/api/chat/sessions",
			answer: `{"sessions":[],"total":0,"has_more":false}`,
			want:   parley.SessionsOutput{Sessions: []parley.Session{}},
		},
		{
			name: "sessions, a keyword and a page",
			call: with(func(c *client.Client, ctx context.Context) (parley.SessionsOutput, error) {
				return c.Sessions(ctx, "渡 100%&", parley.Page{Number: 2, Size: 5})
			}),
			method: "GET", uri: "/api/chat/sessions?keyword=%E6%B8%A1+100%25%26&page=2&page_size=5",
			answer: `{"sessions":[{"id":"s1","title":"T","message_count":2,"last_message_time":9,"snippet":"…"}],` +
				`"total":6,"has_more":true}`,
			want: parley.SessionsOutput{
				Sessions: []parley.Session{{ID: "s1", Title: "T", MessageCount: 2, LastMessageTime: 9, Snippet: "…"}},
				Total:    6, HasMore: true,
			},
		},
		{
			name: "session",
			call: with(func(c *client.Client, ctx context.Context) (parley.Session, error) {
				return c.Session(ctx, "s/1")
			}),
			method: "GET", uri: "/api/chat/session/s%2F1",
			answer: `{"id":"s/1","title":"New chat","untitled":true,"message_count":0,"last_message_time":0}`,
			want:   parley.Session{ID: "s/1", Title: "New chat", Untitled: true},
		},
		{
			name: "rename session",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.RenameSession(ctx, "s1", parley.RenameSessionInput{Title: "Capri"})
			}),
			method: "PATCH", uri: "/api/chat/session/s1", body: `{"title":"Capri"}`,
		},
		{
			name: "update session",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.UpdateSession(ctx, "s1", parley.UpdateSessionInput{Pinned: new(true), Instructions: new("")})
			}),
			method: "PATCH", uri: "/api/chat/session/s1", body: `{"pinned":true,"instructions":""}`,
		},
		{
			name: "archived sessions",
			call: with(func(c *client.Client, ctx context.Context) (parley.SessionsOutput, error) {
				filter := parley.SessionFilter{Keyword: "ferry", Pinned: true, Archived: true}
				return c.FindSessions(ctx, filter, parley.Page{Number: 2, Size: 1})
			}),
			method: "GET", uri: "/api/chat/sessions?archived=true&keyword=ferry&page=2&page_size=1&pinned=true",
			answer: `{"sessions":[],"total":1,"has_more":false}`,
			want:   parley.SessionsOutput{Sessions: []parley.Session{}, Total: 1},
		},
		{
			name: "delete session",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.DeleteSession(ctx, "s1")
			}),
			method: "DELETE", uri: "/api/chat/session/s1",
		},
		{
			name: "clear session",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.ClearSession(ctx, "s1")
			}),
			method: "POST", uri: "/api/chat/session/s1/clear",
		},
		{
			name: "export",
			call: with(func(c *client.Client, ctx context.Context) (parley.Export, error) {
				return c.Export(ctx, "s1")
			}),
			method: "GET", uri: "/api/chat/session/s1/export?format=json",
			answer: `{"session_id":"s1","title":"T","created_at":1,"exported_at":2,"messages":[{"id":"m1","role":"user",` +
				`"content":"hi","timestamp":1,"is_favorited":true}]}`,
			want: parley.Export{
				SessionID: "s1", Title: "T", CreatedAt: 1, ExportedAt: 2,
				Messages: []parley.Message{{ID: "m1", Role: "user", Content: "hi", Timestamp: 1, IsFavorited: true}},
			},
		},
		{
			name: "send, defaults left to the server",
			call: with(func(c *client.Client, ctx context.Context) (parley.SendOutput, error) {
				return c.Send(ctx, parley.SendInput{SessionID: "s1", Content: " hi <&> 😀 "})
			}),
			method: "POST", uri: "/api/chat/send",
			body:   `{"session_id":"s1","content":" hi \u003c\u0026\u003e 😀 "}`,
			answer: `{"user_message_id":"m1","ai_response":{"id":"m2","content":"ho","timestamp":4}}`,
			want:   parley.SendOutput{UserMessageID: "m1", AIResponse: parley.AIResponse{ID: "m2", Content: "ho", Timestamp: 4}},
		},
		{
			name: "send, all options",
			call: with(func(c *client.Client, ctx context.Context) (parley.SendOutput, error) {
				return c.Send(ctx, parley.SendInput{SessionID: "s1", Content: "hi", ReplyOptions: parley.ReplyOptions{
					Model: parley.ModelEnhanced, DeepThinking: true, WebSearch: true,
				}})
			}),
			method: "POST", uri: "/api/chat/send",
			body: `{"session_id":"s1","content":"hi","model":"增强模型","deep_thinking":true,"web_search":true}`,
			answer: `{"user_message_id":"m1","ai_response":{"id":"m2","content":"ho","timestamp":4,"thinking":"hm",` +
				`"sources":[{"title":"A","url":"https://example.com"}]}}`,
			want: parley.SendOutput{UserMessageID: "m1", AIResponse: parley.AIResponse{
				ID: "m2", Content: "ho", Timestamp: 4,
				Details: parley.Details{Thinking: "hm", Sources: []parley.Source{{Title: "A", URL: "https://example.com"}}},
			}},
		},
		{
			name: "regenerate",
			call: with(func(c *client.Client, ctx context.Context) (parley.SendOutput, error) {
				return c.Regenerate(ctx, "s1", parley.RegenerateInput{ReplyOptions: parley.ReplyOptions{DeepThinking: true}})
			}),
			method: "POST", uri: "/api/chat/session/s1/regenerate", body: `{"deep_thinking":true}`,
			answer: `{"user_message_id":"m1","ai_response":{"id":"m2","content":"new","timestamp":4}}`,
			want: parley.SendOutput{
				UserMessageID: "m1",
				AIResponse:    parley.AIResponse{ID: "m2", Content: "new", Timestamp: 4},
			},
		},
		{
			name: "stop",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.Stop(ctx, "m2")
			}),
			method: "POST", uri: "/api/chat/stream/m2/stop",
		},
		{
			name: "rate",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.Rate(ctx, "m/2", -1)
			}),
			method: "POST", uri: "/api/chat/message/m%2F2/rating", body: `{"rating":-1}`,
		},
		{
			name: "messages",
			call: with(func(c *client.Client, ctx context.Context) (parley.MessagesOutput, error) {
				return c.Messages(ctx, "s 1", parley.Page{Number: 3})
			}),
			method: "GET", uri: "/api/chat/messages?page=3&session_id=s+1",
			answer: `{"messages":[{"id":"m2","role":"assistant","content":"h","timestamp":4,"is_favorited":false,` +
				`"status":"pending"}],"total":2}`,
			want: parley.MessagesOutput{
				Messages: []parley.Message{{
					ID: "m2", Role: parley.RoleAssistant, Content: "h", Timestamp: 4,
					Status: parley.StatusPending,
				}},
				Total: 2,
			},
		},
		{
			name:   "models",
			call:   with((*client.Client).Models),
			method: "GET", uri: "/api/models",
			answer: `{"models":[{"name":"default","default":true,"deep_thinking":true,"web_search":false}]}`,
			want:   parley.ModelsOutput{Models: []parley.Model{{Name: "default", Default: true, DeepThinking: true}}},
		},
		{
			name: "create prompt",
			call: with(func(c *client.Client, ctx context.Context) (parley.PromptOutput, error) {
				return c.CreatePrompt(ctx, parley.PromptInput{Name: "n", Text: "t {{b}}", Shared: true})
			}),
			method: "POST", uri: "/api/prompts", body: `{"name":"n","text":"t {{b}}","shared":true}`,
			answer: `{"prompt_id":"p1"}`, want: parley.PromptOutput{PromptID: "p1"},
		},
		{
			name:   "prompts",
			call:   with((*client.Client).Prompts),
			method: "GET", uri: "/api/prompts",
			answer: `{"prompts":[{"prompt_id":"p1","name":"n","text":"t","own":true,"shared":true,"created_at":5}]}`,
			want: parley.PromptsOutput{Prompts: []parley.Prompt{{
				PromptID: "p1", Name: "n", Text: "t", Own: true, Shared: true, CreatedAt: 5,
			}}},
		},
		{
			name: "update prompt",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.UpdatePrompt(ctx, "p&1", parley.UpdatePromptInput{Shared: new(false)})
			}),
			method: "PATCH", uri: "/api/prompts/p&1", body: `{"shared":false}`,
		},
		{
			name: "delete prompt",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.DeletePrompt(ctx, "p/1")
			}),
			method: "DELETE", uri: "/api/prompts/p%2F1",
		},
		{
			name: "add favorite",
			call: with(func(c *client.Client, ctx context.Context) (parley.AddFavoriteOutput, error) {
				return c.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: "m2", SessionID: "s1"})
			}),
			method: "POST", uri: "/api/favorites/add", body: `{"message_id":"m2","session_id":"s1"}`,
			answer: `{"favorite_id":"f1"}`,
			want:   parley.AddFavoriteOutput{FavoriteID: "f1"},
		},
		{
			name: "remove favorite",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.RemoveFavorite(ctx, "m&2")
			}),
			method: "DELETE", uri: "/api/favorites/remove?message_id=m%262",
		},
		{
			name: "favorites",
			call: with(func(c *client.Client, ctx context.Context) (parley.FavoritesOutput, error) {
				return c.Favorites(ctx, "ferry", parley.Page{Size: 7})
			}),
			method: "GET", uri: "/api/favorites/list?keyword=ferry&page_size=7",
			answer: `{"favorites":[{"id":"f1","message_id":"m2","content":"c","session_title":"T","created_at":5,` +
				`"session_id":"s1","number":2}],"total":1}`,
			want: parley.FavoritesOutput{
				Favorites: []parley.Favorite{{
					ID: "f1", MessageID: "m2", Content: "c", SessionTitle: "T", CreatedAt: 5,
					SessionID: "s1", Number: 2,
				}},
				Total: 1,
			},
		},
		{
			name: "files",
			call: with(func(c *client.Client, ctx context.Context) (parley.FilesOutput, error) {
				return c.Files(ctx, "s1")
			}),
			method: "GET", uri: "/api/chat/session/s1/files",
			answer: `{"files":[{"file_id":"d1","filename":"a.md","file_size":3,"file_type":"text/markdown","upload_time":6}]}`,
			want: parley.FilesOutput{Files: []parley.File{{
				FileID: "d1", Filename: "a.md", FileSize: 3,
				FileType: "text/markdown", UploadTime: 6,
			}}},
		},
		{
			name: "delete file",
			call: only(func(c *client.Client, ctx context.Context) error {
				return c.DeleteFile(ctx, "d1")
			}),
			method: "DELETE", uri: "/api/files/d1",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, got := responding(t, http.StatusOK, success(test.answer))
			out, err := test.call(c, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if got.Method != test.method || got.URI != test.uri || got.Body != test.body {
				t.Errorf("sent %s %s %s\nwant %s %s %s", got.Method, got.URI, got.Body, test.method, test.uri, test.body)
			}
			if a := got.Header.Get("Authorization"); a != "Bearer secret" {
				t.Errorf("Authorization is %q", a)
			}
			wantType := ""
			if test.body != "" {
				wantType = "application/json"
			}
			if kind := got.Header.Get("Content-Type"); kind != wantType {
				t.Errorf("Content-Type is %q, want %q", kind, wantType)
			}
		})
	}
}

func TestTheIdempotencyKeyGoesAlong(t *testing.T) {
	c, got := responding(t, http.StatusOK,
		success(`{"user_message_id":"m1","ai_response":{"id":"m2","content":"","timestamp":4}}`))
	if _, err := c.Send(t.Context(), parley.SendInput{}, client.WithIdempotencyKey("k-1")); err != nil {
		t.Fatal(err)
	}
	if key := got.Header.Get("Idempotency-Key"); key != "k-1" {
		t.Errorf("Idempotency-Key is %q", key)
	}
	if _, err := c.Send(t.Context(), parley.SendInput{}); err != nil {
		t.Fatal(err)
	}
	if keys := got.Header.Values("Idempotency-Key"); keys != nil {
		t.Errorf("the next send carries a key too: %q", keys)
	}
}

func TestHealthAndReadinessNeedNoEnvelope(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			http.Error(w, "draining", http.StatusServiceUnavailable)
		}
	})
	if err := c.Health(t.Context()); err != nil {
		t.Errorf("healthy, but: %v", err)
	}
	wantError(t, c.Ready(t.Context()), client.Error{Status: http.StatusServiceUnavailable})
}
