package pdf

import (
	"regexp"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

// TestNoChineseWordIsCut compares PDFs of real programs with the page that they were made from.
func TestNoChineseWordIsCut(t *testing.T) {
	page := string(extracttest.Sample(t, "chinese.html"))
	korean := regexp.MustCompile(`\p{Hangul}`)
	for _, name := range []string{"chromium-chinese.pdf", "libreoffice-chinese.pdf"} {
		t.Run(name, func(t *testing.T) {
			text := "\n" + readText(t, extracttest.Sample(t, name)).Text + "\n"
			paragraphs := regexp.MustCompile(`<(?:p|p class=i|h2)>([^<]+)<`).FindAllStringSubmatch(page, -1)
			if len(paragraphs) < 10 {
				t.Fatal(paragraphs)
			}
			for _, paragraph := range paragraphs {
				want := strings.ReplaceAll(paragraph[1], "目 录", "目录")
				if korean.MatchString(want) { // its lines are kept; a space is lost at each end
					got := withoutSpaces(text)
					if !strings.Contains(got, withoutSpaces(want)) || !strings.Contains(text, "낡은 등을 닦고 나서") {
						t.Errorf("%q is missing", want)
					}
					continue
				}
				if !strings.Contains(text, "\n"+want+"\n") {
					t.Errorf("%q is cut or glued in\n%s", want, text)
				}
			}
			for _, item := range regexp.MustCompile(`<li>([^<]+)<`).FindAllStringSubmatch(page, -1) {
				if !strings.Contains(text, item[1]+"\n") {
					t.Errorf("the item %q is glued in\n%s", item[1], text)
				}
			}
			rows := regexp.MustCompile(`<tr><td>(\p{Han}+)</td><td>(\p{Han}+)</td><td>(\p{Han}+)<`)
			for _, row := range rows.FindAllStringSubmatch(page, -1) {
				if want := strings.Join(row[1:], " ") + "\n"; !strings.Contains(text, want) {
					t.Errorf("the row %q is glued in\n%s", want, text)
				}
			}
		})
	}
}

func TestLinesOfAParagraphAreJoined(t *testing.T) {
	const full = "灯塔看守人每天清晨都要爬上石阶" // 15 em
	line := func(text string, left, y float32) textLine {
		return textLine{text: text, left: left, right: left + float32(10*len([]rune(text))), bottom: y, em: 10}
	}
	heading := line("第一章灯塔和渡轮的全部故事都在这里", 0, 120)
	heading.em = 16
	unplaced := line(full, 0, 100)
	unplaced.em = 0
	tests := []struct {
		name  string
		lines []textLine
		want  string
	}{
		{"two lines", []textLine{line(full, 0, 100), line("然后写日志。", 0, 85)}, full + "然后写日志。"},
		{"an indented first line", []textLine{line(full[:39], 20, 100), line(full, 0, 85)}, full[:39] + full},
		{"kana", []textLine{line("灯台守は毎朝百二十段の石段を登", 0, 100), line("ります", 0, 85)}, "灯台守は毎朝百二十段の石段を登ります"},
		{"a short line", []textLine{line(full, 0, 115), line("到此为止", 0, 100), line(full, 0, 85)}, full + "到此为止\n" + full},
		{"a list", []textLine{line("苹果", 0, 100), line("香蕉", 0, 85)}, "苹果\n香蕉"},
		{"a clause", []textLine{line(full[:42]+"。", 0, 100), line("第三条船舶", 0, 85)}, full[:42] + "。\n第三条船舶"},
		{"within a sentence", []textLine{line(full, 0, 100), line("第三条的规定", 0, 85)}, full + "第三条的规定"},
		{"an indented paragraph", []textLine{line(full[:42]+"。", 0, 100), line("渡轮出发", 20, 85)}, full[:42] + "。\n渡轮出发"},
		{"a space between", []textLine{line(full, 0, 100), line("渡轮出发", 0, 60)}, full + "\n渡轮出发"},
		{"a heading", []textLine{heading, line(full, 0, 100)}, heading.text + "\n" + full},
		{"the next column", []textLine{line(full, 0, 100), line("渡轮出发", 200, 600)}, full + "渡轮出发"},
		{"Korean", []textLine{line("등대지기는매일아침백이십개의돌계", 0, 100), line("단을", 0, 85)}, "등대지기는매일아침백이십개의돌계\n단을"},
		{"Latin", []textLine{line("The ferry leaves at", 0, 100), line("nine", 0, 85)}, "The ferry leaves at\nnine"},
		{"an unknown place", []textLine{unplaced, line("然后", 0, 85)}, full + "\n然后"},
	}
	for _, tt := range tests {
		if got := joinLines(tt.lines); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
