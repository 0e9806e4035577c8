package extract

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// message returns a message with attachments, by name.
func message(attachments ...[2]string) string {
	var m strings.Builder
	m.WriteString("From: =?gb2312?B?1cXI/Q==?= <zhang@example.com>\r\n" +
		"To: Ada <ada@example.com>,\r\n Bob <bob@example.com>\r\n" +
		"Cc: Cleo <cleo@example.com>\r\nDate: Mon, 5 Jan 2026 09:00:00 +0100\r\n" +
		"Subject: =?UTF-8?Q?Ferry_f=C3=BCr_Capri?=\r\nX-Spam: no\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=\"outer\"\r\n\r\n--outer\r\n" +
		"Content-Type: multipart/alternative; boundary=inner\r\n\r\n--inner\r\n" +
		"Content-Type: text/plain; charset=gb2312\r\nContent-Transfer-Encoding: base64\r\n\r\ntsnC1tTnyc+" +
		"+xbXjs/a3oqGj\r\n--inner\r\nContent-Type: text/html\r\n\r\n<p>page</p>\r\n--inner--\r\n")
	for _, a := range attachments {
		fmt.Fprintf(&m, "--outer\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"+
			"Content-Disposition: attachment; filename=%q\r\n\r\n%s\r\n", a[0], base64.StdEncoding.EncodeToString([]byte(a[1])))
	}
	m.WriteString("--outer--\r\n")
	return m.String()
}

func TestAMessageIsReadWithItsAttachments(t *testing.T) {
	file := message(
		[2]string{"guide.docx", string(extracttest.Sample(t, "pandoc.docx"))}, [2]string{"cat.bin", extracttest.Noise(500)},
		[2]string{"guide.pdf", string(extracttest.Sample(t, "libreoffice.pdf"))},
		[2]string{"inner.eml", message([2]string{"a.txt", "innermost"})})
	document, err := reader.Read(t.Context(), []byte(file), "mail")
	if err != nil || document.Type != typeEML {
		t.Fatalf("got %q, %v", document.Type, err)
	}
	const header = "From: 张三 <zhang@example.com>\nTo: Ada <ada@example.com>, Bob <bob@example.com>\n" +
		"Cc: Cleo <cleo@example.com>\nDate: Mon, 5 Jan 2026 09:00:00 +0100\nSubject: Ferry für Capri\n\n" +
		"渡轮早上九点出发。\n\nattachment guide.docx\n\n"
	if !strings.HasPrefix(document.Text, header) || strings.Contains(document.Text, "page</p>") {
		t.Errorf("got %.600q", document.Text)
	}
	if len(document.Notes) != 1 || document.Notes[0] != "attachment cat.bin could not be read" {
		t.Errorf("notes %q", document.Notes)
	}
	for fact, anchor := range map[string]string{
		"Palinuro": "attachment guide.docx", "Printed in Sorrento": "attachment guide.pdf, page 1",
		"innermost": "attachment inner.eml, attachment a.txt",
	} {
		if got := document.Anchors.At(strings.Index(document.Text, fact)); got != anchor {
			t.Errorf("%q is on %q, not %q", fact, got, anchor)
		}
	}
	checkDocument(t, document)
}

func TestAttachmentsAreLimited(t *testing.T) {
	deep := "deepest"
	for range maxNesting + 1 {
		deep = message([2]string{"a.eml", deep})
	}
	document, err := reader.Read(t.Context(), []byte(deep), "a.eml")
	if err != nil || strings.Contains(document.Text, "deepest") || len(document.Notes) != 1 {
		t.Errorf("got %.100q, %q, %v", document.Text, document.Notes, err)
	}
	var many [][2]string
	for i := range maxAttachments + 1 {
		many = append(many, [2]string{"a.txt", fmt.Sprintf("text %d.", i)})
	}
	document, err = reader.Read(t.Context(), []byte(message(many...)), "a.eml")
	last := fmt.Sprintf("text %d.", maxAttachments-1)
	if err != nil || !strings.HasSuffix(document.Text, last) || len(document.Notes) != 1 {
		t.Errorf("got %.100q, %q, %v", document.Text, document.Notes, err)
	}
	var nested strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%d.\n\n--b%[1]d.\n", i)
	}
	for _, parts := range []string{
		nested.String(), "Content-Type: multipart/mixed; boundary=a\n\n" + strings.Repeat("--a\n\n", 10_002),
	} {
		parts = "MIME-Version: 1.0\nFrom: a\n" + parts
		if _, err := reader.Read(t.Context(), []byte(parts), "a.eml"); !extracttest.IsRefusal(err, prose.ErrBomb) {
			t.Errorf("got %v", err)
		}
	}
	small := reader
	small.MaxText = 1000
	long := message([2]string{"a.txt", strings.Repeat("long ", 300)})
	if document, err := small.Read(t.Context(), []byte(long), "a.eml"); err == nil && len(document.Text) > 1000 {
		t.Errorf("%d bytes of text", len(document.Text))
	}
}

