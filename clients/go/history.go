package publicapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
)

const historyHashLabel = "svc-version-v1\n"

var genesisPreviousHash = strings.Repeat("0", 64)

// SnapshotID gives the ID of the version with this number: at least four digits.
func SnapshotID(sequence int64) string { return fmt.Sprintf("VS-%04d", sequence) }

// An entry of the history.
type chainEntry struct {
	snapshotID, createdAt, previousHash, hash string
	sequence                                  int64
	resources                                 map[string]string
	changes                                   []change
	computedHash                              string
	// text is the canonical JSON of the whole entry; nil for one of the index.
	text json.RawMessage
}

type change struct{ resource, kind string }

var (
	snapshotIDForm = regexp.MustCompile(`^VS-[0-9]{4,}$`)
	hashForm       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	digestForm     = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	resourceForm   = regexp.MustCompile(`^[a-z0-9]+(-[A-Za-z0-9]+)*(/[a-z0-9]+(-[A-Za-z0-9]+)*)*$`)
)

// summaryOf reads the members by which entries are linked; false unless each has its form.
func summaryOf(value any) (chainEntry, bool) {
	object, _ := value.(map[string]any)
	text := func(name string) string {
		member, _ := object[name].(string)
		return member
	}
	number, _ := object["sequence"].(float64)
	entry := chainEntry{
		snapshotID: text("snapshotId"), createdAt: text("createdAt"),
		previousHash: text("previousHash"), hash: text("hash"),
	}
	if number < 1 || number > maxSafeInteger || number != math.Trunc(number) {
		return entry, false
	}
	entry.sequence = int64(number)
	_, isInstant := parseInstant(entry.createdAt)
	return entry, isInstant && snapshotIDForm.MatchString(entry.snapshotID) &&
		hashForm.MatchString(entry.previousHash) && hashForm.MatchString(entry.hash)
}

// entryOf reads a whole entry and computes the hash that it must have.
func entryOf(text json.RawMessage) (chainEntry, bool) {
	content, err := canonicalize(text)
	var object map[string]any
	if err != nil || json.Unmarshal(content.text, &object) != nil {
		return chainEntry{}, false
	}
	entry, ok := entryIn(object)
	if !ok {
		return entry, false
	}
	// The hash covers the canonical entry without its hash.
	hashed := []byte(historyHashLabel + "{")
	for _, each := range content.members {
		if each.name == "hash" {
			continue
		}
		if hashed[len(hashed)-1] != '{' {
			hashed = append(hashed, ',')
		}
		hashed = append(hashed, content.text[each.from:each.to]...)
	}
	sum := sha256.Sum256(append(hashed, '}'))
	entry.computedHash = hex.EncodeToString(sum[:])
	entry.text = content.text
	return entry, true
}

// entryIn reads the members of a whole entry; false unless each has its form. Additional members are allowed.
func entryIn(object map[string]any) (chainEntry, bool) {
	entry, ok := summaryOf(object)
	if !ok {
		return entry, false
	}
	var hasResources, hasChanges bool
	entry.resources, hasResources = resourcesOf(object["resources"])
	entry.changes, hasChanges = changesOf(object["changes"])
	for _, name := range []string{"apiVersion", "registryVersion", "note"} {
		if _, isText := object[name].(string); !isText {
			return entry, false
		}
	}
	return entry, hasResources && hasChanges
}

func resourcesOf(value any) (map[string]string, bool) {
	object, ok := value.(map[string]any)
	resources := make(map[string]string, len(object))
	for name, member := range object {
		digest, _ := member.(string)
		ok = ok && resourceForm.MatchString(name) && digestForm.MatchString(digest)
		resources[name] = digest
	}
	return resources, ok
}

func changesOf(value any) ([]change, bool) {
	list, ok := value.([]any)
	changes := make([]change, 0, len(list))
	for _, each := range list {
		object, _ := each.(map[string]any)
		resource, isNamed := object["resource"].(string)
		kind, hasKind := object["kind"].(string)
		ok = ok && isNamed && hasKind
		changes = append(changes, change{resource, kind})
	}
	return changes, ok
}

func historyFault(code, at string, expected, found any) *VerificationError {
	return refuse(code, "%s: expected %v, found %v", at, expected, found)
}

// A rule of the chain: what an entry must state, and what it states.
type rule struct{ expected, found any }

func requireRules(at string, rules ...rule) *VerificationError {
	for _, each := range rules {
		if each.expected != each.found {
			return historyFault("BROKEN", at, each.expected, each.found)
		}
	}
	return nil
}

