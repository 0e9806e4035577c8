package extracttest

// ODF returns the parts of an OpenDocument file with this body.
func ODF(mediaType, body string) map[string]string {
	return map[string]string{
		"mimetype": mediaType,
		"content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"` +
			` xmlns:presentation="p" xmlns:svg="s" xmlns:style="y" xmlns:dc="c" xmlns:loext="l">` +
			`<office:body>` + body + `</office:body></office:document-content>`,
	}
}

// Annotation returns a comment.
func Annotation(parent, author, text string) string {
	reply := ""
	if parent != "" {
		reply = ` loext:parent-name="` + parent + `"`
	}
	return `<office:annotation` + reply + `><dc:creator>` + author + `</dc:creator><dc:date>2026-05-01</dc:date>` +
		`<text:list><text:list-item><text:p>` + text + `</text:p></text:list-item></text:list></office:annotation>`
}
