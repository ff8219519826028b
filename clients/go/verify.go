package publicapi

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxAge is the maximum age of a signature, unless another is given.
	MaxAge = 900 * time.Second
	// How far a signature may be ahead of the verifier's clock.
	maxSkew = 60 * time.Second
	// Maximum number of keys of a document. A real one has one or two, and each costs as much as a verification.
	maxKeys = 64
	// A key document is parsed before it is verified, so its size is limited.
	maxKeyDocumentBytes = 131_072
)

var proofFields = []string{"Content-Digest", "X-SVC-Signed-At", "X-SVC-Signature"}

// A Response is an HTTP response, with the parts of its request that are signed.
type Response struct {
	Method string
	// Target is the path and query exactly as sent.
	Target string
	// IfNoneMatch is the field of the request. A 304 is accepted only if it lists the entity tag.
	IfNoneMatch string
	Status      int
	Header      http.Header
	// Body has the exact bytes, after any content coding was removed.
	Body []byte
}

// Expectations are the keys and settings of a verification.
type Expectations struct {
	Keys []*Key
	// PinnedKeyIDs are the IDs of the trusted keys. Nil: every key in Keys is trusted. An empty list that is not nil: none.
	PinnedKeyIDs []string
	// Now is the verifier's clock.
	Now time.Time
	// MaxAge of a signature; nil for 900 seconds.
	MaxAge *time.Duration
	// Revalidated has the header fields of a later 304 with which a cache renewed the response, unless it merged them.
	Revalidated http.Header
}

// A VerifiedResponse is the result of a verification.
type VerifiedResponse struct {
	Status int
	// Content is the canonical JSON of the whole body; nil for a 304.
	Content json.RawMessage
	// Data is the canonical JSON of data of an enveloped success, or of the OpenAPI document; nil otherwise.
	Data json.RawMessage
	// ETag is computed from Data; for a 304, the one that it proves.
	ETag string
	// KeyID is the RFC 7638 ID of the key that signed.
	KeyID string
	// ProvedAt is when the response, or the 304 that renewed it, was signed.
	ProvedAt time.Time
	// Warnings name what does not match in header fields that are not signed: "ETAG: …" and "REQUEST_ID: …".
	Warnings []string
	members  canonicalText
}

// TargetOf gives the target that a client sends for a URL: path and query, without the fragment.
func TargetOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	bare, _, _ := strings.Cut(rest, "#")
	if at := strings.IndexAny(bare, "/?"); at >= 0 {
		return "/" + strings.TrimPrefix(bare[at:], "/")
	}
	return "/"
}

// VerifyResponse checks that a trusted key signed a response for this method, target and status, and that it is fresh.
// It sends nothing. The error is a *VerificationError whose Code names the first step that failed.
func VerifyResponse(response *Response, expected Expectations) (*VerifiedResponse, error) {
	verified, err := check{response, expected}.run()
	if err != nil {
		err.Response = response
		return nil, err
	}
	return verified, nil
}

// VerifyKeyDocument verifies a response of the signing-key endpoint with the keys that it contains, and returns them.
// That proves only that the signer has one of them: pin their IDs. Keys of the expectations are ignored.
func VerifyKeyDocument(response *Response, expected Expectations) ([]*Key, error) {
	var data []byte
	hasData, hasProof := false, len(missingIn(response.Header, proofFields)) == 0
	if hasProof && len(response.Body) <= maxKeyDocumentBytes {
		content, err := parse(response.Body)
		data, hasData = content.member("data")
		hasData = hasData && err == nil
	}
	if !hasData {
		failure := refuse("UNSIGNED", "no signing-key document; status %d", response.Status)
		if hasProof {
			failure.Code = "MALFORMED"
		}
		failure.Response = response
		return nil, failure
	}
	keys, err := ParseSigningKeys(data)
	if err != nil {
		return nil, err
	}
	expected.Keys = keys
	if _, err := VerifyResponse(response, expected); err != nil {
		return nil, err
	}
	return keys, nil
}

