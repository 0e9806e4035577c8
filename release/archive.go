package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a file of an archive.
type entry struct {
	name       string // in the archive
	path       string
	executable bool
}

func (e entry) mode() int64 {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// pack writes the archive of a target and returns its path: a zip for Windows, else a compressed tar.
func (r release) pack(t target, program string) (path string, err error) {
	folder := fmt.Sprintf("parley_%s_%s_%s", r.version, t.system, t.architecture)
	entries := []entry{{name: folder + "/" + t.program(), path: program, executable: true}}
	for _, document := range documents() {
		entries = append(entries, entry{name: folder + "/" + document, path: document})
	}
	write, suffix := r.writeTar, ".tar.gz"
	if t.system == "windows" {
		write, suffix = r.writeZip, ".zip"
	}
	path = filepath.Join(r.folder, folder+suffix)
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	return path, errors.Join(write(file, entries), file.Close())
}

func (r release) writeTar(w io.Writer, entries []entry) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		content, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		head := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode(), Size: int64(len(content)), ModTime: r.time,
			Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func (r release) writeZip(w io.Writer, entries []entry) error {
	archive := zip.NewWriter(w)
	for _, e := range entries {
		content, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.time}
		head.SetMode(os.FileMode(e.mode())) //nolint:gosec // one of two small numbers
		to, err := archive.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := to.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeChecksums writes the SHA-256 of each file as sha256sum does.
func (r release) writeChecksums(files []string) error {
	slices.Sort(files)
	var lines strings.Builder
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(r.folder, "checksums.txt"), []byte(lines.String()), 0o644)
}
