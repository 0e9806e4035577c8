package config

import "testing"

func TestPricesInTwoCurrencies(t *testing.T) {
	const one = "default: {price: {input: 1, output: 2}}"
	for _, other := range []string{
		"basic: {model: x, price: {input: 1, output: 2, currency: EUR}}",
		"Coder: {model: x, price: {input: 1, output: 2, currency: EUR}}",
	} {
		refuseFile(t, "ai_base_url: http://127.0.0.1:1/v1\nai_model: m\nmodels: {"+one+", "+other+"}\n", "use one currency")
	}
}

func TestAPriceHasItsCurrency(t *testing.T) {
	s := fromFile(t, `
ai_base_url: http://127.0.0.1:1/v1
ai_model: m
models: {default: {price: {input: 1, output: 2, currency: CNY}}}
`)
	if got := s.AI.Default.Price; got == nil || *got != (Price{Input: 1, Output: 2, Currency: "CNY"}) {
		t.Errorf("got %+v", got)
	}
}
