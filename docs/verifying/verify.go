// Verifies signed responses with Go's standard library. docs/verifying.md explains the steps.
//
//	go run verify.go URL KEY-IDS [ETAG]              writes the body once it is verified; with your ETag, a 304 counts
//	go run verify.go --history ORIGIN KEY-IDS [HASH] follows the versions back to the first; HASH is the head of last time
//	go run verify.go --vectors FOLDER                runs the cases of test/vectors
//
// KEY-IDS are the IDs of the keys you trust, joined by commas.
//
// Exit status: 0 verified; 1 refused, and the first word on standard error is the step; 2 wrong usage; 3 no conclusion:
// unreachable, or a proxy's error without a signature. `go run` says 1 for all of these; build the program if that matters.
// Go 1.18 or newer.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxAge  = 900 * time.Second
	maxSkew = 60 * time.Second
	maxKeys = 64
)

// refused is a step of the check that failed.
type refused struct{ step, detail string }

func (r refused) Error() string { return r.step + ": " + r.detail }

// misused is a command that was not understood.
type misused string

func (m misused) Error() string { return string(m) }

func refuse(step, format string, values ...any) error {
	return refused{step, fmt.Sprintf(format, values...)}
}

// Ed25519. Libraries differ in the keys and signatures that they take, so the doubtful ones are refused here first.

func number(hexadecimal string) *big.Int {
	n, _ := new(big.Int).SetString(hexadecimal, 16)
	return n
}

