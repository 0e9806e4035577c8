package main_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/embed/embedtest"
)

// TestNoAddressThatAUserNamesIsCalled puts the address of a server into every place that a user, a document, a
// web page or a model can write to. The service must not call it.
func TestNoAddressThatAUserNamesIsCalled(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	bait := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer bait.Close()
	model := aitest.New(t)
	model.Respond(func(aitest.Request) []aitest.Step {
		return aitest.Say("See [this](" + bait.URL + "/reply) ![](" + bait.URL + "/image.png) [1]")
	})
	search := searchFor(t, bait.URL)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=m",
		"PARLEY_SEARCH_PROVIDER=searxng", "PARLEY_SEARCH_URL="+search,
		"PARLEY_EMBED_BASE_URL="+embedtest.New(t).URL, "PARLEY_EMBED_MODEL=m")

	ada, ctx := p.user("ada"), t.Context()
	avatar := bait.URL + "/avatar.png"
	_, err := ada.UpdateProfile(ctx, parley.ProfileInput{Avatar: &avatar})
	must(t, err)
	sessionID := session(t, ada)
	for name, content := range baited(t, bait.URL) {
		upload(t, ada, sessionID, name, content)
	}
	out, err := ada.Send(ctx, parley.SendInput{
		SessionID:    sessionID,
		Content:      "What does " + bait.URL + "/question say?",
		ReplyOptions: parley.ReplyOptions{WebSearch: true},
	})
	must(t, err)
	if len(out.AIResponse.Sources) == 0 || !strings.Contains(out.AIResponse.Content, bait.URL) ||
		!strings.Contains(model.Last(t).System(), bait.URL) {
		t.Errorf("the address did not reach the model and the reply: %+v", out)
	}
	page, err := ada.ExportMarkdown(ctx, sessionID)
	must(t, err)
	_, err = io.Copy(io.Discard, page)
	must(t, err)
	must(t, page.Close())
	if calls.Load() != 0 {
		t.Errorf("it was called %d times", calls.Load())
	}
	if response, err := http.Get(bait.URL); err != nil || calls.Load() != 1 {
		t.Errorf("a call would not have been noticed: %v", err)
	} else {
		must(t, response.Body.Close())
	}
}

// searchFor starts a search service that returns one page at address.
func searchFor(t *testing.T, address string) string {
	t.Helper()
	search := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []map[string]string{{
			"title": "A page", "url": address + "/page", "content": "More at " + address,
			"img_src": address + "/i.png", "thumbnail": address + "/t.png",
		}}})
	}))
	t.Cleanup(search.Close)
	return search.URL
}

// baited returns documents that contain an address in places that programs for their format follow.
func baited(t *testing.T, address string) map[string][]byte {
	t.Helper()
	const (
		formats     = "http://schemas.openxmlformats.org"
		packageRels = `<Relationships xmlns="` + formats + `/package/2006/relationships">`
		officeRels  = formats + "/officeDocument/2006/relationships/"
		word        = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	)
	return map[string][]byte{
		"page.html": []byte(`<html><head><base href="` + address + `">
			<meta http-equiv="refresh" content="0;url=` + address + `">
			<link rel="stylesheet" href="` + address + `/s.css"><script src="` + address + `/s.js"></script></head>
			<body>Text <img src="` + address + `/i.png"><iframe src="` + address + `"></iframe>
			<object data="` + address + `"></object></body></html>`),
		"data.xml": []byte(`<?xml version="1.0"?><!DOCTYPE a SYSTEM "` + address + `/a.dtd" ` +
			`[<!ENTITY e SYSTEM "` + address + `/e">]><a>Text &e;</a>`),
		"notes.md": []byte("# Notes\n\n![picture](" + address + "/i.png) <" + address + ">\n"),
		"memo.rtf": []byte(`{\rtf1 Text {\field{\*\fldinst INCLUDEPICTURE "` + address + `/i.png"}{\fldrslt here}}` +
			`{\*\template ` + address + `/t.dot}}`),
		"memo.docx": zipped(t, map[string]string{
			"[Content_Types].xml": `<Types xmlns="` + formats + `/package/2006/content-types">` +
				`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
				`<Override PartName="/word/document.xml" ContentType="` + word + `"/></Types>`,
			"_rels/.rels": packageRels +
				`<Relationship Id="r1" Type="` + officeRels + `officeDocument" Target="word/document.xml"/>` +
				`</Relationships>`,
			"word/_rels/document.xml.rels": packageRels +
				`<Relationship Id="r1" Type="` + officeRels + `attachedTemplate" ` +
				`Target="` + address + `/t.dotm" TargetMode="External"/>` +
				`<Relationship Id="r2" Type="` + officeRels + `footnotes" ` +
				`Target="` + address + `/f.xml" TargetMode="External"/></Relationships>`,
			"word/document.xml": `<w:document xmlns:w="` + formats + `/wordprocessingml/2006/main">` +
				`<w:body><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>`,
		}),
		"paper.pdf": []byte("%PDF-1.4\n" +
			"1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(" + address + "/open)>>>>endobj\n" +
			"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R" +
			"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n" +
			"4 0 obj<</Length 38>>stream\nBT /F 12 Tf 10 100 Td (Some text) Tj ET\nendstream endobj\ntrailer<</Root 1 0 R>>\n"),
	}
}

func zipped(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		must(t, err)
		_, err = io.WriteString(w, text)
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func upload(t *testing.T, c *client.Client, sessionID, name string, content []byte) {
	t.Helper()
	if _, err := c.Upload(t.Context(), sessionID, name, bytes.NewReader(content)); err != nil {
		t.Errorf("upload %s: %v", name, err)
	}
}
