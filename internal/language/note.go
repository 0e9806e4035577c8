package language

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Note returns a note of a file in the language. What is not in the table stays in English.
func (l Language) Note(english string) string {
	if l != Chinese {
		return english
	}
	if note, found := chineseNotes().note(english); found {
		return note
	}
	// Notes of an attachment come after its name, which may have a colon too.
	for at := strings.Index(english, ": "); at >= 0; {
		if note, found := chineseNotes().note(english[at+2:]); found {
			return english[:at] + "：" + note
		}
		next := strings.Index(english[at+1:], ": ")
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return english
}

// noteTable is the table of notes, prepared for lookups.
type noteTable struct {
	notes, parts []pattern
}

// chineseNotes is made once, when the first note is translated.
var chineseNotes = sync.OnceValue(func() noteTable {
	return noteTable{notes: patterns(chineseNoteMessages), parts: patterns(chineseParts)}
})

// patterns returns the entries as expressions.
func patterns(entries []entry) (all []pattern) {
	placeholders := strings.NewReplacer("%d", `(\d+)`, "%v", `(.+)`)
	for _, e := range entries {
		all = append(all, pattern{e, regexp.MustCompile("^" + placeholders.Replace(regexp.QuoteMeta(e.english)) + "$")})
	}
	return all
}

// note translates a note.
func (t noteTable) note(english string) (string, bool) {
	for _, p := range t.notes {
		values := p.expression.FindStringSubmatch(english)
		if values == nil {
			continue
		}
		if strings.HasPrefix(p.english, "%v") {
			part, known := t.part(values[1])
			if !known {
				return "", false
			}
			values[1] = part
		}
		translated := make([]any, 0, len(values))
		for _, value := range values[1:] {
			translated = append(translated, value)
		}
		return fmt.Sprintf(p.chinese, translated...), true
	}
	return "", false
}

// part translates the name of a part of a file, such as "the comments of sheet 1".
func (t noteTable) part(english string) (string, bool) {
	for _, p := range t.parts {
		values := p.expression.FindStringSubmatch(english)
		if values == nil {
			continue
		}
		var translated []any
		for _, value := range values[1:] {
			inner, _ := t.part(value)
			translated = append(translated, inner)
		}
		return fmt.Sprintf(p.chinese, translated...), true
	}
	return english, false
}

// chineseNoteMessages has the notes that packages extract and library make of files, as chineseMessages has those of
// errors. At the beginning of a note %v is one of chineseParts.
var chineseNoteMessages = []entry{
	{"attachment %v was not read: there are too many", "附件 %s 未读取：附件太多"},
	{"scanned pages were read by the model %v", "扫描页由模型 %s 读取"},
	{"%v could be read only in part", "%s只读取了一部分"},
	{"%v could not be read", "%s未能读取"},
	{"%v could not be recognized", "%s未能识别"},
	{"%v incomplete: the fonts of some text are not in the file", "%s不完整：部分文字的字体不在文件中"},
	{"%v left out: no more than %d scanned pages of a file are read", "%s未读取：一个文件最多识别 %s 个扫描页"},
	{
		"%v left out: no readable text, and this server has no text recognition",
		"%s未读取：没有可读取的文字，而此服务器没有文字识别功能",
	},
	{"%v has a row %d times, of which %d were read", "%s有一行重复 %s 次，只读取了 %s 次"},
	{"%v has a cell %d times, of which %d were read", "%s有一个单元格重复 %s 次，只读取了 %s 次"},
}

// chineseParts has the names of parts of files.
var chineseParts = []entry{
	{"page %d", "第 %s 页"},
	{"pages %v", "第 %s 页"},
	{"slide %d", "第 %s 张幻灯片"},
	{"message %d", "第 %s 封邮件"},
	{"sheet %v", "工作表 %s "},
	{"attachment %v", "附件 %s "},
	{"a drawing of %v", "%s的一个图形"},
	{"the comments of %v", "%s的批注"},
	{"the authors of comments", "批注的作者"},
	{"the threads of comments", "批注的回复关系"},
	{"the comments", "批注"},
	{"the styles", "样式"},
	{"the numbers of lists", "列表的编号"},
	{"a chart", "一个图表"},
	{"a chart or formula", "一个图表或公式"},
	{"a diagram", "一个示意图"},
}
