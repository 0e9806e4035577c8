package extract

import (
	"encoding/binary"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/ole"
	"parley/internal/extract/prose"
)

// fixedProperties returns a stream with the time of a message.
func fixedProperties(header int) string {
	b := make([]byte, header, header+16)
	b = binary.LittleEndian.AppendUint32(b, msgSubmitted<<16|msgTime)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, (1767600000+11_644_473_600)*10_000_000)
	return string(b)
}

// outlook returns the streams of a message of Outlook.
func outlook() map[string]string {
	const attach, inner = "__attach_version1.0_#00000000/", "__attach_version1.0_#00000001/__substg1.0_3701000D/"
	return map[string]string{
		ole.MessageProperties:          fixedProperties(32),
		"__substg1.0_0037001F":         extracttest.UTF16("渡轮 ferry"),
		"__substg1.0_0C1A001F":         extracttest.UTF16("Ada"),
		"__substg1.0_0C1F001F":         extracttest.UTF16("ada@example.com"),
		"__substg1.0_0E04001E":         "Bj\xf6rn Gr\xfcn",
		"__substg1.0_1000001F":         extracttest.UTF16("At nine.\r\nBring the cat."),
		attach + ole.MessageProperties: "",

		attach + "__substg1.0_3707001F":                      extracttest.UTF16("notes.txt"),
		attach + "__substg1.0_37010102":                      "The attached notes.",
		inner + ole.MessageProperties:                        fixedProperties(24),
		inner + "__substg1.0_0037001F":                       extracttest.UTF16("inner"),
		inner + "__substg1.0_10090102":                       packedRTF(`{\rtf1\ansi The inner text.\par}`),
		"__attach_version1.0_#00000001/__substg1.0_3704001F": extracttest.UTF16("inner"),
	}
}

// packedRTF packs rich text without references, except the one that ends it.
func packedRTF(text string) string {
	var content []byte
	for len(text) >= 8 {
		content = append(append(content, 0), text[:8]...)
		text = text[8:]
	}
	written := 8*len(content)/9 + len(text) + 207
	content = append(append(content, 1<<len(text)), text...)
	content = append(content, byte(written>>4), byte(written<<4))
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(content)+12))
	head = binary.LittleEndian.AppendUint32(head, uint32(written-207))
	head = append(head, "LZFu\x00\x00\x00\x00"...)
	return string(append(head, content...))
}

func TestAMessageOfOutlookIsRead(t *testing.T) {
	document, err := reader.Read(t.Context(), extracttest.Compound(outlook()), "a.msg")
	const want = "From: Ada <ada@example.com>\nTo: Björn Grün\n" +
		"Date: Mon, 05 Jan 2026 08:00:00 +0000\nSubject: 渡轮 ferry\n\n" +
		"At nine.\nBring the cat.\n\nattachment notes.txt\n\nThe attached notes.\n\nattachment inner\n\n" +
		"Date: Mon, 05 Jan 2026 08:00:00 +0000\nSubject: inner\n\nThe inner text."
	if err != nil || document.Type != ole.MSG || document.Text != want || len(document.Notes) != 0 {
		t.Errorf("got %q, %q, %q, %v", document.Type, document.Text, document.Notes, err)
	}
	checkDocument(t, document)
}

func TestTheTextOfAMessageOfOutlookMayBeAPage(t *testing.T) {
	streams := outlook()
	delete(streams, "__substg1.0_1000001F")
	streams["__substg1.0_10130102"] = "<html><body><p>On the page.</p></body></html>"
	document, err := reader.Read(t.Context(), extracttest.Compound(streams), "a.msg")
	if err != nil || !strings.Contains(document.Text, "\n\nOn the page.\n\n") {
		t.Errorf("got %q, %v", document.Text, err)
	}
}

func TestRichTextUnpacks(t *testing.T) {
	// The example of the specification: references to the beginning of every text, and to the text itself.
	packed := "\x2d\x00\x00\x00\x2b\x00\x00\x00LZFu\xf1\xc5\xc7\xa7\x03\x00\x0a\x00\x72\x63\x70\x67\x31\x32\x35\x42" +
		"\x32\x0a\xf3\x20\x68\x65\x6c\x09\x00\x20\x62\x77\x05\xb0\x6c\x64\x7d\x0a\x80\x0f\xa0"
	got, err := unpackRTF(ole.Data(packed), 1000)
	if want := "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := unpackRTF(ole.Data(packed), 10); !extracttest.IsRefusal(err, prose.ErrBomb) {
		t.Errorf("got %v", err)
	}
}

func FuzzMSG(f *testing.F) {
	f.Add([]byte(packedRTF(`{\rtf1\ansi The text.\par}`)), fixedProperties(32))
	f.Fuzz(func(t *testing.T, rich []byte, properties string) {
		streams := outlook()
		delete(streams, "__substg1.0_1000001F")
		streams["__substg1.0_10090102"], streams[ole.MessageProperties] = string(rich), properties
		check(t, extracttest.Compound(streams), "a.msg")
	})
}

func FuzzCompound(f *testing.F) {
	f.Add(extracttest.Sample(f, "libreoffice.xls"))
	f.Add(extracttest.Compound(outlook()))
	fuzz(f, "a.doc")
}
