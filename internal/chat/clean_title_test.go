package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheTitleOfAReplyIsFound(t *testing.T) {
	for reply, want := range map[string]string{
		"Ferries to Capri":                               "Ferries to Capri",
		"  Ferries to Capri.\n":                          "Ferries to Capri",
		"\"Ferries to Capri\"":                           "Ferries to Capri",
		"“Ferries to Capri.”":                            "Ferries to Capri",
		"**Title: \"Ferries to Capri\".**\n\nEnjoy!":     "Ferries to Capri",
		"# Ferries to Capri":                             "Ferries to Capri",
		"Sure! Here is a title:\n\n- `Ferries` to Capri": "Ferries to Capri",
		"<think>\nA title.\n</think>\n\nFerries":         "Ferries",
		"<think>\nIt never ends":                         "",
		"标题：《去卡普里的渡轮》。":                                  "去卡普里的渡轮",
		"「卡普里」":                                          "卡普里",
		"\"A\" and \"B\"":                                "\"A\" and \"B\"",
		"Wait for it...":                                 "Wait for it...",
		"Title:":                                         "",
		"Fer\x1b\x00ries\tto\u2028Capri":                 "Ferries to Capri",
		"\xffFerries":                                    "Ferries",
		"":                                               "",
		" \n\n ":                                         "",
		"***":                                            "",
		strings.Repeat("a word ", 40):                    "",
		strings.Repeat("word ", 15):                      "word word word word word word word word word word word…",
		strings.Repeat("长", 70):                          strings.Repeat("长", 59) + "…",
	} {
		if got := cleanTitle(reply); got != want {
			t.Errorf("%q gives %q, want %q", reply, got, want)
		}
	}
}

func FuzzATitleIsOneShortLine(f *testing.F) {
	for _, reply := range []string{"Ferries", "**\"a\".**", "<think>a</think>b", strings.Repeat("👩‍👩‍👧", 70)} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		title := cleanTitle(reply)
		if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxModelTitle ||
			strings.ContainsAny(title, "\n\r\x00") || strings.TrimSpace(title) != title {
			t.Errorf("%q gives %q", reply, title)
		}
	})
}
