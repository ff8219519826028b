package publicapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Copies of a service, for reads while it is away: mirrors, and the last verified responses on disk.

const (
	copySchema = "svc.public.copy.v1"
	// now.json is parsed before it is verified, so its size is limited.
	maxNowBytes    = 2_000_000
	maxStoredBytes = 64_000_000
)

// isOutage reports whether an error means that the service is away. A response that was received and does not verify
// never does.
func isOutage(err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return !lost.Final
	}
	var failure *VerificationError
	return errors.As(err, &failure) && failure.IsInconclusive()
}

type copies struct {
	mirrors    []string
	maxAge     time.Duration
	folder     string
	keys       *Keys
	connection *connection
	memory     readerMemory
}

// A copy is what a mirror or the store has of a resource, before its bytes are read.
type copied struct {
	copyProof
	url, file, digest string
	result            *Verified[json.RawMessage]
	responses         []portable
}

// read gives the newest copy of a published resource, and never one that is older than what this reader verified without
// a warning that says so. The error is a *CopyError, a *VerificationError, or the outage.
func (c *copies) read(ctx context.Context, target string, outage error) (*Verified[json.RawMessage], error) {
	if len(c.mirrors) == 0 && c.folder == "" {
		return nil, outage
	}
	if !copiedPaths[target] {
		return nil, &CopyError{"NO_COPY", target + " is not a published resource", outage}
	}
	var warnings []string
	var failure error
	passOver := func(url string, err error) {
		code, detail := "CONNECTION", err.Error()
		var refused *VerificationError
		var unusable *CopyError
		if errors.As(err, &refused) {
			code, detail = refused.Code, refused.Detail
		} else if errors.As(err, &unusable) {
			code, detail, unusable.Err = unusable.Code, unusable.Detail, outage
		}
		if code != "CONNECTION" && failure == nil {
			failure = err
		}
		warnings = append(warnings, code+": "+url+": "+detail)
	}
	version, refused := c.readStored(readPaths["version"])
	if version != nil && version.entry != nil {
		c.memory.learnVersion(version.entry, false)
	}
	last := version
	if target != readPaths["version"] {
		last, refused = c.readStored(target)
	}
	if last != nil {
		c.memory.learnProof(target, last.copyProof)
	}
	var found []*copied
	for _, mirror := range c.mirrors {
		each, err := c.readProof(ctx, mirror, target)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			passOver(mirror, err)
			continue
		}
		c.memory.learnVersion(each.entry, false)
		found = append(found, each)
	}
	// Of one version, the first.
	sort.SliceStable(found, func(i, j int) bool { return found[i].entry.sequence > found[j].entry.sequence })
	// The next process must know of it, too.
	if len(found) > 0 && (version == nil || found[0].isAfter(version.copyProof)) {
		warnings = append(warnings, c.write(readPaths["version"], found[0].responses, nil)...)
	}
	resultOf := func(each *copied) *Verified[json.RawMessage] {
		body, err := c.readResource(ctx, each)
		if err != nil {
			passOver(each.url, err)
			return nil
		}
		if c.memory.ageOf(target, each.copyProof) == "" {
			if body != nil && (last == nil || each.isAfter(last.copyProof)) {
				warnings = append(warnings, c.write(target, each.responses, body)...)
			}
		}
		c.memory.learnProof(target, each.copyProof)
		return each.result
	}
	var result *Verified[json.RawMessage]
	var older []*copied
	for _, each := range found {
		reason := c.memory.ageOf(target, each.copyProof)
		if reason == "" {
			if result = resultOf(each); result != nil {
				break
			}
			continue
		}
		warnings = append(warnings, "OLDER_COPY: "+each.url+": "+reason)
		older = append(older, each)
	}
	for _, each := range older {
		if result != nil || last != nil && !each.isAfter(last.copyProof) {
			break
		}
		result = resultOf(each)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil && last != nil {
		if reason := c.memory.ageOf(target, last.copyProof); reason != "" {
			warnings = append(warnings, "OLDER_COPY: store: "+reason)
		}
		result = last.result
		if err := c.requireAge(result); err != nil {
			err.Err = outage
			return nil, err
		}
	}
	if result != nil {
		result.Warnings = warnings
		return result, nil
	}
	for _, err := range []error{failure, refused} {
		if err != nil {
			return nil, err
		}
	}
	return nil, outage
}

// get reads a file of a mirror.
func (c *copies) get(ctx context.Context, mirror, name string, most int) ([]byte, error) {
	path := strings.SplitN(mirror, "/", 4)
	response, err := c.connection.getURL(ctx, strings.Join(path[:3], "/"), "/"+path[3]+name, nil)
	if err != nil {
		return nil, err
	}
	if response.isOutage() {
		return nil, &ConnectionError{URL: mirror + name, Err: fmt.Errorf("status %d", response.Status)}
	}
	if response.Status != http.StatusOK || len(response.Body) > most {
		return nil, refuse("MALFORMED", "%s: status %d, %d bytes", name, response.Status, len(response.Body))
	}
	return response.Body, nil
}

