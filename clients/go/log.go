package publicapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Offline proofs of the transparency log. The formats are C2SP's: signed-note, tlog-checkpoint, tlog-cosignature,
// tlog-policy and tlog-proof.

const (
	proofFirstLine = "c2sp.org/tlog-proof@v1"
	maxNoteBytes   = 131_072
	maxPolicyBytes = 131_072
	maxEntryBytes  = 65_535
	maxHashes      = 63
	maxLines       = 64
	maxProofBytes  = maxNoteBytes + 2*maxEntryBytes + 64*maxHashes
	maxSafeInteger = 1<<53 - 1
	typeEd25519    = 1
	typeCosigned   = 4
	// ML-DSA-44, of a witness or a log.
	typeMLDSA44     = 6
	mlDSA44KeyBytes = 1312
	// Clocks of witnesses may differ this much.
	maxAhead = 300 * time.Second
)

// A noteKey is the public key of a log or a witness.
type noteKey struct {
	name, id string
	kind     byte
	public   []byte
	// isSignature reports whether a message has this signature; nil where it cannot be checked: the key counts as absent.
	isSignature func(message, signature []byte) bool
}

// importMLDSA44 gives the check of a key; mldsa.go replaces it where Go has ML-DSA-44, from 1.27.
var importMLDSA44 = func([]byte) func(message, signature []byte) bool { return nil }

// A LogPolicy says whom a client trusts: logs, witnesses, and how many of these must agree. OpenPolicy makes it.
type LogPolicy struct {
	logs      []noteKey
	witnesses []namedWitness
	quorum    string
	isMetBy   rulePolicy
}

type namedWitness struct {
	name string
	key  noteKey
}

type rulePolicy func(names map[string]bool) bool

// A Cosignature is the newest valid one of a witness.
type Cosignature struct {
	// Witness is its name in the policy.
	Witness string
	At      time.Time
}

// A VerifiedCheckpoint satisfies a policy.
type VerifiedCheckpoint struct {
	Origin string
	Size   int64
	Root   [32]byte
	// Cosignatures, newest first.
	Cosignatures []Cosignature
	// WitnessedAt is when enough witnesses had cosigned it; zero if the policy asks for none.
	WitnessedAt time.Time
}

// A VerifiedProof is what a proof shows.
type VerifiedProof struct {
	SnapshotID string
	// Hash of the version in lower-case hexadecimal.
	Hash string
	// Entry is the canonical JSON of the version without its hash.
	Entry      json.RawMessage
	Checkpoint VerifiedCheckpoint
	// Resources are the names of the resources of the version that have the given bytes.
	Resources []string
}

// ProofOptions of VerifyProof.
type ProofOptions struct {
	// Now is the verifier's clock.
	Now time.Time
	// MaxAge of the cosignatures; nil for any.
	MaxAge *time.Duration
	// Entry, for a proof that does not contain it.
	Entry []byte
	// Resource has the bytes of a resource, if they are to be verified too.
	Resource []byte
}

func malformed(place, expected string) *VerificationError {
	return refuse("MALFORMED", "%s: expected %s", place, expected)
}

func requireText(what, text string, most int, allowed string) *VerificationError {
	if len(text) > most {
		return malformed(what, "at most "+strconv.Itoa(most)+" bytes")
	}
	if !utf8.ValidString(text) {
		return malformed(what, "UTF-8")
	}
	for at, each := range text {
		if each < ' ' && !strings.ContainsRune(allowed, each) {
			return malformed(lineOf(what, 1+strings.Count(text[:at], "\n")), "no control characters")
		}
	}
	return nil
}

// lineOf names a line of a text in messages.
func lineOf(what string, number int) string { return what + ", line " + strconv.Itoa(number) }

// decodeAnyBase64 gives the bytes of padded base64 in its one right form.
func decodeAnyBase64(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodeToString(data) == text
}

