package openai

import (
	"strconv"

	"parley"
)

// streamOptions are the options of a streamed response.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// usageNames are the words by which a server that rejects streamOptions would name them.
var usageNames = []string{"stream_options", "include_usage"}

// maxCount is the largest believable number of tokens.
const maxCount = 1 << 40

// readUsage parses the tokens that the server has counted. Some servers send them with every event, growing, so the
// last ones count. null, or only zeros, do not count.
func (d *delta) readUsage(s *scanner) bool {
	var prompt, completion, total, thinking int64
	ok := s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "prompt_tokens":
			prompt, ok = s.count()
		case "completion_tokens":
			completion, ok = s.count()
		case "total_tokens":
			total, ok = s.count()
		case "completion_tokens_details":
			return s.object(func(key []byte) (ok bool) {
				if string(key) == "reasoning_tokens" {
					thinking, ok = s.count()
					return ok
				}
				return s.skip()
			})
		default:
			ok = s.skip()
		}
		return ok
	})
	// The total of some servers has thinking that completion_tokens does not have.
	output := max(completion, total-prompt)
	if prompt > 0 || output > 0 {
		d.usage = &parley.Usage{InputTokens: prompt, OutputTokens: output, ThinkingTokens: min(thinking, output)}
	}
	return ok
}

// count returns a number of tokens, or 0 after skipping any other value.
func (s *scanner) count() (int64, bool) {
	s.peek()
	rest := s.rest
	if !s.skip() {
		return 0, false
	}
	n, err := strconv.ParseInt(string(rest[:len(rest)-len(s.rest)]), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return 0, true
	}
	return n, true
}
