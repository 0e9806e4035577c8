package history

import (
	"runtime"
	"strings"
	"testing"

	"parley"
)

// allocated returns how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestWorkGrowsWithTheText has messages. Work on them could grow with the square of their number or length.
func TestWorkGrowsWithTheText(t *testing.T) {
	const size = 50_000
	messages := []Message{{Role: parley.RoleUser, Content: "q"}}
	for range size {
		messages = append(messages, Message{Role: parley.RoleAssistant, Content: "a", Thinking: "t"})
	}
	var made []Message
	if used := allocated(func() { made, _ = arrange(messages) }); used > 1000*size {
		t.Errorf("%d messages take %d MB", size, used>>20)
	}
	if len(made) != 2 || len(made[1].Content) != 3*size-2 || len(made[1].Thinking) != 3*size-2 {
		t.Errorf("%d messages are made", len(made))
	}
	code := strings.Repeat("`", size)
	var block string
	if used := allocated(func() { block = fenced("", code) }); used > 100*size {
		t.Errorf("%d backticks take %d MB", size, used>>20)
	}
	if fence := code + "`"; block != fence+"\n"+code+"\n"+fence {
		t.Errorf("the block has %d bytes", len(block))
	}
}

func TestThinkingThatIsTooLongIsLeftOut(t *testing.T) {
	long := strings.Repeat("t", maxThinking/2)
	made, err := arrange([]Message{
		{Role: parley.RoleUser, Content: "q"},
		{Role: parley.RoleAssistant, Content: "a", Thinking: long},
		{Role: parley.RoleAssistant, Content: "b", Thinking: long},
		{Role: parley.RoleAssistant, Content: "c", Thinking: "short"},
	})
	if err != nil || made[1].Content != "a\n\nb\n\nc" || made[1].Thinking != "short" {
		t.Errorf("%v: %q with %d bytes of thinking", err, made[1].Content, len(made[1].Thinking))
	}
}
