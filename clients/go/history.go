package publicapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

const historyHashLabel = "svc-version-v1\n"

var genesisPreviousHash = strings.Repeat("0", 64)

// SnapshotID gives the ID of the version with this number: at least four digits.
func SnapshotID(sequence int64) string { return fmt.Sprintf("VS-%04d", sequence) }

// An entry of the history. hasResources and hasChanges are false for members of another type.
type chainEntry struct {
	snapshotID, createdAt, previousHash, hash string
	sequence                                  int64
	resources                                 map[string]string
	hasResources                              bool
	changes                                   []change
	hasChanges                                bool
	computedHash                              string
}

type change struct{ resource, kind string }

// summaryOf reports whether a value has the members by which entries are linked, each of its type.
func summaryOf(value any) (chainEntry, bool) {
	object, _ := value.(map[string]any)
	var entry chainEntry
	texts := map[string]*string{
		"snapshotId": &entry.snapshotID, "createdAt": &entry.createdAt,
		"previousHash": &entry.previousHash, "hash": &entry.hash,
	}
	for name, target := range texts {
		text, ok := object[name].(string)
		if !ok {
			return entry, false
		}
		*target = text
	}
	number, ok := object["sequence"].(float64)
	entry.sequence = int64(number)
	return entry, ok && number == float64(entry.sequence) && number >= -maxSafeInteger && number <= maxSafeInteger
}

// entryOf reads a whole entry and computes the hash that it must have.
func entryOf(text json.RawMessage) (chainEntry, bool) {
	content, err := canonicalize(text)
	var object map[string]any
	if err != nil || json.Unmarshal(content.text, &object) != nil {
		return chainEntry{}, false
	}
	entry, ok := summaryOf(object)
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
	entry.resources, entry.hasResources = recordOf(object["resources"])
	entry.changes, entry.hasChanges = changesOf(object["changes"])
	return entry, true
}

func recordOf(value any) (map[string]string, bool) {
	object, ok := value.(map[string]any)
	record := make(map[string]string, len(object))
	for name, member := range object {
		text, isText := member.(string)
		ok = ok && isText
		record[name] = text
	}
	return record, ok
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

// requireLink checks one entry against the one before it, nil for the first.
func requireLink(before *chainEntry, entry chainEntry) *VerificationError {
	sequence, previousHash := int64(1), genesisPreviousHash
	if before != nil {
		sequence, previousHash = before.sequence+1, before.hash
	}
	at := SnapshotID(sequence)
	err := requireRules(at,
		rule{at, entry.snapshotID},
		rule{sequence, entry.sequence},
		rule{previousHash, entry.previousHash},
		rule{entry.computedHash, entry.hash},
	)
	if err != nil {
		return err
	}
	createdAt, ok := parseInstant(entry.createdAt)
	if !ok {
		return historyFault("BROKEN", at, "an instant of ISO 8601 in UTC", "another createdAt")
	}
	if before != nil {
		if earlier, ok := parseInstant(before.createdAt); ok && createdAt.Before(earlier) {
			return historyFault("BROKEN", at, "no time before "+before.createdAt, entry.createdAt)
		}
	}
	return nil
}

// requireChanges compares an entry's changes with what its resources show.
func requireChanges(before *chainEntry, entry chainEntry) *VerificationError {
	previous := map[string]string{}
	if before != nil {
		previous = before.resources
	}
	if !entry.hasResources || (before != nil && !before.hasResources) {
		return historyFault("CHANGES_FALSE", entry.snapshotID, "resources with their digests", "another value")
	}
	if !entry.hasChanges {
		return historyFault("CHANGES_FALSE", entry.snapshotID, "a list of changes", "another value")
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
		entry, ok := entryOf(text)
		if !ok {
			return historyFault("BROKEN", SnapshotID(int64(at)+1), "an entry of the history", "another value")
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
