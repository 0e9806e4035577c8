package main_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// largest is the default limit on uploads.
const largest = 20 << 20

// lines returns a quarter of a megabyte of random words. The largest files repeat it because generating more would
// take longer than reading it.
func lines() (all []string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3500 {
		var line []byte
		for ; len(line) < 72; line = append(line, ' ') {
			for range 3 + random.IntN(6) {
				line = append(line, byte('a'+random.IntN(26)))
			}
		}
		all = append(all, string(line))
	}
	return all
}

// noise returns bytes that can't be compressed.
func noise(size int) []byte {
	random := rand.NewChaCha8([32]byte{})
	bytes := make([]byte, size)
	_, _ = random.Read(bytes) // never fails
	return bytes
}

// largestText returns the longest text that can be uploaded.
func largestText() []byte {
	text := strings.Join(lines(), "\n")
	return []byte(strings.Repeat(text, largest/len(text)+1)[:largest])
}

// largestUTF16 returns half as many characters, of two bytes each.
func largestUTF16() []byte {
	var text []byte
	for _, c := range strings.Join(lines(), "\n") {
		text = append(text, byte(c), 0)
	}
	return append([]byte{0xff, 0xfe}, bytes.Repeat(text, largest/len(text))...)
}

// largestPDF returns fifty pages of text and a picture that fills the rest.
func largestPDF() []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n")
	offsets := map[int]int{}
	object := func(number int, content string) {
		offsets[number] = file.Len()
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", number, content)
	}
	stream := func(number int, about, content string) {
		object(number, fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", about, len(content), content))
	}
	var pages []string
	for page := range slices.Chunk(lines(), 70) {
		number := 5 + 2*len(pages)
		stream(number, "", "BT /F1 10 Tf 11 TL 40 800 Td\n("+strings.Join(page, ") '\n(")+") '\nET")
		object(number+1,
			fmt.Sprintf(
				"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
					"/Resources << /Font << /F1 3 0 R >> /XObject << /I 4 0 R >> >> >>", number))
		pages = append(pages, fmt.Sprintf("%d 0 R", number+1))
	}
	object(1, "<< /Type /Catalog /Pages 2 0 R >>")
	object(2, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), strings.Join(pages, " ")))
	object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	height := (largest - file.Len() - 16<<10) / 4096
	stream(4,
		fmt.Sprintf("/Type /XObject /Subtype /Image /Width 4096 /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8",
			height), string(noise(4096*height)))
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for number := 1; number <= len(offsets); number++ {
		fmt.Fprintf(&file, "%010d 00000 n \n", offsets[number])
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return file.Bytes()
}

const (
	xml           = `<?xml version="1.0"?>`
	packages      = `http://schemas.openxmlformats.org/package/2006/`
	relationships = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
)

// largestDOCX returns a file that unpacks to twice its size.
func largestDOCX(t *testing.T) []byte {
	const main = "word/document.xml"
	a := newOffice(t, main, "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")
	a.add(main, xml+`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`,
		"<w:p><w:r><w:t>"+strings.Join(lines(), "</w:t></w:r></w:p><w:p><w:r><w:t>")+"</w:t></w:r></w:p>",
		`</w:body></w:document>`)
	return a.finish()
}

// largestXLSX returns a sheet of some hundred thousand rows.
func largestXLSX(t *testing.T) []byte {
	const main, space = "xl/workbook.xml", `http://schemas.openxmlformats.org/spreadsheetml/2006/main`
	a := newOffice(t, main, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")
	a.add(main,
		xml+`<workbook xmlns="`+space+`" xmlns:r="`+relationships+`">`+
			`<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`, "", "")
	a.add("xl/_rels/workbook.xml.rels",
		xml+`<Relationships xmlns="`+packages+`relationships">`+
			`<Relationship Id="r1" Type="`+relationships+`/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`, "", "")
	const before, after = `<row><c t="inlineStr"><is><t>`, `</t></is></c></row>`
	a.add("xl/worksheets/sheet1.xml", xml+`<worksheet xmlns="`+space+`"><sheetData>`,
		before+strings.Join(lines(), after+before)+after, `</sheetData></worksheet>`)
	return a.finish()
}

// office is an archive of parts, like a DOCX or XLSX file.
type office struct {
	t       *testing.T
	file    bytes.Buffer
	archive *zip.Writer
}

func newOffice(t *testing.T, main, mediaType string) *office {
	a := &office{t: t}
	a.archive = zip.NewWriter(&a.file)
	a.add("[Content_Types].xml",
		xml+`<Types xmlns="`+packages+`content-types">`+
			`<Default Extension="xml" ContentType="application/xml"/>`+
			`<Override PartName="/`+main+`" ContentType="`+mediaType+`"/></Types>`, "", "")
	a.add("_rels/.rels",
		xml+`<Relationships xmlns="`+packages+`relationships">`+
			`<Relationship Id="r1" Type="`+relationships+`/officeDocument" Target="`+main+`"/></Relationships>`, "", "")
	return a
}

// add adds a part. It compresses the middle once and repeats it until the archive has the largest size.
func (a *office) add(name, head, middle, tail string) {
	a.t.Helper()
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	var packed []byte
	piece := func(text string, compressed []byte) {
		header.CRC32 = crc32.Update(header.CRC32, crc32.IEEETable, []byte(text))
		header.UncompressedSize64 += uint64(len(text))
		packed = append(packed, compressed...)
	}
	piece(head, a.deflate(head, false))
	if again := a.deflate(middle, false); middle != "" {
		for a.file.Len()+len(packed)+2*len(again) < largest {
			piece(middle, again)
		}
	}
	piece(tail, a.deflate(tail, true))
	header.CompressedSize64 = uint64(len(packed))
	w, err := a.archive.CreateRaw(header)
	must(a.t, err)
	_, err = w.Write(packed)
	must(a.t, errors.Join(err, a.archive.Flush()))
}

// deflate compresses a text. Its output can follow other compressed texts and, unless it is the last, precede others.
func (a *office) deflate(text string, last bool) []byte {
	a.t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	must(a.t, err)
	_, err = io.WriteString(w, text)
	end := w.Flush
	if last {
		end = w.Close
	}
	must(a.t, errors.Join(err, end()))
	return packed.Bytes()
}

func (a *office) finish() []byte {
	a.t.Helper()
	must(a.t, a.archive.Close())
	return a.file.Bytes()
}
