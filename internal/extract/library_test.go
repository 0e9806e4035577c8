package extract

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDocumentsOfLibrariesAreRead reads documents that scripts/packages has made with libraries for Node.
func TestDocumentsOfLibrariesAreRead(t *testing.T) {
	folder := os.Getenv("PARLEY_TEST_DOCUMENTS")
	if folder == "" && os.Getenv("PARLEY_TEST_NODE") != "" {
		t.Fatal("PARLEY_TEST_DOCUMENTS is not what scripts/packages prints")
	}
	if folder == "" {
		t.Skip("PARLEY_TEST_DOCUMENTS is not set; run `make test`")
	}
	const (
		contract = `Harbor Office circular 17

# Lease of a berth

1. The berth
  1.1 The berth is number 12.
  1.2 It has a lamp.
2. The rent
  2.1 The rent is 340 euros a month.
  2.2 Notice is ten working days[1].

[1] Sundays are no working days.

Comment on "ten working days" by Ada: Thirty days would be kinder.

Boat	Length
Palinuro	7 m

a/b`
		talk = `The ferries of the bay

Capri by hydrofoil
Ischia by car ferry

Notes:
Begin with the anchovies.

Harbor	Boats
Marina Grande	12

Chart: Traffic in May
	Guests
Capri	2300.5
Ischia	1100`
		prices = `Island	Price	Valid from
Capri	23.5	2026-05-01
Ischia	19
Together	42.5`
		byAda   = "\n\nComment on B2 by Ada: Children pay half."
		comment = "\n\nComment on B2: Children pay half."
		cat     = "\n\n猫	帕利努罗"
		form    = `Application for a berth
Name of the boat: Palinuro the Second
Harbor: Marina Piccola

Comment by Ada: The boat is too long for berth 12.`
		message = `From: Ada Lovelace <ada@example.org>
To: Charles <charles@example.org>
Date: Fri, 01 May 2026 09:00:00 +0000
Subject: Приглашение на остров 🏝

Lieber Charles,
anbei der Vertrag für das Boot. Viele Grüße von der Fähre!

attachment Vertrag für Ada.docx

` + contract + `

attachment notes.txt

Café at nine.

attachment ferry.ics

BEGIN:VCALENDAR
SUMMARY:Ferry at nine
END:VCALENDAR`
	)
	tests := map[string]string{
		"docx.docx":      contract,
		"pptxgenjs.pptx": talk,
		"sheetjs.xlsx":   prices + byAda + cat,
		"sheetjs.ods":    prices + comment + cat, // the file has no author
		"sheetjs.xls":    prices + cat,           // and this one no comment
		"sheetjs.rtf":    prices,                 // and this one only the first sheet
		"pdf-lib.pdf":    form,
		"nodemailer.eml": message,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			document, err := reader.Read(t.Context(), content, name)
			if err != nil {
				t.Fatal(err)
			}
			if document.Text != want || len(document.Notes) > 0 {
				t.Errorf("got %q, %q, want %q", document.Text, document.Notes, want)
			}
		})
	}
}
