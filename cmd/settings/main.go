// Command settings prints docs/settings.md, the page of all settings, from the table in internal/config. With the
// argument zh-CN it prints the page in Chinese.
package main

import (
	"fmt"
	"os"
	"strings"

	"parley/internal/config"
)

func main() {
	text := english()
	if len(os.Args) > 1 && os.Args[1] == "zh-CN" {
		text = simplifiedChinese()
	}
	if _, err := os.Stdout.WriteString(text.page(config.Table())); err != nil {
		os.Exit(1)
	}
}

// language is how a page says what the table does not.
type language struct {
	intro, columns, see, live string
	// words has the words for the forms of settings, and for bounds.
	words map[string]string
	// meaning and group return what a setting means, and the heading of a group.
	meaning func(config.Setting) string
	group   func(string) string
}

// page returns the whole page.
func (l language) page(table []config.Setting) string {
	var out strings.Builder
	out.WriteString(l.intro)
	group := ""
	for _, setting := range table {
		if setting.Group != group {
			group = setting.Group
			fmt.Fprintf(&out, "\n## %s\n\n%s\n|---|---|---|---|\n", l.group(group), l.columns)
		}
		for _, cell := range []string{names(setting), l.value(setting), code(setting.Default), l.explain(setting)} {
			out.WriteString(strings.TrimSuffix("| "+cell, " ") + " ")
		}
		out.WriteString("|\n")
	}
	return out.String()
}

// names returns the variable of a setting, and that of the file if it is a secret.
func names(setting config.Setting) string {
	if setting.IsSecret {
		return code(setting.Variable) + ", " + code("…_FILE")
	}
	return code(setting.Variable)
}

// value returns what a setting may be.
func (l language) value(setting config.Setting) string {
	switch {
	case setting.Words != nil:
		words := make([]string, len(setting.Words))
		for i, word := range setting.Words {
			words[i] = code(word)
		}
		return strings.Join(words, ", ")
	case setting.Most != "":
		return fmt.Sprintf(l.words["between"], setting.Least, setting.Most)
	case setting.Least != "":
		return fmt.Sprintf(l.words["at least"], setting.Least)
	default:
		return l.words[setting.Form]
	}
}

// explain returns what a setting means, and where to read more.
func (l language) explain(setting config.Setting) string {
	text := strings.ReplaceAll(l.meaning(setting), "|", "\\|")
	if setting.Live != "" {
		text += l.live
	}
	if setting.See != "" {
		page, _, _ := strings.Cut(setting.See, "#")
		text += fmt.Sprintf(l.see, page, setting.See)
	}
	return text
}

// code marks a text as code, unless it is empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
