package publicapi

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// rawServer gives each connection the bytes that respond writes after its first request.
func rawServer(t *testing.T, respond func(io.Writer)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				if _, err := connection.Read(make([]byte, 65_536)); err == nil {
					respond(connection)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// forever writes a text until the client goes away. A client that reads more than this has no limit.
func forever(w io.Writer, text string, pause time.Duration) {
	for sent := 0; sent < 400_000_000; sent += len(text) {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

func TestWhatNeverEnds(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	for name, respond := range map[string]func(io.Writer){
		"body slowly":       func(w io.Writer) { io.WriteString(w, head+"\r\n"); forever(w, " ", 20*time.Millisecond) },
		"fields slowly":     func(w io.Writer) { io.WriteString(w, head); forever(w, "A: b\r\n", 20*time.Millisecond) },
		"fields":            func(w io.Writer) { io.WriteString(w, head); forever(w, strings.Repeat("A: b\r\n", 1000), 0) },
		"status line":       func(w io.Writer) { forever(w, strings.Repeat("H", 65_536), 0) },
		"interim responses": func(w io.Writer) { forever(w, "HTTP/1.1 103 Early Hints\r\n\r\n", 0) },
		"silence":           func(w io.Writer) { time.Sleep(3 * time.Second) },
	} {
		name, respond := name, respond
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := Options{BaseURL: rawServer(t, respond), Timeout: 2 * time.Second, MaxRetries: -1}
			client, err := NewClient(options)
			if err != nil {
				t.Fatal(err)
			}
			var lost *ConnectionError
			if _, err = client.GetUnverified(context.Background(), "/", ""); !errors.As(err, &lost) || lost.Final {
				t.Errorf("expected a ConnectionError that is not final, found %v", err)
			}
		})
	}
}

func TestInterimResponsesAreSkipped(t *testing.T) {
	origin := rawServer(t, func(w io.Writer) {
		io.WriteString(w, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
	})
	client, err := NewClient(Options{BaseURL: origin})
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.GetUnverified(context.Background(), "/", "")
	if err != nil || response.Status != 200 || string(response.Body) != "{}" {
		t.Errorf("found %+v, %v", response, err)
	}
}

func TestTheTargetIsSentAsItIs(t *testing.T) {
	var found []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		found = append(found, request.RequestURI)
	}))
	defer server.Close()
	client, err := NewClient(Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{"/a/%2e%2E/b?x=%7e&&y", "/?", "/a//b"}
	for _, target := range targets {
		if _, err := client.GetUnverified(context.Background(), target, ""); err != nil {
			t.Error(target, err)
		}
	}
	if strings.Join(found, " ") != strings.Join(targets, " ") {
		t.Errorf("expected %q, found %q", targets, found)
	}
	for _, target := range []string{"", "a", "@b/", ".b/", ":1/", "/ ", "/\r\nA: b", "/#a", "/\u0e01", "/?a b", "/?\u0e01"} {
		if _, err := client.GetUnverified(context.Background(), target, ""); err == nil {
			t.Errorf("%q: expected an error", target)
		}
	}
	if len(found) != len(targets) {
		t.Errorf("a refused target was sent: %q", found[len(targets):])
	}
}

func TestAValueLeadsToNoOtherPath(t *testing.T) {
	for value, expected := range map[string]string{
		"VS-0001": "/api/v1/versions/VS-0001", "a b/\u0e01?": "/api/v1/versions/a%20b/%E0%B8%81%3F",
		"": "", "..": "", "../status": "", "a/../b": "", "./a": "",
	} {
		found, err := pathWith(readPaths["versionById"], value, false)
		if found != expected || (err == nil) != (expected != "") {
			t.Errorf("%q: expected %q, found %q, %v", value, expected, found, err)
		}
	}
	if found, err := pathWith(readPaths["preview"], "", true); err != nil || found != "/api/v1/preview" {
		t.Errorf("found %q, %v", found, err)
	}
}

func TestLittleOfAnErrorIsRead(t *testing.T) {
	for field, expected := range map[string]int{"": maxErrorBytes, "X-SVC-Signature: a\r\n": 0} {
		field := field
		origin := rawServer(t, func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 500 x\r\n"+field+"\r\n")
			forever(w, strings.Repeat("{},", 20_000), 0)
		})
		client, err := NewClient(Options{BaseURL: origin, MaxRetries: -1})
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.GetUnverified(context.Background(), "/", "")
		var lost *ConnectionError
		if expected > 0 && (err != nil || len(response.Body) != expected) {
			t.Errorf("found %v", err)
		}
		if expected == 0 && (!errors.As(err, &lost) || !lost.Final) {
			t.Errorf("expected a final ConnectionError, found %v", err)
		}
	}
}

