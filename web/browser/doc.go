// Package browser holds the tests of the web client in a real browser.
package browser
