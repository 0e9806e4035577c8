package api_test

import "parley"

// anEmptyInputIsNotAnAbsentOne sends empty ids, models and pages. Only a keyword and a title may be empty.
func anEmptyInputIsNotAnAbsentOne(w *world) {
	ada := w.user("ada")
	own := w.property(ada)
	session, message := own["session_id"], own["message_id"]
	noModel := `{"session_id":"` + session + `","content":"hi","model":""}`
	const send, stream, add, remove = "/api/chat/send", "/api/chat/stream", "/api/favorites/add", "/api/favorites/remove"
	list, export := "/api/chat/messages?session_id="+session, "/api/chat/session/"+session+"/export"
	refused := []scenario{
		{name: "model of send", path: send, body: noModel, says: "model"},
		{name: "model of stream", path: stream, body: noModel},
		{name: "model of regenerate", path: "/api/chat/session/" + session + "/regenerate", body: `{"model":""}`},
		{name: "session of send", path: send, body: `{"session_id":"","content":"hi"}`, says: "session_id is required"},
		{name: "session of stream", path: stream, body: `{"session_id":"","content":"hi"}`, says: "session_id is required"},
		{name: "message to add", path: add, body: `{"session_id":"` + session + `","message_id":""}`, says: "message_id"},
		{name: "session to add", path: add, body: `{"session_id":"","message_id":"` + message + `"}`, says: "session_id"},
		{name: "message to remove", method: "DELETE", path: remove, body: `{"message_id":""}`, says: "message_id"},
		{name: "message to remove in the query", method: "DELETE", path: remove + "?message_id=", says: "message_id"},
		{
			name: "message in the query, another in the body", method: "DELETE", path: remove + "?message_id=",
			body: `{"message_id":"` + message + `"}`, says: "message_id",
		},
		{
			name: "session of an upload", path: "/api/files/upload", body: form("session_id", "", "file=a.txt", "text"),
			headers: []string{formType}, says: "session_id is required",
		},
		{
			name: "session after the file", path: "/api/files/upload", body: form("file=a.txt", "text", "session_id", ""),
			headers: []string{formType}, says: "session_id is required",
		},
		{name: "session of messages", method: "GET", path: "/api/chat/messages?session_id=", says: "session_id"},
		{name: "session without a value", method: "GET", path: "/api/chat/messages?session_id", says: "session_id"},
		{name: "session in the path", path: "/api/chat/session//clear", says: "session_id is required"},
		{name: "message in the path", path: "/api/chat/stream//stop", says: "message_id is required"},
		{name: "page of sessions", method: "GET", path: "/api/chat/sessions?page=", says: "page must be a whole number"},
		{name: "page size of sessions", method: "GET", path: "/api/chat/sessions?page_size=", says: "page_size must be"},
		{name: "page without a value", method: "GET", path: "/api/chat/sessions?page&page_size=2", says: "page must be"},
		{name: "a second page", method: "GET", path: "/api/chat/sessions?page=1&page=", says: "page must be"},
		{name: "page of messages", method: "GET", path: list + "&page=", says: "page must be a whole number"},
		{name: "page of favorites", method: "GET", path: "/api/favorites/list?p%61ge=&keyword=a", says: "page must be"},
		{name: "format", method: "GET", path: export + "?format=", says: "format must not be empty"},
	}
	for i := range refused {
		refused[i].status, refused[i].code = 400, parley.CodeInvalidParameter
	}
	w.play(ada, refused)
	w.play(ada, []scenario{
		{name: "keyword", method: "GET", path: "/api/chat/sessions?keyword=", status: 200},
		{name: "keyword without a value", method: "GET", path: "/api/favorites/list?keyword", status: 200},
		{name: "a parameter that the path does not know", method: "GET", path: "/api/chat/sessions?format=", status: 200},
	})
	if got := w.favorites(ada, "", parley.Page{}); got.Total != 1 {
		w.Errorf("a request that was refused removed a favorite: %+v", got)
	}
	if got := w.only(ada); got.MessageCount != 2 {
		w.Errorf("a request that was refused sent a message: %+v", got)
	}
}
