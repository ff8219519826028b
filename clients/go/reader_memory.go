package publicapi

import (
	"fmt"
	"sync"
	"time"
)

// A copyProof says which data was signed as current, and when.
type copyProof struct {
	etag     string
	provedAt time.Time
	// entry names the data; nil for a response of the service itself.
	entry *chainEntry
}

// isAfter reports whether a proof is newer: of a later version, else signed later. A response of the service does not say
// its version.
func (p copyProof) isAfter(other copyProof) bool {
	if p.entry != nil && other.entry != nil && p.entry.sequence != other.entry.sequence {
		return p.entry.sequence > other.entry.sequence
	}
	return p.provedAt.After(other.provedAt)
}

// A readerMemory is what a reader remembers of everything it has verified, so that it never goes back, nor to another
// history.
type readerMemory struct {
	mutex  sync.Mutex
	newest *chainEntry
	proofs map[string]copyProof
}

// learnVersion remembers a version. Of two with one number, that of the service replaces that of a copy.
func (m *readerMemory) learnVersion(entry *chainEntry, isOfService bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.newest == nil || entry.sequence > m.newest.sequence || isOfService && entry.sequence == m.newest.sequence {
		m.newest = entry
	}
}

// learnProof remembers what proved a resource, unless a later proof is known.
func (m *readerMemory) learnProof(target string, proved copyProof) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.proofs == nil {
		m.proofs = map[string]copyProof{}
	}
	if last, isKnown := m.proofs[target]; !isKnown || !proved.provedAt.Before(last.provedAt) {
		m.proofs[target] = proved
	}
}

// requireSameHistory gives a *CopyError unless a version of a copy can belong to one history with the newest version.
func (m *readerMemory) requireSameHistory(entry *chainEntry) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.newest == nil {
		return nil
	}
	found, expected, other := "", "", "this version"
	switch entry.sequence - m.newest.sequence {
	case -1:
		found, expected = entry.hash, m.newest.previousHash
	case 0:
		found, expected = entry.hash, m.newest.hash
	case 1:
		found, expected, other = entry.previousHash, m.newest.hash, "the version before"
	}
	if found == expected {
		return nil
	}
	return &CopyError{Code: "OTHER_HISTORY", Detail: fmt.Sprintf(
		"%s is of another history than the verified %s: expected the hash %s of %s, found %s",
		entry.snapshotID, m.newest.snapshotID, expected, other, found,
	)}
}

// ageOf says in which way a proof is older than what was verified before; empty if it is not.
func (m *readerMemory) ageOf(target string, proved copyProof) string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	name := "a response"
	if proved.entry != nil {
		name = proved.entry.snapshotID
		if m.newest != nil && proved.entry.sequence < m.newest.sequence {
			return fmt.Sprintf("%s is older than %s, which was verified before", name, m.newest.snapshotID)
		}
	}
	// The number of a version says more than the time at which a node of the service signed it.
	if target == readPaths["version"] {
		return ""
	}
	last, isKnown := m.proofs[target]
	if !isKnown || last.etag == proved.etag || !last.provedAt.After(proved.provedAt) {
		return ""
	}
	const form = "2006-01-02T15:04:05.000Z"
	return fmt.Sprintf("%s, signed at %s, is older than what was verified as of %s",
		name, proved.provedAt.UTC().Format(form), last.provedAt.UTC().Format(form))
}
