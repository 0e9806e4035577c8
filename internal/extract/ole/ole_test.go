package ole

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// biff returns a record of a workbook.
func biff(kind int, content string) string {
	b := binary.LittleEndian.AppendUint16(nil, uint16(kind))
	return string(binary.LittleEndian.AppendUint16(b, uint16(len(content)))) + content
}

// le16 returns numbers of two bytes each.
func le16(numbers ...int) string {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return string(b)
}

func le32(n int) string { return le16(n&0xFFFF, n>>16) }

func float64LE(f float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
}

// oldWorkbook returns an old workbook with these records in the workbook and in its only sheet.
func oldWorkbook(globals, cells string) []byte {
	begin := biff(xlsBegin, le16(xlsVersion8, 5, 0, 0))
	sheet := func(offset int) string { return biff(xlsSheet, le32(offset)+"\x00\x00\x03\x00Far") }
	book := begin + globals + sheet(len(begin+globals+sheet(0))+4) + biff(xlsEnd, "")
	return extracttest.Compound(map[string]string{
		"Workbook": book + biff(xlsBegin, le16(xlsVersion8, 0x10, 0, 0)) + cells + biff(xlsEnd, ""),
	})
}

func TestCellsOfOldWorkbooks(t *testing.T) {
	// A text that continues in the next record, there in wide characters, and one with formatting.
	shared := biff(xlsStrings, le32(2)+le32(2)+le16(6)+"\x00cat") + biff(xlsContinue, "\x01"+extracttest.UTF16("渡轮!")+
		le16(4)+"\x08"+le16(1)+"bold"+"\x00\x00\x00\x00")
	styles := biff(xlsFormat, le16(164)+le16(10)+"\x00yyyy-mm-dd") + biff(xlsStyle, le16(0, 0)) +
		biff(xlsStyle, le16(0, 164)) + biff(xlsStyle, le16(0, 22)) + biff(xlsStyle, le16(0, 10))
	tests := []struct{ name, cells, want string }{
		{"shared", biff(xlsString, le16(0, 0, 0)+le32(0)) + biff(xlsString, le16(0, 2, 0)+le32(1)), "cat渡轮!\t\tbold"},
		{"no such text", biff(xlsString, le16(0, 0, 0)+le32(9)) + biff(xlsLabel, le16(0, 0, 0)+le16(1)+"\x00x"), "x"},
		{"number", biff(xlsNumber, le16(0, 0, 0)+float64LE(0.1+0.2)), "0.3"},
		{"short numbers", biff(xlsNumbers, le16(3, 0)+le16(0)+le32(7<<2|3)+le16(0)+le32(5<<2|2)+le16(1)), "0.07\t5"},
		{"negative", biff(xlsRK, le16(0, 0, 0)+le32(0xFFFFFFFF&^3|2)), "-1"},
		{"date", biff(xlsNumber, le16(0, 0, 1)+float64LE(46143)), "2026-05-01"},
		{"date and time", biff(xlsNumber, le16(0, 0, 2)+float64LE(46143.5)), "2026-05-01 12:00"},
		{"percentage", biff(xlsNumber, le16(0, 0, 3)+float64LE(0.125)), "12.5%"},
		{"true", biff(xlsBoolError, le16(0, 0, 0)+"\x01\x00"), "TRUE"},
		{"error", biff(xlsBoolError, le16(0, 0, 0)+"\x07\x01"), "#DIV/0!"},
		{"formula", biff(xlsFormula, le16(0, 0, 0)+float64LE(42.5)+"\x00\x00"), "42.5"},
		{
			"formula with a text",
			biff(xlsFormula, le16(0, 0, 0)+le16(0, 0, 0, 0xFFFF)+"\x00\x00") + biff(xlsResult, le16(4)+"\x00text"), "text",
		},
		{"label", biff(xlsLabel, le16(0, 1, 0)+le16(2)+"\x01"+extracttest.UTF16("渡轮")), "\t渡轮"},
		{
			"a chart in the sheet",
			biff(xlsBegin, le16(xlsVersion8, 0x20)) + biff(xlsNumber, le16(0, 0, 0)+float64LE(1)) + biff(xlsEnd, "") +
				biff(xlsNumber, le16(0, 0, 0)+float64LE(2)), "2",
		},
	}
	for _, tt := range tests {
		document, err := readOld(oldWorkbook(shared+styles, tt.cells), 1<<28)
		if err != nil || document.Text != tt.want || document.Type != XLS {
			t.Errorf("%s: got %q, %v, want %q", tt.name, document.Text, err, tt.want)
		}
	}
}

