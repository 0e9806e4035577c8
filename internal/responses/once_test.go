package responses

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// respond returns a call with a response.
func respond(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// key returns a key of the user.
func (w *world) key(digest string) Key { return Key{UserID: w.user, ID: "key_1", Digest: digest} }

// taken takes the key as a process does that does not renew it.
func (w *world) taken(key Key) {
	w.Helper()
	w.must(w.database.AddResponse(w.Context(), key.UserID, store.Response{
		ID: key.ID, Open: true, Digest: key.Digest, Created: w.clock.now(), Expires: w.clock.now().Add(w.keyLease),
	}))
}

func TestACallWithAKeyIsMadeOnce(t *testing.T) {
	each(t, func(w *world) {
		var calls, repeated atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				earlier, err := w.Once(w.Context(), w.key("a"), anySize, func() ([]byte, error) {
					calls.Add(1)
					return []byte("response"), nil
				})
				if string(earlier) == "response" {
					repeated.Add(1)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if calls.Load() != 1 || repeated.Load() != 3 {
			t.Errorf("%d calls, %d repeated", calls.Load(), repeated.Load())
		}
		if _, err := w.Once(w.Context(), w.key("b"), anySize, respond("")); !errors.Is(err, ErrOtherCall) {
			t.Errorf("another call with the key: %v", err)
		}
		w.clock.forward(keptFor)
		if earlier, err := w.Once(w.Context(), w.key("b"), anySize, respond("later")); earlier != nil || err != nil {
			t.Errorf("after a day: %q, %v", earlier, err)
		}
	})
}

// TestACallWithoutAResponseFreesItsKey has calls that fail, or that have too much to keep.
func TestACallWithoutAResponseFreesItsKey(t *testing.T) {
	each(t, func(w *world) {
		failed := errors.New("failed")
		for _, call := range []func() ([]byte, error){
			func() ([]byte, error) { return nil, failed },
			func() ([]byte, error) { return []byte("half"), failed },
			func() ([]byte, error) { return nil, nil },
		} {
			want := error(nil)
			if response, err := call(); response != nil || err != nil {
				want = failed
			}
			if earlier, err := w.Once(w.Context(), w.key("a"), anySize, call); earlier != nil || !errors.Is(err, want) {
				t.Errorf("got %q, %v", earlier, err)
			}
		}
		if earlier, err := w.Once(w.Context(), w.key("b"), anySize, respond("response")); earlier != nil || err != nil {
			t.Errorf("the key is not free: %q, %v", earlier, err)
		}
	})
}

func TestAnEarlierResponseIsHeldBeforeItIsLoaded(t *testing.T) {
	each(t, func(w *world) {
		_, err := w.Once(w.Context(), w.key("a"), anySize, respond("response"))
		w.must(err)
		var asked int64
		earlier, err := w.Once(w.Context(), w.key("a"), func(bytes int64) bool {
			asked = bytes
			return false
		}, respond("again"))
		if asked != int64(len("response")) || earlier != nil || !errors.Is(err, parley.ErrOverloaded) {
			t.Errorf("held %d bytes, %q, %v", asked, earlier, err)
		}
	})
}

// TestAKeyOfADeadProcessIsSoonFree makes a call with a key after the key's lease has run out.
func TestAKeyOfADeadProcessIsSoonFree(t *testing.T) {
	each(t, func(w *world) {
		w.taken(w.key("a"))
		w.clock.forward(w.keyLease)
		if earlier, err := w.Once(w.Context(), w.key("a"), anySize, respond("response")); earlier != nil || err != nil {
			t.Errorf("got %q, %v", earlier, err)
		}
	})
}

func TestWaitingForAKeyEndsWithItsRequest(t *testing.T) {
	each(t, func(w *world) {
		w.taken(w.key("a"))
		ctx, leave := context.WithCancel(w.Context())
		time.AfterFunc(onceRetry/2, leave)
		if _, err := w.Once(ctx, w.key("a"), anySize, respond("response")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestTheLeaseOfAKeyIsRenewed makes a call that lasts until its key is taken for longer.
func TestTheLeaseOfAKeyIsRenewed(t *testing.T) {
	each(t, func(w *world) {
		w.keyLease = 15 * time.Millisecond
		begun := w.clock.now()
		w.clock.forward(w.keyLease / 2)
		ctx, leave := context.WithCancel(w.Context())
		_, err := w.Once(ctx, w.key("a"), anySize, func() ([]byte, error) {
			leave() // the call goes on without its client
			w.clock.forward(w.keyLease / 2)
			after := begun.Add(w.keyLease + w.keyLease/2)
			for {
				stats, err := w.database.StatResponses(w.Context(), w.user, []string{"key_1"}, after)
				if len(stats) > 0 || err != nil {
					return []byte("response"), err
				}
			}
		})
		w.must(err)
	})
}