var (
	// 2^255 - 19
	prime = number("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
	// y of two of the points of order 8; those of the other two are the prime minus it.
	order8 = number("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826")
	// y of all eight points of small order, under which anyone can sign.
	smallOrder = []*big.Int{
		big.NewInt(0), big.NewInt(1), new(big.Int).Sub(prime, big.NewInt(1)), order8, new(big.Int).Sub(prime, order8),
	}
)

func isCanonicalPoint(data []byte) bool {
	reversed := make([]byte, len(data))
	for at, each := range data {
		reversed[len(data)-1-at] = each
	}
	reversed[0] &= 0x7f
	y := new(big.Int).SetBytes(reversed)
	for _, small := range smallOrder {
		if y.Cmp(small) == 0 {
			return false
		}
	}
	return y.Cmp(prime) < 0
}

func isSignature(key ed25519.PublicKey, signature []byte, text string) bool {
	return isCanonicalPoint(signature[:32]) && ed25519.Verify(key, []byte(text), signature)
}

// decodeBase64 gives the bytes of a text in the one right form: encoding them gives exactly this text.
func decodeBase64(encoding *base64.Encoding, text string, size int) ([]byte, bool) {
	data, err := encoding.DecodeString(text)
	return data, err == nil && len(data) == size && encoding.EncodeToString(data) == text
}

func base64url(sum [32]byte) string { return base64.RawURLEncoding.EncodeToString(sum[:]) }

var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$`)

func parseInstant(text string) (time.Time, error) {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil || !instantForm.MatchString(text) {
		return moment, refuse("MALFORMED", "%q is not a time in UTC", text)
	}
	return moment, nil
}

// Canonical JSON (RFC 8785).

var (
	surrogatePair = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	surrogate     = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
)

// hasLoneSurrogate reports whether an escape is half of a character. Go's decoder would replace it.
func hasLoneSurrogate(body []byte) bool {
	escapes := strings.ReplaceAll(string(body), `\\`, "")
	return surrogate.MatchString(surrogatePair.ReplaceAllString(escapes, ""))
}

func readJSON(body []byte) (map[string]any, error) {
	var content map[string]any
	if !utf8.Valid(body) || hasLoneSurrogate(body) || json.Unmarshal(body, &content) != nil || content == nil {
		return nil, refuse("MALFORMED", "the body is not JSON")
	}
	return content, nil
}

func isBefore(one, other string) bool {
	a, b := utf16.Encode([]rune(one)), utf16.Encode([]rune(other))
	for at := 0; at < len(a) && at < len(b); at++ {
		if a[at] != b[at] {
			return a[at] < b[at]
		}
	}
	return len(a) < len(b)
}

func appendString(out *bytes.Buffer, text string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, each := range text {
		if escaped, ok := short[each]; ok {
			out.WriteString(escaped)
		} else if each < ' ' {
			fmt.Fprintf(out, `\u%04x`, each)
		} else {
			out.WriteRune(each)
		}
	}
	out.WriteByte('"')
}

// formatNumber writes a number as ECMAScript does.
func formatNumber(value float64) string {
	size := math.Abs(value)
	if value == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	text := strconv.FormatFloat(value, 'e', -1, 64)
	return strings.Replace(strings.Replace(text, "e-0", "e-", 1), "e+0", "e+", 1)
}

func appendCanonical(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return isBefore(names[i], names[j]) })
		out.WriteByte('{')
		for at, name := range names {
			if at > 0 {
				out.WriteByte(',')
			}
			appendString(out, name)
			out.WriteByte(':')
			appendCanonical(out, value[name])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for at, item := range value {
			if at > 0 {
				out.WriteByte(',')
			}
			appendCanonical(out, item)
		}
		out.WriteByte(']')
	case string:
		appendString(out, value)
	case float64:
		out.WriteString(formatNumber(value))
	case bool:
		out.WriteString(strconv.FormatBool(value))
	default:
		out.WriteString("null")
	}
}

func canonical(value any) []byte {
	var out bytes.Buffer
	appendCanonical(&out, value)
	return out.Bytes()
}

// The check.

// response is a response, with the parts of its request that are signed.
type response struct {
	method, target string
	ifNoneMatch    string
	status         int
	headers        http.Header
	body           []byte
}

// field gives the value of a header field; several lines are joined by a comma.
func field(headers http.Header, name string) (string, bool) {
	values := make([]string, 0, 1)
	for _, value := range headers.Values(name) {
		values = append(values, strings.Trim(value, " \t"))
	}
	return strings.Join(values, ", "), len(values) > 0
}

// offeredKey is a key as the key document has it. What it claims to be called is not read.
type offeredKey struct {
	JWK struct {
		X string `json:"x"`
	} `json:"jwk"`
	NotBefore *string `json:"notBefore"`
	NotAfter  *string `json:"notAfter"`
}

// publishedKey is a key with its computed ID, and when it may sign.
type publishedKey struct {
	id                  string
	key                 ed25519.PublicKey
	notBefore, notAfter *time.Time
}

// verifier is the published keys, the ids of those that are trusted, and the clock.
type verifier struct {
	keys   []publishedKey
	pins   []string
	now    time.Time
	maxAge time.Duration
}

func (v verifier) isPinned(id string) bool {
	for _, pin := range v.pins {
		if pin == id {
			return true
		}
	}
	return false
}

func optionalInstant(text *string) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	moment, err := parseInstant(*text)
	return &moment, err
}

// newVerifier reads the usable keys among those offered. At least one of them has to be pinned.
func newVerifier(offered []offeredKey, pins []string, now time.Time, maxAge time.Duration) (verifier, error) {
	v := verifier{pins: pins, now: now, maxAge: maxAge}
	hasPinned := false
	for at, each := range offered {
		data, ok := decodeBase64(base64.RawURLEncoding, each.JWK.X, ed25519.PublicKeySize)
		if !ok || at >= maxKeys || !isCanonicalPoint(data) {
			continue
		}
		id := base64url(sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + each.JWK.X + `"}`)))
		notBefore, err := optionalInstant(each.NotBefore)
		if err != nil {
			return v, err
		}
		notAfter, err := optionalInstant(each.NotAfter)
		if err != nil {
			return v, err
		}
		v.keys = append(v.keys, publishedKey{id, data, notBefore, notAfter})
		hasPinned = hasPinned || v.isPinned(id)
	}
	if !hasPinned {
		return v, refuse("UNKNOWN_KEY", "no published key has an id of %s", strings.Join(pins, ", "))
	}
	return v, nil
}

