package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// slowConn is a response writer. Its client takes some time for each write.
type slowConn struct {
	*httptest.ResponseRecorder
	delay    time.Duration
	deadline time.Time
	writes   []int
}

func (c *slowConn) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *slowConn) Write(p []byte) (int, error) {
	time.Sleep(c.delay)
	if time.Now().After(c.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	c.writes = append(c.writes, len(p))
	return len(p), nil
}

func TestASlowClientGetsAllPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder(), delay: 29 * time.Second}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		const size = 3*maxPiece + 5
		if n, err := w.Write(make([]byte, size)); n != size || err != nil {
			t.Errorf("%d bytes were written, %v", n, err)
		}
		if !slices.Equal(conn.writes, []int{maxPiece, maxPiece, maxPiece, 5}) {
			t.Errorf("written in pieces of %v", conn.writes)
		}
	})
}

func TestAClientThatTakesNothingIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder(), delay: 61 * time.Second}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		if n, err := w.Write(make([]byte, 2*maxPiece)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes were written, %v", n, err)
		}
	})
}

func TestEachWriteHasTheWholeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder()}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		w.WriteHeader(http.StatusOK)
		for range 100 {
			if _, err := w.Write([]byte("x")); err != nil || time.Until(conn.deadline) < 30*time.Second {
				t.Fatalf("the deadline is in %v, %v", time.Until(conn.deadline), err)
			}
			time.Sleep(7 * time.Second)
		}
	})
}

func TestAClientThatIsMuchTooSlowIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder(), delay: 29 * time.Second}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		begun := time.Now()
		n, err := w.Write(make([]byte, 100*maxPiece))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes were written at half the pace, %v", n, err)
		}
		if n < 4*maxPiece || time.Since(begun) < 2*time.Minute {
			t.Errorf("cut off after %d bytes and %v", n, time.Since(begun))
		}
	})
}

func TestAClientAtThePaceGetsALongResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder(), delay: maxPiece / writePace * time.Second}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		if n, err := w.Write(make([]byte, 100*maxPiece)); n != 100*maxPiece || err != nil {
			t.Errorf("%d bytes were written, %v", n, err)
		}
	})
}

func TestASilentStreamIsNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &slowConn{ResponseRecorder: httptest.NewRecorder()}
		w := &deadlineWriter{ResponseWriter: conn, timeout: 30 * time.Second}
		for range 100 {
			if _, err := w.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
	})
}
