package main

import (
	"os"
	"testing"

	"parley/internal/api/reference"
)

func TestTheCommittedDocumentsAreThoseOfTheCode(t *testing.T) {
	page, err := reference.Page(document())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"openapi.json": string(document()), "docs/api.md": page} {
		committed, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(committed) != want {
			t.Errorf("%s is out of date: run `make openapi`", name)
		}
	}
}
