package publicapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"
)

const (
	basePath = "/api/v1/"
	// How long the nodes of a service may serve different versions after a release.
	rolloutTime  = 10 * time.Minute
	maxRounds    = 4
	maxUnsettled = 4
	concurrency  = 8
)

// AuditOptions of AuditHistory.
type AuditOptions struct {
	// State is a file that keeps the newest version between audits, the one of svc audit. Empty: the history is not
	// compared with an earlier audit.
	State string
	// Moved accepts a state of another origin if a key that it announces signs here.
	Moved bool
	// EveryVersion reads also those that an earlier audit read.
	EveryVersion bool
}

// A KeyChange means that another key signs than in the last audit.
type KeyChange struct {
	Before, After string
	// IsAnnounced reports whether an earlier audit saw the new key in a key document.
	IsAnnounced bool
}

// An AuditReport is the result of an audit without contradictions.
type AuditReport struct {
	// Head is the newest version.
	Head VersionEntry
	// PreviousHead is that of the last audit; nil on the first.
	PreviousHead *VersionEntry
	// KeyID of the key that signed the newest version. Through the chain its signature covers all others.
	KeyID     string
	KeyChange *KeyChange
	// NewVersions since the last audit, oldest first.
	NewVersions []VersionEntry
	// VersionsRead is the number of versions whose hash and changes this audit recomputed.
	VersionsRead int
	// Resources that match the newest version.
	Resources []string
	// Unavailable resources of the newest version, as the service reported.
	Unavailable []string
}

// An UnsettledError means that the audit neither confirmed nor disproved the history: a release was in progress. The next
// audit with the same state settles it.
type UnsettledError struct{ Detail string }

func (e *UnsettledError) Error() string { return "UNSETTLED: " + e.Detail }

// An AuditStateError means that the state cannot be compared with this service: OTHER_ORIGIN, OTHER_KEYS or UNREADABLE.
type AuditStateError struct{ Code, Detail string }

func (e *AuditStateError) Error() string { return e.Code + ": " + e.Detail }

// AuditHistory recomputes the history: the hash and the changes of every new version, the links between all versions, the
// link to the newest version of the last audit, and the served resources against the newest version. It saves that version
// if everything matches.
//
// The error is a *VerificationError with Evidence if the service contradicts itself (SHORTENED, REWRITTEN, BROKEN,
// CHANGES_FALSE, INCONSISTENT), one with the code UNLINKED_KEYS if it contradicts the last audit under an unrelated key, an
// *AuditStateError, an *UnsettledError, or what the client returns.
func AuditHistory(ctx context.Context, client *Client, options AuditOptions) (*AuditReport, error) {
	saved, err := loadState(options.State)
	if err != nil {
		return nil, err
	}
	if saved != nil && !options.Moved && saved.Origin != nil && *saved.Origin != client.Origin() {
		return nil, &AuditStateError{"OTHER_ORIGIN", "the state belongs to " + *saved.Origin}
	}
	audit := &audit{ctx: ctx, client: client, saved: saved, options: options, entries: map[string]*chainEntry{}}
	report, newest, err := audit.run()
	var open *openContradiction
	if errors.As(err, &open) {
		state, failure := audit.unsettledState(open)
		if failure == nil && options.State != "" {
			failure = saveState(options.State, state)
		}
		if failure != nil {
			return nil, failure
		}
		return nil, &UnsettledError{open.detail}
	}
	if err != nil || options.State == "" {
		return report, err
	}
	state, err := audit.headState(portableOf(newest.Response))
	if err == nil {
		err = saveState(options.State, state)
	}
	return report, err
}

// A portable is a signed response with what is needed to verify it later.
type portable struct {
	Method     string     `json:"method"`
	Target     string     `json:"target"`
	Status     int        `json:"status"`
	Headers    [][]string `json:"headers"`
	BodyBase64 string     `json:"bodyBase64"`
}

