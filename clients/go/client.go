package publicapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Maximum number of responses stored for revalidation: every endpoint once, and some versions.
const maxStored = 64

// A Client reads a service and verifies every response. It is safe for concurrent use.
type Client struct {
	// Keys of the service.
	Keys       *Keys
	connection *connection
	copies     *copies
	apiKey     string

	// wait ends early with the error of the context.
	wait func(context.Context, time.Duration) error

	mutex  sync.Mutex
	stored map[string]*Verified[json.RawMessage]
	order  []string
}

// Verified data with its proof.
type Verified[T any] struct {
	// Data of the envelope, or the whole document if it has no envelope.
	Data T
	// ETag of the data, computed from it.
	ETag string
	// KeyID is the RFC 7638 ID of the key that signed it last.
	KeyID string
	// ProvedAt is when the data was last signed as current.
	ProvedAt time.Time
	// RequestID is for questions to the operator. Empty for openapi.json, which has no envelope.
	RequestID string
	// RateLimit is the quota of the API key; nil without one.
	RateLimit *RateLimit
	// Response is the signed response. From a mirror, it is that of the newest version.
	Response *Response
	// Source is "origin", "mirror" or "store".
	Source string
	// AgeSeconds from ProvedAt to the read.
	AgeSeconds int64
	// Warnings name what does not match in header fields that are not signed, copies that were passed over, and members of
	// the data that do not have the type of the schema: "CODE: detail".
	Warnings []string
	raw      json.RawMessage
}

// A RateLimit is the quota of an API key. The signature does not cover it.
type RateLimit struct {
	Limit        int
	Remaining    int
	ResetSeconds int
}

// A ReadOption changes one read.
type ReadOption func(*readSettings)

type readSettings struct{ isFresh, isWithoutCopies bool }

// Fresh requests a response that is created for this read: a random query parameter bypasses every cache, and the
// signature covers it.
func Fresh() ReadOption { return func(s *readSettings) { s.isFresh = true } }

// WithoutCopies gives the error of a service that is away, and reads no copy.
func WithoutCopies() ReadOption { return func(s *readSettings) { s.isWithoutCopies = true } }

// NewClient prepares a client. It sends nothing before the first call.
func NewClient(options Options) (*Client, error) {
	connection, err := newConnection(options)
	if err != nil {
		return nil, err
	}
	for _, letter := range options.APIKey {
		if letter < '!' || letter > '~' {
			return nil, errors.New("APIKey: expected visible ASCII")
		}
	}
	keys := newKeys(options, connection)
	stored := map[string]*Verified[json.RawMessage]{}
	copies := &copies{
		mirrors: connection.mirrors, maxAge: options.MaxMirrorAge, folder: options.Store, keys: keys, connection: connection,
	}
	return &Client{Keys: keys, connection: connection, copies: copies, apiKey: options.APIKey, wait: sleep, stored: stored}, nil
}

// Origin of the service.
func (c *Client) Origin() string { return c.connection.origin }

// Get reads any target and verifies the response. The error unwraps to a *VerificationError, an *APIError, a
// *ConnectionError, a *TargetError or a *CopyError. No copy replaces a fresh response.
func (c *Client) Get(ctx context.Context, target string, options ...ReadOption) (*Verified[json.RawMessage], error) {
	var settings readSettings
	for _, set := range options {
		set(&settings)
	}
	asked := target
	if settings.isFresh {
		asked = freshTarget(target)
	}
	var renewal *Response
	result, err := withRetries(ctx, c.connection.retries, func() (*Verified[json.RawMessage], error) {
		attempted, by, err := c.attempt(ctx, asked)
		renewal = by
		return attempted, err
	})
	if err != nil {
		if !settings.isFresh {
			if refetched, later := c.refetch(ctx, target, err); refetched != nil || later != nil {
				return refetched, later
			}
		}
		if settings.isFresh || settings.isWithoutCopies || !isOutage(err) || ctx.Err() != nil {
			return nil, err
		}
		return c.copies.read(ctx, target, err)
	}
	aged := *result
	aged.Source, aged.AgeSeconds = "origin", c.connection.ageSeconds(result.ProvedAt)
	if !settings.isFresh && c.store(target, result) {
		warnings := c.copies.save(target, result, renewal)
		aged.Warnings = append(append([]string(nil), result.Warnings...), warnings...)
	}
	return &aged, nil
}

