package main

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/doctor"
	"parley/internal/metrics"
	"parley/internal/webpage"
	"parley/internal/websearch"
)

// checkSearch runs one search and reads the pages in its results.
func checkSearch(ctx context.Context, settings *config.Settings) []doctor.Check {
	const name = "web search"
	engine, err := connect.NewSearch(settings)
	if err != nil {
		return []doctor.Check{doctor.Failed(name, err, "check the PARLEY_SEARCH_ settings")}
	}
	if engine == nil {
		return []doctor.Check{{Name: name, Status: doctor.OK, Detail: "not set up"}}
	}
	searching, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	results, err := connect.TrySearch(searching, engine)
	if err != nil {
		return []doctor.Check{
			doctor.Failed(name, err, "check the PARLEY_SEARCH_ settings, and that the service can be reached"),
		}
	}
	detail := fmt.Sprintf("%s responds, with %d results", strings.ToLower(connect.SearchName(settings)), len(results))
	return []doctor.Check{{Name: name, Status: doctor.OK, Detail: detail}, checkPages(ctx, settings, results)}
}

// checkPages reads the pages in the results of a search. If none can be read, this is not a problem: some sites
// refuse it.
func checkPages(ctx context.Context, settings *config.Settings, results []websearch.Result) doctor.Check {
	check := doctor.Check{Name: "web pages", Status: doctor.OK}
	if settings.Search.Pages == 0 {
		check.Detail = "not read: PARLEY_SEARCH_READ is 0"
		return check
	}
	readers, err := newReaders(settings, settings.Search.Pages, nil)
	if err != nil {
		return doctor.Failed(check.Name, err, "")
	}
	defer readers.Close()
	pages := webpage.New(webpage.Config{
		Documents: readers, Metrics: metrics.New(), UserAgent: "Parley/" + version,
		Pages: settings.Search.Pages, Allowed: settings.Search.Allowed, Searches: 1, Readers: settings.Search.Pages,
	})
	addresses := make([]string, 0, settings.Search.Pages)
	for _, result := range results[:min(len(results), settings.Search.Pages)] {
		addresses = append(addresses, result.URL)
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	read := 0
	for _, text := range pages.Read(ctx, 0, addresses) {
		if text != "" {
			read++
		}
	}
	check.Detail = fmt.Sprintf("%d of the first %d pages of that search can be read", read, len(addresses))
	if read == 0 && len(addresses) > 0 {
		check.Status = doctor.Warning
		check.Advice = "replies have the snippets only: allow connections to the ports 80 and 443 of public addresses, " +
			"which do not go through a proxy, or set PARLEY_SEARCH_READ to 0"
	}
	return check
}