func TestWhatRealMessagesBeginWithIsNoText(t *testing.T) {
	var relays strings.Builder
	for i := range 100 {
		fmt.Fprintf(&relays, "Received: from relay%d.example.com by relay%d.example.com;\r\n\tMon, 5 Jan 2026\r\n", i, i+1)
	}
	plain := message([2]string{"cat.bin", extracttest.Noise(500)})
	for name, file := range map[string]string{
		"a long header":                    relays.String() + plain,
		"a name with an underscore":        "msip_labels: MSIP_Label_f42aa342_Enabled=True\r\n" + plain,
		"a space in front of the colon":    "X-Spam : no\r\n" + plain,
		"a space after From":               strings.Replace(plain, "From:", "From :", 1),
		"the separator of a mailbox":       "From ada@example.com\r\n" + plain,
		"a line that is no field":          strings.Replace(plain, "X-Spam", "quite X-Spam", 1),
		"UTF-16":                           inUTF16(plain),
		"a byte-order mark in front of it": "\ufeff" + plain,
	} {
		document, err := reader.Read(t.Context(), []byte(file), "mail.txt")
		if err != nil || document.Type != typeEML || !strings.HasPrefix(document.Text, "From: ") ||
			!strings.Contains(document.Text, "ada@example.com") || strings.Contains(document.Text, "base64") {
			t.Errorf("%s: got %q, %.300q, %v", name, document.Type, document.Text, err)
		}
		if !MayNeedEngine([]byte(file)[:min(len(file), HeadSize)], "mail.txt") && name != "UTF-16" {
			t.Errorf("%s: no engine is ready for its PDFs", name)
		}
	}
}

func inUTF16(text string) string {
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return encoded
}

func TestATextThatQuotesAMessageIsAText(t *testing.T) {
	for _, file := range []string{
		"From: ada@example.com\nSubject: Ferry\n\nAt nine.",
		"Note: this is a text\nMessage-ID: no\nand not a message\nFrom: nobody\n\n",
		"From ada I have heard this:\nIt leaves at nine.\n",
	} {
		if document, err := reader.Read(t.Context(), []byte(file), "a.txt"); err != nil || document.Type != plainText {
			t.Errorf("%q: got %q, %v", file, document.Type, err)
		}
	}
}

func TestAMessageWithoutTextIsItsPage(t *testing.T) {
	file := "From: a@example.com\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<h1>Ferry</h1><p>nine</p>"
	document, err := reader.Read(t.Context(), []byte(file), "a.eml")
	if err != nil || document.Text != "From: a@example.com\n\n# Ferry\n\nnine" {
		t.Errorf("got %q, %v", document.Text, err)
	}
}

func TestTheTextOfAMessageIsReadWhateverItDeclares(t *testing.T) {
	const text = "渡轮早上九点出发。"
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for declared, body := range map[string]string{
		"gb2312": gbk, "cp936": gbk, "unknown-8bit": gbk, "us-ascii": gbk, "iso-8859-1": gbk, "utf-8": text, "big5": text,
		"iso-8859-15": text, "utf-7": "+biGPbmXpTgpOXXC5UfpT0TAC-",
	} {
		file := "From: ada@example.com\nMIME-Version: 1.0\nContent-Type: text/plain; charset=" + declared + "\n\n" + body
		document, err := reader.Read(t.Context(), []byte(file), "a.eml")
		if err != nil || document.Text != "From: ada@example.com\n\n"+text {
			t.Errorf("%s: got %q, %v", declared, document.Text, err)
		}
	}
}

func TestEachPartOfAMessageIsReadOnce(t *testing.T) {
	file := "From: ada@example.com\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" +
		"Content-Disposition: inline\n\nThe body.\n--b\nContent-Type: text/plain; name=ferry.txt\n" +
		"Content-Disposition: inline\n\nAt nine.\n--b\nContent-Type: image/png\n\npixels\n--b\n\n\n--b\n\nThe end.\n--b--\n"
	document, err := reader.Read(t.Context(), []byte(file), "a.eml")
	const want = "From: ada@example.com\n\nThe body.\n--\nThe end.\n\nattachment ferry.txt\n\nAt nine."
	if err != nil || document.Text != want || len(document.Notes) != 0 {
		t.Errorf("got %q, %q, %v", document.Text, document.Notes, err)
	}
}

