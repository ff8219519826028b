package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestABodyCannotControlTheTerminal(t *testing.T) {
	text := "{\"a\":\"\u009b2J\u202e\U000e0001\u0e01\\n\"}\n"
	shown := forTerminal([]byte(text))
	expected := "{\"a\":\"\\u009b2J\\u202e\\udb40\\udc01\u0e01\\n\"}\n"
	var one, other any
	_, _ = json.Unmarshal([]byte(text), &one), json.Unmarshal(shown, &other)
	if string(shown) != expected || !reflect.DeepEqual(one, other) {
		t.Errorf("expected %q, found %q", expected, shown)
	}
}

func TestLocalMistakesAreWrongUsage(t *testing.T) {
	for _, arguments := range [][]string{
		{"verify", "http://127.0.0.1:9/a b"},
		{"verify", "http://127.0.0.1:9/?\u0e01"},
		{"verify", "http://127.0.0.1:9/", "--etag", "a\nb"},
		{"audit", "http://127.0.0.1:9", "--state", t.TempDir()},
	} {
		if status := run(arguments); status != 2 {
			t.Errorf("%q: expected 2, found %d", arguments, status)
		}
	}
}
