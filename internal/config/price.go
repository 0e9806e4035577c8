package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxPrice is the highest price of a million tokens.
const maxPrice = 1_000_000

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// parsePrice parses the price of a model.
func parsePrice(name string, node *yaml.Node) (*Price, error) {
	price := &Price{Currency: "USD"}
	err := eachField(node, func(field string, node *yaml.Node) error {
		text, err := scalar(name+"."+field, node)
		if err != nil {
			return err
		}
		switch field {
		case "input":
			price.Input, err = parseAmount(text)
		case "output":
			price.Output, err = parseAmount(text)
		case "currency":
			if price.Currency = text; !currencyCode.MatchString(text) {
				err = errors.New("must be a code of three letters, such as USD")
			}
		default:
			return atLine(node, "there is no setting %q in %s", field, name)
		}
		if err != nil {
			return atLine(node, "%s.%s: %w", name, field, err)
		}
		return nil
	})
	return price, err
}

func parseAmount(text string) (float64, error) {
	amount, err := strconv.ParseFloat(text, 64)
	if err != nil || !(amount >= 0 && amount <= maxPrice) {
		return 0, fmt.Errorf("%q is not the price of a million tokens, such as 0.15", text)
	}
	return amount, nil
}

// checkCurrencies requires that all prices have the same currency, so that they can be summed up.
func checkCurrencies(ai AI) error {
	currency := ""
	for _, u := range []Upstream{ai.Default, ai.Basic, ai.Enhanced} {
		if u.Price.Currency == "" {
			continue
		}
		if currency != "" && u.Price.Currency != currency {
			return fmt.Errorf("the prices of the models are in %s and %s: use one currency", currency, u.Price.Currency)
		}
		currency = u.Price.Currency
	}
	return nil
}