func decodeHash(text string) (hash [32]byte, ok bool) {
	data, ok := decodeAnyBase64(text)
	copy(hash[:], data)
	return hash, ok && len(data) == len(hash)
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)

func parseSize(text string) (int64, bool) {
	size, err := strconv.ParseInt(text, 10, 64)
	return size, err == nil && decimal.MatchString(text) && size <= maxSafeInteger
}

func isKeyName(name string) bool {
	isOutside := func(each rune) bool { return unicode.IsSpace(each) || each == '+' }
	return name != "" && len(name) <= 255 && strings.IndexFunc(name, isOutside) < 0
}

var vkeyForm = regexp.MustCompile(`^([^+]+)\+([0-9a-f]{8})\+(.+)$`)

func importVkey(vkey string, kind byte, place string) (noteKey, *VerificationError) {
	parts := vkeyForm.FindStringSubmatch(vkey)
	if parts == nil {
		return noteKey{}, malformed(place, "a key as name+8 hexadecimal digits+base64")
	}
	name, id := parts[1], parts[2]
	typed, ok := decodeAnyBase64(parts[3])
	if !ok || !isKeyName(name) {
		return noteKey{}, malformed(place, "a key as name+8 hexadecimal digits+base64")
	}
	isMLDSA := len(typed) == 1+mlDSA44KeyBytes && typed[0] == typeMLDSA44
	if !isMLDSA && (len(typed) != 33 || typed[0] != kind || !isCanonicalPoint(typed[1:])) {
		return noteKey{}, malformed(place, "a usable public key, Ed25519 of signature type "+strconv.Itoa(int(kind))+" or ML-DSA-44 of type 6")
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), typed...))
	if hex.EncodeToString(sum[:4]) != id {
		return noteKey{}, malformed(place, "the key ID that follows from the name and the key")
	}
	key := noteKey{name, id, typed[0], typed[1:], nil}
	if isMLDSA {
		key.isSignature = importMLDSA44(key.public)
	} else {
		key.isSignature = func(message, signature []byte) bool { return isSignature(key.public, message, signature) }
	}
	return key, nil
}

var (
	comment          = regexp.MustCompile(`(?m)^[ \t]*#.*`)
	controlCharacter = regexp.MustCompile(`[\x00-\x1f]`)
)

func withoutControl(text string) string { return controlCharacter.ReplaceAllString(text, " ") }