func TestOldWorkbooksInACodePage(t *testing.T) {
	begin := biff(xlsBegin, le16(0x0500, 5)) + biff(xlsCodePage, le16(936))
	sheet := func(offset int) string { return biff(xlsSheet, le32(offset)+"\x00\x00\x04\xb6\xc9\xc2\xd6") }
	book := begin + sheet(len(begin+sheet(0))+4) + biff(xlsEnd, "") + biff(xlsBegin, le16(0x0500, 0x10)) +
		biff(xlsLabel, le16(0, 0, 0)+le16(4)+"\xb6\xc9\xc2\xd6") + biff(xlsEnd, "")
	document, err := readOld(extracttest.Compound(map[string]string{"Book": book}), 1<<28)
	if err != nil || document.Text != "渡轮" || document.Anchors.At(0) != "sheet 渡轮" {
		t.Errorf("got %q, %v, %v", document.Text, document.Anchors, err)
	}
}

func TestOldDocumentsWithAPasswordAreRefused(t *testing.T) {
	word := streamsOf(t, extracttest.Sample(t, "libreoffice.doc"))
	main := []byte(word["WordDocument"])
	main[docFlags+1] |= docEncrypted >> 8
	word["WordDocument"] = string(main)
	slides := streamsOf(t, extracttest.Sample(t, "libreoffice.ppt"))
	user := []byte(slides["Current User"])
	binary.LittleEndian.PutUint32(user[12:], pptEncrypted)
	slides["Current User"] = string(user)
	for name, file := range map[string][]byte{
		"DOC": extracttest.Compound(word), "PPT": extracttest.Compound(slides),
		"XLS":  oldWorkbook(biff(xlsPassword, le16(0, 0)), ""),
		"DOCX": extracttest.Compound(map[string]string{"EncryptedPackage": extracttest.Noise(5000)}),
	} {
		if _, err := readOld(file, 1<<28); !extracttest.IsRefusal(err, prose.ErrEncrypted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldDocumentsThatLackAPartAreBroken(t *testing.T) {
	word := streamsOf(t, extracttest.Sample(t, "libreoffice.doc"))
	delete(word, "1Table")
	slides := streamsOf(t, extracttest.Sample(t, "libreoffice.ppt"))
	slides["Current User"] = strings.Repeat("\x00", 44)
	for name, streams := range map[string]map[string]string{
		"DOC": word, "PPT": slides, "XLS": {"Workbook": "no records"},
	} {
		_, err := readOld(extracttest.Compound(streams), 1<<28)
		if !extracttest.IsRefusal(err, prose.ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := extracttest.Compound(map[string]string{"VisioDocument": "x"})
	if _, err := readOld(other, 1<<28); !extracttest.IsRefusal(err, prose.ErrUnsupported) {
		t.Errorf("Visio: %v", err)
	}
	_, err := readOld(extracttest.Sample(t, "libreoffice.doc"), 100)
	if !extracttest.IsRefusal(err, prose.ErrBomb) {
		t.Errorf("unpacked size: %v", err)
	}
}

func TestSheetsThatOverlapCostLittle(t *testing.T) {
	begin := biff(xlsBegin, le16(xlsVersion8, 5))
	sheet := biff(xlsSheet, le32(0)+"\x00\x00\x03\x00Far")
	book := begin + strings.Repeat(sheet, maxSheets) + strings.Repeat(biff(xlsStyle, le16(0, 0)), 1000) + biff(xlsEnd, "")
	file := extracttest.Compound(map[string]string{"Workbook": book})
	if _, err := readOld(file, 1<<28); !extracttest.IsRefusal(err, prose.ErrBroken) {
		t.Errorf("got %v", err)
	}
}

// fuzzStream changes a stream of an old document: a compound file with changed bytes is usually just broken.
func fuzzStream(f *testing.F, file []byte, name string) {
	streams := streamsOf(f, file)
	f.Add([]byte(streams[name]))
	f.Fuzz(func(t *testing.T, content []byte) {
		streams[name] = string(content)
		document, err := readOld(extracttest.Compound(streams), 8<<20)
		extracttest.Check(t, document, err)
	})
}

func FuzzXLS(f *testing.F) { fuzzStream(f, extracttest.Sample(f, "libreoffice.xls"), "Workbook") }

func FuzzDOC(f *testing.F) { fuzzStream(f, extracttest.Sample(f, "libreoffice.doc"), "WordDocument") }

func FuzzDOCTable(f *testing.F) { fuzzStream(f, extracttest.Sample(f, "libreoffice.doc"), "1Table") }

func FuzzPPT(f *testing.F) {
	fuzzStream(f, extracttest.Sample(f, "libreoffice.ppt"), "PowerPoint Document")
}
