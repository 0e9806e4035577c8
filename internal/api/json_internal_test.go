package api

import (
	"reflect"
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
