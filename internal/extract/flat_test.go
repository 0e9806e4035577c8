package extract

import "testing"

// Documents in a single XML file.
const (
	book = `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="f"><description><title-info><genre>x</genre>` +
		`<author><first-name>Ada</first-name></author><book-title>The ferry</book-title></title-info></description><body>` +
		`<section><title><p>Chapter</p><p>one</p></title><p>At <emphasis>nine</emphasis>.</p><p>At ten.</p>` +
		`<poem><stanza><v>a</v><v>b</v></stanza></poem></section></body><binary id="c">AAAA</binary></FictionBook>`
	flatText = `<office:document xmlns:office="o" xmlns:text="t" xmlns:style="y" ` +
		`office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><x>no</x></office:meta>` +
		`<office:master-styles><style:master-page><style:header><text:p>Head</text:p></style:header></style:master-page>` +
		`</office:master-styles><office:body><office:text><text:h text:outline-level="1">The ferry</text:h>` +
		`<text:p>At nine.</text:p></office:text></office:body></office:document>`
	flatSheet = `<office:document xmlns:office="o" xmlns:text="t" xmlns:table="b" ` +
		`office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>` +
		`<table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>` +
		`<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>` +
		`</office:body></office:document>`
	flatSlides = `<office:document xmlns:office="o" xmlns:text="t" xmlns:draw="d" ` +
		`office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page>` +
		`<draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame></draw:page></office:presentation>` +
		`</office:body></office:document>`
	wordXML = `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="w" xmlns:wx="x">` +
		`<w:fonts><w:t>no</w:t></w:fonts><w:body><wx:sect><w:p><w:r><w:t>The ferry</w:t></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>` +
		`</w:tbl></wx:sect></w:body></w:wordDocument>`
	sheetXML = `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="s">` +
		`<Styles><x>no</x></Styles><Worksheet ss:Name="Far"><Table><Row>` +
		`<Cell ss:MergeAcross="1"><Data ss:Type="String">a</Data></Cell><Cell><Data ss:Type="DateTime">` +
		`2009-10-03T00:00:00.000</Data></Cell></Row><Row><Cell ss:Index="3"><Data ss:Type="Number">2.5</Data>` +
		`<Comment><Data>no</Data></Comment></Cell></Row></Table></Worksheet></Workbook>`
)

func TestDocumentsInASingleFileOfXML(t *testing.T) {
	for file, want := range map[string]string{
		book:       "# The ferry\n\n## Chapter one\n\nAt nine.\n\nAt ten.\n\na\nb",
		flatText:   "Head\n\n# The ferry\n\nAt nine.",
		flatSheet:  "a\tb",
		flatSlides: "One",
		wordXML:    "The ferry\n\na\tb",
		sheetXML:   "a\t\t2009-10-03\n\t\t2.5",
	} {
		document, err := reader.Read(t.Context(), []byte(file), "a.xml")
		if err != nil || document.Text != want {
			t.Errorf("%.60s:\ngot  %q, %v\nwant %q", file, document.Text, err, want)
		}
	}
}
