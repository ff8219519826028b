package publicapi

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxStateBytes  = 64_000_000
	maxCheckpoints = 64
)

// An auditState is what one audit saves for the next, in the format of svc audit.
type auditState struct {
	Origin      *string        `json:"origin,omitempty"`
	Response    portable       `json:"response"`
	Keys        []PublishedKey `json:"keys"`
	KeyIDs      []string       `json:"keyIds"`
	KeyDocument *portable      `json:"keyDocument,omitempty"`
	IsAudited   *bool          `json:"isAudited,omitempty"`
	Unsettled   []portable     `json:"unsettled,omitempty"`
	// others are the fields that svc audit or a later version saved.
	others map[string]json.RawMessage
}

// stateFields are the fields that this package writes.
var stateFields = []string{"origin", "response", "keys", "keyIds", "keyDocument", "isAudited", "unsettled"}

func loadState(file string) (*auditState, error) {
	if file == "" {
		return nil, nil
	}
	about, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unreadable := &AuditStateError{"UNREADABLE", file + ": expected a regular file that an audit saved"}
	// A device or a pipe has no state, and replacing it would destroy it.
	if err != nil || !about.Mode().IsRegular() || about.Size() > maxStateBytes {
		return nil, unreadable
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, unreadable
	}
	for mark, name := range map[string]string{
		"\xff\xfe": "UTF-16", "\xfe\xff": "UTF-16", "\xef\xbb\xbf": "a byte order mark",
	} {
		if strings.HasPrefix(string(text), mark) {
			return nil, &AuditStateError{"UNREADABLE", file + ": expected the JSON that an audit saved, found " + name}
		}
	}
	var state auditState
	if json.Unmarshal(text, &state.others) != nil {
		return nil, unreadable
	}
	var pinFrom string
	var checkpoints []string
	// By exact names, which a struct does not need.
	for name, member := range map[string]any{
		"origin": &state.Origin, "response": &state.Response, "keys": &state.Keys, "keyIds": &state.KeyIDs,
		"keyDocument": &state.KeyDocument, "isAudited": &state.IsAudited, "unsettled": &state.Unsettled,
		"pinFrom": &pinFrom, "checkpoints": &checkpoints,
	} {
		value, isThere := state.others[name]
		if isThere && (string(value) == "null" || json.Unmarshal(value, member) != nil) {
			return nil, unreadable
		}
	}
	if len(state.Keys) == 0 || len(state.Keys) > 2*maxKeys || len(state.Unsettled) > maxUnsettled ||
		len(checkpoints) > maxCheckpoints {
		return nil, unreadable
	}
	for _, each := range state.Keys {
		if each.JWK.Kty == "" || each.JWK.Crv == "" || each.JWK.X == "" {
			return nil, unreadable
		}
	}
	responses := append([]portable{state.Response}, state.Unsettled...)
	if state.KeyDocument != nil {
		responses = append(responses, *state.KeyDocument)
	}
	for _, each := range responses {
		if !each.isWhole() {
			return nil, unreadable
		}
	}
	for _, name := range stateFields {
		delete(state.others, name)
	}
	return &state, nil
}

// encode returns the state as JSON, with the fields of others.
func (state *auditState) encode() ([]byte, error) {
	text, err := json.Marshal(state)
	if err != nil || len(state.others) == 0 {
		return text, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name, value := range state.others {
		fields[name] = value
	}
	return json.Marshal(fields)
}

func saveState(file string, state *auditState) error {
	text, err := state.encode()
	if err != nil {
		return err
	}
	return replaceFile(file, append(text, '\n'))
}

// replaceFile replaces a file atomically and durably. It creates the folder.
func replaceFile(file string, text []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	beside, err := os.CreateTemp(folder, filepath.Base(file)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name())
	_, err = beside.Write(text)
	if err == nil {
		// If the name changed before the bytes are on disk, a power failure could leave an empty file.
		err = beside.Sync()
	}
	if closed := beside.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(beside.Name(), file)
	}
	if err != nil {
		return err
	}
	// Makes the name durable where the system can sync a folder.
	if handle, err := os.Open(folder); err == nil {
		_ = handle.Sync()
		_ = handle.Close()
	}
	return nil
}

