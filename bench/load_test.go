package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPercentileIsTheValueThatAShareDoesNotExceed(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, c := range []struct {
		all   []int
		share float64
		want  int
	}{
		{[]int{7}, 0.5, 7},
		{[]int{7}, 0.99, 7},
		{hundred, 0, 1},
		{hundred, 0.5, 51},
		{hundred, 0.99, 100},
		{hundred, 1, 100},
	} {
		if got := percentile(c.all, c.share); got != c.want {
			t.Errorf("percentile of %d values at %v is %d, not %d", len(c.all), c.share, got, c.want)
		}
	}
}

func TestMedianDoesNotMindTheOrder(t *testing.T) {
	if got := median([]float64{9, 1, 5}); got != 5 {
		t.Errorf("the median is %v", got)
	}
}

func TestAConnectionIsUsedAgainAfterAnyKindOfBody(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/empty":
		case "/chunked":
			_, _ = w.Write([]byte("one"))
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte(long))
		case "/refused":
			http.Error(w, "not today", http.StatusTeapot)
		default:
			_, _ = w.Write([]byte(r.RemoteAddr))
		}
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	c, err := dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, path := range []string{"/chunked", "/empty", "/", "/chunked", "/"} {
		if err := c.do(newRequest(http.MethodGet, path, "token", nil)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if c.in.Buffered() > 0 {
		t.Errorf("%d bytes are left", c.in.Buffered())
	}
	if body, err := fetch(t.Context(), address, newRequest(http.MethodGet, "/chunked", "", nil)); err != nil || string(body) != "one"+long {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if _, err := fetch(t.Context(), address, newRequest(http.MethodGet, "/refused", "", nil)); err == nil || !strings.Contains(err.Error(), "418: not today") {
		t.Errorf("a refusal is %v", err)
	}
}

func TestDriveCountsEveryAnswerAndEndsWithTheFirstFailure(t *testing.T) {
	var failing atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	request := func(int, int) []byte { return newRequest(http.MethodGet, "/", "", nil) }
	took, err := drive(t.Context(), server.Listener.Addr().String(), 3, 20*time.Millisecond, request)
	if err != nil || len(took) < 3 || !slices.IsSorted(took) {
		t.Errorf("%d answers, %v", len(took), err)
	}
	failing.Store(true)
	if _, err := drive(t.Context(), server.Listener.Addr().String(), 3, time.Minute, request); err == nil || !strings.Contains(err.Error(), "status 500") {
		t.Errorf("a failure is %v", err)
	}
}

func TestCPUTimeIsReadWhateverTheProgramIsCalled(t *testing.T) {
	for _, name := range []string{"parley", "a b", "x) 9 (y"} {
		stat := "42 (" + name + ") S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 8 0 1000"
		if got, err := parseCPU([]byte(stat)); err != nil || got != 2*time.Second {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	if _, err := parseCPU([]byte("42 (parley) S 1")); err == nil {
		t.Error("a short line was taken")
	}
}

func TestMemoryIsTheResidentOne(t *testing.T) {
	got, err := parseMemory([]byte("Name:\tparley\nVmHWM:\t   90000 kB\nVmRSS:\t   31250 kB\nThreads:\t9\n"))
	if err != nil || got != 32 {
		t.Errorf("%v MB, %v", got, err)
	}
	if _, err := parseMemory([]byte("Name:\tkthreadd\n")); err == nil {
		t.Error("a process without memory has some")
	}
}

func TestMomentsAreFoundInAnyLine(t *testing.T) {
	for line, want := range map[string][]int64{
		``:                                   nil,
		`data: {"message_id":"1"}`:           nil,
		`data: {"text":"sent=5 "}`:           {5},
		`data: {"text":"sent=5 sent=1767 "}`: {5, 1767},
		`data: {"text":"sent=? sent=7 "}`:    {7},
		`data: {"text":"sent="}`:             nil,
	} {
		var got []int64
		for at := range moments([]byte(line)) {
			got = append(got, at.UnixNano())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d", line, got)
		}
	}
}

func TestColumnsLineUp(t *testing.T) {
	var table table
	table.add("operation", "requests/s")
	table.add("größte", "9")
	var out bytes.Buffer
	if err := table.print(&out); err != nil {
		t.Fatal(err)
	}
	if want := "  operation  requests/s\n  größte              9\n"; out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}

func TestNumbersHaveAboutThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{0: "0.00", 0.123: "0.12", 9.876: "9.88", 12.34: "12.3", 123.4: "123", 23456: "23,456", 1234567: "1,234,567"} {
		if got := number(value); got != want {
			t.Errorf("%v is %q, not %q", value, got, want)
		}
	}
}