func TestASavedPageIsRead(t *testing.T) {
	file := "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/\r\nSubject: Ferry\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\n" +
		"Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
		"<html><head><title>Ferry</title></head><body><p>caf=C3=A9 =\r\nat nine</p></body></html>\r\n--b\r\n" +
		"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
	document, err := reader.Read(t.Context(), []byte(file), "page.txt")
	if err != nil || document.Type != typeMHTML || document.Text != "# Ferry\n\ncafé at nine" {
		t.Errorf("got %q, %q, %v", document.Type, document.Text, err)
	}
}

func TestAMailboxIsReadMessageByMessage(t *testing.T) {
	const one = "From ada@example.com Mon Jan  5 09:00:00 2026\nMessage-ID: <1>\nFrom: ada@example.com\n\nThe first.\n\n"
	document, err := reader.Read(t.Context(), []byte(one+strings.ReplaceAll(one, "first", "second")), "all.mbox")
	if err != nil || document.Type != typeMbox || len(document.Anchors) != 2 ||
		document.Anchors.At(strings.Index(document.Text, "second")) != "message 2" {
		t.Errorf("got %q, %v, %v", document.Text, document.Anchors, err)
	}
}

func TestANotebookIsItsCells(t *testing.T) {
	file := `{"cells": [
		{"cell_type": "markdown", "source": ["# Ferries\n", "At *nine*."]},
		{"cell_type": "code", "source": "if x:\n    print(1)", "outputs": [
			{"output_type": "stream", "text": ["1\n", "2\n"]},
			{"data": {"image/png": "iVBORw0KGgo", "text/plain": ["<Figure>"], "application/json": {"a": 1}}},
			{"ename": "KeyError", "evalue": "'x'", "traceback": ["\u001b[31m"]}]},
		{"cell_type": "code", "source": "long()", "outputs": [{"text": "` + strings.Repeat("渡轮", maxCellOutput) + `"}]}
	], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}`
	document, err := reader.Read(t.Context(), []byte(file), "a.ipynb")
	const want = "# Ferries\nAt *nine*.\n\n```python\nif x:\n    print(1)\n```\n\n```\n1\n2\n```\n\n" +
		"```\n<Figure>\n```\n\n" +
		"```\nKeyError: 'x'\n```\n\n```python\nlong()\n```\n\n```\n渡轮"
	if err != nil || document.Type != typeNotebook || !strings.HasPrefix(document.Text, want) {
		t.Errorf("got %.400q, %v", document.Text, err)
	}
	if strings.Contains(document.Text, "iVBOR") || len(document.Text) > 2*maxCellOutput {
		t.Errorf("%d bytes of text", len(document.Text))
	}
	if got := document.Anchors.At(strings.Index(document.Text, "Figure")); got != "cell 2" {
		t.Errorf("got %q", got)
	}
	if _, err := reader.Read(t.Context(), []byte(file[:100]), "a.ipynb"); !extracttest.IsRefusal(err, prose.ErrBroken) {
		t.Errorf("cut: %v", err)
	}
}

func TestADrawingIsItsWords(t *testing.T) {
	file := `<?xml version="1.0" encoding="UTF-8"?><svg xmlns="http://www.w3.org/2000/svg"><title>Map</title>` +
		`<desc>Of the harbor</desc><style>text{}</style><script>x()</script>` +
		`<g><text><tspan>Pier</tspan><tspan>1</tspan></text>` +
		`<text>灯塔</text></g></svg>`
	document, err := reader.Read(t.Context(), []byte(file), "map.svg")
	if err != nil || document.Type != typeSVG || document.Text != "Map\nOf the harbor\nPier 1\n灯塔" {
		t.Errorf("got %q, %q, %v", document.Type, document.Text, err)
	}
}

func TestAPDFInAMessageNeedsTheEngine(t *testing.T) {
	pdf := extracttest.Sample(t, "libreoffice.pdf")
	file := []byte(message([2]string{"a.pdf", string(pdf)}))
	if !MayHoldPDF(file) || !MayNeedEngine(file[:1024], "a") || !MayHoldPDF(pdf) || !MayNeedEngine(pdf[:1024], "a") {
		t.Error("the engine is missing")
	}
	if text := bytes.Repeat([]byte("text "), 500); MayHoldPDF(text) || MayNeedEngine(text, "a.txt") {
		t.Error("a text needs no engine")
	}
}

func FuzzMail(f *testing.F) {
	f.Add([]byte(message([2]string{"a.txt", "x"})))
	f.Add([]byte("From ada@example.com Mon Jan  5 09:00:00 2026\nMessage-ID: <1>\nFrom: ada@example.com\n\nThe first.\n"))
	fuzz(f, "a.eml")
}

func FuzzNotebook(f *testing.F) {
	f.Add([]byte(`{"cells": [{"cell_type": "code", "source": ["a"], ` +
		`"outputs": [{"text": "b", "data": {"text/plain": "c"}}]}]}`))
	fuzz(f, "a.ipynb")
}
