package history

import "slices"

// node is a message of a conversation with branches. Parents are ids.
type node struct {
	id, parent string
	at         int64
	message    *Message // nil if it is not shown
}

// pathTo returns the messages from the root to the node last. If there is no such node, it returns those to the newest
// message. Nodes without links are returned in their order. If there is no root, it returns errCircle.
func pathTo(nodes []node, last string) ([]Message, error) {
	byID := make(map[string]int, len(nodes))
	for i, n := range nodes {
		byID[n.id] = i
	}
	place, found := byID[last]
	if !found {
		if !linked(nodes, byID) {
			return messagesOf(nodes), nil
		}
		place = newest(nodes)
	}
	var line []node
	for range nodes {
		line = append(line, nodes[place])
		parent, found := byID[nodes[place].parent]
		if !found || parent == place {
			slices.Reverse(line)
			return messagesOf(line), nil
		}
		place = parent
	}
	return nil, errCircle
}

// linked reports whether a node has another as its parent.
func linked(nodes []node, byID map[string]int) bool {
	return slices.ContainsFunc(nodes, func(n node) bool {
		_, found := byID[n.parent]
		return found
	})
}

// newest returns the node of the newest message, of several the last one.
func newest(nodes []node) int {
	best := 0
	for i, n := range nodes {
		if nodes[best].message == nil || n.message != nil && n.at >= nodes[best].at {
			best = i
		}
	}
	return best
}

func messagesOf(nodes []node) []Message {
	messages := make([]Message, 0, len(nodes))
	for _, n := range nodes {
		if n.message != nil {
			messages = append(messages, *n.message)
		}
	}
	return messages
}
