package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDescription is the longest description of a model, in characters.
	maxDescription = 200
	// maxWeight is the largest weight of a server.
	maxWeight = 1000
	// maxPrice is the highest price of a million tokens.
	maxPrice = 1e6
)

// parsePrice reads what a million tokens cost.
func parsePrice(name string, node *yaml.Node) (*Price, error) {
	price := &Price{Currency: "USD"}
	given := 0
	err := eachField(node, func(field string, node *yaml.Node) error {
		text, err := scalar(name+"."+field, node)
		if err != nil {
			return err
		}
		switch field {
		case "input":
			given++
			price.Input, err = parseAmount(text)
		case "output":
			given++
			price.Output, err = parseAmount(text)
		case "currency":
			price.Currency, err = parseCurrency(text)
		default:
			return atLine(node, "there is no setting %q in %s", field, name)
		}
		if err != nil {
			return atLine(node, "%s.%s: %w", name, field, err)
		}
		return nil
	})
	if err == nil && given < 2 {
		return nil, atLine(node, "%s needs input and output, for a million tokens each", name)
	}
	return price, err
}

// parseAmount reads an amount of money.
func parseAmount(s string) (float64, error) {
	amount, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(amount) || amount < 0 || amount > maxPrice {
		return 0, fmt.Errorf("%q is not a price from 0 to %.0f", s, maxPrice)
	}
	return amount, nil
}

func parseCurrency(s string) (string, error) {
	if len(s) != 3 || strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return "", fmt.Errorf("%q is not a currency of three capital letters, such as USD", s)
	}
	return s, nil
}

func parseDescription(s string) (string, error) {
	if utf8.RuneCountInString(s) > maxDescription || strings.ContainsFunc(s, unicode.IsControl) {
		return "", fmt.Errorf("must be a line of at most %d characters", maxDescription)
	}
	return s, nil
}

func parseSwitch(s string) (*bool, error) {
	on := s == "true"
	if !on && s != "false" {
		return nil, errors.New("must be true or false")
	}
	return &on, nil
}

func parseWeight(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxWeight {
		return 0, fmt.Errorf("%q is not a whole number from 1 to %d", s, maxWeight)
	}
	return n, nil
}

// parseFields reads a list of names of JSON fields.
func parseFields(name string, node *yaml.Node) ([]string, error) {
	fields := []string{}
	if node.Kind != yaml.SequenceNode || node.Decode(&fields) != nil {
		return nil, atLine(node, "%s must be a list of names, such as [service_tier]", name)
	}
	breaks := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	for _, field := range fields {
		if field == "" || strings.ContainsFunc(field, breaks) {
			return nil, atLine(node, "%s: %q is not the name of a field", name, field)
		}
	}
	return fields, nil
}
