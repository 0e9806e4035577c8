package config

import "fmt"

// checkCurrencies requires that all prices have the same currency. Otherwise they can't be added up.
func checkCurrencies(ai AI) error {
	models := []Upstream{ai.Default, ai.Basic, ai.Enhanced}
	for _, added := range ai.Added {
		models = append(models, added.Upstream)
	}
	currency := ""
	for _, u := range models {
		if u.Price == nil {
			continue
		}
		if currency != "" && u.Price.Currency != currency {
			return fmt.Errorf("the prices of the models are in %s and %s: use one currency", currency, u.Price.Currency)
		}
		currency = u.Price.Currency
	}
	return nil
}
