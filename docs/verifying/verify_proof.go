// Verifies an offline proof of a version (c2sp.org/tlog-proof) with Go's standard library, and the functions of verify.go.
//
//	go run verify.go verify_proof.go --proof PROOF POLICY [RESOURCE]  prints the version that is proved
//	go run verify.go verify_proof.go --proof-vectors FOLDER           runs the cases of test/vectors/log
//
// POLICY says whose log, which witnesses and how many (c2sp.org/tlog-policy). RESOURCE is a file whose bytes must be a
// resource of the version. Nothing is fetched. docs/witnesses.md explains the rest.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func init() {
	commands["--proof"] = func(files []string) error {
		if len(files) != 2 && len(files) != 3 {
			return misused("expected --proof PROOF POLICY [RESOURCE]")
		}
		return verifyProofFiles(files[0], files[1], files[2:])
	}
	commands["--proof-vectors"] = func(folders []string) error {
		if len(folders) != 1 {
			return misused("expected --proof-vectors FOLDER")
		}
		return runProofVectors(folders[0])
	}
}

const (
	logType, witnessType = 1, 4
	maxNoteBytes         = 131072
	maxPolicyBytes       = 65536
	maxEntryBytes        = 65535
	maxResourceBytes     = 8388608
	maxSafeInteger       = 1<<53 - 1
	maxAhead             = 300 * time.Second
)

func requireText(what, text string, most int, allowed string) error {
	if len(text) > most {
		return refuse("MALFORMED", "%s has more than %d bytes", what, most)
	}
	for _, each := range text {
		if each < ' ' && !strings.ContainsRune(allowed, each) {
			return refuse("MALFORMED", "%s has a control character", what)
		}
	}
	return nil
}

func decodeStandard(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodeToString(data) == text
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)

func parseSize(text string) (int64, bool) {
	size, err := strconv.ParseInt(text, 10, 64)
	return size, err == nil && decimal.MatchString(text) && size <= maxSafeInteger
}

// Keys, policies and notes.

type noteKey struct {
	name, id string
	public   ed25519.PublicKey
}

