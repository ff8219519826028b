package publicapi

import "fmt"

// A VerificationError is a response, key, history or proof that must not be trusted. Code names the step of the check
// that failed.
//
// Codes of a response: KEY_MALFORMED, UNKNOWN_KEY, UNSIGNED, DIGEST, SIGNATURE, KEY_PERIOD, MALFORMED, FUTURE, STALE,
// REVALIDATION, and ETAG for a 304 of other data. Codes of a history: SHORTENED, REWRITTEN, BROKEN, CHANGES_FALSE, INCONSISTENT,
// UNLINKED_KEYS. Codes of a proof: also UNWITNESSED, STALE_WITNESS, LOG_MISMATCH.
type VerificationError struct {
	Code   string
	Detail string
	// Response is the response that failed; nil for a key, history or proof that was checked by itself.
	Response *Response
	// Evidence has the signed responses that prove a contradiction of the history, in the format of svc audit; nil for
	// every other error. Store it: it is the only copy.
	Evidence []byte
}

func (e *VerificationError) Error() string { return e.Code + ": " + e.Detail }

func refuse(code, format string, values ...any) *VerificationError {
	return &VerificationError{Code: code, Detail: fmt.Sprintf(format, values...)}
}

// An APIError is a refusal that the service signed. Code is one of the API's error catalog.
type APIError struct {
	Code    string
	Message string
	// Status is the HTTP status.
	Status int
	// Retryable reports whether the same request may succeed later.
	Retryable bool
	// RetryAfterSeconds is 0 if the service does not state it.
	RetryAfterSeconds float64
	// RequestID is for questions to the operator.
	RequestID string
	Response  *Response
}

func (e *APIError) Error() string { return e.Code + ": " + e.Message }

// A CopyError means that the service is away and its copies cannot replace it. Code is NO_COPY for data that is not a
// published resource, STALE_COPY for a copy older than the maximum age, or OTHER_HISTORY for one of another history than the
// version that this client verified. It unwraps to the error of the service.
type CopyError struct {
	Code   string
	Detail string
	Err    error
}

func (e *CopyError) Error() string { return e.Code + ": " + e.Detail }

func (e *CopyError) Unwrap() error { return e.Err }

// A ConnectionError means that no complete response was received.
type ConnectionError struct {
	URL string
	Err error
	// Final reports whether the same request would fail again: a redirect, or a body above the limit.
	Final bool
}

func (e *ConnectionError) Error() string { return e.URL + " not fetched: " + e.Err.Error() }

func (e *ConnectionError) Unwrap() error { return e.Err }
