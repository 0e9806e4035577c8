package ooxml

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

// word returns a paragraph of a Word document with this content.
func word(content string) string { return `<w:p>` + content + `</w:p>` }

func run(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

func TestCommentsOfAWordDocumentFollowTheirParagraph(t *testing.T) {
	entries := extracttest.DOCX(word(run("It leaves at ")+
		`<w:commentRangeStart w:id="1"/><w:commentRangeStart w:id="2"/>`+run("nine")+
		`<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r><w:r><w:commentReference w:id="2"/></w:r>`+
		run(".")) + `<w:tbl><w:tr><w:tc>` + word(run("a")+`<w:r><w:commentReference w:id="3"/></w:r>`) + `</w:tc><w:tc>` +
		word(run("b")) + `</w:tc></w:tr></w:tbl>` + word(run("end")+`<w:r><w:commentReference w:id="1"/></w:r>`))
	entries["word/_rels/document.xml.rels"] = relationships("comments", "c.xml", "commentsExtended", "e.xml")
	entries["word/c.xml"] = `<w:comments xmlns:w="w" xmlns:w14="v"><w:comment w:id="1" w:author="Ada">` +
		`<w:p w14:paraId="A1">` + run("Really?") + `</w:p></w:comment>` +
		`<w:comment w:id="2" w:author="Bob"><w:p w14:paraId="A2">` + run("Yes,") +
		`</w:p><w:p w14:paraId="A3">` + run("really.") + `</w:p></w:comment>` +
		`<w:comment w:id="3">` + word(run("Which a?")) + `</w:comment></w:comments>`
	entries["word/e.xml"] = `<e:commentsEx xmlns:e="e"><e:commentEx e:paraId="A1"/>` +
		`<e:commentEx e:paraId="A3" e:paraIdParent="A1"/></e:commentsEx>`
	const want = "It leaves at nine.\n\nComment on \"nine\" by Ada: Really?\nReply by Bob: Yes, really.\n\n" +
		"a\tb\n\nComment: Which a?\n\nend"
	document, err := readEntries(t, entries)
	if err != nil || document.Text != want || document.Notes != nil {
		t.Errorf("got %q, %q, %v\nwant %q", document.Text, document.Notes, err, want)
	}
}

func TestCommentsOfASlideFollowIt(t *testing.T) {
	entries := pptx(shape("one"), shape("two"))
	entries["ppt/_rels/p.xml.rels"] = relationships("slide", "slides/s1.xml", "slide", "slides/s2.xml",
		"commentAuthors", "a.xml", "authors", "b.xml")
	entries["ppt/a.xml"] = `<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>`
	entries["ppt/b.xml"] = `<q:authorLst xmlns:q="q"><q:author id="{B}" name="Bob"/></q:authorLst>`
	entries["ppt/slides/_rels/s1.xml.rels"] = relationships("comments", "../c1.xml")
	entries["ppt/slides/_rels/s2.xml.rels"] = relationships("comments", "../c2.xml")
	entries["ppt/c1.xml"] = `<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:pos x="1"/><p:text>Too small.</p:text></p:cm>` +
		`<p:cm authorId="7"><p:text>No.</p:text><p:extLst><p:ext><x:threadingInfo xmlns:x="x"><x:parentCm idx="1"/>` +
		`</x:threadingInfo></p:ext></p:extLst></p:cm></p:cmLst>`
	entries["ppt/c2.xml"] = `<q:cmLst xmlns:q="q" xmlns:a="a"><q:cm authorId="{B}"><q:replyLst><q:reply authorId="{C}">` +
		`<q:txBody><a:p><a:r><a:t>Done.</a:t></a:r></a:p></q:txBody></q:reply></q:replyLst>` +
		`<q:txBody><a:p><a:r><a:t>Say</a:t></a:r></a:p><a:p><a:r><a:t>why.</a:t></a:r></a:p></q:txBody></q:cm></q:cmLst>`
	const want = "one\n\nComment by Ada: Too small.\nReply: No.\n\ntwo\n\nComment by Bob: Say why.\nReply: Done."
	document, err := readEntries(t, entries)
	if err != nil || document.Text != want || document.Anchors.At(len(document.Text)) != "slide 2" {
		t.Errorf("got %q, %v\nwant %q", document.Text, err, want)
	}
}

func TestCommentsOfASheetNameTheirCell(t *testing.T) {
	entries := extracttest.XLSX(`<row r="1"><c r="A1"><v>17</v></c></row>`)
	entries["xl/worksheets/_rels/sheet1.xml.rels"] = relationships("comments", "/xl/c.xml", "threadedComment", "/xl/t.xml")
	entries["xl/_rels/workbook.xml.rels"] = strings.Replace(entries["xl/_rels/workbook.xml.rels"], `</Relationships>`,
		`<Relationship Id="p" Type="x/person" Target="people.xml"/></Relationships>`, 1)
	entries["xl/people.xml"] = `<personList><person displayName="Bob" id="{B}"/></personList>`
	entries["xl/c.xml"] = `<comments><authors><author>Ada</author><author>tc={1}</author></authors><commentList>` +
		`<comment ref="A1" authorId="0"><text><r><t>Too </t></r><r><t>high.</t></r><rPh><t>no</t></rPh></text></comment>` +
		`<comment ref="B1" authorId="1"><text><t>[Threaded comment] no</t></text></comment></commentList></comments>`
	entries["xl/t.xml"] = `<ThreadedComments><threadedComment ref="B1" personId="{B}" id="{1}"><text>Why empty?</text>` +
		`</threadedComment><threadedComment ref="B1" personId="{X}" id="{2}" parentId="{1}"><text>Soon.</text>` +
		`</threadedComment></ThreadedComments>`
	const want = "17\n\nComment on A1 by Ada: Too high.\n\nComment on B1 by Bob: Why empty?\nReply on B1: Soon."
	document, err := readEntries(t, entries)
	if err != nil || document.Text != want || document.Notes != nil {
		t.Errorf("got %q, %q, %v\nwant %q", document.Text, document.Notes, err, want)
	}
	entries["xl/c.xml"], entries["xl/people.xml"] = `<comments`, `<personList`
	document, err = readEntries(t, entries)
	notes := []string{"the authors of comments could not be read", "the comments of sheet Far could not be read"}
	if err != nil || !strings.HasPrefix(document.Text, "17\n\nComment on B1: ") || !slices.Equal(document.Notes, notes) {
		t.Errorf("broken comments: got %q, %q, %v", document.Text, document.Notes, err)
	}
}