// signed checks one signature, its key and its time; how old it may be is up to the caller.
func (v verifier) signed(lines []string, signedAt, signature, step string) (time.Time, error) {
	data, ok := decodeBase64(base64.StdEncoding, signature, ed25519.SignatureSize)
	var signer *publishedKey
	for at := range v.keys {
		if ok && signer == nil && isSignature(v.keys[at].key, data, strings.Join(lines, "\n")) {
			signer = &v.keys[at]
		}
	}
	if signer == nil {
		return time.Time{}, refuse(step, "the signature does not match %s", strings.Join(lines, " | "))
	}
	if !v.isPinned(signer.id) {
		return time.Time{}, refuse("UNKNOWN_KEY", "signed by %s", signer.id)
	}
	moment, err := parseInstant(signedAt)
	if err != nil {
		return moment, err
	}
	if moment.After(v.now.Add(maxSkew)) {
		return moment, refuse("FUTURE", "signed at %s", signedAt)
	}
	isEarly := signer.notBefore != nil && moment.Before(*signer.notBefore)
	if isEarly || signer.notAfter != nil && moment.After(*signer.notAfter) {
		return moment, refuse("KEY_PERIOD", "the key was not in use at %s", signedAt)
	}
	return moment, nil
}

func (v verifier) isFresh(moment time.Time) bool { return v.now.Sub(moment) <= v.maxAge }

// revalidation checks the proof of a 304, and gives its time and the ETag that it is about.
func (v verifier) revalidation(r response, headers http.Header, absent string) (signedAt, etag string, err error) {
	revalidated, ok := field(headers, "X-SVC-Revalidated")
	if !ok {
		return "", "", refuse(absent, "there is no X-SVC-Revalidated")
	}
	signedAt, signature, _ := strings.Cut(revalidated, "; ")
	etag, _ = field(headers, "ETag")
	lines := []string{"svc-revalidation-v1", r.method, r.target, "304", signedAt, etag}
	moment, err := v.signed(lines, signedAt, signature, "REVALIDATION")
	if err == nil && !v.isFresh(moment) {
		err = refuse("STALE", "revalidated at %s", signedAt)
	}
	return signedAt, etag, err
}

var digestMember = regexp.MustCompile(`^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$`)

// findDigest gives the base64 of the last member sha-256 of the dictionary (RFC 9530, RFC 8941).
func findDigest(contentDigest string) string {
	found := ""
	for _, member := range strings.Split(contentDigest, ",") {
		parts := digestMember.FindStringSubmatch(member)
		if parts == nil {
			return ""
		}
		if parts[1] == "sha-256" {
			found = parts[2]
		}
	}
	return found
}

var entityTag = regexp.MustCompile(`"[^"]*"`)

