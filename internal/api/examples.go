package api

import (
	"maps"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/internal/sse"
	"parley/internal/totp"
)

// Values that several examples share.
const (
	exampleSession  = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"
	exampleQuestion = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"
	exampleFile     = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"
	exampleReply    = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"
	exampleMark     = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f14"
	exampleImport   = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f15"
	exampleKey      = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f16"
	examplePrompt   = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f17"
	exampleSecret   = "pk-1.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEga2V5ISEhISE" //nolint:gosec // it is no key
	exampleToken    = "1.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgdG9rZW4hISE"    //nolint:gosec // it is no token
	exampleTOTP     = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	exampleShare    = "Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"
	exampleLink     = "https://parley.example.com/s/" + exampleShare
	exampleTitle    = "Holiday plans"
	exampleContent  = "Which ferry goes to Capri?"
	exampleText     = "The hydrofoil from Naples takes fifty minutes."
	exampleEmail    = "ada@example.com"
	exampleTime     = 1767225600
)

// addExamples adds an example to the success of every operation that has one.
func (a *API) addExamples() {
	all := examples()
	maps.Copy(all, connectionExamples())
	for _, path := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if op == nil {
				continue
			}
			for kind, media := range op.Responses["200"].Content {
				switch {
				case media.Schema.Ref == "#/components/schemas/Done":
					media.Example = done{Message: ok, Success: true}
				case kind == "text/markdown":
					media.Example = exampleMarkdown
				case kind == "text/html":
					media.Example = "<!doctype html>\n<title>" + exampleTitle + "</title>\n…"
				case kind == sse.ContentType && op.OperationID == "uploadFile":
					media.Example = exampleProgress
				default:
					media.Example = all[op.OperationID]
				}
			}
		}
	}
}