// readVkey reads a verifier key: name+id+base64.
func readVkey(vkey string, kind byte, place string) (noteKey, error) {
	parts := strings.SplitN(vkey, "+", 3)
	failure := refuse("MALFORMED", "%s: expected a usable verifier key of type %d", place, kind)
	if len(parts) != 3 || !isKeyName(parts[0]) {
		return noteKey{}, failure
	}
	typed, ok := decodeStandard(parts[2])
	if !ok || len(typed) != 33 || typed[0] != kind || !isCanonicalPoint(typed[1:]) {
		return noteKey{}, failure
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	if hex.EncodeToString(sum[:4]) != parts[1] {
		return noteKey{}, failure
	}
	return noteKey{parts[0], parts[1], typed[1:]}, nil
}

func isKeyName(name string) bool {
	isOutside := func(each rune) bool { return unicode.IsSpace(each) || each == '+' || each == '\ufeff' }
	return name != "" && strings.IndexFunc(name, isOutside) < 0
}

type rule func(names map[string]bool) bool

type witness struct {
	name string
	key  noteKey
}

type policy struct {
	logs      []noteKey
	witnesses []witness
	rules     map[string]rule
	members   map[string]bool
	quorum    string
}

func readPolicy(text string) (*policy, error) {
	if err := requireText("the policy", text, maxPolicyBytes, "\n\t"); err != nil {
		return nil, err
	}
	p := &policy{rules: map[string]rule{}, members: map[string]bool{}}
	for at, line := range strings.Split(text, "\n") {
		words := strings.FieldsFunc(line, func(each rune) bool { return each == ' ' || each == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := p.readLine(words, fmt.Sprintf("the policy, line %d", at+1)); err != nil {
			return nil, err
		}
	}
	if p.quorum == "" {
		return nil, refuse("MALFORMED", "the policy has no quorum line")
	}
	return p, nil
}

func (p *policy) readLine(words []string, place string) error {
	kind, items := words[0], words[1:]
	switch {
	case kind == "log" && (len(items) == 1 || len(items) == 2):
		key, err := readVkey(items[0], logType, place)
		p.logs = append(p.logs, key)
		return firstOf(err, isNew(p.logs, place))
	case kind == "witness" && (len(items) == 2 || len(items) == 3):
		key, err := readVkey(items[1], witnessType, place)
		name := items[0]
		p.witnesses = append(p.witnesses, witness{name, key})
		keys := []noteKey{}
		for _, each := range p.witnesses {
			keys = append(keys, each.key)
		}
		isCosigned := func(names map[string]bool) bool { return names[name] }
		return firstOf(err, isNew(keys, place), p.define(name, isCosigned, place))
	case kind == "group" && len(items) > 2:
		return p.readGroup(items[0], items[1], items[2:], place)
	case kind == "quorum" && len(items) == 1 && p.quorum == "":
		p.quorum = items[0]
		if p.quorum != "none" && p.rules[p.quorum] == nil {
			return refuse("MALFORMED", "%s: %s is not defined above", place, p.quorum)
		}
		return nil
	}
	return refuse("MALFORMED", "%s: expected log, witness, group or one quorum", place)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// isNew refuses a last key that stands on an earlier line, and more than 64 lines.
func isNew(keys []noteKey, place string) error {
	last := len(keys) - 1
	for _, earlier := range keys[:last] {
		if bytes.Equal(earlier.public, keys[last].public) {
			return refuse("MALFORMED", "%s: the key is on another line", place)
		}
	}
	if last >= 64 {
		return refuse("MALFORMED", "%s: more than 64 lines of a kind", place)
	}
	return nil
}

func (p *policy) define(name string, met rule, place string) error {
	if name == "none" || p.rules[name] != nil {
		return refuse("MALFORMED", "%s: %s is already defined, or reserved", place, name)
	}
	p.rules[name] = met
	return nil
}

var thresholdForm = regexp.MustCompile(`^(any|all|[1-9][0-9]{0,3})$`)

func (p *policy) readGroup(name, threshold string, listed []string, place string) error {
	required, _ := strconv.Atoi(threshold)
	if threshold == "any" {
		required = 1
	} else if threshold == "all" {
		required = len(listed)
	}
	if !thresholdForm.MatchString(threshold) || required > len(listed) {
		return refuse("MALFORMED", "%s: expected a number up to that of the members, any or all", place)
	}
	parts := []rule{}
	for _, member := range listed {
		if p.members[member] || p.rules[member] == nil {
			return refuse("MALFORMED", "%s: %s is not defined above, or is in a group", place, member)
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

type noteLine struct {
	name, keyID string
	signature   []byte
}

// readNote gives the signed text, and the signature lines below it.
func readNote(note string) (string, []noteLine, error) {
	if err := requireText("the checkpoint", note, maxNoteBytes, "\n"); err != nil {
		return "", nil, err
	}
	split := strings.LastIndex(note, "\n\n")
	if split < 0 || !strings.HasSuffix(note, "\n") || len(note) < split+3 {
		return "", nil, refuse("MALFORMED", "the checkpoint: expected an empty line before the signatures")
	}
	lines := []noteLine{}
	for _, text := range strings.Split(note[split+2:len(note)-1], "\n") {
		words := strings.Split(text, " ")
		if len(words) != 3 || words[0] != "\u2014" || !isKeyName(words[1]) || len(lines) == 64 {
			return "", nil, refuse("MALFORMED", "the checkpoint: expected at most 64 signature lines, found %.40q", text)
		}
		data, ok := decodeStandard(words[2])
		if !ok || len(data) < 5 {
			return "", nil, refuse("MALFORMED", "the checkpoint: expected a signature in base64, found %.40q", text)
		}
		lines = append(lines, noteLine{words[1], hex.EncodeToString(data[:4]), data[4:]})
	}
	return note[:split+1], lines, nil
}

// linesOf gives the signatures of a key.
func linesOf(key noteKey, lines []noteLine) (found [][]byte) {
	for _, line := range lines {
		if line.name == key.name && line.keyID == key.id {
			found = append(found, line.signature)
		}
	}
	return found
}

type checkpoint struct {
	size int64
	root [32]byte
	// Zero if the policy asks for no witness.
	witnessedAt time.Time
}

func checkCheckpoint(note string, p *policy, now time.Time, maxAge time.Duration) (checkpoint, error) {
	var head checkpoint
	text, lines, err := readNote(note)
	if err != nil {
		return head, err
	}
	parts := append(strings.Split(text, "\n"), "", "")
	size, isSize := parseSize(parts[1])
	root, isRoot := decodeStandard(parts[2])
	if parts[0] == "" || !isSize || !isRoot || len(root) != len(head.root) {
		return head, refuse("MALFORMED", "the checkpoint: expected origin, size and root hash")
	}
	head.size = size
	copy(head.root[:], root)
	isSigned := false
	for _, key := range p.logs {
		for _, signature := range linesOf(key, lines) {
			if len(signature) != ed25519.SignatureSize || !isSignature(key.public, signature, text) {
				return head, refuse("SIGNATURE", "the signature of %s is not valid", key.name)
			}
			isSigned = isSigned || key.name == parts[0]
		}
	}
	if !isSigned {
		return head, refuse("UNKNOWN_LOG", "no log of the policy signed the checkpoint of %s", parts[0])
	}
	head.witnessedAt, err = p.quorumTime(text, lines, now)
	if err == nil && maxAge != 0 && now.Sub(head.witnessedAt) > maxAge && p.quorum != "none" {
		err = refuse("STALE_WITNESS", "the quorum is older than %s", maxAge)
	}
	return head, err
}

// quorumTime gives when enough witnesses had cosigned: the newest cosignature of each counts, and the oldest of these.
func (p *policy) quorumTime(text string, lines []noteLine, now time.Time) (time.Time, error) {
	newest := map[string]time.Time{}
	for _, each := range p.witnesses {
		for _, blob := range linesOf(each.key, lines) {
			if len(blob) != 8+ed25519.SignatureSize {
				return time.Time{}, refuse("SIGNATURE", "the cosignature of %s is not valid", each.key.name)
			}
			seconds := binary.BigEndian.Uint64(blob)
			signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)
			if seconds > maxSafeInteger || !isSignature(each.key.public, blob[8:], signed) {
				return time.Time{}, refuse("SIGNATURE", "the cosignature of %s is not valid", each.key.name)
			}
			at := time.Unix(int64(seconds), 0).UTC()
			if known, is := newest[each.name]; !is || at.After(known) {
				newest[each.name] = at
			}
		}
	}
	if p.quorum == "none" {
		return time.Time{}, nil
	}
	names := []string{}
	for name, at := range newest {
		if !at.After(now.Add(maxAhead)) {
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool { return newest[names[i]].After(newest[names[j]]) })
	cosigned := map[string]bool{}
	for _, name := range names {
		cosigned[name] = true
		if p.rules[p.quorum](cosigned) {
			return newest[name], nil
		}
	}
	return time.Time{}, refuse("UNWITNESSED", "%d known witnesses do not meet the quorum", len(names))
}

// The proof.

type proof struct {
	// Nil if it is not contained.
	entry  []byte
	index  int64
	hashes [][]byte
	note   string
}

func readProof(text string) (proof, error) {
	var p proof
	if err := requireText("the proof", text, 4*maxNoteBytes, "\n"); err != nil {
		return p, err
	}
	before, note, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(before, "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		return p, refuse("MALFORMED", "the proof, line 1: expected c2sp.org/tlog-proof@v1")
	}
	p.note, lines = note, lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		entry, ok := decodeStandard(lines[0][len("extra "):])
		if !ok {
			return p, refuse("MALFORMED", "the proof, line 2: expected an entry in base64")
		}
		p.entry, lines = entry, lines[1:]
	}
	var ok bool
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "index ") || len(lines) > 64 {
		return p, refuse("MALFORMED", "the proof: expected index and at most 63 hashes")
	}
	if p.index, ok = parseSize(lines[0][len("index "):]); !ok {
		return p, refuse("MALFORMED", "the proof: expected the index in decimal")
	}
	for _, line := range lines[1:] {
		hash, ok := decodeStandard(line)
		if !ok || len(hash) != sha256.Size {
			return p, refuse("MALFORMED", "the proof: expected a hash in base64, found %.50q", line)
		}
		p.hashes = append(p.hashes, hash)
	}
	return p, nil
}

func sumOf(prefix byte, parts ...[]byte) []byte {
	sum := sha256.Sum256(append([]byte{prefix}, bytes.Join(parts, nil)...))
	return sum[:]
}

// rootOf gives the root that a proof leads to (RFC 9162 2.1.3.2); nil if it has another length.
func (p proof) rootOf(leaf []byte, size int64) []byte {
	node, last, found := p.index, size-1, leaf
	for _, sibling := range p.hashes {
		if last == 0 {
			return nil
		}
		if node%2 == 1 || node == last {
			found = sumOf(1, sibling, found)
			for node%2 == 0 && node != 0 {
				node, last = node/2, last/2
			}
		} else {
			found = sumOf(1, found, sibling)
		}
		node, last = node/2, last/2
	}
	if last != 0 {
		return nil
	}
	return found
}

// readEntry gives the version in an entry, whose hash is the SHA-256 of the entry.
func readEntry(data []byte, index int64) (map[string]any, error) {
	failure := refuse("ENTRY", "entry %d is not the canonical text of its version", index)
	text := bytes.TrimPrefix(data, []byte("svc-version-v1\n"))
	version, err := readJSON(text)
	if err != nil || len(text) == len(data) || len(data) > maxEntryBytes || !bytes.Equal(canonical(version), text) {
		return nil, failure
	}
	isRight := areDigests(version["resources"]) && areChanges(version["changes"]) &&
		version["sequence"] == float64(index+1) && version["snapshotId"] == fmt.Sprintf("VS-%04d", index+1)
	for _, name := range []string{"createdAt", "note", "previousHash"} {
		isRight = isRight && isText(version[name])
	}
	if !isRight {
		return nil, failure
	}
	sum := sha256.Sum256(data)
	version["hash"] = hex.EncodeToString(sum[:])
	return version, nil
}

type proved struct {
	version   map[string]any
	resources []string
	head      checkpoint
}

// checkProof verifies a proof. entry, if it is not nil, stands for one that the proof does not contain.
func checkProof(text string, p *policy, now time.Time, maxAge time.Duration, entry, resource []byte) (proved, error) {
	var found proved
	parsed, err := readProof(text)
	if err != nil {
		return found, err
	}
	if entry == nil {
		entry = parsed.entry
	}
	if entry == nil {
		return found, refuse("ENTRY", "the proof does not contain the entry")
	}
	if found.head, err = checkCheckpoint(parsed.note, p, now, maxAge); err != nil {
		return found, err
	}
	size := found.head.size
	if parsed.index >= size || !bytes.Equal(parsed.rootOf(sumOf(0, entry), size), found.head.root[:]) {
		return found, refuse("INCLUSION", "entry %d of a tree of %d", parsed.index, size)
	}
	if found.version, err = readEntry(entry, parsed.index); err != nil || resource == nil {
		return found, err
	}
	digest := base64url(sha256.Sum256(resource))
	resources, _ := found.version["resources"].(map[string]any)
	for name, each := range resources {
		if each == digest {
			found.resources = append(found.resources, name)
		}
	}
	sort.Strings(found.resources)
	if found.resources == nil {
		return found, refuse("RESOURCE", "%v has no resource with these bytes", found.version["snapshotId"])
	}
	return found, nil
}

const timeForm = "2006-01-02T15:04:05.000Z"

// readFile gives the bytes of a file that is not larger than any resource of a release.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, refuse("UNREADABLE", "%v", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxResourceBytes+1))
	if err != nil {
		return nil, refuse("UNREADABLE", "%v", err)
	}
	if len(content) > maxResourceBytes {
		return nil, refuse("MALFORMED", "%s has more than %d bytes", name, maxResourceBytes)
	}
	return content, nil
}

func verifyProofFiles(proofFile, policyFile string, resourceFiles []string) error {
	contents := [][]byte{}
	for _, file := range append([]string{proofFile, policyFile}, resourceFiles...) {
		content, err := readFile(file)
		if err != nil {
			return err
		}
		contents = append(contents, content)
	}
	trusted, err := readPolicy(string(contents[1]))
	if err != nil {
		return err
	}
	var resource []byte
	if len(contents) == 3 {
		resource = contents[2]
	}
	found, err := checkProof(string(contents[0]), trusted, time.Now(), 0, nil, resource)
	if err != nil {
		return err
	}
	version := found.version
	fmt.Printf("Verified: %v of %v, hash %v\n", version["snapshotId"], version["createdAt"], version["hash"])
	for _, name := range found.resources {
		fmt.Printf("%s is its resource %s\n", resourceFiles[0], name)
	}
	when := "the policy asks for no witness"
	if !found.head.witnessedAt.IsZero() {
		when = "quorum at " + found.head.witnessedAt.Format(timeForm)
	}
	fmt.Printf("In a log of %d versions; %s\n", found.head.size, when)
	return nil
}

// The cases of test/vectors/log.

type proofResult struct {
	Size        int64    `json:"size"`
	Root        string   `json:"root"`
	WitnessedAt *string  `json:"witnessedAt"`
	Hash        string   `json:"hash"`
	Resources   []string `json:"resources"`
}

type proofVector struct {
	Expected, Now, Policy, Note, Proof string
	MaxAgeSeconds                      int
	EntryBase64, ResourceBase64        *string
	Result                             *proofResult
}

func (v proofVector) check() (proved, error) {
	var found proved
	p, err := readPolicy(v.Policy)
	if err != nil {
		return found, err
	}
	now, err := parseInstant(v.Now)
	if err != nil {
		return found, err
	}
	maxAge := time.Duration(v.MaxAgeSeconds) * time.Second
	if v.Proof == "" {
		found.head, err = checkCheckpoint(v.Note, p, now, maxAge)
		return found, err
	}
	optional := func(text *string) []byte {
		if text == nil {
			return nil
		}
		data, _ := decodeStandard(*text)
		return data
	}
	return checkProof(v.Proof, p, now, maxAge, optional(v.EntryBase64), optional(v.ResourceBase64))
}

func (p proved) result() proofResult {
	found := proofResult{Size: p.head.size, Root: base64.StdEncoding.EncodeToString(p.head.root[:]), Resources: p.resources}
	if !p.head.witnessedAt.IsZero() {
		at := p.head.witnessedAt.Format(timeForm)
		found.WitnessedAt = &at
	}
	if p.version != nil {
		found.Hash, _ = p.version["hash"].(string)
	}
	return found
}

func runProofVectors(folder string) error {
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var v proofVector
		if err := json.Unmarshal(text, &v); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found, err := v.check()
		outcome := "ok"
		if err != nil {
			outcome = strings.SplitN(err.Error(), ":", 2)[0]
		}
		if outcome != v.Expected {
			return refuse("VECTORS", "%s: expected %s, found %v", file, v.Expected, err)
		}
		if v.Result == nil {
			continue
		}
		if v.Result.Resources != nil && len(v.Result.Resources) == 0 {
			v.Result.Resources = nil
		}
		expected, _ := json.Marshal(v.Result)
		if result, _ := json.Marshal(found.result()); !bytes.Equal(result, expected) {
			return refuse("VECTORS", "%s: expected %s, found %s", file, expected, result)
		}
	}
	if len(files) == 0 {
		return refuse("VECTORS", "no vectors in this folder")
	}
	fmt.Printf("%d cases have the expected outcome\n", len(files))
	return nil
}
