package publicapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// A Transport is an http.RoundTripper that verifies every response, so that an http.Client of a program receives only
// what the service signed. It reads the whole body first. The error of an http.Client unwraps to a *VerificationError.
//
// It verifies GET and POST responses of one origin. Responses to HEAD are not signed, and neither are redirects: both
// are refused.
type Transport struct {
	// Base sends the requests. Default: http.DefaultTransport.
	Base http.RoundTripper
	// Keys of the service, made by NewKeys.
	Keys *Keys
	// MaxBodyBytes after a content coding is removed. Default: 16,000,000.
	MaxBodyBytes int64
}

// RoundTrip sends a request and verifies its response.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.refuses(request); err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, err
	}
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	response, err := base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	received, err := readResponse(request, response, orDefault(t.MaxBodyBytes, 16_000_000))
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	if received.Method == "" {
		received.Method = http.MethodGet
	}
	if _, err := t.Keys.Verify(request.Context(), received); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(received.Body))
	response.ContentLength = int64(len(received.Body))
	return response, nil
}

// refuses gives the reason not to send a request.
func (t *Transport) refuses(request *http.Request) error {
	if t.Keys == nil {
		return errors.New("publicapi.Transport: Keys is missing")
	}
	if origin, ok := originOf(request.URL); !ok || origin != t.Keys.origin {
		return errors.New("publicapi.Transport: the request is for another origin than Keys")
	}
	if target := request.URL.RequestURI(); !targetForm.MatchString(target) {
		return &TargetError{target}
	}
	return nil
}
