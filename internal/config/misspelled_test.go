package config

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMisspeltVariablesAreFound(t *testing.T) {
	environ := []string{"HOME=/root", "PARLEYS=1", "PARLEY_=1", "PARLEY_SOMETHING_ELSE=1"}
	for key, value := range everything {
		environ = append(environ, "PARLEY_"+strings.ToUpper(key)+"="+value)
	}
	environ = append(environ, "PARLEY_CONFIG=x", "PARLEY_AI_API_KEY_FILE=x",
		"PARLEY_MAX_UPLOADS=1MB", "PARLEY_AI_BASEURL=http://x", "PARLEY_DATABSE_URL=x", "PARLEY_ADRR=:1", "PARLEY_data=x")
	want := []Misspelled{
		{Variable: "PARLEY_"},
		{"PARLEY_ADRR", "PARLEY_ADDR"},
		{"PARLEY_AI_BASEURL", "PARLEY_AI_BASE_URL"},
		{"PARLEY_DATABSE_URL", "PARLEY_DATABASE_URL"},
		{"PARLEY_MAX_UPLOADS", "PARLEY_MAX_UPLOAD"},
		{Variable: "PARLEY_SOMETHING_ELSE"},
		{Variable: "PARLEY_data"},
	}
	command, err := Parse(nil, env(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, FindMisspelled(environ, command.Variables)); diff != "" {
		t.Error(diff)
	}
}

func TestTheBuiltInModelCanBeChosen(t *testing.T) {
	s := mustParse(t, env("PARLEY_AI_BASE_URL=builtin"))
	for name, u := range map[string]Upstream{"default": s.AI.Default, "basic": s.AI.Basic, "enhanced": s.AI.Enhanced} {
		if !u.Builtin() {
			t.Errorf("%s is %+v", name, u)
		}
	}
	path := write(t, "parley.yaml",
		"ai_base_url: http://127.0.0.1:1/v1\nai_model: m\nmodels:\n  basic:\n    base_url: builtin\n"+
			"  enhanced:\n    fallback:\n      base_url: builtin\n")
	s = mustParse(t, env(), "--config="+path)
	if s.AI.Default.Builtin() || !s.AI.Basic.Builtin() || s.AI.Enhanced.Builtin() || !s.AI.Enhanced.Fallback.Builtin() {
		t.Errorf("got %+v", s.AI)
	}
}