func portableOf(response *Response) portable {
	headers, names := [][]string{}, append([]string{"X-Request-Id"}, proofFields...)
	if response.Status == http.StatusNotModified {
		names = []string{"ETag", "X-SVC-Revalidated"}
	}
	for _, name := range names {
		if value, ok := field(response.Header, name); ok {
			headers = append(headers, []string{name, value})
		}
	}
	body := base64.StdEncoding.EncodeToString(response.Body)
	return portable{response.Method, response.Target, response.Status, headers, body}
}

// isWhole tells whether a saved response has every member.
func (p portable) isWhole() bool {
	for _, pair := range p.Headers {
		if len(pair) != 2 {
			return false
		}
	}
	return p.Method != "" && p.Target != "" && p.Status != 0 && p.Headers != nil && p.BodyBase64 != ""
}

// response gives the response. The error is a *VerificationError (MALFORMED).
func (p portable) response() (*Response, error) {
	header := http.Header{}
	for _, pair := range p.Headers {
		if len(pair) == 2 {
			header.Add(pair[0], pair[1])
		}
	}
	body, ok := decodeAnyBase64(p.BodyBase64)
	if !ok {
		return nil, refuse("MALFORMED", "bodyBase64 is not base64")
	}
	return &Response{Method: p.Method, Target: p.Target, Status: p.Status, Header: header, Body: body}, nil
}

// A statement is a verified response with its request.
type statement struct {
	*VerifiedResponse
	path     string
	portable portable
}