// examples returns the successful responses by operation id, as the server sends them.
func examples() map[string]any {
	user := parley.User{ID: 1, Email: exampleEmail, Nickname: "Ada", CreatedAt: exampleTime}
	sent := parley.SendOutput{
		UserMessageID: exampleQuestion,
		AIResponse:    parley.AIResponse{ID: exampleReply, Content: exampleText, Timestamp: exampleTime + 1},
	}
	again := sent
	again.AIResponse.Content = "Take the hydrofoil from Naples. It takes fifty minutes."
	file := parley.File{
		FileID: exampleFile, Filename: "timetable.md", FileSize: 1024, FileType: "text/markdown", UploadTime: exampleTime,
	}
	slides := parley.File{
		FileID: exampleFile, Filename: "ferries.pptx", FileSize: 50_176, UploadTime: exampleTime,
		FileType: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		Notes:    []string{"slide 2 could not be read"},
	}
	session := parley.Session{
		ID: exampleSession, Title: exampleTitle, MessageCount: 2, LastMessageTime: exampleTime + 1,
	}
	return map[string]any{
		"register": newEnvelope(parley.RegisterOutput{UserID: 1, Token: exampleToken}),
		"login":    newEnvelope(parley.LoginOutput{Token: exampleToken, User: user.Profile()}),
		"userInfo": newEnvelope(user.Info()),

		"registrationStatus": newEnvelope(parley.RegistrationStatus{Open: true}),

		"resetStatus": newEnvelope(parley.ResetStatus{Email: true}),
		"checkReset":  newEnvelope(parley.CheckResetOutput{Email: exampleEmail}),
		"addUser": newEnvelope(parley.AddUserOutput{
			UserID: 2, InviteURL: "https://chat.example.com/#invite=2." + exampleToken, ExpiresAt: exampleTime + 7*24*60*60,
		}),
		"setUpSecondFactor": newEnvelope(parley.SecondFactorOutput{
			Secret: exampleTOTP, URI: totp.URI("Parley", exampleEmail, exampleTOTP),
		}),
		"confirmSecondFactor": newEnvelope(parley.RecoveryCodesOutput{RecoveryCodes: []string{
			"b7qk-2mzd-x4ra-wn3f", "p5hs-vc6e-y2jt-gu4k", "mz3q-aw7d-kf2x-rb5n", "t6ye-jh4p-cs2v-qd7m",
			"x3ka-ng5w-uz7r-eb2f", "d4vs-ym6t-hj3q-pc5k", "r2fn-bw4x-ae7z-gs6u", "k5jc-qt3h-mv7d-ny2p",
			"w7re-zb2a-fx5k-ug4s", "h3pq-cy6m-td4v-jn7w",
		}}),
		"claimAdmin": newEnvelope(parley.UserInfo{
			UserID: 1, Nickname: "Ada", Email: exampleEmail, CreatedAt: exampleTime, Admin: true,
		}),
		"listUsers": newEnvelope(parley.UsersOutput{Total: 1, Users: []parley.Account{{
			UserID: 2, Email: "bob@example.com", Nickname: "Bob", CreatedAt: exampleTime, LastSeenAt: exampleTime + 24*60*60,
			Sessions: 12, Storage: 1 << 20, Quota: "messages=3/d",
			Usage: parley.AccountUsage{Messages: 10, InputTokens: 8120, OutputTokens: 1640, Cost: 0.0312, Currency: "USD"},
		}}}),
		"listTotalUsage": newEnvelope(parley.TotalUsageOutput{Usage: []parley.TotalUsageSum{{
			UserID: 2, Email: "bob@example.com", UsageSum: parley.UsageSum{
				InputTokens: 8120, OutputTokens: 1640, Messages: 10, Cost: 0.0312, Currency: "USD",
			},
		}}}),
		"listAudit": newEnvelope(parley.AuditOutput{More: true, Entries: []parley.AuditEntry{{
			ID: exampleSession, At: exampleTime, Event: "operator-quota", UserID: 2, ActorID: 1, Address: "192.0.2.1",
			RequestID: exampleReply, Object: "quota=messages=3/d",
		}}}),
		"getOverview":       newEnvelope(exampleOverview()),
		"resetUserPassword": newEnvelope(parley.ResetPasswordOutput{Password: "k7w2mfq4zr6xhd3tnb5ycv8sae"}),
		"getSignOn":         newEnvelope(parley.SignOn{Name: "Example Company"}),
		"exchangeSignIn":    newEnvelope(parley.LoginOutput{Token: exampleToken, User: user.Profile()}),
		"updateProfile": newEnvelope(parley.UserInfo{
			UserID: 1, Nickname: "Ada L.", Email: exampleEmail, Avatar: "https://example.com/ada.png", CreatedAt: exampleTime,
		}),
		"listUsage": newEnvelope(parley.UsageOutput{
			Usage: []parley.UsageSum{{
				Day: "2026-01-01", InputTokens: 8120, OutputTokens: 1640, Messages: 10, Cost: 0.0312, Currency: "USD",
			}},
			Quota: &parley.QuotaStatus{
				Messages: &parley.QuotaPart{Limit: 200, Used: 10, Left: 190}, ResetsAt: exampleTime + 24*60*60,
			},
		}),
		"getSettings": newEnvelope(parley.SettingsOutput{
			Registration: true, Sharing: true, Quota: "messages=100/d", Retention: "720h",
			Instructions: "Answer in the language of the question.", Fixed: []string{parley.SettingRegistration},
		}),
		"updateSettings": newEnvelope(parley.SettingsOutput{
			Registration: true, Sharing: true, Quota: "messages=100/d", Retention: "2160h", Fixed: []string{},
		}),
		"listTokens": newEnvelope(parley.TokensOutput{Tokens: []parley.Token{{
			ID: exampleSession, Client: "Mozilla/5.0", CreatedAt: exampleTime, ExpiresAt: exampleTime + 30*24*60*60,
			Current: true,
		}}}),
		"createKey": newEnvelope(parley.KeyOutput{KeyID: exampleKey, Key: exampleSecret}),
		"listKeys": newEnvelope(parley.KeysOutput{Keys: []parley.Key{{
			KeyID: exampleKey, Name: "Backup script", Scopes: []parley.Scope{parley.ScopeChat, parley.ScopeFiles},
			CreatedAt: exampleTime, LastUsed: exampleTime + 24*60*60, ExpiresAt: exampleTime + 90*24*60*60,
		}}}),
		"createSession": newEnvelope(parley.CreateSessionOutput{
			SessionID: exampleSession, Title: exampleTitle, CreatedAt: exampleTime,
		}),
		"listSessions": newEnvelope(parley.SessionsOutput{Sessions: []parley.Session{session}, Total: 1}),
		"getSession":   newEnvelope(withInstructions(session)),
		"listMessages": newEnvelope(parley.MessagesOutput{Messages: exampleMessages(), Total: 2}),
		"exportSession": newEnvelope(parley.Export{
			SessionID: exampleSession, Title: exampleTitle, CreatedAt: exampleTime, ExportedAt: exampleTime + 3600,
			Messages: exampleMessages(),
		}),
		"createPrompt": newEnvelope(parley.PromptOutput{PromptID: examplePrompt}),
		"listPrompts": newEnvelope(parley.PromptsOutput{Prompts: []parley.Prompt{{
			PromptID: examplePrompt, Name: "Reply to a letter",
			Text: "Reply to this letter in a friendly tone, in {{language}}:", Own: true, CreatedAt: exampleTime,
		}}}),
		"forkSession":  newEnvelope(parley.ForkOutput{SessionID: exampleSession}),
		"shareSession": newEnvelope(parley.ShareOutput{ShareID: exampleShare, URL: exampleLink}),
		"listShares": newEnvelope(parley.SharesOutput{Shares: []parley.Share{{
			ShareID: exampleShare, URL: exampleLink, SessionID: exampleSession, Title: exampleTitle, MessageCount: 2,
			CreatedAt: exampleTime + 60, ExpiresAt: exampleTime + 60 + 7*24*60*60,
		}}}),
		"readShare": newEnvelope(parley.SharedSession{
			Title: exampleTitle, CreatedAt: exampleTime + 60, ExpiresAt: exampleTime + 60 + 7*24*60*60,
			Messages: []parley.SharedMessage{
				{Role: parley.RoleUser, Content: exampleContent, Timestamp: exampleTime},
				{Role: parley.RoleAssistant, Content: exampleText, Timestamp: exampleTime + 1},
			},
		}),
		"send":          newEnvelope(sent),
		"stream":        exampleEvents,
		"follow":        exampleEvents,
		"regenerate":    newEnvelope(again),
		"continueReply": newEnvelope(again),
		"listModels": newEnvelope(parley.ModelsOutput{Models: []parley.Model{
			{Name: "default", Default: true, DeepThinking: true, ContextTokens: 32000, Available: true},
			{Name: parley.ModelBasic, Description: "Quick answers", ContextTokens: 32000, Available: true},
			{
				Name: parley.ModelEnhanced, Description: "For difficult questions", DeepThinking: true, Images: true,
				ContextTokens: 128000, Available: true,
			},
		}}),
		"addFavorite": newEnvelope(parley.AddFavoriteOutput{FavoriteID: exampleMark}),
		"listFavorites": newEnvelope(parley.FavoritesOutput{
			Favorites: []parley.Favorite{{
				ID: exampleMark, MessageID: exampleReply, Content: exampleText, SessionTitle: exampleTitle,
				CreatedAt: exampleTime + 60, SessionID: exampleSession, Number: 2,
			}},
			Total: 1,
		}),
		"exportAccount": "PK…",
		"search": newEnvelope(parley.SearchOutput{
			Hits: []parley.Hit{{
				Kind: parley.HitMessage, SessionID: exampleSession, SessionTitle: exampleTitle, MessageID: exampleReply,
				Number: 2, Snippet: exampleText, Match: parley.Match{Start: 4, Length: 9}, Timestamp: exampleTime + 1,
			}},
			Total: 1, Counts: &parley.HitCounts{Messages: 1},
		}),
		"uploadFile":   newEnvelope(file),
		"listFiles":    newEnvelope(parley.FilesOutput{Files: []parley.File{file, slides}}),
		"showPicture":  "\u0089PNG…",
		"downloadFile": "Naples 09:00, Capri 09:50\n",
		"readFile": newEnvelope(parley.FileText{
			File: file, Pages: 1, Page: 1, Text: "Naples 09:00, Capri 09:50\n", Match: &parley.Match{Start: 0, Length: 12},
		}),
		"startImport": newEnvelope(parley.StartImportOutput{ImportID: exampleImport}),
		"getImport": newEnvelope(parley.Import{
			State: parley.ImportDone, Percent: 100, Sessions: 41, Messages: 680,
			Skipped: []parley.Skipped{{Title: exampleTitle, Reason: parley.ErrImportedBefore.Message}},
		}),
	}
}

