// Package web embeds the built web client.
package web

import (
	"embed"
	"io/fs"
)

// dist always contains index.html, which explains how to build the client. It allows
// the program to be built without Node. Names of chunks may begin with an underscore,
// which are embedded only with "all".
//
//go:embed all:dist
var dist embed.FS

// Files returns the built client: app.html, docs.html, diagram.html and their assets. If
// the client was not built, there is only index.html.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // can't happen: the directory is embedded
	}
	return files
}
