package api_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/config"
	"parley/internal/limit"
)

// inChinese is the header of a browser in China.
const inChinese = "Accept-Language: zh-CN,zh;q=0.9,en;q=0.8"

// says checks the message of an error.
func (w *world) says(err error, message string) {
	w.Helper()
	var e *client.Error
	if !errors.As(err, &e) || e.Message != message {
		w.Errorf("got %v, want the message %q", err, message)
	}
}

// translated is a request and its error in both languages.
type translated struct {
	name             string
	request          string // the method and the path without "/api"
	body, header     string
	english, chinese string
}

// TestErrorsAreInTheLanguageOfTheRequest makes each part of the server that writes errors write one.
func TestErrorsAreInTheLanguageOfTheRequest(t *testing.T) {
	eachWith(t, func(w *world) { w.MaxUpload, w.UserStorage = 1000, storedSize(t, 900) }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		file, err := ada.Upload(w.Context(), session, "a.txt", strings.NewReader("hello"))
		w.must(err)
		uploaded := func(parts ...string) string { return form(append([]string{"session_id", session}, parts...)...) }
		used := storedSize(t, len("hello"))
		for _, test := range []translated{
			{"a path", "GET /nothing", "", "", "no such path; /openapi.json lists all paths", "路径不存在；/openapi.json 列出了所有路径"},
			{
				"a method", "PUT /user/info", "", "",
				"the path does not support this method; see the Allow header", "此路径不支持该方法，请查看 Allow 响应头",
			},
			{"no body", "POST /auth/login", "", "", "request body is required", "必须提供请求体"},
			{"not JSON", "POST /auth/login", "{", "", "the body is not one valid JSON document", "请求体不是一个有效的 JSON 文档"},
			{"no input", "POST /auth/login", `{"email":"a@b.c"}`, "", "password is required", "必须提供 password"},
			{"a type", "POST /auth/login", `{"email":1,"password":"p"}`, "", "email must be a string", "email 必须是字符串"},
			{
				"a length", "POST /auth/register", `{"email":"a@b.c","password":"12345"}`, "",
				"password must be at least 6 characters long", "password 不能少于 6 个字符",
			},
			{"a number", "GET /chat/sessions?page=one", "", "", "page must be a whole number", "page 必须是整数"},
			{"a bound", "GET /chat/sessions?page=0", "", "", "page must be at least 1", "page 不能小于 1"},
			{"an empty value", "GET /chat/sessions?page=", "", "", "page must be a whole number", "page 必须是整数"},
			{
				"an encoding", "POST /chat/session", `{}`, "Content-Encoding: gzip",
				"compressed request bodies are not supported; send it uncompressed", "不支持压缩的请求体，请发送未压缩的内容",
			},
			{
				"a large body", "POST /auth/login", strings.Repeat(" ", 17<<10), "",
				"the request body is larger than 16 KiB", "请求体超过 16 KiB",
			},
			{
				"a token", "GET /user/info", "", "Authorization: Bearer a",
				"the access token is missing, invalid or expired; log in again", "缺少访问令牌，或令牌无效、已过期，请重新登录",
			},
			{
				"a use case", "GET /chat/messages?session_id=x", "", "",
				"the session does not exist", "会话不存在",
			},
			{
				"a range", "GET /files/" + file.FileID, "", "Range: bytes=9-",
				"Range is outside of the file; the Content-Range header has its size", "Range 超出文件范围；文件大小见 Content-Range 响应头",
			},
			{
				"no form", "POST /files/upload", `{}`, "",
				"the body must be multipart/form-data with the parts file and session_id, each once",
				"请求体必须是 multipart/form-data，并且 file 和 session_id 两个部分各出现一次",
			},
			{"no file", "POST /files/upload", uploaded(), formType, "file is required", "必须提供 file"},
			{
				"an empty file", "POST /files/upload", uploaded("file=a.txt", ""), formType,
				"the file can't be read: it is empty", "文件无法读取：文件为空",
			},
			{
				"a large file", "POST /files/upload", uploaded("file=a.txt", strings.Repeat("x", 1001)), formType,
				"the file is larger than the limit of 1000 B", "文件大小超出 1000 B 的上限",
			},
			{
				"a file too many", "POST /files/upload", uploaded("file=a.txt", strings.Repeat("x", 900)), formType,
				fmt.Sprintf("your files take %s of the %s that you may store, and this one does not fit; "+
					"delete some first", parley.FormatSize(used), parley.FormatSize(w.UserStorage)),
				fmt.Sprintf("你的文件已占用 %s（上限 %s），存储空间不足以保存此文件，请先删除一些文件",
					parley.FormatSize(used), parley.FormatSize(w.UserStorage)),
			},
		} {
			w.sub(test.name, func(w *world) { test.check(w, ada) })
		}
	})
}

// check makes the request once without a language and once in Chinese.
func (x translated) check(w *world, c *client.Client) {
	w.Helper()
	method, path, _ := strings.Cut(x.request, " ")
	headers := []string{x.header, as(c)}
	if strings.HasPrefix(x.header, "Authorization") || x.header == "" {
		headers = []string{cmp.Or(x.header, as(c))}
	}
	english := w.request(method, "/api"+path, x.body, headers...)
	chinese := w.request(method, "/api"+path, x.body, append(headers, inChinese)...)
	want := fmt.Sprintf(`{"error":%d,"message":%q,"success":false}`+"\n", english.code(), x.english)
	if english.text != want {
		w.Errorf("got %s, want %s", english.text, want)
	}
	if want = strings.Replace(want, x.english, x.chinese, 1); chinese.text != want {
		w.Errorf("got %s, want %s", chinese.text, want)
	}
	if english.StatusCode != chinese.StatusCode || chinese.Header.Get("Content-Type") != "application/json" {
		w.Errorf("got HTTP %d and %d, %v", english.StatusCode, chinese.StatusCode, chinese.Header)
	}
	for _, got := range []*reply{english, chinese} {
		if vary := strings.Join(got.Header.Values("Vary"), ", "); vary != "Accept-Language" {
			w.Errorf("Vary is %q", vary)
		}
	}
}

