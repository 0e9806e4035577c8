package prose

import "testing"

func TestAnUnknownMessageIsNoRefusal(t *testing.T) {
	if got := Refusal("pay here"); got != nil {
		t.Errorf("got %v", got)
	}
}