// verifyAll verifies portable responses as of the time at which they were signed.
func verifyAll(portables []portable, published []PublishedKey) ([]statement, error) {
	keys := make([]*Key, 0, len(published))
	for _, each := range published {
		key, err := ImportKey(each)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	statements := make([]statement, 0, len(portables))
	for _, each := range portables {
		response, err := each.response()
		if err != nil {
			return nil, err
		}
		signedAt, _ := field(response.Header, "X-SVC-Signed-At")
		now, _ := parseInstant(signedAt)
		verified, err := VerifyResponse(response, Expectations{Keys: keys, Now: now})
		if err != nil {
			return nil, err
		}
		path, _, _ := strings.Cut(each.Target, "?")
		statements = append(statements, statement{verified, path, each})
	}
	return statements, nil
}

// contradiction says where a statement about the current data contradicts the newest version; nil if it does not.
func (s statement) contradiction(newest chainEntry) *finding {
	if s.path == readPaths["versions"] {
		// A page of the index says nothing about the newest version.
		if strings.Contains(s.portable.Target, "limit=") || strings.Contains(s.portable.Target, "before=") {
			return nil
		}
		var object map[string]any
		_ = json.Unmarshal(s.Data, &object)
		head, _ := object["head"].(map[string]any)
		if head["hash"] == newest.hash {
			return nil
		}
		return &finding{"versions", newest.hash, fmt.Sprint(head["hash"])}
	}
	digest, isListed := newest.resources[strings.TrimPrefix(s.path, basePath)]
	if expected := `W/"` + digest + `"`; isListed && s.ETag != expected {
		return &finding{s.path, expected, s.ETag}
	}
	return nil
}

type finding struct{ at, expected, found string }

// A knownHead is a version that was signed as the newest, with its proof.
type knownHead struct {
	entry     chainEntry
	portable  portable
	provedAt  time.Time
	keyID     string
	keys      []PublishedKey
	documents []portable
}

// An openContradiction is one that a release explains while it reaches the nodes of the service one after the other.
type openContradiction struct {
	detail    string
	responses []portable
	keys      []PublishedKey
}

func (o *openContradiction) Error() string { return o.detail }

type round struct {
	mutex                  sync.Mutex
	resources, unavailable []string
	contradicting          *Response
	finding                finding
}

type raw = Verified[json.RawMessage]

type audit struct {
	ctx     context.Context
	client  *Client
	saved   *auditState
	options AuditOptions
	mutex   sync.Mutex
	entries map[string]*chainEntry
	known   []knownHead
	doubts  []statement
}

func (a *audit) run() (*AuditReport, *raw, error) {
	newest, head, err := a.readNewest()
	if err != nil {
		return nil, nil, err
	}
	if err := a.readSaved(); err != nil {
		return nil, nil, err
	}
	change, err := a.keyChange(newest.KeyID)
	if err != nil {
		return nil, nil, err
	}
	var previous *knownHead
	if len(a.known) > 0 && (a.saved.IsAudited == nil || *a.saved.IsAudited) {
		first := a.known[0]
		previous = &first
	}
	for at := 0; at < maxRounds; at++ {
		found, err := a.runRound(newest, head, previous)
		if err != nil {
			return nil, nil, err
		}
		after, next, err := a.readNewest()
		if err != nil {
			return nil, nil, err
		}
		if next.hash == head.hash {
			if err := a.requireConsistent(newest, head, after, found); err != nil {
				return nil, nil, err
			}
			return a.report(newest, head, previous, change, found), newest, nil
		}
		keys, err := a.publishedKeys()
		if err != nil {
			return nil, nil, err
		}
		a.known = append(a.known, knownHead{
			entry: head, portable: portableOf(newest.Response), provedAt: newest.ProvedAt, keyID: newest.KeyID, keys: keys,
		})
		newest, head = after, next
	}
	return nil, nil, &UnsettledError{fmt.Sprintf("a new version was published during each of %d rounds", maxRounds)}
}

func (a *audit) report(
	newest *raw, head chainEntry, previous *knownHead, change *KeyChange, found *round,
) *AuditReport {
	report := &AuditReport{KeyID: newest.KeyID, KeyChange: change, VersionsRead: len(a.entries)}
	report.Resources, report.Unavailable = found.resources, found.unavailable
	sort.Strings(report.Resources)
	sort.Strings(report.Unavailable)
	decode(head.text, &report.Head)
	last := int64(0)
	if previous != nil {
		last = previous.entry.sequence
		report.PreviousHead = &VersionEntry{}
		decode(previous.entry.text, report.PreviousHead)
	}
	for _, entry := range a.entries {
		if entry.sequence <= last {
			continue
		}
		var version VersionEntry
		decode(entry.text, &version)
		report.NewVersions = append(report.NewVersions, version)
	}
	sort.Slice(report.NewVersions, func(i, j int) bool {
		return report.NewVersions[i].Sequence < report.NewVersions[j].Sequence
	})
	return report
}

// Reading.

// get reads a target. A signed success without data is proof that the history is broken.
func (a *audit) get(target string) (*raw, error) {
	result, err := a.client.Get(a.ctx, target, Fresh())
	var failure *VerificationError
	if errors.As(err, &failure) && failure.Code == "MALFORMED" && failure.Response != nil && failure.Response.Status == 200 {
		broken := historyFault("BROKEN", "the response", "data", "nothing")
		proved := a.fail(broken, []portable{portableOf(failure.Response)}, nil)
		// Without a valid signature the response is evidence of nothing.
		if errors.As(proved, &broken) && broken.Evidence != nil {
			return nil, broken
		}
	}
	return result, err
}

// fault is the error for signed data that breaks a rule, with the response as evidence.
func (a *audit) fault(failure *VerificationError, results ...*raw) error {
	responses := make([]portable, 0, len(results))
	for _, each := range results {
		responses = append(responses, portableOf(each.Response))
	}
	return a.fail(failure, responses, nil)
}

func (a *audit) readNewest() (*raw, chainEntry, error) {
	newest, err := a.get(readPaths["version"])
	if err != nil {
		return nil, chainEntry{}, err
	}
	entry, failure := requireEntry(newest.Data, "")
	if failure != nil {
		return nil, entry, a.fault(failure, newest)
	}
	return newest, entry, nil
}

// readEntry reads an entry whose hash the signed index contains, so that its own signature needs no check.
func (a *audit) readEntry(summary chainEntry, index *raw) (chainEntry, error) {
	response, err := a.client.GetUnverified(a.ctx, readPaths["versions"]+"/"+summary.snapshotID, "")
	if err != nil {
		return chainEntry{}, err
	}
	// An entry is parsed before it is verified, so its size is limited.
	var data []byte
	if len(response.Body) <= 2*maxEntryBytes {
		content, _ := canonicalize(response.Body)
		data, _ = content.member("data")
	}
	if data != nil {
		entry, failure := requireEntry(data, summary.snapshotID)
		if failure == nil && summaryDifference(summary, entry) == nil {
			return entry, nil
		}
	}
	_, entry, err := a.readSigned(summary, index)
	return entry, err
}

// summaryDifference gives the first difference of two descriptions of one version; nil if there is none.
func summaryDifference(one, other chainEntry) *finding {
	for _, each := range []finding{
		{one.snapshotID, one.snapshotID, other.snapshotID},
		{one.snapshotID, one.createdAt, other.createdAt},
		{one.snapshotID, one.previousHash, other.previousHash},
		{one.snapshotID, one.hash, other.hash},
		{one.snapshotID, SnapshotID(one.sequence), SnapshotID(other.sequence)},
	} {
		if each.expected != each.found {
			return &each
		}
	}
	return nil
}

func (a *audit) readSigned(summary chainEntry, index *raw) (*raw, chainEntry, error) {
	signed, err := a.get(readPaths["versions"] + "/" + summary.snapshotID)
	if err != nil {
		return nil, chainEntry{}, err
	}
	entry, failure := requireEntry(signed.Data, summary.snapshotID)
	if failure != nil {
		return nil, entry, a.fault(failure, signed)
	}
	if entry.hash != summary.hash {
		return nil, entry, a.fault(historyFault("REWRITTEN", entry.snapshotID, summary.hash, entry.hash), signed, index)
	}
	if other := summaryDifference(summary, entry); other != nil {
		return nil, entry, a.fault(historyFault("BROKEN", other.at, other.expected, other.found), index, signed)
	}
	return signed, entry, nil
}

// forEach runs work on the numbers below count, some at a time, and gives the first error.
func forEach(count int, work func(at int) error) error {
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	slots := make(chan struct{}, concurrency)
	failed := make(chan struct{})
	for at := 0; at < count; at++ {
		select {
		case <-failed:
			at = count
			continue
		case slots <- struct{}{}:
		}
		wait.Add(1)
		go func(at int) {
			defer func() { <-slots; wait.Done() }()
			if err := work(at); err != nil {
				once.Do(func() { first = err; close(failed) })
			}
		}(at)
	}
	wait.Wait()
	return first
}

// One pass over the history while one version is the newest.
func (a *audit) runRound(newest *raw, head chainEntry, previous *knownHead) (*round, error) {
	if err := a.requireSuccession([]chainEntry{head}, newest); err != nil {
		return nil, err
	}
	index, err := a.get(readPaths["versions"])
	if err != nil {
		return nil, err
	}
	summaries, failure := requireIndex(index.Data)
	if failure != nil {
		return nil, a.fault(failure, index)
	}
	found := &round{}
	if summaries[0].hash != head.hash {
		found.contradicting = index.Response
		found.finding = finding{head.snapshotID, head.hash, summaries[0].hash}
		return found, nil
	}
	if err := a.requireSuccession(summaries, index); err != nil {
		return nil, err
	}
	last := int64(0)
	if previous != nil && !a.options.EveryVersion {
		last = previous.entry.sequence
	}
	var toRead []chainEntry
	for _, summary := range summaries {
		if summary.sequence > last && a.entries[summary.hash] == nil {
			toRead = append(toRead, summary)
		}
	}
	err = forEach(len(toRead), func(at int) error {
		entry, err := a.readEntry(toRead[at], index)
		a.mutex.Lock()
		defer a.mutex.Unlock()
		a.entries[toRead[at].hash] = &entry
		return err
	})
	if err != nil {
		return nil, err
	}
	for at := len(toRead) - 1; at >= 0; at-- {
		if err := a.checkChanges(toRead[at], summaries, index); err != nil {
			return nil, err
		}
	}
	var names []string
	for name := range head.resources {
		if !strings.HasPrefix(name, "site/") {
			names = append(names, name)
		}
	}
	return found, forEach(len(names), func(at int) error { return a.checkResource(names[at], head, found) })
}

// requireSuccession checks that a response about the history continues every version that was signed before.
func (a *audit) requireSuccession(summaries []chainEntry, result *raw) error {
	bySequence := make(map[int64]string, len(summaries))
	for _, each := range summaries {
		bySequence[each.sequence] = each.hash
	}
	for at := range a.known {
		known := &a.known[at]
		entry, id := known.entry, known.entry.snapshotID
		responses := []portable{known.portable, portableOf(result.Response)}
		if summaries[0].sequence < entry.sequence {
			return a.fail(historyFault("SHORTENED", id, id, summaries[0].snapshotID), responses, known)
		}
		if same, ok := bySequence[entry.sequence]; ok && same != entry.hash {
			return a.fail(historyFault("REWRITTEN", id, entry.hash, same), responses, known)
		}
	}
	return nil
}

func (a *audit) checkChanges(summary chainEntry, summaries []chainEntry, index *raw) error {
	var before *chainEntry
	listed := []chainEntry{summary}
	if summary.sequence > 1 {
		earlier := summaries[int64(len(summaries))-summary.sequence+1]
		entry, err := a.entryOf(earlier, index)
		if err != nil {
			return err
		}
		before, listed = entry, []chainEntry{earlier, summary}
	}
	failure := requireChanges(before, *a.entries[summary.hash])
	if failure == nil {
		return nil
	}
	var signed []*raw
	for _, each := range listed {
		result, _, err := a.readSigned(each, index)
		if err != nil {
			return err
		}
		signed = append(signed, result)
	}
	return a.fault(failure, signed...)
}

func (a *audit) entryOf(summary chainEntry, index *raw) (*chainEntry, error) {
	if entry := a.entries[summary.hash]; entry != nil {
		return entry, nil
	}
	for at := range a.known {
		if a.known[at].entry.hash == summary.hash {
			return &a.known[at].entry, nil
		}
	}
	entry, err := a.readEntry(summary, index)
	return &entry, err
}

func (a *audit) checkResource(name string, head chainEntry, found *round) error {
	expected := `W/"` + head.resources[name] + `"`
	resource, err := a.client.Get(a.ctx, basePath+name, Fresh())
	found.mutex.Lock()
	defer found.mutex.Unlock()
	var refused *APIError
	var failure *VerificationError
	switch {
	case errors.As(err, &refused) && refused.Code == "SNAPSHOT_UNAVAILABLE":
		found.unavailable = append(found.unavailable, name)
	case errors.As(err, &failure) && failure.Code == "MALFORMED" && failure.Response != nil:
		found.contradicting, found.finding = failure.Response, finding{name, expected, "no data"}
	case err != nil:
		return err
	case resource.ETag == expected:
		found.resources = append(found.resources, name)
	default:
		found.contradicting, found.finding = resource.Response, finding{name, expected, resource.ETag}
	}
	return nil
}

// requireConsistent checks that no response contradicts the version that was the newest before and after it.
func (a *audit) requireConsistent(newest *raw, head chainEntry, after *raw, found *round) error {
	first, last := portableOf(newest.Response), portableOf(after.Response)
	var earliest *knownHead
	for at := range a.known {
		known := &a.known[at]
		// The earliest response with this version proves the most.
		if known.entry.hash == head.hash && (earliest == nil || known.provedAt.Before(earliest.provedAt)) {
			earliest = known
		}
	}
	if earliest != nil {
		first = earliest.portable
	}
	for _, doubt := range a.doubts {
		other := doubt.contradiction(head)
		if other == nil {
			continue
		}
		failure := historyFault("INCONSISTENT", other.at, other.expected, other.found)
		err := a.fail(failure, []portable{first, doubt.portable, last}, earliest)
		var open *openContradiction
		// Otherwise the response belongs to a release that was in progress then.
		if !errors.As(err, &open) {
			return err
		}
	}
	if found.contradicting == nil {
		return nil
	}
	failure := historyFault("INCONSISTENT", found.finding.at, found.finding.expected, found.finding.found)
	return a.fail(failure, []portable{first, portableOf(found.contradicting), last}, earliest)
}

// Contradictions.

func (a *audit) publishedKeys() ([]PublishedKey, error) {
	keys, err := a.client.Keys.Current(a.ctx)
	published := make([]PublishedKey, 0, len(keys))
	for _, key := range keys {
		published = append(published, key.Published)
	}
	return published, err
}

type evidence struct {
	Format       string         `json:"format"`
	Fault        string         `json:"fault"`
	Keys         []PublishedKey `json:"keys"`
	Responses    []portable     `json:"responses"`
	KeyDocuments []portable     `json:"keyDocuments,omitempty"`
}

// fail gives the failure with its evidence if it is proven and the keys that signed are of one service.
func (a *audit) fail(failure *VerificationError, responses []portable, known *knownHead) error {
	own, err := a.publishedKeys()
	if err != nil {
		return err
	}
	var keys []PublishedKey
	var documents []portable
	if known != nil {
		own, documents = append(append([]PublishedKey{}, known.keys...), own...), known.documents
	}
	seen := map[string]bool{}
	for _, key := range own {
		if !seen[key.JWK.X] {
			keys, seen[key.JWK.X] = append(keys, key), true
		}
	}
	statements, err := verifyAll(responses, keys)
	if err != nil {
		return err
	}
	links, err := verifyAll(documents, keys)
	if err != nil {
		return err
	}
	ids := signersOf(statements)
	if !areOfOneService(ids, links) {
		return refuse("UNLINKED_KEYS", "%v; no key document links the keys %s", failure, strings.Join(ids, " and "))
	}
	if !isProven(failure.Code, statements) {
		detail := failure.Error() + ", as it can be during a release"
		return &openContradiction{detail, responses, keys}
	}
	failure.Evidence, err = json.Marshal(evidence{"svc-history-evidence-v1", failure.Code, keys, responses, documents})
	if err != nil {
		return err
	}
	return failure
}

// signersOf gives the IDs of the keys that signed, the one that signed first at the beginning.
func signersOf(statements []statement) []string {
	inOrder := append([]statement(nil), statements...)
	sort.SliceStable(inOrder, func(i, j int) bool { return inOrder[i].ProvedAt.Before(inOrder[j].ProvedAt) })
	var ids []string
	seen := map[string]bool{}
	for _, each := range inOrder {
		if !seen[each.KeyID] {
			ids, seen[each.KeyID] = append(ids, each.KeyID), true
		}
	}
	return ids
}

// areOfOneService reports whether one key signed, or two that one key document lists which the older of them signed.
func areOfOneService(ids []string, documents []statement) bool {
	if len(ids) != 2 {
		return len(ids) == 1
	}
	for _, document := range documents {
		if document.path != readPaths["signingKey"] || document.KeyID != ids[0] {
			continue
		}
		listed := map[string]bool{}
		keys, _ := ParseSigningKeys(document.Data)
		for _, key := range keys {
			listed[key.ID] = true
		}
		if listed[ids[0]] && listed[ids[1]] {
			return true
		}
	}
	return false
}

// isProven reports whether no release in progress explains the responses: what is current may differ between nodes for a
// while.
func isProven(fault string, statements []statement) bool {
	if fault != "SHORTENED" && fault != "INCONSISTENT" {
		return true
	}
	for at := 1; at < len(statements); at++ {
		if statements[at].ProvedAt.Sub(statements[at-1].ProvedAt) <= rolloutTime {
			return false
		}
	}
	return true
}
