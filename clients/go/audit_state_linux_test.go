package publicapi

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFullDiskKeepsTheOldState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	origin := "https://api.example.org"
	if err := saveState(file, &auditState{Origin: &origin}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The limit of the size of a file fails as a full disk does, in the middle of a write.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	low := syscall.Rlimit{Cur: 1000, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Fatal(err)
	}
	large := &auditState{Origin: &origin, Response: portable{BodyBase64: strings.Repeat("A", 100_000)}}
	failure := saveState(file, large)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(file)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if failure == nil || string(after) != string(before) || len(left) != 1 {
		t.Errorf("found %v, a state of %d bytes and the files %v", failure, len(after), left)
	}
}
