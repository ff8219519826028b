package publicapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

type fallbackStep struct {
	Now, Read            string
	IsFresh, IsRestarted bool
	Network              map[string]any
	Requests             []string
	Expected             struct {
		Error, Source, ProvedAt string
		AgeSeconds              int64
		Data                    any
		Warnings                []string
	}
}

type fallbackVector struct {
	Origin                string
	PinnedKeyIDs, Mirrors []string
	MaxMirrorAgeSeconds   int
	MaxRetries            int
	HasStore              bool
	Responses             map[string]vectorResponse
	Steps                 []fallbackStep
}

// A stubNetwork responds as a step states, and lists what was asked.
type stubNetwork struct {
	vector fallbackVector
	step   fallbackStep
	asked  []string
}

var freshValue = regexp.MustCompile(`fresh=[^&]*`)

func (n *stubNetwork) RoundTrip(request *http.Request) (*http.Response, error) {
	url := freshValue.ReplaceAllString(request.URL.String(), "fresh=*")
	if !strings.Contains(url, "/keys/signing-key") || strings.HasSuffix(url, n.step.Read) {
		n.asked = append(n.asked, url)
	}
	name, _ := n.step.Network[url].(string)
	if names, isList := n.step.Network[url].([]any); isList {
		count := strings.Count(strings.Join(n.asked, " ")+" ", url+" ")
		if count > len(names) {
			count = len(names)
		}
		name = names[count-1].(string)
	}
	response, isKnown := n.vector.Responses[name]
	if !isKnown {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	}
	body := []byte{}
	if response.BodyBase64 != nil {
		body, _ = base64.StdEncoding.DecodeString(*response.BodyBase64)
	}
	return &http.Response{
		StatusCode: response.Status, Header: response.Headers.header(), Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// codeOf gives the code of an error as the vectors do.
func codeOf(err error) string {
	var unusable *CopyError
	var refused *APIError
	var failure *VerificationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &unusable):
		return unusable.Code
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, &failure):
		return failure.Code
	}
	return "CONNECTION"
}

func runFallback(t *testing.T, v fallbackVector, folder string) {
	var client *Client
	network := &stubNetwork{vector: v}
	now := time.Time{}
	for at, step := range v.Steps {
		network.step, network.asked = step, nil
		var err error
		if now, err = time.Parse(time.RFC3339, step.Now); err != nil {
			t.Fatal(err)
		}
		if client == nil || step.IsRestarted {
			options := Options{
				BaseURL: v.Origin, PinnedKeyIDs: pinsOf(v.PinnedKeyIDs), Mirrors: v.Mirrors, Base: network,
				MaxMirrorAge: time.Duration(v.MaxMirrorAgeSeconds) * time.Second,
				MaxRetries:   v.MaxRetries, Now: func() time.Time { return now },
			}
			if v.MaxRetries == 0 {
				options.MaxRetries = -1
			}
			if v.HasStore {
				options.Store = folder
			}
			if client, err = NewClient(options); err != nil {
				t.Fatal(err)
			}
		}
		var read []ReadOption
		if step.IsFresh {
			read = append(read, Fresh())
		}
		result, err := client.Get(context.Background(), step.Read, read...)
		expected := step.Expected
		if found := codeOf(err); found != expected.Error {
			t.Errorf("step %d: expected %q, found %q: %v", at, expected.Error, found, err)
			continue
		}
		if requests := distinct(network.asked); strings.Join(requests, " ") != strings.Join(step.Requests, " ") {
			t.Errorf("step %d: expected the requests %v, found %v", at, step.Requests, requests)
		}
		if err != nil {
			continue
		}
		var data any
		if err := json.Unmarshal(result.Data, &data); err != nil {
			t.Fatal(err)
		}
		provedAt := result.ProvedAt.Format("2006-01-02T15:04:05.000Z")
		areSame := len(result.Warnings) == len(expected.Warnings)
		for place, warning := range result.Warnings {
			areSame = areSame && strings.HasPrefix(warning, expected.Warnings[place])
		}
		if result.Source != expected.Source || provedAt != expected.ProvedAt || result.AgeSeconds != expected.AgeSeconds ||
			!areSame || !reflect.DeepEqual(data, expected.Data) {
			t.Errorf("step %d: expected %+v, found %+v", at, expected, result)
		}
	}
}