func exampleMessages() []parley.Message {
	return []parley.Message{
		{ID: exampleQuestion, Role: parley.RoleUser, Content: exampleContent, Timestamp: exampleTime},
		{
			ID: exampleReply, Role: parley.RoleAssistant, Content: exampleText, Timestamp: exampleTime + 1, IsFavorited: true,
			Details: parley.Details{Files: []parley.Passage{{FileID: exampleFile, Filename: "timetable.md"}}},
		},
	}
}

const exampleProgress = `event: progress
data: {"page":1,"pages":2}

event: progress
data: {"page":2,"pages":2}

event: done
data: {"file_id":"` + exampleFile + `","filename":"scan.pdf","file_size":1024,` +
	`"file_type":"application/pdf","upload_time":1767225600}

`

const exampleEvents = `id: 1.0.0
event: start
data: {"user_message_id":"` + exampleQuestion + `","message_id":"` + exampleReply + `"}

id: 1.0.26
event: delta
data: {"text":"The hydrofoil from Naples "}

id: 1.0.46
event: delta
data: {"text":"takes fifty minutes."}

id: 1.0.46
event: done
data: {"user_message_id":"` + exampleQuestion + `","ai_response":{"id":"` + exampleReply + `",` +
	`"content":"` + exampleText + `","timestamp":1767225601}}

`

