package api

import (
	"bytes"
	"strings"
	"testing"

	"parley"
	"parley/internal/chat/turn"
)

// TestALongReplyIsEncodedInPieces compares the event of a reply with the output of json.Marshal.
func TestALongReplyIsEncodedInPieces(t *testing.T) {
	short, long := `a "b" <c>`+"\n", strings.Repeat("渡<\"content\":\"-\"\n", turn.MaxPiece/5)
	for _, texts := range [][2]string{
		{"", ""}, {short, ""}, {long, ""}, {"", long}, {short, long}, {long, short}, {long, long}, {"-", long},
	} {
		reply := parley.SendOutput{AIResponse: parley.AIResponse{ID: "r", Content: texts[0]}}
		reply.AIResponse.Thinking = texts[1]
		var want, got bytes.Buffer
		if err := encodeJSON(&want, reply); err != nil {
			t.Fatal(err)
		}
		if err := (&replyWriter{}).writeData(&got, reply); err != nil || got.String() != want.String() {
			t.Errorf("texts of %d and %d bytes: got %d bytes, want %d, %v",
				len(texts[0]), len(texts[1]), got.Len(), want.Len(), err)
		}
	}
}
