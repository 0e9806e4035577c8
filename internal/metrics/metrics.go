// Package metrics counts what the service does, for Prometheus.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the counters of one server. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	refused  prometheus.Counter
	turns    *prometheus.CounterVec
	first    prometheus.Histogram
	tokens   *prometheus.CounterVec
	streams  prometheus.Gauge
	making   prometheus.Gauge
	waiting  prometheus.Gauge
	database *prometheus.HistogramVec
}

// New returns counters that stand at zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_request_seconds", Help: "Time to answer a request, by route and HTTP status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_refused_total", Help: "Requests turned away unseen since the server had no room for them.",
		}),
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_turns_total", Help: "Turns that have ended here, by outcome: done, moved (left to another process), or the error code of the API.",
		}, []string{"outcome"}),
		first: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_first_token_seconds", Help: "Time from a stored question to the first piece of its reply.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_tokens_total", Help: "Estimated tokens: prompt (given to models) and reply (made by them, thinking included).",
		}, []string{"kind"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_open_streams", Help: "Readers of replies that are connected."}),
		making:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_open_turns", Help: "Replies being made by this process."}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_waiting_sends", Help: "Sends that wait for their session's turn."}),
		database: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_database_seconds", Help: "Time that the database takes: read (a statement) and write (a transaction, its waiting and its commit included).",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"kind"}),
	}
	m.registry.MustRegister(m.requests, m.refused, m.turns, m.first, m.tokens, m.streams, m.making, m.waiting, m.database,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the counters.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts an answered request. A route that is not known has no name, so that
// made-up paths can't fill the memory.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "", "none"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Refused counts a request that was turned away unseen.
func (m *Metrics) Refused() { m.refused.Inc() }

// TurnBegan counts a reply that is being made.
func (m *Metrics) TurnBegan() { m.making.Inc() }

// FirstToken notes how long the first piece of a reply took.
func (m *Metrics) FirstToken(took time.Duration) { m.first.Observe(took.Seconds()) }

// Tokens counts tokens: "prompt" or "reply".
func (m *Metrics) Tokens(kind string, n int) { m.tokens.WithLabelValues(kind).Add(float64(n)) }

// TurnEnded counts how a reply has ended.
func (m *Metrics) TurnEnded(outcome string) {
	m.making.Dec()
	m.turns.WithLabelValues(outcome).Inc()
}

// StreamOpened counts a reader; the function it returns counts its leaving.
func (m *Metrics) StreamOpened() (closed func()) {
	m.streams.Inc()
	return m.streams.Dec
}

// SendWaits counts a send in line; the function it returns counts its turn.
func (m *Metrics) SendWaits() (over func()) {
	m.waiting.Inc()
	return m.waiting.Dec
}

// DatabaseRead notes how long a reading statement took.
func (m *Metrics) DatabaseRead(took time.Duration) {
	m.database.WithLabelValues("read").Observe(took.Seconds())
}

// DatabaseWrite notes how long a transaction took.
func (m *Metrics) DatabaseWrite(took time.Duration) {
	m.database.WithLabelValues("write").Observe(took.Seconds())
}
