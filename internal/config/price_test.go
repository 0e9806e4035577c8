package config

import "testing"

func TestPricesOfModels(t *testing.T) {
	s := fromFile(t, `
models:
  default:
    base_url: http://127.0.0.1:1/v1
    model: m
    price: {input: 0.15, output: 0.6}
  basic: {max_tokens: 1000}
  enhanced: {model: big}
`)
	want := Price{Input: 0.15, Output: 0.6, Currency: "USD"}
	if s.AI.Default.Price != want || s.AI.Basic.Price != want {
		t.Errorf("got %+v and %+v", s.AI.Default.Price, s.AI.Basic.Price)
	}
	if s.AI.Enhanced.Price != (Price{}) {
		t.Errorf("another model has the price %+v", s.AI.Enhanced.Price)
	}
}

func TestPricesThatMakeNoSense(t *testing.T) {
	for text, says := range map[string]string{
		"default: {price: {input: -1}}":                                           "models.default.price.input",
		"default: {price: {output: much}}":                                        "such as 0.15",
		"default: {price: {currency: dollars}}":                                   "three letters",
		"default: {price: {cached: 1}}":                                           "there is no setting",
		"default: {price: {input: 1}}, basic: {model: x, price: {currency: EUR}}": "use one currency",
	} {
		refuseFile(t, "ai_base_url: http://127.0.0.1:1/v1\nai_model: m\nmodels: {"+text+"}\n", says)
	}
}
