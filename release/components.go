package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The list of components is CycloneDX 1.6, as scanners of vulnerabilities read it.
type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
	PURL     string    `json:"purl,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// license is an expression of SPDX.
type license struct {
	Expression string `json:"expression"`
}

// listComponents writes what the programs are made of, and returns the path of the list: the Go modules that are linked
// into any of them, and the npm packages that the web client may use.
func (r release) listComponents(programs []string, lockFile string) (path string, err error) {
	all := map[string]component{}
	for _, program := range programs {
		if err := addModules(all, program); err != nil {
			return "", err
		}
	}
	if err := addPackages(all, lockFile); err != nil {
		return "", err
	}
	list := document{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{
			Timestamp: r.time.Format(time.RFC3339),
			Component: component{Type: "application", Name: "parley", Version: r.version},
		},
	}
	for _, c := range all {
		list.Components = append(list.Components, c)
	}
	slices.SortFunc(list.Components, func(a, b component) int { return cmp.Compare(a.PURL, b.PURL) })
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return "", err
	}
	path = filepath.Join(r.folder, r.name("components.cdx.json"))
	return path, os.WriteFile(path, append(text, '\n'), 0o644)
}

// addModules adds the modules that are linked into a program, and Go's standard library.
func addModules(all map[string]component, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	add := func(c component) { all[c.PURL] = c }
	version := strings.TrimPrefix(info.GoVersion, "go")
	add(component{Type: "library", Name: "stdlib", Version: version, PURL: "pkg:golang/stdlib@" + version})
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		add(component{
			Type: "library", Name: module.Path, Version: module.Version,
			PURL: "pkg:golang/" + module.Path + "@" + url.PathEscape(module.Version),
		})
	}
	return nil
}

// addPackages adds the packages of a lock file that are not only for development.
func addPackages(all map[string]component, lockFile string) error {
	text, err := os.ReadFile(lockFile)
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, DevOptional, Optional  bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", lockFile, err)
	}
	const folder = "node_modules/"
	for path, p := range lock.Packages {
		start := strings.LastIndex(path, folder)
		if start < 0 {
			continue
		}
		name := path[start+len(folder):]
		// Svelte compiles the client, and its own code goes with it.
		if (p.Dev || p.DevOptional || p.Optional) && name != "svelte" {
			continue
		}
		c := component{
			Type: "library", Name: name, Version: p.Version,
			PURL: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version,
		}
		if sum, found := strings.CutPrefix(p.Integrity, "sha512-"); found {
			bytes, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", lockFile, path, err)
			}
			c.Hashes = []hash{{"SHA-512", hex.EncodeToString(bytes)}}
		}
		if p.License != "" {
			c.Licenses = []license{{p.License}}
		}
		all[c.PURL] = c
	}
	return nil
}
