package api

import (
	"reflect"
	"slices"
	"testing"

	"parley"
)

func TestFieldsOfAnInputAreFoundOnce(t *testing.T) {
	var decoder bodyDecoder
	input := reflect.TypeFor[parley.SendInput]()
	fields := decoder.fieldsOf(input)
	if again := decoder.fieldsOf(input); len(fields) == 0 || &fields[0] != &again[0] {
		t.Errorf("got %v, then %v", fields, again)
	}
}

func TestOnlyAnInputThatAsksForThemGetsNulls(t *testing.T) {
	var decoder bodyDecoder
	var in parley.SettingsInput
	const body = `{"quota": null, "sharing": true, "retention": null, "Registration": null, "-": ["sharing"], "x": null}`
	if err := decoder.decode([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Reset, []string{"quota", "retention"}) || in.Sharing == nil || !*in.Sharing || in.Quota != nil {
		t.Errorf("got %+v", in)
	}
}
