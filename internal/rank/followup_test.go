package rank

import "testing"

func TestWordsOfTheTurnBeforeWeighLess(t *testing.T) {
	texts := []string{"the price of the ferry", "the price of the lamp", "the color of the ferry"}
	before := NewQuery("Where is the ferry?")
	for _, c := range []struct {
		question string
		weight   float64
		want     int
	}{
		{"What is its price?", 0.5, 0},
		{"What is the price of the lamp?", 0.5, 1},
		{"What is its color?", 0, 2},
		{"And?", 0.5, 0}, // of equal ones the first
	} {
		hits := Best(NewQuery(c.question).With(before, c.weight), 1, texts)
		if len(hits) != 1 || hits[0].Part != c.want {
			t.Errorf("%q: got %+v, want text %d", c.question, hits, c.want)
		}
	}
}

func TestWordsOfTheTurnBeforeAreNoShareOfTheQuestion(t *testing.T) {
	q := NewQuery("rent lamp").With(NewQuery("rent boat"), 0.5)
	if got := q.Share("the rent of the boat"); got != 0.5 {
		t.Errorf("the share is %v", got)
	}
	if len(q.terms) != 3 {
		t.Errorf("a word counts twice: %+v", q.terms)
	}
}

func TestRefersBack(t *testing.T) {
	for question, want := range map[string]bool{
		"And how much did he offer?":       true,
		"What does IT cost?":               true,
		"那要多少钱？":                           true,
		"价格呢":                              true,
		"What does the lamp cost?":         false,
		"铜灯多少钱？":                           false,
		"":                                 false,
		"Which item did Heather describe?": false,
	} {
		if got := RefersBack(question); got != want {
			t.Errorf("%q: got %v", question, got)
		}
	}
}
