package door

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/internal/store"
)

// ErrWritten is returned if a response was begun and could not be completed. The client has been told.
var ErrWritten = errors.New("the response has ended early")

// onceRetry is how often a request looks for the end of another one with its idempotency key.
const onceRetry = 200 * time.Millisecond

// once serves a request with an idempotency key once within 24 hours. Its response is stored for the requests that
// repeat it, and is completed even if the client leaves. A request that fails frees its key.
func (d *Door) once(
	w http.ResponseWriter, r *http.Request, who Caller, key string, body fields,
	serve func(w http.ResponseWriter, r *http.Request) error,
) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	keyID := fmt.Sprintf("key_%x", sha256.Sum256([]byte(r.URL.Path+"\n"+key)))
	digest := fmt.Sprintf("%x", sha256.Sum256(text))
	earlier, err := d.takeKey(r.Context(), who.UserID, keyID, digest)
	if err != nil {
		return err
	}
	if earlier != nil {
		return replay(w, earlier)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), d.maxTime)
	defer cancel()
	defer context.AfterFunc(d.working, cancel)()
	release := d.holdKey(ctx, who.UserID, keyID)
	out := &recorder{ResponseWriter: w}
	err = serve(out, r.WithContext(ctx))
	release()
	return d.settleKey(ctx, who.UserID, keyID, out, err)
}

// holdKey renews the lease of a key until release is called. If the process dies, another one can take the key soon.
func (d *Door) holdKey(ctx context.Context, userID int64, keyID string) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	renew := time.NewTicker(d.keyLease / 3)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-renew.C:
			}
			if err := d.store.ExtendResponse(ctx, userID, keyID, d.now().Add(d.keyLease)); err != nil && ctx.Err() == nil {
				d.log.ErrorContext(ctx, "renew the lease of an idempotency key", "error", err)
			}
		}
	})
	return func() {
		renew.Stop()
		cancel()
		renewing.Wait()
	}
}

// takeKey binds a key to a request and returns nil, or returns the stored response of an earlier one.
func (d *Door) takeKey(ctx context.Context, userID int64, keyID, digest string) ([]byte, error) {
	retry := time.NewTicker(onceRetry)
	defer retry.Stop()
	for {
		now := d.now()
		err := d.store.AddResponse(ctx, userID, store.Response{
			ID: keyID, Open: true, Digest: digest, Created: now, Expires: now.Add(d.keyLease),
		})
		if !errors.Is(err, store.ErrResponseTaken) {
			return nil, err
		}
		earlier, found, err := d.store.FindResponse(ctx, userID, keyID, now)
		switch {
		case err != nil:
			return nil, err
		case found && earlier.Digest != digest:
			return nil, invalid("Idempotency-Key", "was used for another request")
		case found && !earlier.Open:
			return earlier.Data, nil
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// settleKey stores a response for the requests that repeat it, or frees its key if there is none.
func (d *Door) settleKey(ctx context.Context, userID int64, keyID string, out *recorder, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var failed error
	if err == nil && !out.overflow {
		kind := out.Header().Get("Content-Type")
		data := append([]byte(kind+"\n"), out.written.Bytes()...)
		failed = d.store.FinishResponse(ctx, userID, keyID, data, d.now().Add(keptFor))
	} else {
		failed = d.store.DeleteResponse(ctx, userID, keyID)
	}
	if failed != nil {
		d.log.ErrorContext(ctx, "store the response of an idempotency key", "error", failed)
	}
	return err
}

// replay writes a stored response: the type of its content, and its content.
func replay(w http.ResponseWriter, data []byte) error {
	kind, content, _ := bytes.Cut(data, []byte("\n"))
	w.Header().Set("Content-Type", string(kind))
	_, _ = w.Write(content) // the client may have disconnected
	return nil
}

// recorder records what is written. It goes on after the client has left.
type recorder struct {
	http.ResponseWriter
	written  bytes.Buffer
	overflow bool // there is too much to store
	gone     bool
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) Write(p []byte) (int, error) {
	if r.overflow = r.overflow || r.written.Len()+len(p) > maxStored; r.overflow {
		r.written = bytes.Buffer{}
	} else {
		r.written.Write(p)
	}
	if !r.gone {
		_, err := r.ResponseWriter.Write(p)
		r.gone = err != nil
	}
	return len(p), nil
}

// FlushError is for http.ResponseController.
func (r *recorder) FlushError() error {
	if !r.gone {
		r.gone = http.NewResponseController(r.ResponseWriter).Flush() != nil
	}
	return nil
}
