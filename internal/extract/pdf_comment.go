package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// maxAnnotations limits the annotations of a page that are looked at.
const maxAnnotations = 2000

// annotations returns the number of annotations of a page: comments, fields of forms, links.
func (d pdfDocument) annotations(page references.FPDF_PAGE) int {
	found, err := d.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: byHandle(page)})
	if err != nil {
		return 0
	}
	return found.Count
}

// pdfComment is what somebody has written on a page.
type pdfComment struct{ label, text string }

func (c pdfComment) String() string {
	if c.label == "" {
		return c.text
	}
	return c.label + ": " + c.text
}

// eachAnnotation calls look with the annotations of a page.
func (d pdfDocument) eachAnnotation(page references.FPDF_PAGE, count int, look func(references.FPDF_ANNOTATION)) {
	for i := range min(count, maxAnnotations) {
		annotation, err := d.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: byHandle(page), Index: i})
		if err != nil {
			continue
		}
		look(annotation.Annotation)
		_, _ = d.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: annotation.Annotation})
	}
}

// comments returns what the annotations of a page say.
func (d pdfDocument) comments(page references.FPDF_PAGE, count int) []pdfComment {
	var comments []pdfComment
	d.eachAnnotation(page, count, func(annotation references.FPDF_ANNOTATION) {
		if comment := d.comment(annotation); comment.text != "" {
			comments = append(comments, comment)
		}
	})
	return comments
}

// comment returns what an annotation says. The value of a form's field counts if the file does not
// say how it looks, because a flattened page does not show it then.
func (d pdfDocument) comment(annotation references.FPDF_ANNOTATION) pdfComment {
	kind, err := d.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
	if err != nil || d.hidden(annotation) {
		return pdfComment{}
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_LINK, enums.FPDF_ANNOT_SUBTYPE_POPUP:
		return pdfComment{}
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		look, err := d.FPDFAnnot_HasKey(&requests.FPDFAnnot_HasKey{Annotation: annotation, Key: "AP"})
		if err != nil || look.HasKey {
			return pdfComment{}
		}
		return pdfComment{d.value(annotation, "T"), d.value(annotation, "V")}
	}
	label := "Comment"
	if author := d.value(annotation, "T"); author != "" {
		label += " by " + author
	}
	return pdfComment{label, d.value(annotation, "Contents")}
}

// hidden reports whether an annotation is never shown.
func (d pdfDocument) hidden(annotation references.FPDF_ANNOTATION) bool {
	flags, err := d.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: annotation})
	return err != nil || flags.Flags&enums.FPDF_ANNOT_FLAG_HIDDEN != 0
}

// value returns a text of an annotation on one line.
func (d pdfDocument) value(annotation references.FPDF_ANNOTATION, key string) string {
	found, err := d.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: annotation, Key: key})
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(found.Value), " ")
}

// unshown returns the comments that are not in the text of their page. A note that is written on
// the page is in both.
func unshown(comments []pdfComment, text string) []pdfComment {
	text = withoutSpaces(text)
	return slices.DeleteFunc(comments, func(c pdfComment) bool { return strings.Contains(text, withoutSpaces(c.text)) })
}

// withoutSpaces returns a text without its white space.
func withoutSpaces(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