// TestASuccessDoesNotVary checks that only errors depend on the language.
func TestASuccessDoesNotVary(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		for _, path := range []string{
			"/api/user/info", "/api/chat/messages?session_id=" + session, "/api/chat/session/" + session + "/export",
			"/", "/openapi.json",
		} {
			english, chinese := w.request("GET", path, "", as(ada)), w.request("GET", path, "", as(ada), inChinese)
			wantSame(w, path, english, chinese)
			if vary := strings.Join(english.Header.Values("Vary"), ", "); strings.Contains(vary, "Language") {
				w.Errorf("%s: Vary is %q", path, vary)
			}
		}
	})
}

func TestLimitsSpeakTheLanguageOfTheRequest(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.User = config.Rate{Requests: 2, Per: time.Minute}
		w.RateLimit.Address = config.Rate{Requests: 5, Per: time.Minute}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		guest := client.New(w.URL, client.WithHTTPClient(w.http), client.WithLanguage("zh"))
		ada := guest.WithToken(w.user("ada").Token())
		for range 2 {
			_, err := ada.User(w.Context())
			w.must(err)
		}
		_, err := ada.User(w.Context()) // the user's rate
		w.wants(err, parley.CodeTooManyAttempts, 429)
		w.says(err, "请求过于频繁，请稍后再试")
		_, err = guest.User(w.Context())
		w.wants(err, parley.CodeBadToken, 401)
		_, err = guest.User(w.Context()) // the address's rate
		w.wants(err, parley.CodeTooManyAttempts, 429)
		w.says(err, "请求过于频繁，请稍后再试")
	})
}

// TestOverloadSpeaksTheLanguageOfTheRequest takes the only slot and the only place in the queue.
func TestOverloadSpeaksTheLanguageOfTheRequest(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		w.Limits.Requests = limit.NewFair[int64](limit.FairConfig{Slots: 1, Queue: 10, MaxWait: time.Millisecond})
		w.UserRequests = 1
		w.restart()
		w.must(w.Limits.Requests.Acquire(w.Context(), nobody))
		refused := w.request("GET", "/api/user/info", "", as(ada), inChinese)
		w.wantsRefused(refused)
		if refused.message() != "服务器繁忙，请稍后再试" {
			w.Errorf("got %s", refused.text)
		}
		w.Limits.Requests.Release(nobody)
		begun, g := make(chan struct{}), make(gate)
		w.Model.Script(aitest.Text("Half"), aitest.Reached(begun), aitest.Wait(g), aitest.End())
		stream := w.ask(w.again(ada), w.session(w.again(ada), ""), "Is it?")
		<-begun
		refused = w.request("GET", "/api/user/info", "", as(ada), inChinese)
		w.wantsRefused(refused)
		if refused.message() != "你有过多的请求正在处理，请等其中一个结束后再试" {
			w.Errorf("got %s", refused.text)
		}
		g.open()
		stream.rest()
	})
}

// TestStreamsFailInTheLanguageOfTheRequest reads the error of one reply in both languages.
func TestStreamsFailInTheLanguageOfTheRequest(t *testing.T) {
	const english = "the AI service is unavailable; nothing was stored, try again"
	const chinese = "AI 服务暂不可用；本次内容未保存，请重试"
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		lang := client.New(w.URL, client.WithHTTPClient(w.http), client.WithToken(ada.Token()), client.WithLanguage("zh"))
		g := make(gate)
		w.Model.Script(aitest.Wait(g), aitest.Status(http.StatusBadRequest, "no"))
		live, err := lang.Stream(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"})
		w.must(err)
		defer live.Close()
		var replyID string
		for event, err := range live.Events() {
			switch event := event.(type) {
			case client.Start:
				replyID = event.MessageID
				g.open()
			default:
				w.says(err, chinese)
			}
		}
		stored, err := lang.Follow(w.Context(), replyID, "")
		w.must(err)
		defer stored.Close()
		_, err = stored.Wait()
		w.says(err, chinese)
		events := w.follow(ada, replyID, "").rest()
		if last := events[len(events)-1].Data; last != `{"error":5001,"message":"`+english+`","reason":"failed"}` {
			w.Errorf("without a language the event is %s", last)
		}

		w.Model.Script(aitest.Status(http.StatusBadRequest, "no"))
		_, err = lang.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"})
		w.says(err, chinese)
	})
}

// TestALogoutSpeaksTheLanguageOfTheStream ends a stream by ending its login.
func TestALogoutSpeaksTheLanguageOfTheStream(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
		body := fmt.Sprintf(`{"session_id":%q,"content":"Is it?"}`, w.session(ada, ""))
		s := w.open("POST", "/api/chat/stream", body, as(ada), inChinese)
		s.started()
		s.next()
		w.must(ada.Logout(w.Context()))
		want := event{Name: "error", Data: `{"error":1005,"message":"缺少访问令牌，或令牌无效、已过期，请重新登录"}`}
		s.wants(want)
		close(g)
	})
}