// readProof verifies the now.json of a mirror.
func (c *copies) readProof(ctx context.Context, mirror, target string) (*copied, error) {
	body, err := c.get(ctx, mirror, "now.json", maxNowBytes)
	if err != nil {
		return nil, err
	}
	var now struct {
		Schema    string     `json:"schema"`
		Origin    string     `json:"origin"`
		Responses []portable `json:"responses"`
	}
	content, err := parse(body)
	if err != nil || json.Unmarshal(content.text, &now) != nil || now.Schema != copySchema {
		return nil, refuse("MALFORMED", "expected an object with the schema %s", copySchema)
	}
	if now.Origin != c.connection.origin {
		// The signature does not cover it.
		return nil, refuse("MALFORMED", "now.json is not a copy of %s", c.connection.origin)
	}
	isInOrder := len(now.Responses) >= 2
	for at, name := range []string{"version", "signingKey"} {
		if isInOrder {
			each := now.Responses[at]
			isInOrder = each.Method == http.MethodGet && each.Target == readPaths[name] && each.Status == http.StatusOK
		}
	}
	if !isInOrder {
		return nil, refuse("MALFORMED", "expected the newest version and the key document first")
	}
	trusted := c.keys.expectations(nil).PinnedKeyIDs
	if trusted == nil {
		return nil, refuse("UNKNOWN_KEY", "no key is pinned, and none was received from the service yet")
	}
	result, err := c.verify(now.Responses[:2], trusted)
	if err != nil {
		return nil, err
	}
	entry, failure := requireEntry(result.Data, "")
	if failure != nil {
		return nil, refuse("MALFORMED", "%v", failure)
	}
	if err := c.memory.requireSameHistory(&entry); err != nil {
		return nil, err
	}
	result.Source = "mirror"
	if err := c.requireAge(result); err != nil {
		return nil, err
	}
	each := &copied{
		copyProof: copyProof{result.ETag, result.ProvedAt, &entry}, url: mirror, result: result, responses: now.Responses[:2],
	}
	if target == readPaths["version"] {
		return each, nil
	}
	name := strings.TrimPrefix(target, basePath)
	digest, isListed := entry.resources[name]
	if !isListed {
		return nil, &CopyError{Code: "NO_COPY", Detail: entry.snapshotID + " has no " + name}
	}
	each.file, each.digest, each.etag = "archive/resources/"+name+"/"+digest+".json", digest, `W/"`+digest+`"`
	return each, nil
}

// readResource reads the bytes of a resource into the result; none for the version, which is in the proof itself.
func (c *copies) readResource(ctx context.Context, each *copied) ([]byte, error) {
	if each.file == "" {
		return nil, nil
	}
	archived, err := c.get(ctx, each.url, each.file, int(c.connection.maxBodyBytes))
	if err != nil {
		return nil, err
	}
	if found := base64url(sha256.Sum256(archived)); found != each.digest {
		return nil, refuse("DIGEST", "%s: expected %s, found %s", each.file, each.digest, found)
	}
	data, err := canonicalize(archived)
	if err != nil {
		return nil, refuse("MALFORMED", "%s is not JSON", each.file)
	}
	each.result.Data, each.result.ETag = data.text, each.etag
	return archived, nil
}

// verify checks a copied response with the keys of the copied document that follows it, and then the 304 that renewed it
// if there is one, at any age.
func (c *copies) verify(listed []portable, trusted []string) (*Verified[json.RawMessage], error) {
	responses := make([]*Response, len(listed))
	for at, each := range listed {
		response, err := each.response()
		if err != nil {
			return nil, err
		}
		responses[at] = response
	}
	anyAge := time.Duration(math.MaxInt64)
	expected := Expectations{PinnedKeyIDs: trusted, Now: c.connection.now(), MaxAge: &anyAge}
	keys, err := VerifyKeyDocument(responses[1], expected)
	if err != nil {
		return nil, err
	}
	expected.Keys = keys
	verified, err := VerifyResponse(responses[0], expected)
	if err != nil {
		return nil, err
	}
	if verified.Data == nil {
		return nil, refuse("MALFORMED", "no data")
	}
	provedAt, keyID := verified.ProvedAt, verified.KeyID
	for _, renewal := range responses[2:] {
		renewal.IfNoneMatch = verified.ETag
		renewed, err := VerifyResponse(renewal, expected)
		if err != nil {
			return nil, err
		}
		provedAt, keyID = renewed.ProvedAt, renewed.KeyID
	}
	return &Verified[json.RawMessage]{
		Data: verified.Data, ETag: verified.ETag, KeyID: keyID, ProvedAt: provedAt,
		RequestID: textMember(verified, "requestId"), Response: responses[0],
	}, nil
}

