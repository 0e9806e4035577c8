package main_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestMetricsCanHaveTheirOwnAddress(t *testing.T) {
	t.Parallel()
	get := func(url string) (int, string) {
		t.Helper()
		response, err := http.Get(url)
		must(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		must(t, err)
		return response.StatusCode, string(body)
	}
	const metric = "parley_open_turns"
	p := start(t)
	if status, body := get(p.url + "/metrics"); status != http.StatusOK || !strings.Contains(body, metric) {
		t.Errorf("by default: HTTP %d, %.200s", status, body)
	}
	p = start(t, "PARLEY_METRICS_ADDR=127.0.0.1:0")
	if status, body := get(p.url + "/metrics"); status != http.StatusNotFound || strings.Contains(body, "parley_") {
		t.Errorf("on the address of the API: HTTP %d, %.200s", status, body)
	}
	var address []string
	line := regexp.MustCompile(`msg="serve metrics" address=(\S+)`)
	until(t, "the log has the address", func() bool {
		address = line.FindStringSubmatch(p.said())
		return address != nil
	})
	if status, body := get(address[1] + "/metrics"); status != http.StatusOK || !strings.Contains(body, metric) {
		t.Errorf("on its own address: HTTP %d, %.200s", status, body)
	}
	if status, _ := get(address[1] + "/healthz"); status != http.StatusNotFound {
		t.Errorf("another path on its address: HTTP %d", status)
	}
}
