package publicapi

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A watchPoll is what the service does for one poll.
type watchPoll struct {
	Newest, Missing, Copy             int
	Away                              bool
	RetryAfterSeconds, RetryAfterDate int
}

// A watchCase is one that all clients share.
type watchCase struct {
	Name, After, Fault string
	Polls              []watchPoll
	Yields             []int64
	Waits              [][2]float64
}

var errLastPoll = errors.New("the last poll")

// A watchedService does what a poll states. Waits move its clock and begin the next poll.
type watchedService struct {
	t           *testing.T
	entries     []string
	poll        watchPoll
	now         time.Time
	store       string
	conditional []bool
}

func (s *watchedService) client() *Client {
	client, err := NewClient(Options{
		BaseURL: "https://api.example.org", PinnedKeyIDs: []string{"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"},
		MaxRetries: -1, Store: s.store, Base: roundTrip(s.respond), Now: func() time.Time { return s.now },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// begin begins a poll. Another client leaves the copy, if there is one.
func (s *watchedService) begin(poll watchPoll) {
	if poll.Copy > 0 {
		s.poll = watchPoll{Newest: poll.Copy}
		if _, err := s.client().Version(context.Background()); err != nil {
			s.t.Fatal(err)
		}
	}
	s.poll = poll
}

func (s *watchedService) respond(request *http.Request) (*http.Response, error) {
	target, path := request.URL.RequestURI(), request.URL.Path
	if path == readPaths["version"] {
		s.conditional = append(s.conditional, request.Header.Get("If-None-Match") != "")
	}
	after := ""
	if s.poll.RetryAfterSeconds > 0 {
		after = fmt.Sprint(s.poll.RetryAfterSeconds)
	} else if s.poll.RetryAfterDate > 0 {
		after = s.now.Add(time.Duration(s.poll.RetryAfterDate) * time.Second).Format(http.TimeFormat)
	}
	if after != "" {
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {after}}, Body: http.NoBody}, nil
	}
	if s.poll.Newest == 0 {
		return nil, errors.New("refused")
	}
	if path == readPaths["signingKey"] {
		x := base64.RawURLEncoding.EncodeToString(ed25519.NewKeyFromSeed(vectorSeed)[32:])
		return signedHere(s.now, target, `{"keys":[{"jwk":{"crv":"Ed25519","kty":"OKP","x":"`+x+`"}}]}`), nil
	}
	if path == readPaths["versions"]+"/"+SnapshotID(int64(s.poll.Missing)) {
		return signedAs(404, s.now, target, `{"ok":false,"error":{"code":"VERSION_NOT_FOUND","message":"No."}}`), nil
	}
	sequence := s.poll.Newest
	if path != readPaths["version"] {
		sequence = int(path[len(path)-1] - '0')
	}
	return signedHere(s.now, target, s.entries[sequence-1]), nil
}

func watchEntries(t *testing.T) []string {
	type history struct{ Entries []json.RawMessage }
	var entries []string
	for _, each := range readVectors[history](t, "history")["good"].Entries {
		entries = append(entries, string(each))
	}
	return entries
}

// changed gives an entry with another value of a member, and the right hash.
func changed(t *testing.T, text, name string, value any) string {
	object := map[string]any{}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	object[name] = value
	rewritten, _ := json.Marshal(object)
	entry, _ := entryOf(rewritten)
	object["hash"] = entry.computedHash
	rewritten, _ = json.Marshal(object)
	return string(rewritten)
}

// watchPolls watches through these polls, and ends after the last one.
func watchPolls(service *watchedService, polls []watchPoll, options WatchOptions) ([]int64, []time.Duration, error) {
	var waits []time.Duration
	service.begin(polls[0])
	client := service.client()
	client.wait = func(_ context.Context, wait time.Duration) error {
		waits = append(waits, wait)
		service.now = service.now.Add(wait)
		if len(waits) == len(polls) {
			return errLastPoll
		}
		service.begin(polls[len(waits)])
		return nil
	}
	found := []int64{}
	err := client.Watch(context.Background(), options, func(version *Verified[VersionEntry]) error {
		if version.Source != "origin" {
			service.t.Errorf("yielded a version of %s", version.Source)
		}
		found = append(found, version.Data.Sequence)
		return nil
	})
	return found, waits, err
}

func newWatchedService(t *testing.T, entries []string) *watchedService {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return &watchedService{t: t, entries: entries, store: t.TempDir(), now: now}
}

func TestWatch(t *testing.T) {
	text, err := os.ReadFile(cases(t, filepath.Join("clients", "watch-cases.json")))
	var shared struct{ Cases []watchCase }
	if err != nil || json.Unmarshal(text, &shared) != nil || len(shared.Cases) == 0 {
		t.Fatal(err)
	}
	entries := watchEntries(t)
	for _, each := range shared.Cases {
		t.Run(each.Name, func(t *testing.T) {
			var options WatchOptions
			if each.After != "" {
				first := entries[0]
				if strings.HasPrefix(each.After, "another") {
					first = changed(t, first, "note", "another")
				}
				service := newWatchedService(t, []string{first})
				service.poll.Newest = 1
				options.After, err = service.client().VersionByID(context.Background(), "VS-0001")
				if err != nil {
					t.Fatal(err)
				}
			}
			found, waits, err := watchPolls(newWatchedService(t, entries), each.Polls, options)
			if !reflect.DeepEqual(found, each.Yields) {
				t.Errorf("yielded %v; %v", found, err)
			}
			if each.Fault == "" && err != errLastPoll || each.Fault != "" && codeOf(err) != each.Fault {
				t.Errorf("ended with %v", err)
			}
			var failure *VerificationError
			if errors.As(err, &failure) && !strings.Contains(string(failure.Evidence), `"fault":"`+each.Fault+`"`) {
				t.Errorf("the evidence is %s", failure.Evidence)
			}
			if each.Waits != nil && len(waits) != len(each.Waits) {
				t.Fatalf("waited %v", waits)
			}
			for at, limits := range each.Waits {
				if wait := waits[at].Seconds(); wait < limits[0] || wait > limits[1] {
					t.Errorf("waited %v", waits)
				}
			}
		})
	}
}

func TestWatchAsksWithConditionalRequests(t *testing.T) {
	service := newWatchedService(t, watchEntries(t))
	_, _, _ = watchPolls(service, []watchPoll{{Newest: 1}, {Newest: 2}, {Newest: 2}}, WatchOptions{})
	if !reflect.DeepEqual(service.conditional, []bool{false, true, true}) {
		t.Errorf("found %v", service.conditional)
	}
}

func TestWatchReportsEachFailureWithItsWait(t *testing.T) {
	var reported []time.Duration
	options := WatchOptions{OnFailure: func(err error, wait time.Duration) {
		if !strings.HasSuffix(err.Error(), "refused") {
			t.Error(err)
		}
		reported = append(reported, wait)
	}}
	_, waits, _ := watchPolls(newWatchedService(t, watchEntries(t)), []watchPoll{{Away: true}, {Newest: 1}}, options)
	if !reflect.DeepEqual(reported, waits[:1]) {
		t.Errorf("reported %v, waited %v", reported, waits)
	}
}

func TestWatchRefusesFalseChanges(t *testing.T) {
	entries := watchEntries(t)
	entries[1] = changed(t, entries[1], "changes", []any{})
	_, _, err := watchPolls(newWatchedService(t, entries), []watchPoll{{Newest: 1}, {Newest: 2}}, WatchOptions{})
	if codeOf(err) != "CHANGES_FALSE" {
		t.Error(err)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	service := newWatchedService(t, watchEntries(t))
	service.poll.Newest = 1
	ctx, cancel := context.WithCancel(context.Background())
	err := service.client().Watch(ctx, WatchOptions{}, func(*Verified[VersionEntry]) error {
		cancel()
		return nil
	})
	if err != context.Canceled {
		t.Error(err)
	}
	stopped := errors.New("enough")
	err = service.client().Watch(context.Background(), WatchOptions{}, func(*Verified[VersionEntry]) error { return stopped })
	if err != stopped {
		t.Error(err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// The key of the vectors, RFC 8032 section 7.1, test 1. It is public.
var vectorSeed, _ = hex.DecodeString("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")

func signedHere(now time.Time, target, data string) *http.Response {
	return signedAs(200, now, target, `{"ok":true,"data":`+data+`}`)
}

func signedAs(status int, now time.Time, target, body string) *http.Response {
	sum := sha256.Sum256([]byte(body))
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	signedAt := now.Format("2006-01-02T15:04:05.000Z")
	text := strings.Join([]string{"svc-response-v1", "GET", target, fmt.Sprint(status), signedAt, digest}, "\n")
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(vectorSeed), []byte(text))
	header := http.Header{}
	header.Set("Content-Digest", digest)
	header.Set("X-SVC-Signed-At", signedAt)
	header.Set("X-SVC-Signature", base64.StdEncoding.EncodeToString(signature))
	header.Set("Cache-Control", "public, max-age=60")
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}
