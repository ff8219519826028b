package publicapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// cases gives the path of a file that all clients share. It is in the repository, and not in the module.
func cases(t *testing.T, name string) string {
	path := filepath.Join("..", "..", "test", name)
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) {
		t.Skipf("the module stands alone: test/%s is in the repository", name)
	}
	return path
}

type headerPairs [][2]string

// latin1 gives a text of a vector as it was sent: a character is one byte.
func latin1(text string) string {
	sent := make([]byte, 0, len(text))
	for _, letter := range text {
		sent = append(sent, byte(letter))
	}
	return string(sent)
}

func (h headerPairs) header() http.Header {
	header := http.Header{}
	for _, pair := range h {
		header.Add(pair[0], latin1(pair[1]))
	}
	return header
}

type vectorResponse struct {
	Status     int
	Headers    headerPairs
	BodyBase64 *string
}

type vectorMoment struct {
	Expected     string
	Now          string
	Revalidation *vectorResponse
}

type vector struct {
	Description string
	vectorMoment
	MaxAgeSeconds int
	Warnings      []string
	PublicKey     PublishedKey
	PinnedKeyID   string `json:"pinnedKeyId"`
	Request       struct {
		Method  string
		Target  string
		Headers headerPairs
	}
	Response vectorResponse
	Chain    []vectorMoment
}

func readVectors[T any](t *testing.T, folder string) map[string]T {
	t.Helper()
	pattern := filepath.Join("vectors", folder, "*.json")
	made := os.Getenv("FALLBACK_VECTORS")
	place := filepath.Join(made, "*.json")
	if made == "" {
		place = cases(t, pattern)
	}
	files, err := filepath.Glob(place)
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v", folder, err)
	}
	read := map[string]T{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var value T
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(file, err)
		}
		read[strings.TrimSuffix(filepath.Base(file), ".json")] = value
	}
	return read
}

func outcomeOf(t *testing.T, err error) string {
	var failure *VerificationError
	if err == nil {
		return "ok"
	}
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	// This client distinguishes one step further than the vectors.
	if failure.Code == "KEY_MALFORMED" {
		return "UNKNOWN_KEY"
	}
	return failure.Code
}

func verifyVector(t *testing.T, v vector, moment vectorMoment) error {
	found, err := warningsOf(t, v, moment)
	if err == nil && strings.Join(found, " ") != strings.Join(v.Warnings, " ") {
		t.Errorf("%s: expected the warnings %v, found %v", v.Description, v.Warnings, found)
	}
	return err
}

// warningsOf gives the codes of the warnings of a valid case.
func warningsOf(t *testing.T, v vector, moment vectorMoment) ([]string, error) {
	key, err := ImportKey(v.PublicKey)
	if err != nil {
		return nil, err
	}
	now, err := time.Parse(time.RFC3339, moment.Now)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte{}
	if v.Response.BodyBase64 != nil {
		body, err = base64.StdEncoding.DecodeString(*v.Response.BodyBase64)
		if err != nil {
			t.Fatal(err)
		}
	}
	ifNoneMatch, _ := field(v.Request.Headers.header(), "If-None-Match")
	maxAge := time.Duration(v.MaxAgeSeconds) * time.Second
	expected := Expectations{Keys: []*Key{key}, PinnedKeyIDs: []string{v.PinnedKeyID}, Now: now, MaxAge: &maxAge}
	if moment.Revalidation != nil {
		expected.Revalidated = moment.Revalidation.Headers.header()
	}
	verified, err := VerifyResponse(&Response{
		Method: v.Request.Method, Target: latin1(v.Request.Target), IfNoneMatch: ifNoneMatch,
		Status: v.Response.Status, Header: v.Response.Headers.header(), Body: body,
	}, expected)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, warning := range verified.Warnings {
		code, _, _ := strings.Cut(warning, ":")
		found = append(found, code)
	}
	return found, nil
}

func TestResponseVectors(t *testing.T) {
	for name, each := range readVectors[vector](t, "") {
		for _, moment := range append([]vectorMoment{each.vectorMoment}, each.Chain...) {
			if found := outcomeOf(t, verifyVector(t, each, moment)); found != moment.Expected {
				t.Errorf("%s at %s: expected %s, found %s", name, moment.Now, moment.Expected, found)
			}
		}
	}
}

func TestHistoryVectors(t *testing.T) {
	type history struct {
		Expected string
		Entries  []json.RawMessage
	}
	for name, each := range readVectors[history](t, "history") {
		if found := outcomeOf(t, VerifyHistory(each.Entries)); found != each.Expected {
			t.Errorf("%s: expected %s, found %s", name, each.Expected, found)
		}
	}
}

