// Package language translates the messages of errors for people who prefer another language than English.
//
// Errors are made, logged and stored with their English message. A message is translated when it is sent.
package language

import (
	"strconv"
	"strings"
)

// Language is a language of messages. The zero value is English.
type Language int

// The languages.
const (
	English Language = iota
	Chinese
)

// Accepted returns the language that the values of an Accept-Language header prefer: Chinese, in any variant, if they
// name it and do not rank English higher, and English otherwise.
func Accepted(header []string) Language {
	preferred, highest := English, 0.0
	anyLanguage, namesEnglish := 0.0, false
	for _, value := range header {
		for entry := range strings.SplitSeq(value, ",") {
			switch tag, quality := parseRange(entry); {
			case tag == "*":
				anyLanguage = quality
			case tag == "en":
				namesEnglish = true
				if quality > highest { // of equals the first counts
					preferred, highest = English, quality
				}
			case tag == "zh" && quality > highest:
				preferred, highest = Chinese, quality
			}
		}
	}
	if !namesEnglish && anyLanguage > highest {
		return English
	}
	return preferred
}

// parseRange returns the primary language of an entry such as "zh-CN;q=0.8", in lower case, and its quality. The
// language is empty if the entry is malformed.
func parseRange(entry string) (tag string, quality float64) {
	entry, parameter, weighted := strings.Cut(entry, ";")
	tag, _, _ = strings.Cut(strings.TrimSpace(entry), "-")
	if !weighted {
		return strings.ToLower(tag), 1
	}
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	quality, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.EqualFold(name, "q") || !(quality >= 0 && quality <= 1) {
		return "", 0
	}
	return strings.ToLower(tag), quality
}