func (a *audit) readSaved() error {
	if a.saved == nil {
		return nil
	}
	var documents []portable
	if a.saved.KeyDocument != nil {
		documents = append(documents, *a.saved.KeyDocument)
	}
	statements, err := verifyAll(append([]portable{a.saved.Response}, a.saved.Unsettled...), a.saved.Keys)
	if err != nil {
		// An edited state would accuse the service.
		return &AuditStateError{"UNREADABLE", "the signature of the saved head is invalid; " + err.Error()}
	}
	for at, each := range statements {
		entry, ok := entryOf(each.Data)
		if each.path == readPaths["version"] && ok {
			a.known = append(a.known, knownHead{entry, each.portable, each.ProvedAt, each.KeyID, a.saved.Keys, documents})
		} else if at > 0 {
			a.doubts = append(a.doubts, each)
		} else {
			return &AuditStateError{"UNREADABLE", "expected a response of the newest version"}
		}
	}
	return nil
}

// keyChange compares the key that signs now with the one that signed the saved version.
func (a *audit) keyChange(keyID string) (*KeyChange, error) {
	if a.saved == nil || len(a.known) == 0 || a.known[0].keyID == keyID {
		return nil, nil
	}
	change := &KeyChange{Before: a.known[0].keyID, After: keyID}
	for _, published := range a.saved.Keys {
		key, err := ImportKey(published)
		if err != nil {
			return nil, err
		}
		change.IsAnnounced = change.IsAnnounced || key.ID == keyID
	}
	for _, id := range a.saved.KeyIDs {
		change.IsAnnounced = change.IsAnnounced || id == keyID
	}
	isSameOrigin := a.saved.Origin != nil && *a.saved.Origin == a.client.Origin()
	if !isSameOrigin && !change.IsAnnounced {
		return nil, &AuditStateError{"OTHER_KEYS", "the state does not announce the key " + keyID}
	}
	return change, nil
}

func (a *audit) headState(response portable) (*auditState, error) {
	document, err := a.client.Get(a.ctx, readPaths["signingKey"], Fresh())
	if err != nil {
		return nil, err
	}
	keys, err := ParseSigningKeys(document.Data)
	if err != nil {
		return nil, err
	}
	origin, portable := a.client.Origin(), portableOf(document.Response)
	state := &auditState{Origin: &origin, Response: response, KeyIDs: []string{}, KeyDocument: &portable}
	if a.saved != nil {
		state.KeyIDs = append(state.KeyIDs, a.saved.KeyIDs...)
		state.others = a.saved.others
	}
	for _, key := range keys {
		state.Keys = append(state.Keys, key.Published)
		isKnown := false
		for _, id := range state.KeyIDs {
			isKnown = isKnown || id == key.ID
		}
		if !isKnown {
			state.KeyIDs = append(state.KeyIDs, key.ID)
		}
	}
	return state, nil
}

// unsettledState has the responses of a contradiction, which a later audit can confirm.
func (a *audit) unsettledState(open *openContradiction) (*auditState, error) {
	// The last response is what a later one replaces.
	kept := open.responses[:len(open.responses)-1]
	state := a.saved
	if state == nil {
		head, err := a.headState(kept[0])
		if err != nil {
			return nil, err
		}
		isAudited := false
		head.IsAudited = &isAudited
		state = head
	}
	result := *state
	result.Keys, result.Unsettled = open.keys, nil
	seen := map[string]bool{state.Response.BodyBase64: true}
	for _, each := range append(append([]portable{}, kept...), state.Unsettled...) {
		if !seen[each.BodyBase64] && len(result.Unsettled) < maxUnsettled {
			result.Unsettled, seen[each.BodyBase64] = append(result.Unsettled, each), true
		}
	}
	return &result, nil
}