// requireAge states the age of a copy, and refuses one that is too old.
func (c *copies) requireAge(result *Verified[json.RawMessage]) *CopyError {
	result.AgeSeconds = c.connection.ageSeconds(result.ProvedAt)
	maxAge := int64(c.maxAge / time.Second)
	if c.maxAge == 0 || result.AgeSeconds <= maxAge {
		return nil
	}
	detail := fmt.Sprintf("signed %d s ago; expected at most %d s", result.AgeSeconds, maxAge)
	return &CopyError{Code: "STALE_COPY", Detail: detail}
}

func (c *connection) ageSeconds(provedAt time.Time) int64 {
	if age := c.now().Sub(provedAt); age > 0 {
		return int64(age / time.Second)
	}
	return 0
}

// A storedResponse is the last verified response to a target, the key document, and the 304 that renewed the response; from a
// mirror, the version, the key document, and the bytes of the resource.
type storedResponse struct {
	Origin     string     `json:"origin"`
	KeyIDs     []string   `json:"keyIds"`
	Responses  []portable `json:"responses"`
	BodyBase64 *string    `json:"bodyBase64,omitempty"`
}

func (c *copies) file(target string) string {
	sum := sha256.Sum256([]byte(c.connection.origin + "\n" + target))
	return filepath.Join(c.folder, hex.EncodeToString(sum[:])+".json")
}

// save remembers and stores a verified response of the service, and gives a warning if that fails.
func (c *copies) save(target string, result *Verified[json.RawMessage], renewal *Response) []string {
	proved := copyProof{etag: result.ETag, provedAt: result.ProvedAt}
	if target == readPaths["version"] {
		// Another process may have stored a newer one.
		if stored, _ := c.readStored(target); stored != nil {
			c.memory.learnVersion(stored.entry, false)
		}
	}
	if strings.HasPrefix(target, readPaths["version"]) {
		if entry, failure := requireEntry(result.Data, ""); failure == nil {
			c.memory.learnVersion(&entry, true)
			proved.entry = &entry
		}
	}
	c.keys.mutex.Lock()
	document := c.keys.document
	c.keys.mutex.Unlock()
	// A node of the service may be behind the others.
	if !copiedPaths[target] || document == nil || c.memory.ageOf(target, proved) != "" {
		return nil
	}
	c.memory.learnProof(target, proved)
	responses := []portable{portableOf(result.Response), portableOf(document)}
	if renewal != nil {
		responses = append(responses, portableOf(renewal))
	}
	return c.write(target, responses, nil)
}

// write stores what proves a result, and gives a warning if that fails.
func (c *copies) write(target string, responses []portable, body []byte) []string {
	if c.folder == "" {
		return nil
	}
	stored := storedResponse{
		Origin: c.connection.origin, KeyIDs: c.keys.expectations(nil).PinnedKeyIDs, Responses: responses,
	}
	if body != nil {
		encoded := base64.StdEncoding.EncodeToString(body)
		stored.BodyBase64 = &encoded
	}
	text, err := json.Marshal(stored)
	if err == nil {
		err = replaceFile(c.file(target), text)
	}
	if err != nil {
		return []string{"STORE: not saved: " + err.Error()}
	}
	return nil
}

// readStored gives the stored result; nil if there is none that verifies. The error is that no trusted key signed it:
// without pins, those that the client had when it wrote the record.
func (c *copies) readStored(target string) (*copied, error) {
	if c.folder == "" {
		return nil, nil
	}
	about, err := os.Stat(c.file(target))
	if err != nil || !about.Mode().IsRegular() || about.Size() > maxStoredBytes {
		return nil, nil
	}
	text, err := os.ReadFile(c.file(target))
	var stored storedResponse
	if err != nil || json.Unmarshal(text, &stored) != nil || len(stored.Responses) < 2 || len(stored.Responses) > 3 {
		return nil, nil
	}
	trusted := c.keys.expectations(nil).PinnedKeyIDs
	if trusted == nil {
		trusted = stored.KeyIDs
	}
	if len(trusted) == 0 {
		return nil, refuse("UNKNOWN_KEY", "no key is pinned, and the store names none")
	}
	result, err := c.verify(stored.Responses, trusted)
	var failure *VerificationError
	if errors.As(err, &failure) && failure.Code == "UNKNOWN_KEY" {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	result.Source = "store"
	each := &copied{copyProof: copyProof{result.ETag, result.ProvedAt, nil}, result: result}
	asked := stored.Responses[0].Target
	if asked == readPaths["version"] {
		entry, failure := requireEntry(result.Data, "")
		if failure != nil {
			return nil, nil
		}
		each.entry = &entry
	}
	if asked == target {
		return each, nil
	}
	// The version of a copy, with the bytes of a resource that it names.
	if each.entry == nil || stored.BodyBase64 == nil {
		return nil, nil
	}
	body, err := base64.StdEncoding.DecodeString(*stored.BodyBase64)
	digest := base64url(sha256.Sum256(body))
	if err != nil || each.entry.resources[strings.TrimPrefix(target, basePath)] != digest {
		return nil, nil
	}
	data, err := canonicalize(body)
	if err != nil {
		return nil, nil
	}
	each.etag = `W/"` + digest + `"`
	result.Data, result.ETag = data.text, each.etag
	return each, nil
}
