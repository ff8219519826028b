package publicapi

import (
	"bytes"
	"context"
	"encoding/base64"
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
		Error, Source, KeyID, ProvedAt string
		AgeSeconds                     int64
		Data                           any
		Warnings                       []string
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
		if result.Source != expected.Source || result.KeyID != expected.KeyID || provedAt != expected.ProvedAt || result.AgeSeconds != expected.AgeSeconds ||
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