// requireEntry reads a whole entry with its right hash. asked is the ID in its path, or empty.
func requireEntry(text json.RawMessage, asked string) (chainEntry, *VerificationError) {
	at := asked
	if at == "" {
		at = "version"
	}
	entry, ok := entryOf(text)
	if !ok {
		return entry, historyFault("BROKEN", at, "an entry of the history", "another value")
	}
	expected := SnapshotID(entry.sequence)
	if asked == "" {
		asked = expected
	}
	return entry, requireRules(asked,
		rule{asked, entry.snapshotID}, rule{expected, entry.snapshotID}, rule{entry.computedHash, entry.hash})
}

// requireLink checks that an entry follows the one before it, nil for the first.
func requireLink(before *chainEntry, entry chainEntry) *VerificationError {
	sequence, previousHash := int64(1), genesisPreviousHash
	if before != nil {
		sequence, previousHash = before.sequence+1, before.hash
	}
	at := SnapshotID(sequence)
	err := requireRules(at,
		rule{sequence, entry.sequence}, rule{at, entry.snapshotID}, rule{previousHash, entry.previousHash})
	if err != nil || before == nil {
		return err
	}
	createdAt, _ := parseInstant(entry.createdAt)
	earlier, _ := parseInstant(before.createdAt)
	if createdAt.Before(earlier) {
		return historyFault("BROKEN", at, "no time before "+before.createdAt, entry.createdAt)
	}
	return nil
}

// requireIndex reads the whole index, newest first, which has to be a chain.
func requireIndex(data json.RawMessage) ([]chainEntry, *VerificationError) {
	var object map[string]any
	_ = json.Unmarshal(data, &object)
	listed, _ := object["entries"].([]any)
	head, _ := object["head"].(map[string]any)
	if len(listed) == 0 {
		return nil, historyFault("BROKEN", "versions", "a list of entries", "another value")
	}
	entries := make([]chainEntry, len(listed))
	for at, each := range listed {
		entry, ok := summaryOf(each)
		if !ok {
			id := SnapshotID(int64(len(listed) - at))
			return nil, historyFault("BROKEN", id, "an entry of the index", "another value")
		}
		entries[at] = entry
	}
	err := requireRules("versions", rule{object["count"], float64(len(entries))},
		rule{head["hash"], entries[0].hash}, rule{head["snapshotId"], entries[0].snapshotID})
	if err != nil {
		return nil, err
	}
	var before *chainEntry
	for at := len(entries) - 1; at >= 0; at-- {
		if err := requireLink(before, entries[at]); err != nil {
			return nil, err
		}
		before = &entries[at]
	}
	return entries, nil
}

// requireChanges compares an entry's changes with what its resources show.
func requireChanges(before *chainEntry, entry chainEntry) *VerificationError {
	previous := map[string]string{}
	if before != nil {
		previous = before.resources
	}
	expected := changesBetween(previous, entry.resources)
	for at := 0; at < len(expected) || at < len(entry.changes); at++ {
		if one, other := changeAt(expected, at), changeAt(entry.changes, at); one != other {
			return historyFault("CHANGES_FALSE", entry.snapshotID, one, other)
		}
	}
	return nil
}

func changeAt(changes []change, at int) string {
	if at < len(changes) {
		return changes[at].resource + " " + changes[at].kind
	}
	return "nothing"
}

func changesBetween(before, after map[string]string) []change {
	var changes []change
	for name := range before {
		if _, isKept := after[name]; !isKept {
			changes = append(changes, change{name, "removed"})
		}
	}
	for name, digest := range after {
		if old, wasThere := before[name]; !wasThere {
			changes = append(changes, change{name, "added"})
		} else if old != digest {
			changes = append(changes, change{name, "changed"})
		}
	}
	sort.Slice(changes, func(i, j int) bool { return isBefore(changes[i].resource, changes[j].resource) })
	return changes
}

// VerifyHistory checks a chain of whole entries, oldest first. The error is a *VerificationError: BROKEN or
// CHANGES_FALSE. A valid chain proves the order and the content of its entries, not that the service signed the newest.
func VerifyHistory(entries []json.RawMessage) error {
	var before *chainEntry
	for at, text := range entries {
		entry, err := requireEntry(text, SnapshotID(int64(at)+1))
		if err != nil {
			return err
		}
		if err := requireLink(before, entry); err != nil {
			return err
		}
		if err := requireChanges(before, entry); err != nil {
			return err
		}
		before = &entry
	}
	return nil
}
