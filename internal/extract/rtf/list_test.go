package rtf

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// listLevel returns a level of a list. The text is its length and its characters, as RTF has them.
func listLevel(format, start int, text, more string) string {
	return fmt.Sprintf(`{\listlevel\levelnfc%d\levelnfcn%[1]d\leveljc0\levelstartat%d%s{\leveltext\leveltemplateid7%s;}`+
		`{\levelnumbers\'01;}\f3\fi-360}`, format, start, more, text)
}

// tables are the tables of a document without stored labels: a contract (1), the same from
// five on (2), with a level of its own (3), and bullets (4).
func tables() string {
	contract := listLevel(1, 1, `\'02\'00.`, "") + // I.
		listLevel(0, 1, `\'03\'00.\'01`, `\levellegal1`) + // 1.1
		listLevel(4, 1, `\'03(\'02)`, `\levelnorestart1`) + // (a)
		listLevel(255, 1, `\'00`, "")
	article := listLevel(37, 1, `\'03\u31532 ?\'00\u26465 ?`, "") // 第一条
	bullets := listLevel(23, 1, `\'01\u-3913 ?`, "") + listLevel(22, 7, `\'01\'01`, "")
	sign := listLevel(0, 1, `\'01\u8226 ?`, "") // as pandoc writes it
	return `{\*\listtable{\list ` + sign + `\listid79}` +
		`{\list\listtemplateid1{\*\listpicture no}` + contract + `{\listname no;}\listid77}` +
		`{\list ` + bullets + `\listid78}}` +
		`{\*\listoverridetable{\listoverride\listid77\listoverridecount0\ls1}` +
		`{\listoverride\listid77\listoverridecount1{\lfolevel\listoverridestartat\levelstartat5}\ls2}` +
		`{\listoverride\listid77\listoverridecount1{\lfolevel\listoverrideformat` + article + `}\ls3}` +
		`{\listoverride\listid78\ls4}{\listoverride\listid79\ls5}}`
}

func TestRTFListsWithoutLabelsAreNumberedAsWordShowsThem(t *testing.T) {
	tests := []struct{ name, paragraphs, want string }{
		{"levels", "1.0 1.1 1.1 1.0 1.1", "I. x|  1.1 x|  1.2 x|II. x|  2.1 x"},
		{"a level above that was not used", "1.1 1.1", "  1.1 x|  1.2 x"},
		{"a level that never restarts", "1.0 1.2 1.0 1.2", "I. x|    (a) x|II. x|    (b) x"},
		{"another use starts elsewhere", "1.0 2.0 2.0", "I. x|V. x|VI. x"},
		{"a use with its own level", "3.0 3.0 3.1", "第一条 x|第二条 x|  2.1 x"},
		{"bullets, and a level with two digits", "4.0 4.1 4.1", "- x|  07 x|  08 x"},
		{"a sign in place of the number", "5.0 5.0", "- x|- x"},
		{"no mark", "1.3", "x"},
		{"no list", "0.0 99.0", "x||- x"},
		{"levels that do not exist", "1.99 1.-5", "x||I. x"},
	}
	for _, tt := range tests {
		var body strings.Builder
		for _, p := range strings.Fields(tt.paragraphs) {
			use, level, _ := strings.Cut(p, ".")
			fmt.Fprintf(&body, `\pard\ls%s\ilvl%s x\par`, use, level)
		}
		if got := readText(t, tables()+body.String()); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// readText returns the text of a Rich Text document, with bars for line ends.
func readText(t *testing.T, body string) string {
	t.Helper()
	out := &prose.Output{Limit: 10_000}
	if err := Read(out, []byte(`{\rtf1\ansi `+body+`}`)); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), "\n", "|")
}

func TestItemsOfRTFLists(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"stored labels come first", `\pard\ls1{\listtext Art. 9\tab}a\par b\par`, "Art. 9 a|II. b"},
		{"an empty item counts", `\pard\ls1 a\par\par c\par`, "I. a|III. c"},
		{"a heading", `\pard\ls1\outlinelevel0 a\par`, "# I. a"},
		{"cells", `\trowd\pard\intbl\ls1 a\cell\pard\intbl\ls1 b\cell\row\pard c`, "I. a\tII. b||c"},
		{"a footnote leaves its paragraph", `\pard\ls1\ilvl1 a{\footnote \pard n}\par b\par`, "  1.1 a[1]||[1] n||  1.2 b"},
		{"a long footnote", `\pard\ls1 a{\footnote \pard n\par m\par} b\par c\par`, "I. a[1] b||[1] n m||II. c"},
		{"a footnote in front", `\pard\ls1{\footnote \pard n\par}a\par c\par`, "I. [1]a||[1] n||II. c"},
		{"a group ends with its format", `{\pard\ls1 a\par}b\par`, "I. a||b"},
	} {
		if got := readText(t, tables()+tt.body); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheListOfNumberZero(t *testing.T) {
	tables := strings.Replace(tables(), `\ls1}`, `\ls0}`, 1)
	if got := readText(t, tables+`\pard\ls0 a\par b\par\pard c`); got != "I. a|II. b||c" {
		t.Errorf("got %q", got)
	}
}

// listText is the label of an item in a file of LibreOffice.
var listText = regexp.MustCompile(`\{\\listtext[^{}]*\}`)

func TestTheListTablesOfARealContractSayItsLabels(t *testing.T) {
	for _, name := range []string{"contract.rtf", "libreoffice.rtf"} {
		file := extracttest.Sample(t, name)
		bare := listText.ReplaceAll(file, nil)
		labels := len(listText.FindAll(file, -1))
		want, err := readFile(file)
		if err != nil || labels == 0 {
			t.Fatal(labels, err)
		}
		got, err := readFile(bare)
		// LibreOffice writes these characters of its table as question marks.
		wanted := strings.NewReplacer("第一条", "?一?", "第二条", "?二?").Replace(want.Text)
		if err != nil || got.Text != wanted {
			t.Errorf("%s: without %d labels: got\n%s\n%v, want\n%s", name, labels, got.Text, err, wanted)
		}
	}
}

func TestHostileListTablesOfRTF(t *testing.T) {
	for _, table := range []string{
		`{\*\listtable\listid1\levelnfc5{\leveltext\'09\'08\'02}`,
		`{\*\listoverridetable\ls1\listid2{\lfolevel\levelstartat3{\leveltext \'01`,
		`{\*\listtable{\list{\listlevel{\leveltext;}}\listid77}}{\*\listoverridetable{\listoverride\listid77\ls1}}`,
		`{\*\listtable{\list` + strings.Repeat(`{\listlevel\levelnfc0{\leveltext\'01\'08;}}`, 30) + `\listid77}}`,
	} {
		readText(t, table+`}}}{\pard\ls1\ilvl8 x\par}`)
	}
	r := listTables{numbering: prose.NewNumbering()}
	for i := range 2 * maxLists {
		for _, word := range []string{"list", "listid", "listoverride", "ls"} {
			r.apply(word, i)
		}
	}
	if lists, uses := len(r.numbering.Lists), len(r.numbering.Uses); lists != maxLists || uses != maxLists {
		t.Errorf("got %d lists, %d uses", lists, uses)
	}
}