// The data are verified, whatever they are: the other clients return them as well.
func TestDataOfAnotherTypeIsAWarning(t *testing.T) {
	for state, expected := range map[string]string{"null": "SCHEMA: data.state: ", "5": "SCHEMA: data.state: ", `"a"`: ""} {
		client, err := NewClient(Options{BaseURL: "https://api.example.org", Base: roundTrip(
			func(request *http.Request) (*http.Response, error) {
				data := `{"state":` + state + `}`
				if strings.HasSuffix(request.URL.Path, "signing-key") {
					x := base64.RawURLEncoding.EncodeToString(ed25519.NewKeyFromSeed(vectorSeed)[32:])
					data = `{"keys":[{"jwk":{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}}]}`
				}
				return signedHere(time.Now().UTC(), request.URL.RequestURI(), data), nil
			})})
		if err != nil {
			t.Fatal(err)
		}
		status, err := client.Status(context.Background())
		if err != nil || !strings.HasPrefix(strings.Join(status.Warnings, "; "), expected) ||
			(expected == "") != (len(status.Warnings) == 0) {
			t.Errorf("%s: found %+v, %v", state, status, err)
		}
	}
}

func TestOrigins(t *testing.T) {
	for base, expected := range map[string]string{
		"https://api.example.org/":       "https://api.example.org",
		"HTTPS://API.Example.org:443":    "https://api.example.org",
		"http://a:80":                    "http://a",
		"http://a:443":                   "http://a:443",
		"http://[2001:DB8::1]:8080":      "http://[2001:db8::1]:8080",
		"http://[2001:db8::80]":          "http://[2001:db8::80]",
		"":                               "",
		"a":                              "",
		"ftp://a":                        "",
		"https://":                       "",
		"https://:1":                     "",
		"https://a/b":                    "",
		"https://a?b":                    "",
		"https://a?":                     "",
		"https://a#b":                    "",
		"https://user:secret@a":          "",
		"https://a:b":                    "",
		"https://[::1":                   "",
		"https://a\\b":                   "",
		"https://user:secret@a\r\nB: c/": "",
	} {
		client, err := NewClient(Options{BaseURL: base})
		switch {
		case expected == "" && err == nil:
			t.Errorf("%q: expected an error, found %s", base, client.Origin())
		case expected == "" && strings.Contains(err.Error(), "secret"):
			t.Errorf("%q is quoted: %v", base, err)
		case expected != "" && (err != nil || client.Origin() != expected):
			t.Errorf("%q: expected %s, found %v", base, expected, err)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for name, options := range map[string]Options{
		"no pin":       {PinnedKeyIDs: []string{}},
		"short pin":    {PinnedKeyIDs: []string{"a"}},
		"API key":      {APIKey: "a\r\nB: c"},
		"MaxAge":       {MaxAge: -1},
		"Timeout":      {Timeout: -1},
		"MaxBodyBytes": {MaxBodyBytes: -1},
		"MaxMirrorAge": {MaxMirrorAge: -1},
		"no mirror":    {Mirrors: []string{"copy.example.net"}},
		"query":        {Mirrors: []string{"https://copy.example.net/?a"}},
	} {
		options.BaseURL = "https://api.example.org"
		if _, err := NewClient(options); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for text, expected := range map[string]time.Duration{
		"":                              -1,
		"soon":                          -1,
		"-5":                            -1,
		"7":                             7 * time.Second,
		"Sun, 22 Nov 2026 00:00:09 GMT": 9 * time.Second,
		"Sun, 22 Nov 2020 00:00:09 GMT": -1,
	} {
		if found := retryAfter(text, now); found != expected {
			t.Errorf("%q: expected %v, found %v", text, expected, found)
		}
	}
	// Not a wait of the client's choice: the service asked for more than any limit.
	if found := retryAfter("99999999999999999999", now); found < 24*time.Hour {
		t.Errorf("found %v", found)
	}
}

// A call waits for the key document that another call loads only as long as its own context allows.
func TestAContextEndsTheWaitForKeys(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(started) })
		<-release
	}))
	defer server.Close()
	defer close(release)
	keys, err := NewKeys(Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	slow, cancelSlow := context.WithCancel(context.Background())
	defer cancelSlow()
	go func() { _, _ = keys.Current(slow) }()
	<-started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := keys.Current(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("expected context.Canceled, found %v", err)
	}
}

type closing struct {
	io.Reader
	isClosed bool
}

func (c *closing) Close() error {
	c.isClosed = true
	return nil
}

// http.RoundTripper has to close the body of a request even if it sends none.
func TestTransportClosesTheBodyOfARefusedRequest(t *testing.T) {
	keys, err := NewKeys(Options{BaseURL: "https://api.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range []*Transport{{}, {Keys: keys}} {
		body := &closing{Reader: strings.NewReader("{}")}
		request, err := http.NewRequest(http.MethodPost, "https://other.example.org/api/v1/time", body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(request); err == nil || !body.isClosed {
			t.Errorf("expected an error and a closed body, found %v and %v", err, body.isClosed)
		}
	}
}

func TestTargetBeginsWithSlash(t *testing.T) {
	for rest, target := range map[string]string{"": "/", "?x": "/?x", "/a?": "/a?", "//a#b": "//a", "#/a": "/"} {
		if found := TargetOf("https://api.example.org" + rest); found != target {
			t.Errorf("%q: found %q, expected %q", rest, found, target)
		}
	}
}
