package api_test

import (
	"encoding/json"
	"testing"
)

func TestAResumedStreamChecksItsNumber(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		var stored streamedResponse
		w.must(json.Unmarshal([]byte(w.call(ada, "POST", "responses", `{"input":"Hello","store":true}`).text), &stored))
		path := "responses/" + stored.ID + "?stream=true&starting_after="
		for _, number := range []string{
			"9223372036854775807", "9223372036854775806", "9223372036854775808", "-1", "-9223372036854775808",
			"1e3", "0x1", "one",
		} {
			w.wantsOpenAI(w.call(ada, "GET", path+number, ""), 400, "invalid_request_error", "", "starting_after")
		}
		if got := w.call(ada, "GET", path+"2147483647", ""); got.status != 200 || got.text != "" {
			w.Errorf("far beyond the end: HTTP %d, %s", got.status, got.text)
		}
	})
}
