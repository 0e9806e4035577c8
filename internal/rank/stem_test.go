package rank

import "testing"

func TestWordsOfOneStemAreFound(t *testing.T) {
	texts := []string{
		"Die Kündigung bedarf der Schriftform. Eine Nachricht reicht nicht aus.",
		"Les contestations doivent parvenir au syndic dans les soixante jours.",
		"La pintura de las habitaciones corre a cargo del dueño cada ocho años.",
		"Паромы на остров отправляются каждые девять часов.",
		"The landlord may cancel the contract with a notice of three months.",
	}
	for question, want := range map[string]int{
		"Wie kann man kündigen?":         0,
		"Peut-on contester ?":            1,
		"¿Quién limpia mi habitación?":   2,
		"Когда отправляется паром?":      3,
		"When was the notice cancelled?": 4,
	} {
		hits := Best(NewQuery(question), 1, texts)
		if len(hits) != 1 || hits[0].Part != want {
			t.Errorf("%q: got %+v, want text %d", question, hits, want)
		}
	}
}

func TestAStemIsAShareOfTheQuestion(t *testing.T) {
	q := NewQuery("kündigen")
	if got := q.Share("die Kündigung"); got != 1 {
		t.Errorf("the share is %v", got)
	}
	if got := q.Share("die Kunde"); got != 0 {
		t.Errorf("the share in another word is %v", got)
	}
}

func TestEnglishWordsHaveNoStems(t *testing.T) {
	if hits := Best(NewQuery("contrast"), 1, []string{"This is the contract that we have with them."}); len(hits) > 0 {
		t.Errorf("found %+v", hits)
	}
}

func TestIsEnglish(t *testing.T) {
	for text, want := range map[string]bool{
		"The monthly rent of the warehouse amounts to 7,450 euros and is due on the third working day.": true,
		"Minor repairs are borne by the tenant.":                                                        true,
		"":                                                                                              true,
		"猫在哪里":                                                                                          true,
		"Was am Abend in der Stadt so alles los ist, hat an diesem Tag niemand gewusst.": false,
		"On m'a dit qu'il n'y a pas d'autre clé, mais l'an dernier on en avait deux.":    false,
		"No me lo he llevado a casa.":                         false,
		"CHF 1200, 45 m2, Zürich":                             false,
		"func main() { fmt.Println(strings.ToLower(input)) }": false,
	} {
		if got := isEnglish(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
