package ai

import "testing"

func TestTheFirstModelThatSeesPicturesReadsPages(t *testing.T) {
	models := Offers{{Name: "a"}, {Name: "b", Images: true}, {Name: "c", Images: true}}
	if m, found := models.Seeing(); !found || m.Name != "b" {
		t.Errorf("got %q, %t", m.Name, found)
	}
	if m, found := models[:1].Seeing(); found {
		t.Errorf("got %q", m.Name)
	}
}
