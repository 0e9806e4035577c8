package openai

import "slices"

// maxFinish limits the length of a finish_reason.
const maxFinish = 64

// complete are the values of finish_reason with which a reply is complete. Some servers have their own.
var complete = []string{"", "stop", "eos", "end_turn", "stop_sequence", "tool_calls", "function_call"}

// filtered are the finish reasons of replies that the server's policy has ended.
var filtered = []string{"content_filter", "sensitive", "safety", "SAFETY", "PROHIBITED_CONTENT"}

// unfinished returns finish, or "" if the reply is complete.
func unfinished(finish string) string {
	if slices.Contains(complete, finish) || len(finish) > maxFinish {
		return ""
	}
	return finish
}