type keyVector struct {
	Expected, Now string
	PinnedKeyIDs  []string
	KeyRequest    struct{ Method, Target string }
	Response      vectorResponse
	KeyIDs        []string
}

// pinsOf gives nil for an empty list, with which a vector says that every key is trusted.
func pinsOf(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	return ids
}

func verifyKeyVector(t *testing.T, name string, v keyVector) error {
	now, err := time.Parse(time.RFC3339, v.Now)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := VerifyKeyDocument(&Response{
		Method: v.KeyRequest.Method, Target: v.KeyRequest.Target,
		Status: v.Response.Status, Header: v.Response.Headers.header(), Body: decoded(t, v.Response.BodyBase64),
	}, Expectations{PinnedKeyIDs: pinsOf(v.PinnedKeyIDs), Now: now})
	if err != nil {
		return err
	}
	var found []string
	for _, key := range keys {
		found = append(found, key.ID)
	}
	if v.KeyIDs != nil && strings.Join(found, " ") != strings.Join(v.KeyIDs, " ") {
		t.Errorf("%s: expected %v, found %v", name, v.KeyIDs, found)
	}
	return nil
}

func TestAnEmptyListOfPinsTrustsNoKey(t *testing.T) {
	each := readVectors[keyVector](t, "keys")["good-unpinned"]
	now, err := time.Parse(time.RFC3339, each.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = VerifyKeyDocument(&Response{
		Method: each.KeyRequest.Method, Target: each.KeyRequest.Target,
		Status: each.Response.Status, Header: each.Response.Headers.header(), Body: decoded(t, each.Response.BodyBase64),
	}, Expectations{PinnedKeyIDs: []string{}, Now: now})
	if found := outcomeOf(t, err); found != "UNKNOWN_KEY" {
		t.Errorf("expected UNKNOWN_KEY, found %s", found)
	}
}

func TestAnOutdatedPinSaysWhatIsTrue(t *testing.T) {
	for name, retired := range map[string]string{
		"pinned-key-retired":       "was retired on 2026-11-20T00:00:00.000Z",
		"pinned-key-retired-today": "is retired",
	} {
		v := readVectors[keyVector](t, "keys")[name]
		err := verifyKeyVector(t, "", v)
		expected := regexp.MustCompile("the pinned key " + v.PinnedKeyIDs[0] + " " + retired + " and " +
			"the current one is [A-Za-z0-9_-]{43}: check it against another source, such as `svc verify --pin-from`$")
		if err == nil || !expected.MatchString(err.Error()) {
			t.Errorf("%s: found %v", name, err)
		}
	}
}

func TestKeyVectors(t *testing.T) {
	for name, each := range readVectors[keyVector](t, "keys") {
		if found := outcomeOf(t, verifyKeyVector(t, name, each)); found != each.Expected {
			t.Errorf("%s: expected %s, found %s", name, each.Expected, found)
		}
	}
}

type logVector struct {
	Expected, Now, Policy, Note, Proof string
	WithoutMLDSA44                     string
	MaxAgeSeconds                      *int
	EntryBase64, ResourceBase64        *string
	Result                             *struct {
		Size        int64
		Root        string
		WitnessedAt *string
		Hash        string
		Resources   []string
	}
}

func decoded(t *testing.T, text *string) []byte {
	if text == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func verifyLogVector(t *testing.T, name string, v logVector) error {
	policy, err := OpenPolicy(v.Policy)
	if err != nil {
		return err
	}
	now, err := time.Parse(time.RFC3339, v.Now)
	if err != nil {
		t.Fatal(err)
	}
	var maxAge *time.Duration
	if v.MaxAgeSeconds != nil {
		seconds := time.Duration(*v.MaxAgeSeconds) * time.Second
		maxAge = &seconds
	}
	proved := &VerifiedProof{}
	if v.Proof == "" {
		checkpoint, err := VerifyCheckpoint(v.Note, policy, now, maxAge)
		if err != nil {
			return err
		}
		proved.Checkpoint = *checkpoint
	} else {
		entry, resource := decoded(t, v.EntryBase64), decoded(t, v.ResourceBase64)
		options := ProofOptions{Now: now, MaxAge: maxAge, Entry: entry, Resource: resource}
		if proved, err = VerifyProof(v.Proof, policy, options); err != nil {
			return err
		}
	}
	if v.Result == nil {
		return nil
	}
	witnessedAt := ""
	if v.Result.WitnessedAt != nil {
		witnessedAt = *v.Result.WitnessedAt
	}
	found := ""
	if at := proved.Checkpoint.WitnessedAt; !at.IsZero() {
		found = at.Format("2006-01-02T15:04:05.000Z")
	}
	root := base64.StdEncoding.EncodeToString(proved.Checkpoint.Root[:])
	if proved.Checkpoint.Size != v.Result.Size || root != v.Result.Root || found != witnessedAt ||
		proved.Hash != v.Result.Hash || strings.Join(proved.Resources, " ") != strings.Join(v.Result.Resources, " ") {
		t.Errorf("%s: expected %+v, found %+v", name, *v.Result, proved)
	}
	return nil
}

var (
	namedLine = regexp.MustCompile(`: the (policy|checkpoint|proof), line \d+: `)
	// What is wrong with a whole text has no line.
	wholeText = regexp.MustCompile(`^(malformed-no-(empty-line|line-break)|policy-(empty|no-quorum))$`)
)

// namedKeys matches what says which log was to sign and which one did.
var namedKeys = regexp.MustCompile(`signature of \S+\+[0-9a-f]{8}, found origin \S+ signed by \S+\+[0-9a-f]{8}`)

func TestLogVectors(t *testing.T) {
	for name, each := range readVectors[logVector](t, "log") {
		err := verifyLogVector(t, name, each)
		if each.WithoutMLDSA44 != "" && importMLDSA44(make([]byte, mlDSA44KeyBytes)) == nil {
			each.Expected = each.WithoutMLDSA44
			if !strings.Contains(err.Error(), "; pq cosigned with ML-DSA-44") {
				t.Errorf("%s: expected the witness, found %v", name, err)
			}
		}
		if found := outcomeOf(t, err); found != each.Expected {
			t.Errorf("%s: expected %s, found %s", name, each.Expected, found)
		}
		isOfLine := each.Expected == "MALFORMED" || each.Expected == "SIGNATURE"
		if isOfLine && !wholeText.MatchString(name) && !namedLine.MatchString(err.Error()) {
			t.Errorf("%s: expected the line, found %v", name, err)
		}
		if each.Expected == "UNKNOWN_LOG" && !namedKeys.MatchString(err.Error()) {
			t.Errorf("%s: expected the keys, found %v", name, err)
		}
	}
}

func TestTextsOfALogThatAreNoText(t *testing.T) {
	policy, err := OpenPolicy(readVectors[logVector](t, "log")["good-alone"].Policy)
	if err != nil {
		t.Fatal(err)
	}
	tooMany := proofFirstLine + "\nindex 1\n" + strings.Repeat(strings.Repeat("A", 43)+"=\n", 10_000) + "\n"
	for _, text := range []string{tooMany, "log a\xff\nquorum none\n"} {
		_, policyErr := OpenPolicy(text)
		_, noteErr := VerifyCheckpoint(text, policy, time.Unix(0, 0), nil)
		_, proofErr := VerifyProof(text, policy, ProofOptions{})
		for _, err := range []error{policyErr, noteErr, proofErr} {
			if outcomeOf(t, err) != "MALFORMED" {
				t.Errorf("%.40q: found %v", text, err)
			}
		}
	}
}

// Writes the verdict on each case of a JSON list, which a test of the repository compares with those of other clients.
func TestVerdicts(t *testing.T) {
	file := os.Getenv("VERDICTS_OF")
	if file == "" {
		t.Skip("VERDICTS_OF names no file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	verdicts := make([]string, 0, len(texts))
	for _, each := range texts {
		verdicts = append(verdicts, verdictOn(t, each))
	}
	written, err := json.Marshal(verdicts)
	if err == nil {
		err = os.WriteFile(file+".verdicts", written, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func verdictOn(t *testing.T, text json.RawMessage) string {
	var kind map[string]json.RawMessage
	if err := json.Unmarshal(text, &kind); err != nil {
		t.Fatal(err)
	}
	read := func(into any) {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	switch {
	case kind["policy"] != nil:
		var each logVector
		read(&each)
		return outcomeOf(t, verifyLogVector(t, "", each))
	case kind["keyRequest"] != nil:
		var each keyVector
		read(&each)
		each.KeyIDs = nil
		return outcomeOf(t, verifyKeyVector(t, "", each))
	case kind["entries"] != nil:
		var each struct{ Entries []json.RawMessage }
		read(&each)
		return outcomeOf(t, VerifyHistory(each.Entries))
	}
	var each vector
	read(&each)
	found, err := warningsOf(t, each, each.vectorMoment)
	return strings.Join(append([]string{outcomeOf(t, err)}, found...), " ")
}
