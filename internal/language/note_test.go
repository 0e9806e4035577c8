package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestNotesAreTranslated(t *testing.T) {
	for english, want := range map[string]string{
		"slide 2 could not be read":                                                "第 2 张幻灯片未能读取",
		"sheet Q1 (old) could be read only in part":                                "工作表 Q1 (old) 只读取了一部分",
		"page 3 could not be recognized":                                           "第 3 页未能识别",
		"pages 3, 5-9 incomplete: the fonts of some text are not in the file":      "第 3, 5-9 页不完整：部分文字的字体不在文件中",
		"pages 3, 5-9 left out: no more than 300 scanned pages of a file are read": "第 3, 5-9 页未读取：一个文件最多识别 300 个扫描页",
		"page 1 left out: no readable text, and this server has no text recognition": "第 1 页未读取：没有可读取的文字，" +
			"而此服务器没有文字识别功能",
		"attachment a.pdf was not read: there are too many":        "附件 a.pdf 未读取：附件太多",
		"attachment a.pdf could not be read":                       "附件 a.pdf 未能读取",
		"a.pdf: page 2 could not be read":                          "a.pdf：第 2 页未能读取",
		"Re: offer.docx: the comments could not be read":           "Re: offer.docx：批注未能读取",
		"message 7 could not be read":                              "第 7 封邮件未能读取",
		"the comments of sheet Q1 could not be read":               "工作表 Q1 的批注未能读取",
		"a drawing of sheet Q1 could not be read":                  "工作表 Q1 的一个图形未能读取",
		"sheet S has a row 1048576 times, of which 1000 were read": "工作表 S 有一行重复 1048576 次，只读取了 1000 次",
		"sheet S has a cell 16384 times, of which 1000 were read":  "工作表 S 有一个单元格重复 16384 次，只读取了 1000 次",
		"scanned pages were read by the model 增强模型":                "扫描页由模型 增强模型 读取",
		"something else":           "something else",
		"a song could not be read": "a song could not be read",
	} {
		if got := Chinese.Note(english); got != want {
			t.Errorf("%q becomes %q, want %q", english, got, want)
		}
		if got := English.Note(english); got != english {
			t.Errorf("in English %q becomes %q", english, got)
		}
	}
}

// TestEveryNoteIsInTheTable looks for the notes in the code: the constant texts of calls of Note and Try.
func TestEveryNoteIsInTheTable(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../extract/*.go", "../extract/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	table := ""
	for _, e := range append(chineseNoteMessages, chineseParts...) {
		table += e.english + "\n"
	}
	values := strings.NewReplacer("%s", "\n", "%d", "\n", "of sheet ", "of \nsheet\n")
	found := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range noteTexts(file) {
			found++
			for part := range strings.SplitSeq(values.Replace(text), "\n") {
				if part = strings.TrimSpace(part); part != "" && part != ":" && !strings.Contains(table, part) {
					t.Errorf("%s: the table lacks %q", path, part)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d texts", found)
	}
}

// noteTexts returns the texts in the arguments of Note, Try and each.
func noteTexts(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Note" && selector.Sel.Name != "Try" {
			return true
		}
		ast.Inspect(call.Args[0], func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, _ := strconv.Unquote(literal.Value)
				texts = append(texts, text)
			}
			return true
		})
		return true
	})
	return texts
}