func distinct(texts []string) []string {
	var kept []string
	for _, text := range texts {
		if !contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

func TestFallbackVectors(t *testing.T) {
	for name, each := range readVectors[fallbackVector](t, "fallback") {
		each := each
		t.Run(name, func(t *testing.T) { runFallback(t, each, t.TempDir()) })
	}
}

func TestADamagedStoreIsNotRead(t *testing.T) {
	v := readVectors[fallbackVector](t, "fallback")["store-renewed"]
	for _, damage := range []func(string) string{
		func(text string) string { return strings.Replace(text, `"status":200`, `"status":201`, 1) },
		func(text string) string { return text[:len(text)-10] },
		func(string) string { return "{}" },
	} {
		folder := t.TempDir()
		first, last := v, v
		first.Steps = v.Steps[:1]
		runFallback(t, first, folder)
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("found %v, %v", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], []byte(damage(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		step := v.Steps[2]
		step.Expected.Error = "CONNECTION"
		last.Steps = []fallbackStep{step}
		runFallback(t, last, folder)
	}
}

// watchChain watches a signed chain. The script says which version is the newest in each request; 0 for no response.
func watchChain(t *testing.T, script []int, after *VersionEntry) ([]string, []time.Duration, error) {
	type history struct{ Entries []json.RawMessage }
	entries := readVectors[history](t, "history")["good"].Entries
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client, err := NewClient(Options{BaseURL: "https://api.example.org", MaxRetries: -1, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	client.wait = func(_ context.Context, wait time.Duration) error {
		if waits = append(waits, wait); len(script) == 0 {
			cancel()
		}
		return ctx.Err()
	}
	client.connection.client.Transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		target := request.URL.RequestURI()
		if strings.HasPrefix(target, readPaths["signingKey"]) {
			x := base64.RawURLEncoding.EncodeToString(ed25519.NewKeyFromSeed(vectorSeed)[32:])
			return signedHere(now, target, `{"keys":[{"jwk":{"crv":"Ed25519","kty":"OKP","x":"`+x+`"}}]}`), nil
		}
		at := int(target[len(target)-1] - '0')
		if target == readPaths["version"] {
			at, script = script[0], script[1:]
		}
		if at == 0 {
			return nil, errors.New("refused")
		}
		return signedHere(now, target, string(entries[at-1])), nil
	})
	var found []string
	err = client.Watch(ctx, after, func(version *Verified[VersionEntry]) error {
		found = append(found, version.Data.SnapshotID)
		return nil
	})
	return found, waits, err
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// The key of the vectors, RFC 8032 section 7.1, test 1. It is public.
var vectorSeed, _ = hex.DecodeString("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")

func signedHere(now time.Time, target, data string) *http.Response {
	body := `{"ok":true,"data":` + data + `}`
	sum := sha256.Sum256([]byte(body))
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	signedAt := now.Format("2006-01-02T15:04:05.000Z")
	text := strings.Join([]string{"svc-response-v1", "GET", target, "200", signedAt, digest}, "\n")
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(vectorSeed), []byte(text))
	header := http.Header{}
	header.Set("Content-Digest", digest)
	header.Set("X-SVC-Signed-At", signedAt)
	header.Set("X-SVC-Signature", base64.StdEncoding.EncodeToString(signature))
	header.Set("Cache-Control", "public, max-age=120")
	return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

func TestWatch(t *testing.T) {
	entry := func(change func(*VersionEntry)) *VersionEntry {
		type history struct{ Entries []json.RawMessage }
		var first VersionEntry
		decode(readVectors[history](t, "history")["good"].Entries[0], &first)
		change(&first)
		return &first
	}
	same := func(*VersionEntry) {}
	other := func(first *VersionEntry) { first.Hash = strings.Repeat("0", 64) }
	for name, each := range map[string]struct {
		script   []int
		after    *VersionEntry
		expected string
		code     string
	}{
		"each version once":    {[]int{1, 1, 3, 2, 3}, nil, "VS-0001 VS-0002 VS-0003", "CONNECTION"},
		"after a version":      {[]int{3}, entry(same), "VS-0002 VS-0003", "CONNECTION"},
		"the newest first":     {[]int{3}, nil, "VS-0003", "CONNECTION"},
		"another first":        {[]int{1}, entry(other), "", "REWRITTEN"},
		"what does not follow": {[]int{2}, entry(other), "", "BROKEN"},
	} {
		found, waits, err := watchChain(t, each.script, each.after)
		if strings.Join(found, " ") != each.expected || codeOf(err) != each.code {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		for _, wait := range waits {
			if wait != 2*time.Minute {
				t.Errorf("%s: waited %v", name, waits)
			}
		}
	}
	_, waits, _ := watchChain(t, []int{1, 0, 0, 0, 0, 2}, nil)
	for at, longest := range []time.Duration{4, 8, 15, 15} {
		if wait := waits[at+1]; wait < longest*time.Minute/2 || wait > longest*time.Minute {
			t.Errorf("found %v", waits)
		}
	}
}
