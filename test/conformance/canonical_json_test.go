package publicapi

import (
	"encoding/json"
	"os"
	"testing"
)

// Fails for the cases of a file, [text, canonical text] each, whose canonical text is another one.
func TestForeignCanonicalJSON(t *testing.T) {
	content, err := os.ReadFile(os.Getenv("CANONICAL_JSON_CASES"))
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	for _, each := range cases {
		found, err := canonicalize([]byte(each[0]))
		if err != nil || string(found.text) != each[1] {
			t.Errorf("%s: expected %s, found %s, %v", each[0], each[1], found.text, err)
		}
	}
	t.Logf("%d cases", len(cases))
}
