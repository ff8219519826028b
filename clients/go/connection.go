package publicapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Options of a client.
type Options struct {
	// BaseURL is the origin of the service, such as https://api.example.org.
	BaseURL string
	// PinnedKeyIDs are the IDs of the keys to trust, learned from another source than the service. Without them, the
	// client trusts the keys of the first key document, and accepts a copy of the service with its own keys. An empty
	// list that is not nil is refused, because it is hardly meant so.
	PinnedKeyIDs []string
	// APIKey is sent as a bearer token.
	APIKey string
	// MaxAge of a signature. Default: 900 seconds.
	MaxAge time.Duration
	// MaxRetries after the first attempt. Default: 2; -1 for none.
	MaxRetries int
	// MaxWait: a response that asks for a longer wait is not retried. Default: 30 seconds.
	MaxWait time.Duration
	// Timeout of one request, up to the last byte of its response. Default: 30 seconds.
	Timeout time.Duration
	// MaxBodyBytes after a content coding is removed. Default: 16,000,000.
	MaxBodyBytes int64
	// Mirrors are URLs of copies, which are read in their order while the service is away. They are not trusted.
	Mirrors []string
	// MaxMirrorAge of a copy. Default: any.
	MaxMirrorAge time.Duration
	// Store is a folder for the last verified responses, which are read after the mirrors. Default: none.
	Store string
	// Base sends the requests. Default: http.DefaultTransport.
	Base http.RoundTripper
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

type retries struct {
	max     int
	maxWait time.Duration
	now     func() time.Time
}

type connection struct {
	origin       string
	mirrors      []string
	client       http.Client
	timeout      time.Duration
	maxBodyBytes int64
	now          func() time.Time
	retries      retries
}

var keyID = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

func orDefault[T int | int64 | time.Duration](value, usual T) T {
	if value == 0 {
		return usual
	}
	return value
}

// originOf gives the one form of an origin: lower case, without a default port; false for anything else.
func originOf(base *url.URL) (string, bool) {
	scheme, host := strings.ToLower(base.Scheme), strings.ToLower(base.Host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	default:
		return "", false
	}
	host = strings.TrimSuffix(host, ":")
	return scheme + "://" + host, base.Hostname() != "" && base.User == nil
}

func newConnection(options Options) (*connection, error) {
	base, err := url.Parse(options.BaseURL)
	// The value is not quoted: it may contain a password.
	noOrigin := errors.New("BaseURL: expected an origin such as https://api.example.org")
	if err != nil || (base.Path != "" && base.Path != "/") || base.RawQuery != "" || base.ForceQuery || base.Fragment != "" {
		return nil, noOrigin
	}
	origin, ok := originOf(base)
	if !ok {
		return nil, noOrigin
	}
	if options.PinnedKeyIDs != nil && len(options.PinnedKeyIDs) == 0 {
		return nil, errors.New("PinnedKeyIDs: expected at least one, or nil to trust the keys of the service")
	}
	for _, id := range options.PinnedKeyIDs {
		if !keyID.MatchString(id) {
			return nil, errors.New("PinnedKeyIDs: expected key IDs of 43 characters")
		}
	}
	if options.MaxAge < 0 || options.MaxWait < 0 || options.Timeout < 0 || options.MaxBodyBytes < 0 {
		return nil, errors.New("MaxAge, MaxWait, Timeout, MaxBodyBytes: expected 0 or more")
	}
	if options.MaxMirrorAge < 0 {
		return nil, errors.New("MaxMirrorAge: expected 0 or more")
	}
	mirrors, err := mirrorsOf(options.Mirrors)
	if err != nil {
		return nil, err
	}
	now := options.Now
	if now == nil {
		now = time.Now
	}
	c := &connection{
		origin:       origin,
		mirrors:      mirrors,
		timeout:      orDefault(options.Timeout, 30*time.Second),
		maxBodyBytes: orDefault(options.MaxBodyBytes, 16_000_000),
		now:          now,
		retries:      retries{orDefault(options.MaxRetries, 2), orDefault(options.MaxWait, 30*time.Second), now},
	}
	c.client.Transport = options.Base
	// Another URL has another signed target and must not receive the API key.
	c.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// mirrorsOf gives the URLs of copies with a slash at their ends.
func mirrorsOf(urls []string) ([]string, error) {
	var mirrors []string
	for _, text := range urls {
		parsed, err := url.Parse(text)
		if err != nil || strings.ContainsAny(text, "?#") {
			return nil, errors.New("Mirrors: expected URLs such as https://copy.example.net/status/")
		}
		origin, ok := originOf(parsed)
		if !ok {
			return nil, errors.New("Mirrors: expected URLs such as https://copy.example.net/status/")
		}
		mirrors = append(mirrors, origin+strings.TrimRight(parsed.EscapedPath(), "/")+"/")
	}
	return mirrors, nil
}

// A TargetError is a target that cannot be sent as it is, a mistake of the caller.
type TargetError struct{ Target string }

func (e *TargetError) Error() string {
	return fmt.Sprintf("%q: expected a URL path with its query, in visible ASCII", e.Target)
}

var targetForm = regexp.MustCompile(`^/[!-"$-~]*$`)

// get sends one GET request to the service. The error is a *ConnectionError, a *TargetError, or that of the context.
func (c *connection) get(ctx context.Context, target string, header http.Header) (*Response, error) {
	return c.getURL(ctx, c.origin, target, header)
}

func (c *connection) getURL(ctx context.Context, origin, target string, header http.Header) (*Response, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, origin+target, nil)
	// The signature covers the target as sent, so a URL that Go would write otherwise could not be verified.
	if err != nil || !targetForm.MatchString(target) || request.URL.RequestURI() != target {
		return nil, &TargetError{target}
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := c.exchange(request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return response, err
}

func (c *connection) exchange(request *http.Request) (*Response, error) {
	location := request.URL.String()
	received, err := c.client.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, &ConnectionError{URL: location, Err: err}
	}
	defer received.Body.Close()
	status := received.StatusCode
	if status >= 300 && status < 400 && status != http.StatusNotModified {
		redirect := fmt.Errorf("redirects to %q", received.Header.Get("Location"))
		return nil, &ConnectionError{URL: location, Err: redirect, Final: true}
	}
	return readResponse(request, received, c.maxBodyBytes)
}

// maxErrorBytes limits the body of an error. That of an unsigned one is cut off here, because it proves nothing.
const maxErrorBytes = 65_536

// readResponse reads the body of a response.
func readResponse(request *http.Request, received *http.Response, most int64) (*Response, error) {
	isError := received.StatusCode >= 400
	if isError && most > maxErrorBytes {
		most = maxErrorBytes
	}
	body, err := readUpTo(received.Body, most)
	isCut := errors.Is(err, errTooLarge) && isError && len(missingIn(received.Header, proofFields[1:])) == 2
	if err != nil && !isCut {
		location := request.URL.String()
		return nil, &ConnectionError{URL: location, Err: err, Final: errors.Is(err, errTooLarge)}
	}
	return responseOf(request, received, body), nil
}

func responseOf(request *http.Request, received *http.Response, body []byte) *Response {
	return &Response{
		Method:      request.Method,
		Target:      request.URL.RequestURI(),
		IfNoneMatch: request.Header.Get("If-None-Match"),
		Status:      received.StatusCode,
		Header:      received.Header,
		Body:        body,
	}
}

var errTooLarge = errors.New("the body is too large")

func readUpTo(body io.Reader, most int64) ([]byte, error) {
	read, err := io.ReadAll(io.LimitReader(body, most+1))
	if int64(len(read)) > most {
		return read[:most], fmt.Errorf("%w: expected at most %d bytes", errTooLarge, most)
	}
	return read, err
}

const firstWait = 250 * time.Millisecond

// withRetries repeats an attempt while its error may pass. It waits as long as the service asked, else it doubles the
// wait.
func withRetries[T any](ctx context.Context, r retries, attempt func() (T, error)) (T, error) {
	for tries := 0; ; tries++ {
		result, err := attempt()
		wait, mayPass := r.reason(err)
		if wait < 0 {
			wait = time.Duration(float64(firstWait<<tries) * (0.5 + rand.Float64()/2))
		}
		if err == nil || !mayPass || tries >= r.max || wait > r.maxWait {
			return result, err
		}
		if err := sleep(ctx, wait); err != nil {
			return result, err
		}
	}
}

// reason reports whether an error may pass, and the time that the service asked to wait; negative for none.
func (r retries) reason(err error) (time.Duration, bool) {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return -1, !lost.Final
	}
	var refused *APIError
	if errors.As(err, &refused) {
		if refused.RetryAfterSeconds > 0 {
			seconds := math.Min(refused.RetryAfterSeconds, math.MaxInt32)
			return time.Duration(seconds * float64(time.Second)), refused.Retryable
		}
		return -1, refused.Retryable
	}
	var failure *VerificationError
	if errors.As(err, &failure) && failure.IsInconclusive() {
		return retryAfter(failure.Response.Header.Get("Retry-After"), r.now()), true
	}
	return -1, false
}

// IsInconclusive reports whether the response is an unsigned 429 or 5xx, as from a proxy: it proves nothing.
func (e *VerificationError) IsInconclusive() bool {
	return e.Code == "UNSIGNED" && e.Response != nil && e.Response.isOutage()
}

// retryAfter reads the field (RFC 9110 10.2.3): seconds, or a date. Negative if it is missing, malformed or past.
func retryAfter(text string, now time.Time) time.Duration {
	// A number out of range is the largest one, which exceeds every limit.
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return -1
}
