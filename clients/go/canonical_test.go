package publicapi

import (
	"crypto/sha256"
	"encoding/json"
	"testing"
)

func TestCanonicalize(t *testing.T) {
	for text, expected := range map[string]string{
		`{"b":1,"a":2}`:                       `{"a":2,"b":1}`,
		` { "a" : [ 1 , {} , [] , null ] } `:  `{"a":[1,{},[],null]}`,
		`{"b":2,"a":{"d":1,"c":2}}`:           `{"a":{"c":2,"d":1},"b":2}`,
		`{"\ud83d\ude00":1,"\ufb33":2}`:       "{\"\U0001F600\":1,\"\uFB33\":2}",
		`"\u000f\n\/\"\\\u20ac"`:              `"\u000f\n/\"\\` + "\u20ac\"",
		`[1e21,1E-7,1.0,-0,-0.0,0.1,1e2]`:     `[1e+21,1e-7,1,0,0,0.1,100]`,
		`[9007199254740993,123456789012345]`:  `[9007199254740992,123456789012345]`,
		`[333333333.33333329,1E30,4.50,2e-3]`: `[333333333.3333333,1e+30,4.5,0.002]`,
	} {
		found, err := canonicalize([]byte(text))
		if err != nil || string(found.text) != expected {
			t.Errorf("%s: expected %s, found %s, %v", text, expected, found.text, err)
		}
	}
	for _, text := range []string{
		"", "nul", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "1e999", "-", `"`, `"\`, `"\u12"`, `"\u+123"`, `"\x"`,
		`"\ud800"`, `"\udc00\ud800"`, "\"\n\"", `{"a":1,}`, `[1,]`, `{a:1}`, `{"a"}`, `{"a":1`, `[1`, `1 2`, "\ufeff1",
		"\"\xff\"", `{,}`, `[,]`, `{"a":1 "b":2}`,
		`{"a":1,"b":2,"a":{"d":1,"c":2}}`, `{"\u0061":1,"a":2}`, `[{"a":1,"a":1}]`, `{"a":{"b":1,"c":2,"b":1}}`,
	} {
		if found, err := canonicalize([]byte(text)); err == nil {
			t.Errorf("%s: expected an error, found %s", text, found.text)
		}
	}
}

func TestMembersAfterRewriting(t *testing.T) {
	content, err := canonicalize([]byte(`{"ok":true,"data":{"y":"z"}}`))
	data, ok := content.member("data")
	if err != nil || !ok || string(data) != `{"y":"z"}` {
		t.Errorf("found %s, %v", data, err)
	}
}

// As the JavaScript client: only the data needs a canonical form, so that a text beside it may be anything in JSON.
func TestWhatHasNoCanonicalForm(t *testing.T) {
	for text, expected := range map[string]string{
		`{"a\udc00":"\ud800","b":-1e999,"data":[1]}`: `[1]`,
		`{"data":{"\ud800":1,"\ud800":1}}`:           "",
		`{"data":["\udc00\ud800"]}`:                  "",
		`{"data":1e999}`:                             "",
	} {
		response := &Response{Target: "/api/v1/status", Body: []byte(text)}
		verified, err := check{response, Expectations{}}.readBody(sha256.Sum256(response.Body))
		switch {
		case expected == "" && err == nil:
			t.Errorf("%s: expected an error, found %s", text, verified.Data)
		case expected != "" && (err != nil || string(verified.Data) != expected || !json.Valid(verified.Content)):
			t.Errorf("%s: expected %s, found %+v, %v", text, expected, verified, err)
		}
	}
}
