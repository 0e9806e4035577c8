package main

import (
	"strings"

	"parley/internal/config"
)

func english() language {
	return language{
		intro: `# Settings

English | [简体中文](settings.zh-CN.md)

This page is made from the table of settings in internal/config by ` + "`make settings`" + `. [Operations](operations.md#settings)
says more about many of them.

Each setting is an environment variable (` + "`PARLEY_MAX_UPLOAD=50MB`" + `), a flag (` + "`--max-upload 50MB`" + `) or a line of the YAML
file that ` + "`--config` or `PARLEY_CONFIG` names (`max_upload: 50MB`" + `). A flag overrides the environment, and the environment
overrides the file. The file also has a [section for models](operations.md#a-model-for-each-name). An invalid setting
ends the start with one line that says which it is and where it was set.

Durations are written like ` + "`250ms`, `10s`, `1m30s` or `30d`" + `, sizes like ` + "`20MiB` or `500MB`" + `. Lists are separated by commas;
in the file they may be YAML lists. ` + "`…_FILE`" + ` is the same name with ` + "`_FILE`" + ` at its end: it names a file that contains
the secret. The settings marked "live" can be changed
[while the server runs](operations.md#settings-that-can-be-changed-while-the-server-runs), unless they are set here.
`,
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
		intro: `# 设置

[English](settings.md) | 简体中文

本页由 internal/config 中的设置表生成（` + "`make settings`" + `）。许多设置的详情见
[operations.md](operations.md#settings)（英文）。

每项设置都可以是环境变量（` + "`PARLEY_MAX_UPLOAD=50MB`" + `）、命令行参数（` + "`--max-upload 50MB`" + `），或 ` + "`--config`、`PARLEY_CONFIG`" + `
所指定的 YAML 文件中的一行（` + "`max_upload: 50MB`" + `）。命令行参数优先于环境变量，环境变量优先于文件。文件中还可以有
[模型一节](operations.md#a-model-for-each-name)。如果某项设置无效，启动会中止，并用一行文字说明是哪一项、在哪里设置的。

时长写作 ` + "`250ms`、`10s`、`1m30s` 或 `30d`，大小写作 `20MiB` 或 `500MB`" + `。列表以逗号分隔，在文件中也可以是 YAML 列表。
` + "`…_FILE` 表示在同一名称末尾加上 `_FILE`" + `，其值是包含该密钥的文件。标有“可在线修改”的设置可以
[在服务运行时修改](operations.md#settings-that-can-be-changed-while-the-server-runs)，前提是没有在这里设置。
`,
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
