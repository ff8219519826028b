package publicapi

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"time"
)

// Keys are the signing keys of one service, loaded when first needed and again when they may have changed. They are safe
// for concurrent use.
type Keys struct {
	origin string
	fetch  func(ctx context.Context, target string) (*Response, error)
	pinned []string
	maxAge *time.Duration
	now    func() time.Time

	// loading has room for one: who loads the key document. Others wait for it as long as their context allows.
	loading chan struct{}
	// mutex guards the fields below.
	mutex   sync.Mutex
	trusted []string
	held    []*Key
	// loadedAt is when the key document was loaded last, or when this was tried.
	loadedAt time.Time
	// document has the held keys.
	document *Response
}

// reloadAfter is the age of a key document that may lack an announced key.
const reloadAfter = 24 * time.Hour

// orNil gives a setting whose zero value means the default.
func orNil(setting time.Duration) *time.Duration {
	if setting == 0 {
		return nil
	}
	return &setting
}

// NewKeys prepares the keys of a service. It sends nothing before they are needed.
func NewKeys(options Options) (*Keys, error) {
	connection, err := newConnection(options)
	if err != nil {
		return nil, err
	}
	return newKeys(options, connection), nil
}

func newKeys(options Options, c *connection) *Keys {
	maxAge := orNil(options.MaxAge)
	return &Keys{
		origin: c.origin,
		// Sent without the API key, so that a refusal of the key can be verified.
		fetch: func(ctx context.Context, target string) (*Response, error) {
			return withRetries(ctx, c.retries, func() (*Response, error) { return c.get(ctx, target, nil) })
		},
		pinned:  options.PinnedKeyIDs,
		trusted: options.PinnedKeyIDs,
		maxAge:  maxAge,
		now:     c.now,
		loading: make(chan struct{}, 1),
	}
}

// Current gives the keys that were loaded last, and loads them the first time. Without pins, it loads them each day: a key
// that was announced is then known before it signs.
func (k *Keys) Current(ctx context.Context) ([]*Key, error) {
	known := k.loaded()
	if known != nil && !k.mayMissAnnouncement() {
		return known, nil
	}
	newest, err := k.loadAfter(ctx, known, func() ([]*Key, error) {
		keys, err := k.load(ctx, readPaths["signingKey"])
		if mayBeNewKey(err) {
			keys, err = k.load(ctx, freshTarget(readPaths["signingKey"]))
		}
		return keys, err
	})
	if err != nil && known != nil {
		// Without a newer document, the known keys stay in use.
		return known, nil
	}
	return newest, err
}

func (k *Keys) mayMissAnnouncement() bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return len(k.pinned) == 0 && k.now().Sub(k.loadedAt) > reloadAfter
}

func (k *Keys) loaded() []*Key {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.held
}

// loadAfter loads the key document, unless another call has loaded one since the known keys.
func (k *Keys) loadAfter(ctx context.Context, known []*Key, load func() ([]*Key, error)) ([]*Key, error) {
	select {
	case k.loading <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.loading }()
	if keys := k.loaded(); len(keys) > 0 && (len(known) == 0 || &keys[0] != &known[0]) {
		return keys, nil
	}
	return load()
}

// Verify is VerifyResponse with these keys. If no known key matches, the key document is loaded once more.
func (k *Keys) Verify(ctx context.Context, response *Response) (*VerifiedResponse, error) {
	known, err := k.Current(ctx)
	if err != nil {
		return nil, err
	}
	verified, err := VerifyResponse(response, k.expectations(known))
	if !mayBeNewKey(err) {
		return verified, err
	}
	renewed, failure := k.loadAfter(ctx, known, func() ([]*Key, error) {
		return k.load(ctx, freshTarget(readPaths["signingKey"]))
	})
	if isOutage(failure) {
		// A response was received and does not verify: that is not an outage.
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	return VerifyResponse(response, k.expectations(renewed))
}

func (k *Keys) expectations(keys []*Key) Expectations {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return Expectations{Keys: keys, PinnedKeyIDs: k.trusted, Now: k.now(), MaxAge: k.maxAge}
}

func (k *Keys) load(ctx context.Context, target string) ([]*Key, error) {
	k.mutex.Lock()
	k.loadedAt = k.now()
	k.mutex.Unlock()
	document, err := k.fetch(ctx, target)
	if err != nil {
		return nil, err
	}
	keys, err := VerifyKeyDocument(document, k.expectations(nil))
	if err != nil {
		return nil, err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	// Without pins, a document signed by a trusted key extends the trust, so an announced key can take over.
	if len(k.pinned) == 0 {
		trusted := append([]string(nil), k.trusted...)
		for _, key := range keys {
			if !contains(trusted, key.ID) {
				trusted = append(trusted, key.ID)
			}
		}
		k.trusted = trusted
	}
	k.held, k.document = keys, document
	return keys, nil
}

func contains(texts []string, text string) bool {
	for _, each := range texts {
		if each == text {
			return true
		}
	}
	return false
}

// mayBeNewKey reports whether a newer key document may resolve an error, because a cache may have an old one.
func mayBeNewKey(err error) bool {
	var failure *VerificationError
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Code {
	case "SIGNATURE", "REVALIDATION", "UNKNOWN_KEY", "KEY_PERIOD":
		return true
	}
	return false
}

// freshTarget adds a random parameter that bypasses every cache; the signature covers it.
func freshTarget(target string) string {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		panic(err)
	}
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	return target + separator + "fresh=" + base64.RawURLEncoding.EncodeToString(nonce)
}
