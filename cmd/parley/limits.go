package main

import (
	"cmp"

	"parley/internal/config"
)

const (
	// defaultConnections is the limit on connections if the process may open enough files.
	defaultConnections = 16_384
	// minPerAddress is the lowest automatic limit on the connections of one address.
	minPerAddress = 100
)

// maxConnections leaves half of the file descriptors for models, the database and files. A stream needs one for its
// client and may need another for its model.
func (s *server) maxConnections() int {
	connections := defaultConnections
	if files, limited := maxOpenFiles(); limited && files/2 < uint64(connections) {
		connections = max(1, int(files/2)) //nolint:gosec // it is smaller than another int
	}
	return cmp.Or(s.settings.HTTP.MaxConnections, connections)
}

// maxConnectionsPerAddress returns 0 for no limit. By default it leaves a quarter of all connections to other
// addresses.
func (s *server) maxConnectionsPerAddress() int {
	switch limit := s.settings.HTTP.PerAddress; {
	case limit == config.NoLimit:
		return 0
	case limit > 0:
		return limit
	default:
		return max(s.maxConnections()*3/4, minPerAddress)
	}
}
