package parley

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestSettingsAreSetByTheirTexts(t *testing.T) {
	var got Settings
	for name, text := range map[string]string{
		SettingRegistration: "open",
		SettingSharing:      "on",
		SettingQuota:        "messages=3/d",
		SettingRetention:    "30d",
		SettingInstructions: "Be kind.",
	} {
		if err := got.Set(name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := Settings{
		Registration: true, Sharing: true, Quota: Quota{Messages: 3}, Retention: 720 * time.Hour, Instructions: "Be kind.",
	}
	if got != want {
		t.Errorf("got %+v", got)
	}
	for _, name := range SettingNames() {
		again := DefaultSettings()
		if err := again.Set(name, want.Text(name)); err != nil || again.Text(name) != want.Text(name) {
			t.Errorf("%s: %q, %v", name, again.Text(name), err)
		}
	}
}

func TestABadSettingChangesNothing(t *testing.T) {
	for _, test := range []struct{ name, text string }{
		{SettingRegistration, "yes"},
		{SettingRegistration, ""},
		{SettingSharing, "true"},
		{SettingQuota, "3"},
		{SettingRetention, "1m"},
		{SettingInstructions, "a\x00b"},
	} {
		got := DefaultSettings()
		if err := got.Set(test.name, test.text); !errors.Is(err, ErrInvalid) || got != DefaultSettings() {
			t.Errorf("%s=%q: %v, %+v", test.name, test.text, err, got)
		}
	}
	if err := new(Settings).Set("addr", ":80"); err == nil {
		t.Error("a setting that can't be changed was taken")
	}
}

func TestSettingsToResetAreNull(t *testing.T) {
	in := SettingsInput{Registration: new(true), Quota: new("none"), Reset: []string{SettingRetention}}
	got, err := json.Marshal(in)
	if want := `{"quota":"none","registration":true,"retention":null}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	texts := in.Texts()
	if len(texts) != 3 || *texts[SettingRegistration] != "open" || *texts[SettingQuota] != "none" ||
		texts[SettingRetention] != nil {
		t.Errorf("the texts are %v", texts)
	}
}
