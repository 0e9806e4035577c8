package extracttest

// XLSX returns the parts of a workbook with these rows.
func XLSX(rows string) map[string]string {
	const (
		schemas = "http://schemas.openxmlformats.org/"
		kinds   = schemas + "officeDocument/2006/relationships"
		sheets  = schemas + "spreadsheetml/2006/main"
	)
	relation := func(kind, target string) string {
		return `<Relationships xmlns="` + schemas + `package/2006/relationships">` +
			`<Relationship Id="r1" Type="` + kinds + `/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	return map[string]string{
		ContentTypes:                 MainPartType("/xl/workbook.xml", MainXLSX),
		"_rels/.rels":                relation("officeDocument", "xl/workbook.xml"),
		"xl/_rels/workbook.xml.rels": relation("worksheet", "worksheets/sheet1.xml"),
		"xl/workbook.xml": `<workbook xmlns="` + sheets + `" xmlns:r="` + kinds + `">` +
			`<sheets><sheet name="Far" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/worksheets/sheet1.xml": `<worksheet xmlns="` + sheets + `"><sheetData>` + rows + `</sheetData></worksheet>`,
	}
}

// The types of main parts.
const (
	MainDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	MainXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	MainPPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
)

// MainPartType returns the content types of an Office document with this main part.
func MainPartType(part, mediaType string) string {
	return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Override PartName="` + part + `" ContentType="` + mediaType + `"/></Types>`
}

// ContentTypes is the part of an Office document that has the types of the others.
const ContentTypes = "[Content_Types].xml"

// DOCX returns the parts of the smallest Word document with this body.
func DOCX(body string) map[string]string {
	return map[string]string{
		ContentTypes:        MainPartType("/word/document.xml", MainDOCX),
		"word/document.xml": `<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`,
	}
}
