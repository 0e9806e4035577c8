// Package browser tests the web client in a real browser.
package browser
