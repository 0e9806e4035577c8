package main

import (
	"testing"

	"parley/internal/config"
)

func TestTheBuiltInModelIsMarked(t *testing.T) {
	none := config.Upstream{BaseURL: "builtin"}
	server := config.Upstream{BaseURL: "http://127.0.0.1:1/v1", Model: "m", ContextTokens: 1000}
	settings := config.AI{DefaultName: "default", Default: none, Basic: none, Enhanced: server}
	models, _, err := chooseModels(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if !models[0].Builtin || !models[1].Builtin || models[2].Builtin {
		t.Errorf("got %+v", models)
	}
}
