// Command public-api verifies responses of a public API that signs them, and audits its history.
//
//	public-api verify URL --pin ID [--etag TAG]
//	public-api audit URL --pin ID [--state FILE] [--moved] [--evidence FILE]
//
// Exit status: 0 everything holds; 1 something is proven wrong, and the first word on standard error is the code; 2 wrong
// usage; 3 nothing could be established, such as an unreachable service.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"

	publicapi "github.com/example/public-api-server/clients/go"
)

type pins []string

func (p *pins) String() string { return strings.Join(*p, ",") }

func (p *pins) Set(id string) error {
	*p = append(*p, id)
	return nil
}

const usage = `Usage: public-api verify URL [--pin ID]... [--etag TAG]
       public-api audit URL [--pin ID]... [--state FILE] [--moved] [--evidence FILE]`

func main() { os.Exit(run(os.Args[1:])) }

type settings struct {
	pinned                pins
	etag, state, evidence string
	moved                 bool
}

func run(arguments []string) int {
	if len(arguments) == 0 || (arguments[0] != "verify" && arguments[0] != "audit") {
		fmt.Fprintln(os.Stderr, usage)
		return 2
	}
	var set settings
	command := arguments[0]
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(os.Stderr, usage) }
	flags.Var(&set.pinned, "pin", "a key to trust; may be repeated")
	if command == "verify" {
		flags.StringVar(&set.etag, "etag", "", "the entity tag you have; a 304 then counts")
	} else {
		flags.StringVar(&set.state, "state", "", "remembers the newest version, as svc audit does")
		flags.BoolVar(&set.moved, "moved", false, "accept a state of another origin")
		flags.StringVar(&set.evidence, "evidence", "", "where to save the proof of a contradiction")
	}
	// Package flag stops at the first argument that is not a flag, but the URL may be anywhere.
	var locations []string
	for rest := arguments[1:]; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			return 0
		} else if err != nil {
			return 2
		}
		if flags.NArg() == 0 {
			break
		}
		locations = append(locations, flags.Arg(0))
	}
	if len(locations) != 1 {
		flags.Usage()
		return 2
	}
	for _, letter := range set.etag {
		if letter < ' ' || letter > '~' {
			fmt.Fprintln(os.Stderr, "error: --etag: expected visible ASCII")
			return 2
		}
	}
	location := locations[0]
	origin := ""
	if parsed, err := url.Parse(location); err == nil {
		origin = parsed.Scheme + "://" + parsed.Host
	}
	client, err := publicapi.NewClient(publicapi.Options{BaseURL: origin, PinnedKeyIDs: set.pinned})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	if len(set.pinned) == 0 {
		fmt.Fprintln(os.Stderr, "warning: no key is pinned; a copy of the service with its own key would pass (--pin ID)")
	}
	if command == "verify" {
		return statusOf(verify(client, publicapi.TargetOf(location), set.etag))
	}
	err = audit(client, set)
	status := statusOf(err)
	var failure *publicapi.VerificationError
	if errors.As(err, &failure) && failure.Evidence != nil && set.evidence != "" {
		keepEvidence(set.evidence, failure.Evidence)
	}
	return status
}

// keepEvidence saves evidence, which exists nowhere else, or prints it.
func keepEvidence(wanted string, text []byte) {
	name, err := saveEvidence(wanted, text)
	if err == nil {
		report("The evidence is in " + name)
		return
	}
	report("error: the evidence was not saved and follows on standard output: " + err.Error())
	fmt.Printf("%s\n", text)
}

func audit(client *publicapi.Client, set settings) error {
	options := publicapi.AuditOptions{State: set.state, Moved: set.moved}
	audited, err := publicapi.AuditHistory(context.Background(), client, options)
	if err != nil {
		return err
	}
	if change := audited.KeyChange; change != nil && !change.IsAnnounced {
		fmt.Fprintf(os.Stderr, "warning: the key %s signs now; no audit saw it announced\n", change.After)
	}
	for _, entry := range audited.NewVersions {
		fmt.Println(entry.SnapshotID, entry.CreatedAt, entry.Hash)
	}
	unavailable := ""
	if count := len(audited.Unavailable); count > 0 {
		unavailable = fmt.Sprintf(", %d are unavailable", count)
	}
	fmt.Fprintf(os.Stderr,
		"Audited: %s is the newest of the history, %d versions recomputed, %d resources match%s; signed by %s\n",
		audited.Head.SnapshotID, audited.VersionsRead, len(audited.Resources), unavailable, audited.KeyID)
	return nil
}

// maxNames is how many names of evidence are tried.
const maxNames = 1000

// saveEvidence writes a new file and gives its name. An existing file is never replaced: -2, -3 and so on are tried, as
// by svc audit.
func saveEvidence(wanted string, text []byte) (string, error) {
	ending := filepath.Ext(wanted)
	name := wanted
	for number := 2; ; number++ {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && number <= maxNames {
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(wanted, ending), number, ending)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(text)
		if err == nil {
			err = file.Sync()
		}
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			// A part of it would look like whole evidence.
			_ = os.Remove(name)
		}
		return name, err
	}
}

const maxLine = 2000

// report prints one line. A server must not control the terminal with what is quoted.
func report(message string) {
	line := []rune(strings.Map(func(letter rune) rune {
		if unicode.IsPrint(letter) {
			return letter
		}
		return ' '
	}, message))
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	fmt.Fprintln(os.Stderr, string(line))
}

func verify(client *publicapi.Client, target, etag string) error {
	ctx := context.Background()
	response, err := client.GetUnverified(ctx, target, etag)
	if err != nil {
		return err
	}
	verified, err := client.Keys.Verify(ctx, response)
	if err != nil {
		return err
	}
	signedAt := verified.ProvedAt.Format("2006-01-02T15:04:05.000Z")
	fmt.Fprintf(os.Stderr, "Verified: GET %s, status %d, signed at %s by %s\n", target, verified.Status, signedAt, verified.KeyID)
	for _, warning := range verified.Warnings {
		report("warning: " + warning)
	}
	body := response.Body
	if about, err := os.Stdout.Stat(); err == nil && about.Mode()&os.ModeCharDevice != 0 {
		body = forTerminal(body)
	}
	_, err = os.Stdout.Write(body)
	return err
}

// forTerminal gives the same JSON, with what could control a terminal as escapes.
func forTerminal(body []byte) []byte {
	var shown strings.Builder
	for _, letter := range string(body) {
		if unicode.IsPrint(letter) || letter == '\n' || letter == '\t' {
			shown.WriteRune(letter)
			continue
		}
		for _, unit := range utf16.Encode([]rune{letter}) {
			fmt.Fprintf(&shown, "\\u%04x", unit)
		}
	}
	return []byte(shown.String())
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	var failure *publicapi.VerificationError
	if errors.As(err, &failure) {
		report(failure.Error())
		if failure.IsInconclusive() {
			return 3
		}
		return 1
	}
	var state *publicapi.AuditStateError
	if errors.As(err, &state) {
		report(state.Error())
		return 2
	}
	report("error: " + err.Error())
	var target *publicapi.TargetError
	if errors.As(err, &target) {
		return 2
	}
	// A redirect, or a body above the limit, is a response.
	var lost *publicapi.ConnectionError
	if errors.As(err, &lost) && lost.Final {
		return 1
	}
	return 3
}
