package publicapi

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestStates(t *testing.T) {
	text, err := os.ReadFile(cases(t, filepath.Join("clients", "state-cases.json")))
	var shared struct {
		State map[string]any
		Cases []struct {
			Name, Expected, Without string
			Text                    *string
			With                    map[string]any
		}
	}
	if err != nil || json.Unmarshal(text, &shared) != nil || len(shared.Cases) == 0 {
		t.Fatal(err)
	}
	for _, each := range shared.Cases {
		t.Run(each.Name, func(t *testing.T) {
			state := map[string]any{}
			for _, members := range []map[string]any{shared.State, each.With} {
				for name, value := range members {
					state[name] = value
				}
			}
			delete(state, each.Without)
			saved, _ := json.Marshal(state)
			if each.Text != nil {
				saved = []byte(*each.Text)
			}
			file := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(file, saved, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := loadState(file)
			found := "ok"
			var refused *AuditStateError
			if errors.As(err, &refused) {
				found = refused.Code
			}
			if found != each.Expected {
				t.Errorf("expected %s, found %s", each.Expected, found)
			}
		})
	}
}
