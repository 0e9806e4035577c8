package export

import (
	"fmt"
	"html"
	"strings"
	"time"

	"parley"
	"parley/internal/markdown"
)

// HTML returns a session as an HTML page.
func HTML(session parley.Export) Document {
	return Document{
		Name: fileName(session.Title, ".html"), Type: "text/html; charset=utf-8",
		Begin: htmlTitle(session), Message: htmlMessage, End: htmlEnd,
	}
}

// htmlTitle returns the beginning of a session's HTML page. The page has its styles in it, and its policy allows
// nothing else.
func htmlTitle(session parley.Export) string {
	title := html.EscapeString(oneLine(session.Title))
	exported := time.Unix(session.ExportedAt, 0).UTC().Format("2006-01-02 15:04 MST")
	return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>` + title + `</title>
<style>` + pageStyle + `</style>
</head>
<body>
<header><h1 dir="auto">` + title + `</h1><p>Parley · ` + exported + `</p></header>
<main>
`
}

// htmlEnd is the end of a session's HTML page.
const htmlEnd = "</main>\n</body>\n</html>\n"

// htmlMessage returns a message as a section of an HTML page. The text of a question is shown as it is.
func htmlMessage(m parley.Message) string {
	sent := time.Unix(m.Timestamp, 0).UTC()
	who, text := "User", `<p class="text">`+html.EscapeString(m.Content)+"</p>\n"
	if m.Role == parley.RoleAssistant {
		who, text = "Assistant", markdown.HTML(m.Content)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<section class=\"%s\">\n<h2>%s <time datetime=\"%s\">%s</time></h2>\n<div dir=\"auto\">\n",
		strings.ToLower(who), who, sent.Format(time.RFC3339), sent.Format("2006-01-02 15:04 MST"))
	b.WriteString(text)
	b.WriteString("</div>\n")
	if len(m.Images) > 0 {
		fmt.Fprintf(&b, "<p class=\"pictures\">%s</p>\n", notIncluded(len(m.Images)))
	}
	if len(m.Sources) > 0 {
		b.WriteString("<ol class=\"sources\">\n")
		for _, source := range m.Sources {
			b.WriteString("<li>" + sourceHTML(source) + "</li>\n")
		}
		b.WriteString("</ol>\n")
	}
	b.WriteString("</section>\n")
	return b.String()
}

// sourceHTML returns a source as a link, or only its title if its address is not on the web.
func sourceHTML(source parley.Source) string {
	title, address := html.EscapeString(oneLine(source.Title)), html.EscapeString(oneLine(source.URL))
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return title
	}
	return `<a href="` + address + `" rel="noopener noreferrer nofollow">` + title + `</a>`
}

const pageStyle = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { max-width: 47rem; margin: 0 auto; padding: 1rem; font: 1rem/1.7 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#1d1b18, #ecebe8); background: light-dark(#fbfaf7, #161615); }
header { border-bottom: 1px solid light-dark(#e2ded5, #33312e); }
header p, h2, time, .sources, .pictures { color: light-dark(#5c574f, #aca79e); font-size: 0.875rem; }
h1 { margin: 1rem 0 0; line-height: 1.3; }
h2 { margin: 0 0 0.25rem; font-weight: 600; }
time { font-weight: 400; }
section { margin: 2rem 0; }
.user > div { padding: 0.1rem 1rem; border-radius: 1rem; background: light-dark(#f0eee8, #262523); }
.text { white-space: pre-wrap; }
a { color: light-dark(#0f6f66, #5ccfbf); }
pre { padding: 1rem; overflow-x: auto; border-radius: 0.6rem; background: light-dark(#f3f1ec, #111110); }
code { font: 0.875em/1.6 ui-monospace, Menlo, Consolas, monospace; }
blockquote { margin-inline: 0; padding-inline-start: 1rem;
  border-inline-start: 3px solid light-dark(#e2ded5, #33312e); }
hr { border: 0; border-top: 1px solid light-dark(#e2ded5, #33312e); }
.task { list-style: none; }
.math { font: italic 1.05em/1.6 "STIX Two Math", "Cambria Math", Cambria, Georgia, serif; }
.math-display { display: block; text-align: center; white-space: pre-wrap; }
.note, .note-reference { color: light-dark(#5c574f, #aca79e); }
.note { font-size: 0.875rem; }
sup { line-height: 0; }
details { padding: 0.5rem 0.8rem; border: 1px solid light-dark(#e2ded5, #33312e); border-radius: 0.6rem; }
summary { font-weight: 600; cursor: pointer; }
table { display: block; max-width: 100%; overflow-x: auto; border-collapse: collapse; }
th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid light-dark(#e2ded5, #33312e); text-align: start;
  min-width: 6.5em; overflow-wrap: normal; }
.center { text-align: center; }
.right { text-align: end; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; background: none; }
  pre { white-space: pre-wrap; }
  details::details-content { content-visibility: visible; }
  h2, h3, h4 { break-after: avoid; }
  tr, blockquote { break-inside: avoid; }
  th, td { overflow-wrap: anywhere; }
}
`
