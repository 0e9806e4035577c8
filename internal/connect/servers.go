package connect

import (
	"fmt"

	"parley/internal/config"
)

// Servers returns the servers of all models and their fallbacks, with names that tell them apart. It returns servers
// with the same identity once: a check would not see a difference.
func Servers(settings config.AI) []config.NamedUpstream {
	var servers []config.NamedUpstream
	names := serverNames{}
	seen := map[serverIdentity]bool{}
	for _, offer := range Offered(settings) {
		for _, server := range allServersOf(offer.Upstream) {
			if id := identityOf(server); !seen[id] {
				seen[id] = true
				servers = append(servers, config.NamedUpstream{Name: names.next(server), Upstream: server})
			}
		}
	}
	return servers
}

// serverIdentity is the part of a server's settings that a check depends on.
type serverIdentity struct {
	address config.Address
	key     config.Secret
	model   string
}

func identityOf(server config.Upstream) serverIdentity {
	return serverIdentity{server.BaseURL, server.APIKey, server.Model}
}

// allServersOf returns the servers of a model and its fallbacks. The built-in model has none.
func allServersOf(upstream config.Upstream) []config.Upstream {
	var servers []config.Upstream
	for next := &upstream; next != nil; next = next.Fallback {
		for _, one := range serversOf(*next) {
			if one.BaseURL != "" && !one.Builtin() {
				servers = append(servers, one.Upstream)
			}
		}
	}
	return servers
}

// serverNames counts how many servers share a name.
type serverNames map[string]int

// next returns the name of a server in metrics. It numbers the names because several keys may be for the same server.
func (n serverNames) next(upstream config.Upstream) string {
	name := upstream.Model + " at " + upstream.BaseURL.String()
	n[name]++
	if count := n[name]; count > 1 {
		return fmt.Sprintf("%s (%d)", name, count)
	}
	return name
}
