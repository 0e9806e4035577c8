package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// parseServers reads the list of a model's servers.
func parseServers(name string, node *yaml.Node) ([]*block, error) {
	var servers []*block
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		return nil, atLine(node, "%s must be a list of servers", name)
	}
	for i, item := range node.Content {
		server, err := parseBlock(fmt.Sprintf("%s[%d]", name, i+1), item)
		if err != nil {
			return nil, err
		}
		if server.servers != nil || server.fallback != nil || server.price != nil || server.images != nil ||
			server.description != "" {
			return nil, server.failure("servers, fallback, price, images and description are settings of the model around it")
		}
		servers = append(servers, server)
	}
	return servers, nil
}

// applyServers applies the block to the server or the servers of u. The block's own list replaces the one of u.
func (b *block) applyServers(u *Upstream) error {
	inherited := u.Servers
	u.Servers = nil
	b.change(u)
	if b.servers == nil {
		for _, server := range inherited {
			b.change(&server.Upstream)
			u.Servers = append(u.Servers, server)
		}
		return b.check(*u)
	}
	around := *u
	around.Fallback = nil
	for _, server := range b.servers {
		one, err := server.applyAsServer(around)
		if err != nil {
			return err
		}
		u.Servers = append(u.Servers, Server{Upstream: one, Weight: max(server.weight, 1)})
	}
	u.takeFirst()
	return nil
}

// takeFirst sets the server fields of u to those of its first server.
func (u *Upstream) takeFirst() {
	first := u.Servers[0].Upstream
	first.Description, first.Images, first.Price = u.Description, u.Images, u.Price
	first.Servers, first.Fallback = u.Servers, u.Fallback
	*u = first
}

// applyAsServer returns one of the servers of the model around it. The server inherits the model's settings. If its
// address differs, it gets neither the key nor the headers, which may hold one.
func (b *block) applyAsServer(around Upstream) (Upstream, error) {
	u := around
	u.Description, u.Images, u.Price = "", false, nil
	if b.baseURL != "" && b.baseURL != around.BaseURL {
		u.BaseURL, u.APIKey, u.Headers = b.baseURL, "", nil
	}
	b.change(&u)
	if u.BaseURL == "" || u.Builtin() {
		return Upstream{}, b.failure("base_url is missing: the address of the server")
	}
	return u, b.check(u)
}
