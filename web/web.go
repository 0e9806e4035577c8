// Package web holds the web client as it was built.
package web

import (
	"embed"
	"io/fs"
)

// dist always has index.html, a page that tells how to build the client, so that the
// program can be built on a machine without Node.
//
//go:embed dist
var dist embed.FS

// Files are the built client: app.html, docs.html and their assets. Where it has not
// been built there is only index.html.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}