// OpenPolicy reads a policy: log, witness, group and quorum lines. The error is a *VerificationError (MALFORMED).
func OpenPolicy(text string) (*LogPolicy, error) {
	// A comment may have any characters.
	if err := requireText("the policy", comment.ReplaceAllStringFunc(text, withoutControl), maxPolicyBytes, "\n\t"); err != nil {
		return nil, err
	}
	reader := policyReader{rules: map[string]rulePolicy{}, members: map[string]bool{}}
	for at, line := range strings.Split(text, "\n") {
		words := strings.FieldsFunc(line, func(each rune) bool { return each == ' ' || each == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := reader.read(words, lineOf("the policy", at+1)); err != nil {
			return nil, err
		}
	}
	if reader.quorum == "" {
		return nil, malformed("the policy", "a quorum line")
	}
	reader.isMetBy = reader.rules[reader.quorum]
	return &reader.LogPolicy, nil
}

type policyReader struct {
	LogPolicy
	rules   map[string]rulePolicy
	members map[string]bool
	groups  int
}

func (p *policyReader) read(words []string, place string) *VerificationError {
	kind, items := words[0], words[1:]
	switch {
	case kind == "log" && (len(items) == 1 || len(items) == 2):
		key, err := p.key(items[0], typeEd25519, p.logs, place)
		p.logs = append(p.logs, key)
		return err
	case kind == "witness" && (len(items) == 2 || len(items) == 3):
		known := make([]noteKey, 0, len(p.witnesses))
		for _, each := range p.witnesses {
			known = append(known, each.key)
		}
		key, err := p.key(items[1], typeCosigned, known, place)
		if err != nil {
			return err
		}
		name := items[0]
		p.witnesses = append(p.witnesses, namedWitness{name, key})
		return p.define(name, func(names map[string]bool) bool { return names[name] }, place)
	case kind == "group" && len(items) > 2:
		return p.group(items[0], items[1], items[2:], place)
	case kind == "quorum" && len(items) == 1:
		if p.quorum != "" || (items[0] != "none" && p.rules[items[0]] == nil) {
			return malformed(place, "one quorum, of a name defined above")
		}
		p.quorum = items[0]
		return nil
	}
	return malformed(place, "log <vkey> [<url>], witness <name> <vkey> [<url>], group or quorum")
}

func (p *policyReader) key(vkey string, kind byte, known []noteKey, place string) (noteKey, *VerificationError) {
	key, err := importVkey(vkey, kind, place)
	if err != nil {
		return key, err
	}
	for _, other := range known {
		if bytes.Equal(other.public, key.public) {
			return key, malformed(place, "a key that is on no other line")
		}
	}
	if len(known) == maxLines {
		return key, malformed(place, "at most 64 lines of a kind")
	}
	return key, nil
}

func (p *policyReader) define(name string, rule rulePolicy, place string) *VerificationError {
	if name == "none" || p.rules[name] != nil {
		return malformed(place, "a new name other than none")
	}
	p.rules[name] = rule
	return nil
}

var thresholdForm = regexp.MustCompile(`^(any|all|[1-9][0-9]{0,3})$`)

func (p *policyReader) group(name, threshold string, listed []string, place string) *VerificationError {
	p.groups++
	required, _ := strconv.Atoi(threshold)
	if threshold == "any" {
		required = 1
	} else if threshold == "all" {
		required = len(listed)
	}
	if p.groups > maxLines || !thresholdForm.MatchString(threshold) || required > len(listed) {
		return malformed(place, "a number up to that of the members, any or all, in at most 64 groups")
	}
	parts := make([]rulePolicy, 0, len(listed))
	for _, member := range listed {
		if p.members[member] || p.rules[member] == nil {
			return malformed(place, "names that are defined above and in no other group")
		}
		p.members[member] = true
		parts = append(parts, p.rules[member])
	}
	return p.define(name, func(names map[string]bool) bool {
		met := 0
		for _, part := range parts {
			if part(names) {
				met++
			}
		}
		return met >= required
	}, place)
}

// A noteLine is one signature line of a note.
type noteLine struct {
	// place is where it is, for messages.
	place, name, keyID string
	signature          []byte
}

func (l noteLine) isOf(key noteKey) bool { return l.name == key.name && l.keyID == key.id }

func parseNote(note string) (string, []noteLine, *VerificationError) {
	if err := requireText("the checkpoint", note, maxNoteBytes, "\n"); err != nil {
		return "", nil, err
	}
	split := strings.LastIndex(note, "\n\n")
	if split < 0 || !strings.HasSuffix(note, "\n") {
		return "", nil, malformed("the checkpoint", "an empty line before the signatures, and a line break at the end")
	}
	texts := strings.Split(strings.TrimSuffix(note[split+2:], "\n"), "\n")
	if len(texts) > maxLines {
		return "", nil, malformed("the checkpoint", "at most 64 signatures")
	}
	lines := make([]noteLine, 0, len(texts))
	first := strings.Count(note[:split+2], "\n") + 1
	for at, text := range texts {
		place := lineOf("the checkpoint", first+at)
		words := strings.Split(text, " ")
		if len(words) != 3 || words[0] != "\u2014" || !isKeyName(words[1]) {
			return "", nil, malformed(place, "an em dash, the name of a key and a signature in base64")
		}
		data, ok := decodeAnyBase64(words[2])
		if !ok || len(data) < 5 {
			return "", nil, malformed(place, "a signature in base64")
		}
		lines = append(lines, noteLine{place, words[1], hex.EncodeToString(data[:4]), data[4:]})
	}
	return note[:split+1], lines, nil
}

// VerifyCheckpoint verifies a signed checkpoint: the log's signature, the quorum of witnesses and its age. A nil maxAge
// accepts any. The error is a *VerificationError: MALFORMED, UNKNOWN_LOG, SIGNATURE, UNWITNESSED or STALE_WITNESS.
func VerifyCheckpoint(note string, policy *LogPolicy, now time.Time, maxAge *time.Duration) (*VerifiedCheckpoint, error) {
	text, lines, err := parseNote(note)
	if err != nil {
		return nil, err
	}
	head := append(strings.Split(text, "\n"), "", "", "")
	size, isSize := parseSize(head[1])
	root, isRoot := decodeHash(head[2])
	for at, isRight := range []bool{head[0] != "", isSize, isRoot} {
		if !isRight {
			expected := [...]string{"the origin of the log", "the size in decimal", "the root, 32 bytes in base64"}[at]
			return nil, malformed(lineOf("the checkpoint", at+1), expected)
		}
	}
	if err := requireLog(text, lines, policy, head[0]); err != nil {
		return nil, err
	}
	verified := &VerifiedCheckpoint{Origin: head[0], Size: size, Root: root}
	all, err := cosignaturesOf(text, lines, policy, verified)
	if err != nil {
		return nil, err
	}
	for _, each := range all {
		if !each.At.After(now.Add(maxAhead)) {
			verified.Cosignatures = append(verified.Cosignatures, each)
		}
	}
	if policy.quorum == "none" {
		return verified, nil
	}
	names := map[string]bool{}
	// The k-th newest counts: one fresh witness must not hide that the others are gone.
	for _, each := range verified.Cosignatures {
		names[each.Witness] = true
		if policy.isMetBy(names) {
			verified.WitnessedAt = each.At
			break
		}
	}
	if verified.WitnessedAt.IsZero() {
		return nil, refuse("UNWITNESSED", "%d known witnesses do not meet the quorum%s", len(names), absentIn(lines, policy))
	}
	if maxAge != nil && now.Sub(verified.WitnessedAt) > *maxAge {
		return nil, refuse("STALE_WITNESS", "the quorum is older than %s", *maxAge)
	}
	return verified, nil
}

// absentIn names the witnesses whose cosignatures this client cannot check.
func absentIn(lines []noteLine, policy *LogPolicy) string {
	absent := ""
	for _, witness := range policy.witnesses {
		for _, line := range lines {
			if witness.key.isSignature == nil && line.isOf(witness.key) {
				absent += "; " + witness.name + " cosigned with ML-DSA-44, which this platform cannot check"
				break
			}
		}
	}
	return absent
}

func requireLog(text string, lines []noteLine, policy *LogPolicy, origin string) *VerificationError {
	isSigned := false
	for _, key := range policy.logs {
		for _, line := range lines {
			// A log that signs with another algorithm signs with Ed25519 as well (tlog-checkpoint).
			if key.kind != typeEd25519 || !line.isOf(key) {
				continue
			}
			if !key.isSignature([]byte(text), line.signature) {
				return refuse("SIGNATURE", "%s: the signature of %s is not valid", line.place, key.name)
			}
			isSigned = isSigned || key.name == origin
		}
	}
	if !isSigned {
		var known, found []string
		// With the IDs, because a log of the same name with another key looks the same otherwise.
		for _, key := range policy.logs {
			known = append(known, key.name+"+"+key.id)
		}
		for _, line := range lines {
			found = append(found, line.name+"+"+line.keyID)
		}
		return refuse("UNKNOWN_LOG", "expected a signature of %s, found origin %s signed by %s",
			strings.Join(known, ", "), origin, strings.Join(found, ", "))
	}
	return nil
}

// cosignaturesOf gives the newest valid cosignature of each witness, newest first.
func cosignaturesOf(text string, lines []noteLine, policy *LogPolicy, tree *VerifiedCheckpoint) ([]Cosignature, *VerificationError) {
	var found []Cosignature
	for _, witness := range policy.witnesses {
		newest := int64(-1)
		for _, line := range lines {
			if witness.key.isSignature == nil || !line.isOf(witness.key) {
				continue
			}
			seconds, ok := cosignatureTime(text, line, witness.key, tree)
			if !ok {
				return nil, refuse("SIGNATURE", "%s: the cosignature of %s is not valid", line.place, witness.key.name)
			}
			// A time of 0 makes no statement about when the witness saw the checkpoint (tlog-cosignature).
			if seconds > newest && seconds > 0 {
				newest = seconds
			}
		}
		if newest >= 0 {
			found = append(found, Cosignature{witness.name, time.Unix(newest, 0).UTC()})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].At.After(found[j].At) })
	return found, nil
}

func cosignatureTime(text string, line noteLine, key noteKey, tree *VerifiedCheckpoint) (int64, bool) {
	if len(line.signature) <= 8 {
		return 0, false
	}
	seconds := binary.BigEndian.Uint64(line.signature)
	message := []byte("cosignature/v1\ntime " + strconv.FormatUint(seconds, 10) + "\n" + text)
	if key.kind == typeMLDSA44 {
		message = cosignedSubtree(key.name, seconds, tree)
	}
	return int64(seconds), seconds <= maxSafeInteger && key.isSignature(message, line.signature[8:])
}

// cosignedSubtree gives what ML-DSA-44 signs of a tree: the structure cosigned_message, from its first leaf on.
func cosignedSubtree(cosigner string, seconds uint64, tree *VerifiedCheckpoint) []byte {
	message := append([]byte("subtree/v1\n\x00"), byte(len(cosigner)))
	message = binary.BigEndian.AppendUint64(append(message, cosigner...), seconds)
	// A longer origin has no such message.
	message = append(append(message, byte(len(tree.Origin))), tree.Origin...)
	message = binary.BigEndian.AppendUint64(append(message, make([]byte, 8)...), uint64(tree.Size))
	return append(message, tree.Root[:]...)
}

type parsedProof struct {
	entry  []byte
	index  int64
	hashes [][32]byte
	note   string
}

func parseProof(text string) (parsedProof, *VerificationError) {
	if err := requireText("the proof", text, maxProofBytes, "\n"); err != nil {
		return parsedProof{}, err
	}
	before, note, ok := strings.Cut(text, "\n\n")
	head := strings.Split(before, "\n")
	if !ok || head[0] != proofFirstLine {
		return parsedProof{}, malformed("the proof, line 1", proofFirstLine)
	}
	proof, rest := parsedProof{note: note}, head[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "extra ") {
		if proof.entry, ok = decodeAnyBase64(rest[0][len("extra "):]); !ok {
			return proof, malformed("the proof, line 2", "extra and an entry in base64")
		}
		rest = rest[1:]
	}
	first := len(head) - len(rest) + 1
	if len(rest) == 0 || !strings.HasPrefix(rest[0], "index ") {
		return proof, malformed(lineOf("the proof", first), "index and the place of the entry")
	}
	if proof.index, ok = parseSize(rest[0][len("index "):]); !ok {
		return proof, malformed(lineOf("the proof", first), "index and the place of the entry in decimal")
	}
	for at, line := range rest[1:] {
		hash, ok := decodeHash(line)
		if at == maxHashes {
			return proof, malformed(lineOf("the proof", first+1+at), "at most 63 hashes")
		}
		if !ok {
			return proof, malformed(lineOf("the proof", first+1+at), "a hash, 32 bytes in base64")
		}
		proof.hashes = append(proof.hashes, hash)
	}
	return proof, nil
}

// requireInclusion follows the hashes from a leaf to the root (RFC 9162 2.1.3.2).
func requireInclusion(leaf [32]byte, proof parsedProof, size int64, root [32]byte) *VerificationError {
	failure := refuse("INCLUSION", "entry %d of a tree of %d", proof.index, size)
	if proof.index >= size {
		return failure
	}
	node, last, found := proof.index, size-1, leaf
	for _, sibling := range proof.hashes {
		if last == 0 {
			return failure
		}
		if node%2 == 1 || node == last {
			found = hashNode(sibling, found)
			for node%2 == 0 && node != 0 {
				node, last = node/2, last/2
			}
		} else {
			found = hashNode(found, sibling)
		}
		node, last = node/2, last/2
	}
	if last != 0 || found != root {
		return failure
	}
	return nil
}

func hashNode(left, right [32]byte) [32]byte {
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// proofEntryOf reads the entry at a place of the log. Its bytes are the text whose SHA-256 is the version's hash.
func proofEntryOf(data []byte, index int64) (chainEntry, []byte, *VerificationError) {
	failure := refuse("ENTRY", "entry %d is not that of %s", index, SnapshotID(index+1))
	text := bytes.TrimPrefix(data, []byte(historyHashLabel))
	content, err := canonicalize(text)
	if err != nil || len(data) > maxEntryBytes || len(text) == len(data) || !bytes.Equal(content.text, text) {
		return chainEntry{}, nil, failure
	}
	sum := sha256.Sum256(data)
	var object map[string]any
	_ = json.Unmarshal(text, &object)
	// The hash follows from the bytes, so they do not contain it.
	if _, hasHash := object["hash"]; hasHash || object == nil {
		return chainEntry{}, nil, failure
	}
	object["hash"] = hex.EncodeToString(sum[:])
	entry, ok := entryIn(object)
	if !ok || entry.sequence != index+1 || entry.snapshotID != SnapshotID(index+1) {
		return chainEntry{}, nil, failure
	}
	return entry, text, nil
}

// VerifyProof verifies an offline proof without a network: the checkpoint by the policy, the entry by the proof, and the
// bytes of a resource by the entry. The error is a *VerificationError: MALFORMED, UNKNOWN_LOG, SIGNATURE, UNWITNESSED,
// STALE_WITNESS, INCLUSION, ENTRY or RESOURCE.
func VerifyProof(proof string, policy *LogPolicy, options ProofOptions) (*VerifiedProof, error) {
	parsed, failure := parseProof(proof)
	if failure != nil {
		return nil, failure
	}
	data := parsed.entry
	if options.Entry != nil {
		data = options.Entry
	}
	if data == nil {
		return nil, refuse("ENTRY", "the proof does not contain the entry; pass the entry as well")
	}
	checkpoint, err := VerifyCheckpoint(parsed.note, policy, options.Now, options.MaxAge)
	if err != nil {
		return nil, err
	}
	leaf := sha256.Sum256(append([]byte{0}, data...))
	if failure := requireInclusion(leaf, parsed, checkpoint.Size, checkpoint.Root); failure != nil {
		return nil, failure
	}
	entry, text, failure := proofEntryOf(data, parsed.index)
	if failure != nil {
		return nil, failure
	}
	proved := &VerifiedProof{
		SnapshotID: entry.snapshotID, Hash: entry.hash, Entry: text, Checkpoint: *checkpoint,
	}
	if options.Resource == nil {
		return proved, nil
	}
	digest := base64url(sha256.Sum256(options.Resource))
	for name, each := range entry.resources {
		if each == digest {
			proved.Resources = append(proved.Resources, name)
		}
	}
	sort.Slice(proved.Resources, func(i, j int) bool { return isBefore(proved.Resources[i], proved.Resources[j]) })
	if len(proved.Resources) == 0 {
		return nil, refuse("RESOURCE", "%s has no resource with digest %s", entry.snapshotID, digest)
	}
	return proved, nil
}