// isNamed reports whether the request named an ETag in If-None-Match (weak comparison, RFC 9110 13.1.2).
func isNamed(etag, ifNoneMatch string) bool {
	for _, tag := range entityTag.FindAllString(ifNoneMatch, -1) {
		if tag == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return ifNoneMatch == "*"
}

// check takes every step, and gives the time at which the response was proved. renewedBy has the headers of a later 304,
// if a cache did not merge them into the response.
func (v verifier) check(r response, renewedBy http.Header) (string, error) {
	if r.status == http.StatusNotModified {
		signedAt, etag, err := v.revalidation(r, r.headers, "UNSIGNED")
		if err == nil && !isNamed(etag, r.ifNoneMatch) {
			err = refuse("ETAG", "the request did not name %s in If-None-Match", etag)
		}
		return signedAt, err
	}
	contentDigest, hasDigest := field(r.headers, "Content-Digest")
	signedAt, hasTime := field(r.headers, "X-SVC-Signed-At")
	signature, hasSignature := field(r.headers, "X-SVC-Signature")
	if !hasDigest || !hasTime || !hasSignature {
		return "", refuse("UNSIGNED", "expected Content-Digest, X-SVC-Signed-At and X-SVC-Signature")
	}
	sum := sha256.Sum256(r.body)
	if digest := base64.StdEncoding.EncodeToString(sum[:]); findDigest(contentDigest) != digest {
		return "", refuse("DIGEST", "the body has %s, Content-Digest says %s", digest, contentDigest)
	}
	lines := []string{"svc-response-v1", r.method, r.target, strconv.Itoa(r.status), signedAt, contentDigest}
	moment, err := v.signed(lines, signedAt, signature, "SIGNATURE")
	if err != nil {
		return "", err
	}
	etag, hasETag := field(r.headers, "ETag")
	if !v.isFresh(moment) {
		if renewedBy == nil {
			renewedBy = r.headers
		}
		if signedAt, etag, err = v.revalidation(r, renewedBy, "STALE"); err != nil {
			return "", err
		}
		hasETag = true
	}
	content, err := readJSON(r.body)
	if err != nil {
		return "", err
	}
	if computed := etagOf(content); hasETag && etag != computed {
		return "", refuse("ETAG", "the data have %s, the ETag is %s", computed, etag)
	}
	requestID, hasID := field(r.headers, "X-Request-Id")
	if stated, ok := content["requestId"]; ok && hasID && stated != requestID {
		return "", refuse("REQUEST_ID", "the body says %v, the header %s", stated, requestID)
	}
	return signedAt, nil
}

func etagOf(content map[string]any) string {
	data, hasData := content["data"]
	_, hasEnvelope := content["ok"]
	if _, isOpenAPI := content["openapi"]; isOpenAPI && !hasEnvelope {
		data, hasData = content, true
	}
	if !hasData {
		return "none"
	}
	return `W/"` + base64url(sha256.Sum256(canonical(data))) + `"`
}

// Fetching.

// service is an origin with the pinned key.
type service struct {
	origin *url.URL
	client http.Client
	verifier
}

// splitURL gives the origin and the target, which stays as it is: the signature is over what was sent.
func splitURL(text string) (*url.URL, string, error) {
	text, _, _ = strings.Cut(text, "#")
	scheme, rest, _ := strings.Cut(text, "://")
	host, target, _ := strings.Cut(rest, "/")
	if scheme != "http" && scheme != "https" || host == "" || strings.Contains(host, "?") {
		return nil, "", misused("expected http://... or https://..., found " + text)
	}
	return &url.URL{Scheme: scheme, Host: host}, "/" + target, nil
}

func (s service) fetch(target, etag string) (response, error) {
	// Of Opaque, Go sends every character as it is.
	address := &url.URL{Scheme: s.origin.Scheme, Host: s.origin.Host, Opaque: target}
	request := &http.Request{Method: "GET", URL: address, Host: s.origin.Host, Header: http.Header{}}
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	received, err := s.client.Do(request)
	if err != nil {
		return response{}, err
	}
	defer received.Body.Close()
	status := received.StatusCode
	// An unsigned 429 or 5xx is a proxy's, or says that signing is off: it proves nothing.
	if _, isSigned := field(received.Header, "X-SVC-Signature"); !isSigned && (status == 429 || status >= 500) {
		return response{}, fmt.Errorf("UNSIGNED: status %d without a signature, as from a proxy", status)
	}
	body, err := io.ReadAll(received.Body)
	return response{"GET", target, etag, status, received.Header, body}, err
}

// connect reads the key document, and has its own signature prove the dates in it.
func connect(origin *url.URL, pins string) (service, error) {
	s := service{origin: origin, client: http.Client{
		Timeout: 30 * time.Second,
		// Otherwise Go asks for gzip and undoes it.
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	r, err := s.fetch("/api/v1/keys/signing-key", "")
	if err != nil {
		return s, err
	}
	var document struct {
		Data struct {
			Keys []offeredKey `json:"keys"`
		} `json:"data"`
	}
	if json.Unmarshal(r.body, &document) != nil {
		return s, refuse("UNKNOWN_KEY", "the key document cannot be read")
	}
	s.verifier, err = newVerifier(document.Data.Keys, strings.Split(pins, ","), time.Now(), maxAge)
	if err == nil {
		_, err = s.check(r, nil)
	}
	return s, err
}

// fetchVerified fetches a target and takes every step on the response.
func (s *service) fetchVerified(target, etag string) (response, string, error) {
	r, err := s.fetch(target, etag)
	if err != nil {
		return r, "", err
	}
	s.now = time.Now()
	signedAt, err := s.check(r, nil)
	return r, signedAt, err
}

func verify(address, pins, etag string) error {
	origin, target, err := splitURL(address)
	if err != nil {
		return err
	}
	s, err := connect(origin, pins)
	if err != nil {
		return err
	}
	r, signedAt, err := s.fetchVerified(target, etag)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Verified: GET %s, status %d, signed at %s\n", target, r.status, signedAt)
	_, err = os.Stdout.Write(r.body)
	return err
}

// The history.

// hashOf gives the hash that an entry must have: over a label line and its canonical JSON without hash.
func hashOf(entry map[string]any) string {
	rest := map[string]any{}
	for name, value := range entry {
		if name != "hash" {
			rest[name] = value
		}
	}
	sum := sha256.Sum256(append([]byte("svc-version-v1\n"), canonical(rest)...))
	return hex.EncodeToString(sum[:])
}

func entryOf(r response) map[string]any {
	content, _ := readJSON(r.body)
	entry, _ := content["data"].(map[string]any)
	return entry
}

// changesBetween gives how resources differ from those of the entry before, sorted by name: "status changed", and so on.
func changesBetween(before, after map[string]any) []string {
	names, changes := []string{}, []string{}
	kinds := map[string]string{}
	for name := range before {
		if _, stays := after[name]; !stays {
			kinds[name] = "removed"
		}
	}
	for name, digest := range after {
		if old, was := before[name]; !was {
			kinds[name] = "added"
		} else if old != digest {
			kinds[name] = "changed"
		}
	}
	for name := range kinds {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return isBefore(names[i], names[j]) })
	for _, name := range names {
		changes = append(changes, name+" "+kinds[name])
	}
	return changes
}

// requireChanges refuses an entry whose changes are not what its resources and those before it show.
func requireChanges(entry, before map[string]any) error {
	previous := map[string]any{}
	if before != nil {
		previous, _ = before["resources"].(map[string]any)
	}
	resources, _ := entry["resources"].(map[string]any)
	list, _ := entry["changes"].([]any)
	stated := []string{}
	for _, each := range list {
		change, _ := each.(map[string]any)
		stated = append(stated, fmt.Sprint(change["resource"], " ", change["kind"]))
	}
	expected := strings.Join(changesBetween(previous, resources), ", ")
	if found := strings.Join(stated, ", "); found != expected {
		return refuse("CHANGES_FALSE", "%v: expected %s, found %s", entry["snapshotId"], expected, found)
	}
	return nil
}

func isText(value any) bool {
	_, is := value.(string)
	return is
}

var (
	digestForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	resourceForm = regexp.MustCompile(`^[a-z0-9]+(-[A-Za-z0-9]+)*(/[a-z0-9]+(-[A-Za-z0-9]+)*)*$`)
)

func areDigests(value any) bool {
	digests, is := value.(map[string]any)
	for name, each := range digests {
		digest, isText := each.(string)
		is = is && isText && digestForm.MatchString(digest) && resourceForm.MatchString(name)
	}
	return is
}

func areChanges(value any) bool {
	list, is := value.([]any)
	for _, each := range list {
		change, isChange := each.(map[string]any)
		is = is && isChange && isText(change["resource"]) && isText(change["kind"])
	}
	return is
}

// requireShape refuses an entry in which a member is missing or of another type.
func requireShape(entry map[string]any) error {
	created, _ := entry["createdAt"].(string)
	_, err := parseInstant(created)
	sequence, _ := entry["sequence"].(float64)
	isRight := err == nil && sequence >= 1 && sequence == math.Trunc(sequence) && sequence < 1<<53 &&
		areDigests(entry["resources"]) && areChanges(entry["changes"])
	for _, name := range []string{"snapshotId", "apiVersion", "registryVersion", "note", "previousHash", "hash"} {
		isRight = isRight && isText(entry[name])
	}
	if !isRight {
		return refuse("BROKEN", "%v: a member is missing or malformed", entry["snapshotId"])
	}
	return nil
}

// requireEntry refuses an entry that is malformed, or does not have this number and this hash.
func requireEntry(entry map[string]any, sequence int, hash any) error {
	if err := requireShape(entry); err != nil {
		return err
	}
	id := fmt.Sprintf("VS-%04d", sequence)
	if entry["hash"] != hash || hashOf(entry) != hash {
		return refuse("BROKEN", "%s: expected the hash %v", id, hash)
	}
	if entry["snapshotId"] != id || entry["sequence"] != float64(sequence) {
		return refuse("BROKEN", "%s: this is not its number", id)
	}
	return nil
}

// requireLink refuses an entry that does not follow from the one before it, or from none.
func requireLink(entry, before map[string]any) error {
	var previousHash any = strings.Repeat("0", 64)
	if before != nil {
		previousHash = before["hash"]
	}
	if entry["previousHash"] != previousHash {
		return refuse("BROKEN", "%v: previousHash is not the hash before it", entry["snapshotId"])
	}
	if before != nil {
		// requireShape has parsed both.
		created, _ := parseInstant(entry["createdAt"].(string))
		earlier, _ := parseInstant(before["createdAt"].(string))
		if earlier.After(created) {
			return refuse("BROKEN", "%v: it is earlier than the version before it", entry["snapshotId"])
		}
	}
	return requireChanges(entry, before)
}

// follow goes from the newest version, which is signed, to the first: each one proves the one before by its hash.
func follow(address, pins, keptHash string) error {
	origin, _, err := splitURL(address)
	if err != nil {
		return err
	}
	s, err := connect(origin, pins)
	if err != nil {
		return err
	}
	r, _, err := s.fetchVerified("/api/v1/version", "")
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return fmt.Errorf("/api/v1/version has status %d", r.status)
	}
	entry := entryOf(r)
	head := entry["hash"]
	newest, _ := entry["sequence"].(float64)
	if err := requireEntry(entry, int(newest), head); err != nil {
		return err
	}
	isKeptMet := keptHash == "" || head == keptHash
	for sequence := int(newest) - 1; sequence > 0; sequence-- {
		if r, err = s.fetch(fmt.Sprintf("/api/v1/versions/VS-%04d", sequence), ""); err != nil {
			return err
		}
		// The hash proves the entry, so its signature needs no check.
		before := entryOf(r)
		if err := requireEntry(before, sequence, entry["previousHash"]); err != nil {
			return err
		}
		if err := requireLink(entry, before); err != nil {
			return err
		}
		isKeptMet = isKeptMet || before["hash"] == keptHash
		entry = before
	}
	if err := requireLink(entry, nil); err != nil {
		return err
	}
	if !isKeptMet {
		return refuse("REWRITTEN", "the version with the hash %s is gone", keptHash)
	}
	fmt.Println(head)
	return nil
}

// The vectors.

type vectorResponse struct {
	Status     int
	Headers    [][2]string
	BodyBase64 *string
}

func (v vectorResponse) header() http.Header {
	headers := http.Header{}
	for _, pair := range v.Headers {
		headers.Add(pair[0], pair[1])
	}
	return headers
}

type moment struct {
	Expected, Now string
	Revalidation  *vectorResponse
}

type vector struct {
	moment
	MaxAgeSeconds int
	PublicKey     offeredKey
	PinnedKeyID   string
	Request       struct {
		Method, Target string
		Headers        [][2]string
	}
	Response vectorResponse
	Chain    []moment
	// Only in the histories.
	Entries []json.RawMessage
}

// historyOutcome checks a chain of entries, oldest first.
func (v vector) historyOutcome() string {
	var before map[string]any
	for at, text := range v.Entries {
		// Nil for anything but an object.
		var entry map[string]any
		_ = json.Unmarshal(text, &entry)
		err := requireEntry(entry, at+1, entry["hash"])
		if err == nil {
			err = requireLink(entry, before)
		}
		var step refused
		if errors.As(err, &step) {
			return step.step
		}
		before = entry
	}
	return "ok"
}

func (v vector) outcomeAt(at moment) string {
	if v.Entries != nil {
		return v.historyOutcome()
	}
	now, err := parseInstant(at.Now)
	if err != nil {
		return err.Error()
	}
	age := time.Duration(v.MaxAgeSeconds) * time.Second
	verifier, err := newVerifier([]offeredKey{v.PublicKey}, []string{v.PinnedKeyID}, now, age)
	if err == nil {
		ifNoneMatch, _ := field(vectorResponse{Headers: v.Request.Headers}.header(), "If-None-Match")
		r := response{v.Request.Method, v.Request.Target, ifNoneMatch, v.Response.Status, v.Response.header(), nil}
		if v.Response.BodyBase64 != nil {
			r.body, _ = base64.StdEncoding.DecodeString(*v.Response.BodyBase64)
		}
		var renewedBy http.Header
		if at.Revalidation != nil {
			renewedBy = at.Revalidation.header()
		}
		_, err = verifier.check(r, renewedBy)
	}
	var step refused
	if errors.As(err, &step) {
		return step.step
	}
	return "ok"
}

func runVectors(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	histories, _ := filepath.Glob(filepath.Join(folder, "history", "*.json"))
	files = append(files, histories...)
	count := 0
	for _, file := range files {
		if filepath.Base(file) == "index.json" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var v vector
		if err := json.Unmarshal(text, &v); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, at := range append([]moment{v.moment}, v.Chain...) {
			count++
			if found := v.outcomeAt(at); found != at.Expected {
				return refuse("VECTORS", "%s at %s: expected %s, found %s", file, at.Now, at.Expected, found)
			}
		}
	}
	if count == 0 {
		return refuse("VECTORS", "no vectors in this folder")
	}
	fmt.Printf("%d cases have the expected outcome\n", count)
	return err
}

// commands has those of verify_proof.go, if it is compiled with this file.
var commands = map[string]func(arguments []string) error{}

func run(arguments []string) error {
	count := len(arguments)
	if count > 0 && commands[arguments[0]] != nil {
		return commands[arguments[0]](arguments[1:])
	}
	switch {
	case count == 2 && arguments[0] == "--vectors":
		return runVectors(arguments[1])
	case (count == 3 || count == 4) && arguments[0] == "--history":
		return follow(arguments[1], arguments[2], strings.Join(arguments[3:], ""))
	case (count == 2 || count == 3) && !strings.HasPrefix(arguments[0], "-"):
		return verify(arguments[0], arguments[1], strings.Join(arguments[2:], ""))
	}
	return misused("expected URL KEY-IDS [ETAG], or --history ORIGIN KEY-IDS [HASH], or --vectors FOLDER")
}

func main() {
	err := run(os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	var step refused
	if errors.As(err, &step) {
		os.Exit(1)
	}
	var misuse misused
	if errors.As(err, &misuse) {
		os.Exit(2)
	}
	os.Exit(3)
}
