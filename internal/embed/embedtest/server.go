// Package embedtest has an embeddings server. Its vectors follow the meaning of a few words.
package embedtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// DefaultDimension is the dimension of the vectors unless a test sets another.
const DefaultDimension = 32

// meanings are words that share a direction.
var meanings = [][]string{
	{"cost", "price", "fare", "euros", "expensive", "票价", "费用", "多少钱"},
	{"boat", "ferry", "ship", "渡轮"},
	{"dog", "dogs", "pets", "animals", "宠物"},
	{"doctor", "physician", "clinic", "医生"},
	{"rain", "storm", "weather", "天气"},
}

// Server is an embeddings server. Its fields may be set before requests, under Lock.
type Server struct {
	sync.Mutex
	// URL is its address, with /v1.
	URL string
	// Dimension is the dimension of the vectors.
	Dimension int
	// Handle, if not nil, responds instead. It returns false to leave a request to the server.
	Handle func(w http.ResponseWriter, r *http.Request, texts []string) bool

	batches [][]string
	models  []string
	keys    []string
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{Dimension: DefaultDimension}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Respond sets Handle.
func (s *Server) Respond(handle func(w http.ResponseWriter, r *http.Request, texts []string) bool) {
	s.Lock()
	defer s.Unlock()
	s.Handle = handle
}

// SetDimension sets the dimension of further vectors.
func (s *Server) SetDimension(n int) {
	s.Lock()
	defer s.Unlock()
	s.Dimension = n
}

// Batches returns the texts of all requests.
func (s *Server) Batches() [][]string {
	s.Lock()
	defer s.Unlock()
	return append([][]string(nil), s.batches...)
}

// Last returns the model and the Authorization header of the last request.
func (s *Server) Last() (model, authorization string) {
	s.Lock()
	defer s.Unlock()
	if len(s.models) == 0 {
		return "", ""
	}
	return s.models[len(s.models)-1], s.keys[len(s.keys)-1]
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if r.URL.Path != "/v1/embeddings" || json.NewDecoder(r.Body).Decode(&request) != nil {
		http.Error(w, "no such path", http.StatusNotFound)
		return
	}
	s.Lock()
	s.batches = append(s.batches, request.Input)
	s.models, s.keys = append(s.models, request.Model), append(s.keys, r.Header.Get("Authorization"))
	handle, dimension := s.Handle, s.Dimension
	s.Unlock()
	if handle != nil && handle(w, r, request.Input) {
		return
	}
	Write(w, request.Input, dimension)
}

// Write writes the vectors of texts as a response.
func Write(w http.ResponseWriter, texts []string, dimension int) {
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	items := make([]item, len(texts))
	for i, text := range texts {
		items[i] = item{"embedding", i, Vector(text, dimension)}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": items})
}

// Vector returns the vector of a text. Words with the same meaning have the same direction. Others have a small part in
// one of a few more.
func Vector(text string, dimension int) []float64 {
	vector := make([]float64, dimension)
	vector[dimension-1] = 0.01 // a text without words has a direction too
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		if at := meaning(word); at >= 0 {
			vector[at] += 1
			continue
		}
		hash := fnv.New32a()
		_, _ = fmt.Fprint(hash, word)
		vector[len(meanings)+int(hash.Sum32())%(dimension-len(meanings))] += 0.1
	}
	return vector
}

func meaning(word string) int {
	for at, words := range meanings {
		for _, known := range words {
			if word == known || known[0] >= 0x80 && strings.Contains(word, known) {
				return at
			}
		}
	}
	return -1
}
