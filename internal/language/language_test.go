package language_test

import (
	"testing"

	"parley/internal/language"
)

func TestTheAcceptedLanguage(t *testing.T) {
	const en, zh = language.English, language.Chinese
	for _, test := range []struct {
		header []string
		want   language.Language
	}{
		{nil, en},
		{[]string{""}, en},
		{[]string{"zh"}, zh},
		{[]string{"ZH"}, zh},
		{[]string{"zh-CN"}, zh},
		{[]string{"zh-Hant-TW"}, zh},
		{[]string{"zh-CN,zh;q=0.9,en;q=0.8"}, zh},
		{[]string{"en-US,en;q=0.9,zh-CN;q=0.8"}, en},
		{[]string{"en;q=0.5, zh-TW;q=0.7"}, zh},
		{[]string{"en;q=0.5", "zh;q=0.7"}, zh},
		{[]string{"en; q=0.5 , zh ; Q=0.7"}, zh},
		{[]string{"en,zh"}, en},
		{[]string{"zh,en"}, zh},
		{[]string{"fr, zh;q=0.1"}, zh},
		{[]string{"fr"}, en},
		{[]string{"zh;q=0"}, en},
		{[]string{"zh;q=0, *"}, en},
		{[]string{"zh;q=0.000, en;q=0"}, en},
		{[]string{"*"}, en},
		{[]string{"*, zh"}, zh},
		{[]string{"zh;q=0.5, *;q=0.8"}, en},
		{[]string{"zh;q=0.8, *;q=0.5"}, zh},
		{[]string{"zh;q=0.5, en;q=0.1, *;q=0.8"}, zh},
		{[]string{"zha, cmn"}, en},
		{[]string{"zh;q=2"}, en},
		{[]string{"zh;q=NaN"}, en},
		{[]string{"zh;q="}, en},
		{[]string{"zh;level=1"}, en},
		{[]string{",,;;=,-"}, en},
	} {
		if got := language.Accepted(test.header); got != test.want {
			t.Errorf("%q: got %d, want %d", test.header, got, test.want)
		}
	}
}

func TestAMessageIsTranslated(t *testing.T) {
	for english, want := range map[string]string{
		"wrong password":                              "密码错误",
		"title is required":                           "必须提供 title",
		"page must be at least 1":                     "page 不能小于 1",
		"password must be at least 6 characters long": "password 不能少于 6 个字符",
		"format must be one of markdown, json":        "format 必须是以下值之一：markdown, json",
		"the body must be a JSON object":              "请求体必须是 JSON 对象",
		"your files take 5 B of the 9 KiB that you may store, and this one does not fit; delete some first": "你的文件已占用 5 B" +
			"（上限 9 KiB），存储空间不足以保存此文件，请先删除一些文件",
		"the query string has an invalid escape; write %25 for a percent sign": "查询字符串中有无效的转义；百分号请写作 %25",
		"a message of a later release":                                         "a message of a later release",
	} {
		if got := language.Chinese.Message(english); got != want {
			t.Errorf("%q is %q, want %q", english, got, want)
		}
		if got := language.English.Message(english); got != english {
			t.Errorf("%q is %q in English", english, got)
		}
	}
}