// ParseSigningKeys reads the Ed25519 keys of data of the signing-key document, the current one first. It does not
// verify the document.
func ParseSigningKeys(data json.RawMessage) ([]*Key, error) {
	var document map[string]any
	_ = json.Unmarshal(data, &document)
	listed, _ := document["keys"].([]any)
	var published []PublishedKey
	for _, each := range listed {
		if key, ok := publishedKeyOf(each); ok {
			published = append(published, key)
		}
	}
	if len(published) == 0 || len(published) > maxKeys {
		return nil, refuse("MALFORMED", "expected 1 to %d Ed25519 keys, found %d", maxKeys, len(published))
	}
	keys := make([]*Key, 0, len(published))
	for _, each := range published {
		key, err := ImportKey(each)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// publishedKeyOf reads a key; false for anything but an Ed25519 key. Go's decoder would also accept names in another
// case.
func publishedKeyOf(value any) (PublishedKey, bool) {
	object, _ := value.(map[string]any)
	jwk, _ := object["jwk"].(map[string]any)
	text := func(name string) string {
		value, _ := jwk[name].(string)
		return value
	}
	date := func(name string) *string {
		value := object[name]
		if value == nil {
			return nil
		}
		// A date of another type is one that cannot be read.
		text, _ := value.(string)
		return &text
	}
	status, _ := object["status"].(string)
	key := PublishedKey{
		Status: status, JWK: JWK{text("kty"), text("crv"), text("x")}, NotBefore: date("notBefore"), NotAfter: date("notAfter"),
	}
	return key, key.JWK.Kty == "OKP" && key.JWK.Crv == "Ed25519"
}

// field gives the value of a header field; several lines are joined by a comma (RFC 9110 5.2).
func field(header http.Header, name string) (string, bool) {
	values := header.Values(name)
	if len(values) == 1 {
		return strings.Trim(values[0], " \t"), true
	}
	bare := make([]string, 0, len(values))
	for _, value := range values {
		bare = append(bare, strings.Trim(value, " \t"))
	}
	return strings.Join(bare, ", "), len(values) > 0
}

// missingIn lists the header fields that a response lacks.
func missingIn(header http.Header, names []string) []string {
	var missing []string
	for _, name := range names {
		if _, ok := field(header, name); !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// isOutage reports whether a response is an unsigned 429 or 5xx, as from a proxy: it proves nothing. A digest alone may
// be that of a proxy.
func (r *Response) isOutage() bool {
	isSigned := len(missingIn(r.Header, proofFields[1:])) < len(proofFields[1:])
	return (r.Status == http.StatusTooManyRequests || r.Status >= 500) && !isSigned
}

type check struct {
	response *Response
	Expectations
}

type proof struct {
	keyID    string
	signedAt time.Time
}

func (c check) run() (*VerifiedResponse, *VerificationError) {
	r := c.response
	if err := c.requireTrusted(); err != nil {
		return nil, err
	}
	if r.Status == http.StatusNotModified {
		revalidated, ok := field(r.Header, "X-SVC-Revalidated")
		if !ok {
			return nil, refuse("UNSIGNED", "no X-SVC-Revalidated")
		}
		stated, _ := field(r.Header, "ETag")
		listed := listedIn(r.IfNoneMatch, stated)
		proved, etag, err := c.revalidation(r.Header, revalidated, listed)
		if err != nil {
			return nil, err
		}
		if !contains(listed, etag) {
			return nil, refuse("ETAG", "%s is not in If-None-Match", etag)
		}
		return &VerifiedResponse{
			Status: r.Status, ETag: etag, KeyID: proved.keyID, ProvedAt: proved.signedAt,
			Warnings: c.differences("ETAG", "ETag", etag),
		}, nil
	}
	if missing := missingIn(r.Header, proofFields); len(missing) > 0 {
		return nil, refuse("UNSIGNED", "no %s", strings.Join(missing, ", no "))
	}
	contentDigest, _ := field(r.Header, "Content-Digest")
	signedAt, _ := field(r.Header, "X-SVC-Signed-At")
	signature, _ := field(r.Header, "X-SVC-Signature")
	sum := sha256.Sum256(r.Body)
	if digest := base64.StdEncoding.EncodeToString(sum[:]); findDigest(contentDigest) != digest {
		return nil, refuse("DIGEST", "the body has %s, Content-Digest is %s", digest, contentDigest)
	}
	lines := []string{"svc-response-v1", r.Method, r.Target, strconv.Itoa(r.Status), signedAt, contentDigest}
	proved, err := c.signed(lines, signedAt, signature, "SIGNATURE")
	if err != nil {
		return nil, err
	}
	signer := proved.keyID
	verified, malformed := c.readBody(sum)
	if !c.isFresh(proved.signedAt) {
		later := c.Revalidated
		if later == nil {
			later = r.Header
		}
		revalidated, ok := field(later, "X-SVC-Revalidated")
		if !ok {
			return nil, refuse("STALE", "signed at %s, and no 304 renewed it", signedAt)
		}
		// The ETag that was signed is computed from the body: a proxy may have changed the header.
		var own []string
		if malformed == nil && verified.Data != nil {
			own = []string{verified.ETag}
		}
		renewal, etag, err := c.revalidation(later, revalidated, own)
		if err != nil {
			return nil, err
		}
		if malformed == nil && !contains(own, etag) {
			return nil, refuse("ETAG", "expected %s, found %s", verified.ETag, etag)
		}
		proved = renewal
	}
	if malformed != nil {
		return nil, malformed
	}
	verified.Warnings = c.differences("ETAG", "ETag", verified.ETag)
	if requestID, isStated := verified.members.member("requestId"); isStated {
		var text string
		_ = json.Unmarshal(requestID, &text)
		verified.Warnings = append(verified.Warnings, c.differences("REQUEST_ID", "X-Request-Id", text)...)
	}
	verified.KeyID, verified.ProvedAt = signer, proved.signedAt
	return verified, nil
}

// differences warns if a header field that is not signed differs from the verified value. A CDN may remove the field.
func (c check) differences(code, name, expected string) []string {
	found, isStated := field(c.response.Header, name)
	if !isStated || (found == expected && found != "") {
		return nil
	}
	return []string{code + ": expected " + expected + ", found " + found}
}

func (c check) requireTrusted() *VerificationError {
	ids := make([]string, 0, len(c.Keys))
	for _, key := range c.Keys {
		if c.isTrusted(key) {
			return nil
		}
		ids = append(ids, key.ID)
	}
	return refuse("UNKNOWN_KEY", "found %s", strings.Join(ids, ", "))
}

func (c check) isTrusted(key *Key) bool {
	return c.PinnedKeyIDs == nil || contains(c.PinnedKeyIDs, key.ID)
}

func (c check) isFresh(signedAt time.Time) bool {
	maxAge := MaxAge
	if c.MaxAge != nil {
		maxAge = *c.MaxAge
	}
	return c.Now.Sub(signedAt) <= maxAge
}

func (c check) signerOf(lines []string, signature string) *Key {
	data, ok := decodeBase64(base64.StdEncoding, signature, ed25519.SignatureSize)
	text := []byte(strings.Join(lines, "\n"))
	for _, key := range c.Keys {
		if ok && isSignature(key.public, text, data) {
			return key
		}
	}
	return nil
}

// signed checks one signature, its key and its time; how old it may be is up to the caller.
func (c check) signed(lines []string, signedAt, signature, fault string) (proof, *VerificationError) {
	signer := c.signerOf(lines, signature)
	if signer == nil {
		return proof{}, refuse(fault, "not valid for any key")
	}
	if !c.isTrusted(signer) {
		return proof{}, refuse("UNKNOWN_KEY", "signed by %s%s", signer.ID, c.retired(signer))
	}
	moment, ok := parseInstant(signedAt)
	if !ok {
		return proof{}, refuse("MALFORMED", "signed at %s", signedAt)
	}
	if moment.After(c.Now.Add(maxSkew)) {
		return proof{}, refuse("FUTURE", "signed at %s, more than %v ahead of this clock", signedAt, maxSkew)
	}
	if !signer.wasInUse(moment) {
		return proof{}, refuse("KEY_PERIOD", "%s signed at %s", signer.ID, signedAt)
	}
	return proof{keyID: signer.ID, signedAt: moment}, nil
}

// revalidation verifies the proof of a 304, and gives the ETag that it signs: one of the expected, or that of the header.
func (c check) revalidation(header http.Header, revalidated string, expected []string) (proof, string, *VerificationError) {
	signedAt, signature, _ := strings.Cut(revalidated, "; ")
	stated, _ := field(header, "ETag")
	linesOf := func(etag string) []string {
		return []string{"svc-revalidation-v1", c.response.Method, c.response.Target, "304", signedAt, etag}
	}
	etag := stated
	if !contains(expected, stated) {
		for _, each := range expected {
			if c.signerOf(linesOf(each), signature) != nil {
				etag = each
				break
			}
		}
	}
	proved, err := c.signed(linesOf(etag), signedAt, signature, "REVALIDATION")
	if err != nil {
		return proof{}, "", err
	}
	if !c.isFresh(proved.signedAt) {
		return proof{}, "", refuse("STALE", "renewed at %s", signedAt)
	}
	return proved, etag, nil
}

// readBody gives the body, its data, and the entity tag of the data. sum is the hash of the whole body.
func (c check) readBody(sum [sha256.Size]byte) (*VerifiedResponse, *VerificationError) {
	content, err := parse(c.response.Body)
	data, hasData := content.member("data")
	path, _, _ := strings.Cut(c.response.Target, "?")
	if _, isEnveloped := content.member("ok"); path == readPaths["openapi"] && !isEnveloped {
		// The OpenAPI document has no envelope.
		data, hasData = content.text, true
	}
	// What is beside the data needs no canonical form.
	if err != nil || hasNoForm(data) {
		// The text is not quoted: it may be anything.
		return nil, refuse("MALFORMED", "the body is not JSON")
	}
	verified := &VerifiedResponse{Status: c.response.Status, Content: content.text, members: content}
	if hasNoForm(content.text) {
		verified.Content = bytes.ToValidUTF8(content.text, []byte("\ufffd"))
	}
	if hasData {
		verified.Data = data
		if !bytes.Equal(data, c.response.Body) {
			sum = sha256.Sum256(data)
		}
		verified.ETag = `W/"` + base64url(sum) + `"`
		// The service sends data in canonical form. Where it did not, and its header says so, the tag is that of the bytes as
		// they were sent. An escape may be half of a surrogate pair.
		stated, _ := field(c.response.Header, "ETag")
		if sent := c.sentData(content); stated != verified.ETag && sent != nil && !bytes.Contains(c.response.Body, []byte(`\u`)) {
			if sentTag := `W/"` + base64url(sha256.Sum256(sent)) + `"`; sentTag == stated {
				verified.ETag = stated
			}
		}
	}
	return verified, nil
}

// envelope is the beginning of an envelope up to its data, as the service writes it. It has nothing behind the data.
var envelope = regexp.MustCompile(`^\{"ok":true,"schema":"[\w.-]+","requestId":"[\w-]+","issuedAt":"[\w:.-]+","data":`)

const envelopeMembers = 5

// sentData gives the bytes of the data as they were sent; nil if the body does not have the form of the service.
func (c check) sentData(content canonicalText) []byte {
	body := c.response.Body
	path, _, _ := strings.Cut(c.response.Target, "?")
	if _, isEnveloped := content.member("ok"); path == readPaths["openapi"] && !isEnveloped {
		return body
	}
	start := envelope.Find(body)
	if start == nil || len(content.members) != envelopeMembers || body[len(body)-1] != '}' {
		return nil
	}
	return body[len(start) : len(body)-1]
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

// listedIn gives the entity tags that a request accepts, in the form of the service (weak comparison, RFC 9110 13.1.2).
func listedIn(ifNoneMatch, etag string) []string {
	if ifNoneMatch == "*" {
		return []string{etag}
	}
	tags := entityTag.FindAllString(ifNoneMatch, -1)
	for at, tag := range tags {
		tags[at] = "W/" + tag
	}
	return tags
}