// refetch gives what the service itself says now in place of an old response of a cache; nil if that is not the case.
func (c *Client) refetch(ctx context.Context, target string, err error) (*Verified[json.RawMessage], error) {
	var fault *VerificationError
	if !errors.As(err, &fault) || fault.Code != "STALE" {
		return nil, nil
	}
	refetched, _, later := c.attempt(ctx, freshTarget(target))
	if later != nil {
		// While the service is away, the error of the first response says more.
		if ctx.Err() == nil && isOutage(later) {
			return nil, nil
		}
		return nil, later
	}
	aged := *refetched
	aged.Source, aged.AgeSeconds = "origin", c.connection.ageSeconds(refetched.ProvedAt)
	aged.Warnings = append(append([]string(nil), refetched.Warnings...), "REFETCHED: a cache on the way kept "+target+" for too long")
	return &aged, nil
}

// GetUnverified gives the response to a GET, unverified. Failures of the connection are retried. ifNoneMatch may be
// empty.
func (c *Client) GetUnverified(ctx context.Context, target, ifNoneMatch string) (*Response, error) {
	return withRetries(ctx, c.connection.retries, func() (*Response, error) {
		return c.connection.get(ctx, target, c.header(ifNoneMatch))
	})
}

// read decodes the data of a response into its generated type.
func read[T any](ctx context.Context, c *Client, target string, options []ReadOption) (*Verified[T], error) {
	raw, err := c.Get(ctx, target, options...)
	if err != nil {
		return nil, err
	}
	result := &Verified[T]{
		ETag: raw.ETag, KeyID: raw.KeyID, ProvedAt: raw.ProvedAt,
		RequestID: raw.RequestID, RateLimit: raw.RateLimit, Response: raw.Response,
		Source: raw.Source, AgeSeconds: raw.AgeSeconds, Warnings: raw.Warnings, raw: raw.Data,
	}
	for _, mistake := range decode(raw.Data, &result.Data) {
		result.Warnings = append(result.Warnings[:len(result.Warnings):len(result.Warnings)], "SCHEMA: "+mistake)
	}
	return result, nil
}

func (c *Client) header(ifNoneMatch string) http.Header {
	header := http.Header{}
	if c.apiKey != "" {
		header.Set("Authorization", "Bearer "+c.apiKey)
	}
	if ifNoneMatch != "" {
		header.Set("If-None-Match", ifNoneMatch)
	}
	return header
}

// store keeps a result for revalidation, and reports whether it is new.
func (c *Client) store(target string, result *Verified[json.RawMessage]) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	isNew := c.stored[target] != result
	if _, isStored := c.stored[target]; !isStored {
		c.order = append(c.order, target)
		if len(c.order) > maxStored {
			delete(c.stored, c.order[0])
			c.order = c.order[1:]
		}
	}
	c.stored[target] = result
	return isNew
}

// attempt gives the result, and the 304 that renewed it.
func (c *Client) attempt(ctx context.Context, target string) (*Verified[json.RawMessage], *Response, error) {
	c.mutex.Lock()
	before := c.stored[target]
	c.mutex.Unlock()
	if before != nil {
		response, err := c.connection.get(ctx, target, c.header(before.ETag))
		if err != nil {
			return nil, nil, err
		}
		if response.Status != http.StatusNotModified {
			result, err := c.resultOf(ctx, response)
			return result, nil, err
		}
		renewed, err := c.renewed(ctx, before, response)
		if renewed == before {
			response = nil
		}
		if renewed != nil || err != nil {
			return renewed, response, err
		}
	}
	response, err := c.connection.get(ctx, target, c.header(""))
	if err != nil {
		return nil, nil, err
	}
	result, err := c.resultOf(ctx, response)
	return result, nil, err
}

