package torture

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

const (
	// siegeMemory is how much memory the server may take in a siege, in MB.
	siegeMemory = 400
	// siegeTime is how long an attack goes on.
	siegeTime = 20 * time.Second
)

// siege is a server under attack. Its model replies with as many bytes as the question says.
type siege struct {
	*testing.T
	server *server
	other  *client.Client // a user who has nothing to do with the attack
	page   string         // a session of the other user
}

// needsSiege skips the test unless SIEGE is set, as `make siege` does.
func needsSiege(t *testing.T) {
	t.Helper()
	if setting(t, "SIEGE", 0) == 0 {
		t.Skip("takes minutes: runs with `make siege`")
	}
}

// eachSiege runs a test with a siege of slow readers, once for each database.
func eachSiege(t *testing.T, test func(s *siege)) {
	t.Helper()
	needsSiege(t)
	testdb.Each(t, func(t *testing.T, databaseURL string) { test(newSiege(t, databaseURL, nil)) })
}

// newSiege starts a server with further settings. roots are for its certificate, if it has one.
func newSiege(t *testing.T, databaseURL string, roots *x509.CertPool, settings ...string) *siege {
	t.Helper()
	model := aitest.New(t)
	model.Respond(func(r aitest.Request) []aitest.Step {
		size, _ := strconv.Atoi(r.Question())
		steps := []aitest.Step{aitest.Text("Well. ")}
		for ; size > 0; size -= 32 << 10 {
			steps = append(steps, aitest.Text(strings.Repeat("Words. ", min(size, 32<<10)/7)))
		}
		return append(steps, aitest.End())
	})
	s := &siege{T: t, server: launch(t, append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL,
		"PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=test", "PARLEY_AI_CONTEXT_TOKENS=4000"))}
	s.server.http.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	s.server.waitReady(t)
	s.other = s.user("other")
	s.page = s.session(s.other)
	for range 25 {
		s.send(s.other, s.page, 500)
	}
	return s
}

// user registers a user.
func (s *siege) user(name string) *client.Client {
	s.Helper()
	guest := s.server.guest()
	out, err := guest.Register(s.Context(), parley.RegisterInput{Email: name + "@example.com", Password: "a password"})
	must(s.T, err)
	return guest.WithToken(out.Token)
}

func (s *siege) session(c *client.Client) string {
	s.Helper()
	made, err := c.CreateSession(s.Context(), parley.CreateSessionInput{})
	must(s.T, err)
	return made.SessionID
}

// send asks for a reply of about a size and returns its id.
func (s *siege) send(c *client.Client, sessionID string, size int) string {
	s.Helper()
	out, err := c.Send(s.Context(), parley.SendInput{SessionID: sessionID, Content: strconv.Itoa(size)})
	must(s.T, err)
	if got := len(out.AIResponse.Content); got < size/2 {
		s.Fatalf("the reply has %d bytes, not %d", got, size)
	}
	return out.AIResponse.ID
}

// goOn lets the attack go on for its time, while the other user reads, writes and streams. The other user's requests
// must not fail, and the server's memory must stay within its limit.
func (s *siege) goOn(attack string) {
	s.Helper()
	served, longest := 0, time.Duration(0)
	for begun := time.Now(); time.Since(begun) < siegeTime; served++ {
		before := time.Now()
		page, err := s.other.Messages(s.Context(), s.page, parley.Page{Number: 1, Size: 50})
		must(s.T, err)
		if len(page.Messages) != 50 {
			s.Fatalf("the page has %d messages", len(page.Messages))
		}
		_, err = s.other.Sessions(s.Context(), "", parley.Page{})
		must(s.T, err)
		s.send(s.other, s.session(s.other), 500)
		stream, err := s.other.Follow(s.Context(), page.Messages[1].ID, "")
		must(s.T, err)
		_, err = stream.Wait()
		must(s.T, errors.Join(err, stream.Close()))
		longest = max(longest, time.Since(before))
	}
	peak := memory(s.T, s.server, "VmHWM")
	s.Logf("%s: %d MB at most; another user made %d rounds, the slowest took %v", attack, peak, served, longest)
	if peak > siegeMemory {
		s.Errorf("%s: the server took %d MB", attack, peak)
	}
}

// memory returns a figure of the server's memory in MB: VmRSS is the resident memory, VmHWM its peak.
func memory(t *testing.T, s *server, name string) int {
	t.Helper()
	mb, err := readMemory(s, name)
	must(t, err)
	return mb
}

// resident returns the peak of the server's resident memory in MB, or 0 if it has ended.
func resident(s *server) int {
	mb, _ := readMemory(s, "VmHWM") // an error: it has ended
	return mb
}

func readMemory(s *server, name string) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if n, _ := fmt.Sscanf(line, name+": %d kB", &kib); n == 1 {
			return kib * 1024 / 1e6, nil
		}
	}
	return 0, fmt.Errorf("there is no %s", name)
}
