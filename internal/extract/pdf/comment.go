package pdf

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
func (d openDocument) annotations(page references.FPDF_PAGE) int {
	found, err := d.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: byHandle(page)})
	if err != nil {
		return 0
	}
	return found.Count
}

// pageComment is what somebody has written on a page.
type pageComment struct{ label, text string }

func (c pageComment) String() string {
	if c.label == "" {
		return c.text
	}
	return c.label + ": " + c.text
}

// eachAnnotation calls look with the annotations of a page.
func (d openDocument) eachAnnotation(page references.FPDF_PAGE, count int, look func(references.FPDF_ANNOTATION)) {
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
func (d openDocument) comments(page references.FPDF_PAGE, count int) []pageComment {
	var comments []pageComment
	d.eachAnnotation(page, count, func(annotation references.FPDF_ANNOTATION) {
		if comment := d.comment(annotation); comment.text != "" {
			comments = append(comments, comment)
		}
	})
	return comments
}

// comment returns what an annotation says. The value of a form's field counts if the file does not
// say how it looks, because a flattened page does not show it then.
func (d openDocument) comment(annotation references.FPDF_ANNOTATION) pageComment {
	kind, err := d.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
	if err != nil || d.hidden(annotation) {
		return pageComment{}
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_LINK, enums.FPDF_ANNOT_SUBTYPE_POPUP:
		return pageComment{}
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		look, err := d.FPDFAnnot_HasKey(&requests.FPDFAnnot_HasKey{Annotation: annotation, Key: "AP"})
		if err != nil || look.HasKey {
			return pageComment{}
		}
		return pageComment{d.value(annotation, "T"), d.value(annotation, "V")}
	}
	label := "Comment"
	if author := d.value(annotation, "T"); author != "" {
		label += " by " + author
	}
	return pageComment{label, d.value(annotation, "Contents")}
}

// hidden reports whether an annotation is never shown.
func (d openDocument) hidden(annotation references.FPDF_ANNOTATION) bool {
	flags, err := d.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: annotation})
	return err != nil || flags.Flags&enums.FPDF_ANNOT_FLAG_HIDDEN != 0
}

// value returns a text of an annotation on one line.
func (d openDocument) value(annotation references.FPDF_ANNOTATION, key string) string {
	found, err := d.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: annotation, Key: key})
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(found.Value), " ")
}

// unshown returns the comments that are not in the text of their page. A note written on the page is in both.
func unshown(comments []pageComment, text string) []pageComment {
	text = withoutSpaces(text)
	return slices.DeleteFunc(comments, func(c pageComment) bool { return strings.Contains(text, withoutSpaces(c.text)) })
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