// renewed gives the stored response, if the 304 proves it or it is still fresh; else nil.
func (c *Client) renewed(
	ctx context.Context, before *Verified[json.RawMessage], response *Response,
) (*Verified[json.RawMessage], error) {
	verified, err := c.Keys.Verify(ctx, response)
	if err == nil {
		result := *before
		result.KeyID, result.ProvedAt, result.RateLimit = verified.KeyID, verified.ProvedAt, rateLimitOf(response.Header)
		result.Warnings = verified.Warnings
		return &result, nil
	}
	// A cache may send a 304 itself, without a proof.
	var failure *VerificationError
	if !errors.As(err, &failure) {
		return nil, err
	}
	now := c.connection.now()
	fresh := check{nil, Expectations{Now: now, MaxAge: c.Keys.maxAge}}.isFresh(before.ProvedAt)
	// A clock that was set back must not make it fresh for longer.
	if !fresh || before.ProvedAt.After(now.Add(maxSkew)) {
		return nil, nil
	}
	return before, nil
}

func (c *Client) resultOf(ctx context.Context, response *Response) (*Verified[json.RawMessage], error) {
	verified, err := c.Keys.Verify(ctx, response)
	if err != nil {
		return nil, err
	}
	if refused := apiErrorOf(verified, response); refused != nil {
		return nil, refused
	}
	if verified.Data == nil {
		failure := refuse("MALFORMED", "no data; status %d", response.Status)
		failure.Response = response
		return nil, failure
	}
	return &Verified[json.RawMessage]{
		Data: verified.Data, ETag: verified.ETag, KeyID: verified.KeyID, ProvedAt: verified.ProvedAt,
		RequestID: textMember(verified, "requestId"), RateLimit: rateLimitOf(response.Header), Response: response,
		Warnings: verified.Warnings,
	}, nil
}

func textMember(verified *VerifiedResponse, name string) string {
	var text string
	if member, ok := verified.members.member(name); ok {
		_ = json.Unmarshal(member, &text)
	}
	return text
}

func apiErrorOf(verified *VerifiedResponse, response *Response) error {
	member, _ := verified.members.member("error")
	var object map[string]any
	if json.Unmarshal(member, &object) != nil {
		return nil
	}
	code, hasCode := object["code"].(string)
	message, hasMessage := object["message"].(string)
	if !hasCode || !hasMessage {
		return nil
	}
	retryable, _ := object["retryable"].(bool)
	after, _ := object["retryAfterSeconds"].(float64)
	return &APIError{
		Code: code, Message: message, Status: response.Status, Retryable: retryable, RetryAfterSeconds: after,
		RequestID: textMember(verified, "requestId"), Response: response,
	}
}

func rateLimitOf(header http.Header) *RateLimit {
	limit, err := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	remaining, err2 := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.Atoi(header.Get("X-RateLimit-Reset"))
	if err != nil || err2 != nil || err3 != nil {
		return nil
	}
	return &RateLimit{limit, remaining, reset}
}

// pathWith gives the path with a value for its parameter. Slashes separate segments. The error is a *TargetError for an
// empty value, and for one that leads to another path.
func pathWith(template, value string, mayBeEmpty bool) (string, error) {
	path := template[:strings.Index(template, "/{")]
	if value == "" && mayBeEmpty {
		return path, nil
	}
	for _, segment := range strings.Split(value, "/") {
		if value == "" || segment == "." || segment == ".." {
			return "", &TargetError{path + "/" + value}
		}
	}
	return path + "/" + strings.ReplaceAll(url.PathEscape(value), "%2F", "/"), nil
}
