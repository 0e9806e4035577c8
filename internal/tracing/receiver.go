package tracing

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// receiver is the receiver of spans that the OTEL variables configure.
type receiver struct {
	url     string
	header  http.Header
	timeout time.Duration
}

// receiverFrom reads the variables. It returns nil if they disable traces. Errors don't include the value of a
// variable, which may be a secret.
func receiverFrom(getenv func(string) string) (*receiver, error) {
	variable := func(name string) string { // the variable for traces takes precedence over the one for all signals
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	exporter := getenv("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none",
		exporter == "" && variable("ENDPOINT") == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, errors.New("OTEL_TRACES_EXPORTER: must be otlp or none")
	case variable("PROTOCOL") == "grpc":
		return nil, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL: only OTLP over HTTP is supported, not gRPC (usually port 4318)")
	}
	r := &receiver{timeout: 10 * time.Second}
	var err error
	if r.url, err = endpoint(getenv); err != nil {
		return nil, err
	}
	if r.header, err = headers(variable("HEADERS")); err != nil {
		return nil, err
	}
	if text := variable("TIMEOUT"); text != "" {
		milliseconds, err := strconv.Atoi(text)
		if err != nil || milliseconds <= 0 {
			return nil, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT: must be a number of milliseconds above zero")
		}
		r.timeout = time.Duration(milliseconds) * time.Millisecond
	}
	return r, nil
}

// endpoint returns the URL for traces: the one for traces unaltered, or the one for all signals with the path that
// the specification adds.
func endpoint(getenv func(string) string) (string, error) {
	name, path := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
	text := getenv(name)
	if text == "" {
		name, path = "OTEL_EXPORTER_OTLP_ENDPOINT", "v1/traces"
		text = cmp.Or(getenv(name), "http://localhost:4318")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", fmt.Errorf("%s: must be an http or https address", name)
	}
	if path != "" {
		u = u.JoinPath(path)
	}
	return u.String(), nil
}

// headers parses name=value,name=value. Values are escaped as in a URL.
func headers(text string) (http.Header, error) {
	header := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if !found || err != nil || strings.TrimSpace(name) == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: must be of the form name=value,name=value")
		}
		header.Set(strings.TrimSpace(name), value)
	}
	return header, nil
}
