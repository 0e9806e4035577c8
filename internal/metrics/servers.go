package metrics

import "github.com/prometheus/client_golang/prometheus"

// ServerState is the state of a model server.
type ServerState struct {
	Name      string
	Available bool
}

// ModelServers makes the states of the model servers a metric. states is called for every scrape. Names must be unique.
func (m *Metrics) ModelServers(states func() []ServerState) {
	m.registry.MustRegister(serverCollector{states: states, about: prometheus.NewDesc(
		"parley_model_server_available",
		"Whether a model server is expected to reply: 1, or 0 while it rests after failures or its last check failed.",
		[]string{"server"}, nil,
	)})
}

// serverCollector collects the states of the model servers.
type serverCollector struct {
	states func() []ServerState
	about  *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c serverCollector) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- c.about }

// Collect implements prometheus.Collector.
func (c serverCollector) Collect(values chan<- prometheus.Metric) {
	for _, s := range c.states() {
		value := 0.0
		if s.Available {
			value = 1
		}
		values <- prometheus.MustNewConstMetric(c.about, prometheus.GaugeValue, value, s.Name)
	}
}
