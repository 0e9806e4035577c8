package main

import (
	_ "embed"
	"strings"

	"parley/internal/config"
)

// What the pages begin with. Their links work in docs/.
var (
	//go:embed intro.md
	englishIntro string
	//go:embed intro.zh-CN.md
	chineseIntro string
)

func english() language {
	return language{
		intro:   englishIntro,
		columns: "| variable | value | default | meaning |",
		see:     " See [%s](%s).",
		live:    " *live*",
		words: map[string]string{
			"duration": "duration", "size": "size", "number": "number", "list": "list",
			"between": "%s to %s", "at least": "at least %s",
		},
		meaning: func(s config.Setting) string { return s.Help },
		group:   func(name string) string { return name },
	}
}

func simplifiedChinese() language {
	texts := chinese()
	return language{
		intro:   chineseIntro,
		columns: "| 变量 | 取值 | 默认值 | 含义 |",
		see:     "。见 [%s](%s)",
		live:    " *可在线修改*",
		words: map[string]string{
			"duration": "时长", "size": "大小", "number": "数字", "list": "列表",
			"between": "%s 到 %s", "at least": "至少 %s",
		},
		meaning: func(s config.Setting) string { return strings.TrimSuffix(texts[s.Variable], "。") },
		group:   func(name string) string { return texts[name] },
	}
}