const exampleMarkdown = `# ` + exampleTitle + `

---

## User · 2026-01-01 00:00 UTC

` + exampleContent + `

---

## Assistant · 2026-01-01 00:00 UTC

` + exampleText + `
`

// withInstructions returns a session as getSession returns it.
func withInstructions(session parley.Session) parley.Session {
	session.Instructions = "Answer in two sentences."
	return session
}

func exampleOverview() parley.Overview {
	return parley.Overview{
		Version: "0.2.0", StartedAt: exampleTime, Users: 12, Administrators: 1, Registration: true, Sharing: true,
		Replicas: []parley.ReplicaState{{ID: exampleSession, LeaseUntil: exampleTime + 3610, Self: true}},
		Database: parley.DatabaseState{Kind: parley.DatabasePostgreSQL, Version: "PostgreSQL 17.6", Size: 100 << 20},
		Files:    parley.FilesState{Kind: parley.FilesFolder, Used: 50 << 20, Free: 100 << 30},
		Models:   []parley.ModelState{{Name: "default", Model: "gpt-5", Reachable: true}},
		Search:   parley.SearchState{Provider: "searxng", Reason: parley.ReasonUnreachable},
		OCR:      parley.OCRState{Available: true, Languages: []string{"eng"}},
		Queues:   parley.QueueLengths{Replies: 2},
		Errors:   []parley.ErrorCount{{Code: parley.CodeAIUnavailable, Count: 3}},
	}
}
