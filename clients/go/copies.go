package publicapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
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
}

// read gives the newest copy of a published resource. The error is a *CopyError, a *VerificationError, or the outage.
func (c *copies) read(ctx context.Context, target string, outage error) (*Verified[json.RawMessage], error) {
	if len(c.mirrors) == 0 && c.folder == "" {
		return nil, outage
	}
	if !copiedPaths[target] {
		return nil, &CopyError{"NO_COPY", target + " is not a published resource", outage}
	}
	var warnings []string
	failure := outage
	for _, mirror := range c.mirrors {
		result, err := c.readMirror(ctx, mirror, target)
		if err == nil {
			result.Warnings = warnings
			return result, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		code, detail := "CONNECTION", err.Error()
		var refused *VerificationError
		var unusable *CopyError
		if errors.As(err, &refused) {
			code, detail = refused.Code, refused.Detail
		} else if errors.As(err, &unusable) {
			code, detail, unusable.Err = unusable.Code, unusable.Detail, outage
		}
		if code != "CONNECTION" && failure == outage {
			failure = err
		}
		warnings = append(warnings, code+": "+mirror+": "+detail)
	}
	stored := c.readStored(target)
	if stored == nil {
		return nil, failure
	}
	stored.Warnings = warnings
	if err := c.requireAge(stored); err != nil {
		err.Err = outage
		return nil, err
	}
	return stored, nil
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

func (c *copies) readMirror(ctx context.Context, mirror, target string) (*Verified[json.RawMessage], error) {
	body, err := c.get(ctx, mirror, "now.json", maxNowBytes)
	if err != nil {
		return nil, err
	}
	var copied struct {
		Schema    string     `json:"schema"`
		Origin    string     `json:"origin"`
		Responses []portable `json:"responses"`
	}
	content, err := parse(body)
	if err != nil || json.Unmarshal(content.text, &copied) != nil || copied.Schema != copySchema {
		return nil, refuse("MALFORMED", "expected an object with the schema %s", copySchema)
	}
	if copied.Origin != c.connection.origin {
		// The signature does not cover it.
		return nil, refuse("MALFORMED", "now.json is not a copy of %s", c.connection.origin)
	}
	isInOrder := len(copied.Responses) >= 2
	for at, name := range []string{"version", "signingKey"} {
		if isInOrder {
			each := copied.Responses[at]
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
	result, err := c.verify(copied.Responses[:2], trusted)
	if err != nil {
		return nil, err
	}
	entry, failure := requireEntry(result.Data, "")
	if failure != nil {
		return nil, refuse("MALFORMED", "%v", failure)
	}
	result.Source = "mirror"
	if err := c.requireAge(result); err != nil {
		return nil, err
	}
	if target == readPaths["version"] {
		return result, nil
	}
	name := strings.TrimPrefix(target, basePath)
	digest, isListed := entry.resources[name]
	if !isListed {
		return nil, &CopyError{Code: "NO_COPY", Detail: entry.snapshotID + " has no " + name}
	}
	file := "archive/resources/" + name + "/" + digest + ".json"
	archived, err := c.get(ctx, mirror, file, int(c.connection.maxBodyBytes))
	if err != nil {
		return nil, err
	}
	if found := base64url(sha256.Sum256(archived)); found != digest {
		return nil, refuse("DIGEST", "%s: expected %s, found %s", file, digest, found)
	}
	data, err := canonicalize(archived)
	if err != nil {
		return nil, refuse("MALFORMED", "%s is not JSON", file)
	}
	result.Data, result.ETag = data.text, `W/"`+digest+`"`
	return result, nil
}

// verify checks a copied response with the keys of the copied document that follows it, and then the 304 that renewed it
// if there is one, at any age.
func (c *copies) verify(copied []portable, trusted []string) (*Verified[json.RawMessage], error) {
	responses := make([]*Response, len(copied))
	for at, each := range copied {
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
	provedAt := verified.ProvedAt
	for _, renewal := range responses[2:] {
		renewal.IfNoneMatch = verified.ETag
		renewed, err := VerifyResponse(renewal, expected)
		if err != nil {
			return nil, err
		}
		provedAt = renewed.ProvedAt
	}
	return &Verified[json.RawMessage]{
		Data: verified.Data, ETag: verified.ETag, KeyID: verified.KeyID, ProvedAt: provedAt,
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

// A storedResponse is the last verified response to a target, the key document, and the 304 that renewed the response.
type storedResponse struct {
	Origin    string     `json:"origin"`
	Responses []portable `json:"responses"`
}

func (c *copies) file(target string) string {
	sum := sha256.Sum256([]byte(c.connection.origin + "\n" + target))
	return filepath.Join(c.folder, hex.EncodeToString(sum[:])+".json")
}

// save stores a verified response, and gives a warning if that fails.
func (c *copies) save(target string, result *Verified[json.RawMessage], renewal *Response) []string {
	c.keys.mutex.Lock()
	document := c.keys.document
	c.keys.mutex.Unlock()
	if c.folder == "" || !copiedPaths[target] || document == nil {
		return nil
	}
	stored := storedResponse{c.connection.origin, []portable{portableOf(result.Response), portableOf(document)}}
	if renewal != nil {
		stored.Responses = append(stored.Responses, portableOf(renewal))
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

// readStored gives the stored response; nil if there is none that verifies.
func (c *copies) readStored(target string) *Verified[json.RawMessage] {
	if c.folder == "" {
		return nil
	}
	about, err := os.Stat(c.file(target))
	if err != nil || !about.Mode().IsRegular() || about.Size() > maxStoredBytes {
		return nil
	}
	text, err := os.ReadFile(c.file(target))
	var stored storedResponse
	if err != nil || json.Unmarshal(text, &stored) != nil || len(stored.Responses) < 2 || len(stored.Responses) > 3 ||
		stored.Responses[0].Target != target {
		return nil
	}
	result, err := c.verify(stored.Responses, c.keys.expectations(nil).PinnedKeyIDs)
	if err != nil {
		return nil
	}
	result.Source = "store"
	return result
}
