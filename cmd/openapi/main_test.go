package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTheCommittedDocumentIsThatOfTheCode(t *testing.T) {
	committed, err := os.ReadFile("../../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, document()) {
		t.Error("openapi.json is out of date: run `make openapi`")
	}
}
