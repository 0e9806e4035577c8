// Package metrics holds the Prometheus metrics of the service.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server. They are safe for concurrent use.
type Metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.HistogramVec
	refused      prometheus.Counter
	turns        *prometheus.CounterVec
	firstToken   prometheus.Histogram
	tokens       *prometheus.CounterVec
	modelTokens  *prometheus.CounterVec
	openStreams  prometheus.Gauge
	openTurns    prometheus.Gauge
	waitingSends prometheus.Gauge
	database     *prometheus.HistogramVec
	pages        *prometheus.CounterVec
	recent       recentErrors
	embeddings   *prometheus.CounterVec
}

// New returns metrics with zero values.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "parley_request_seconds",
			Help:    "Duration of requests, by route and HTTP status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_refused_total",
			Help: "Requests refused because the server was at its limit.",
		}),
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_turns_total",
			Help: "Turns that ended in this process, by outcome: " +
				"done, moved (left to another process), or the error code of the API.",
		}, []string{"outcome"}),
		firstToken: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "parley_first_token_seconds",
			Help:    "Time from a stored question to the first piece of its reply.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_tokens_total",
			Help: "Estimated tokens: prompt (sent to models) and reply (received from them, including thinking).",
		}, []string{"kind"}),
		modelTokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_model_tokens_total",
			Help: "Tokens that were counted for users, by model: input and output (including thinking).",
		}, []string{"model", "kind"}),
		openStreams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_open_streams",
			Help: "Clients that are connected to the stream of a reply.",
		}),
		openTurns: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_open_turns",
			Help: "Replies in progress in this process.",
		}),
		waitingSends: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_waiting_sends",
			Help: "Sends that wait for an earlier turn of their session.",
		}),
		pages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_pages_total",
			Help: "Web pages behind search results, by outcome: read, or why not: " +
				"forbidden, slow, busy, unreachable, refused (HTTP status), unreadable.",
		}, []string{"outcome"}),
		embeddings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_embeddings_total",
			Help: "Requests to the embeddings server, by purpose (passages of documents, or a question) " +
				"and outcome: done or failed.",
		}, []string{"purpose", "outcome"}),
		database: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_database_seconds",
			Help: "Duration of database operations: " +
				"read (a statement) and write (a transaction, including its wait and its commit).",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"kind"}),
	}
	m.registry.MustRegister(
		m.requests, m.refused, m.turns, m.firstToken, m.tokens, m.modelTokens,
		m.openStreams, m.openTurns, m.waitingSends, m.database, m.pages, m.embeddings,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.pages.WithLabelValues("read") // a metric with labels is shown from its first one on
	m.embeddings.WithLabelValues("question", "done")
	return m
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts a request. Unknown routes share one label: invented paths must not exhaust the memory.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "", "none"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Refused counts a request that was refused because the server was at its limit.
func (m *Metrics) Refused() { m.refused.Inc() }

// TurnBegan counts a reply that has begun.
func (m *Metrics) TurnBegan() { m.openTurns.Inc() }

// FirstToken records the time to the first piece of a reply.
func (m *Metrics) FirstToken(took time.Duration) { m.firstToken.Observe(took.Seconds()) }

// Tokens counts tokens. kind is "prompt" or "reply".
func (m *Metrics) Tokens(kind string, n int) { m.tokens.WithLabelValues(kind).Add(float64(n)) }

// ModelTokens counts the tokens of a call of a model. The model is one of the configured names.
func (m *Metrics) ModelTokens(model string, input, output int64) {
	m.modelTokens.WithLabelValues(model, "input").Add(float64(input))
	m.modelTokens.WithLabelValues(model, "output").Add(float64(output))
}

// Page counts a web page. The outcome is one of those of package webpage.
func (m *Metrics) Page(outcome string) { m.pages.WithLabelValues(outcome).Inc() }

// Embedding counts a request to the embeddings server, for "passages" or a "question".
func (m *Metrics) Embedding(purpose string, err error) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.embeddings.WithLabelValues(purpose, outcome).Inc()
}

// TurnEnded counts a reply that has ended.
func (m *Metrics) TurnEnded(outcome string) {
	m.openTurns.Dec()
	m.turns.WithLabelValues(outcome).Inc()
}

// StreamOpened counts an open stream until closed is called.
func (m *Metrics) StreamOpened() (closed func()) {
	m.openStreams.Inc()
	return m.openStreams.Dec
}

// SendWaits counts a waiting send until over is called.
func (m *Metrics) SendWaits() (over func()) {
	m.waitingSends.Inc()
	return m.waitingSends.Dec
}

// DatabaseRead records the duration of a read.
func (m *Metrics) DatabaseRead(took time.Duration) {
	m.database.WithLabelValues("read").Observe(took.Seconds())
}

// DatabaseWrite records the duration of a write transaction.
func (m *Metrics) DatabaseWrite(took time.Duration) {
	m.database.WithLabelValues("write").Observe(took.Seconds())
}
