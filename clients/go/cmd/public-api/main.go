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
	"net/url"
	"os"
	"strings"

	"publicapi"
)

type pins []string

func (p *pins) String() string { return strings.Join(*p, ",") }

func (p *pins) Set(id string) error {
	*p = append(*p, id)
	return nil
}

const usage = `usage: public-api verify URL [--pin ID]... [--etag TAG]
       public-api audit URL [--pin ID]... [--state FILE] [--moved] [--evidence FILE]`

func main() { os.Exit(run(os.Args[1:])) }

type settings struct {
	pinned                pins
	etag, state, evidence string
	moved                 bool
}

func run(arguments []string) int {
	isKnown := len(arguments) >= 2 && (arguments[0] == "verify" || arguments[0] == "audit")
	if !isKnown || strings.HasPrefix(arguments[1], "-") {
		fmt.Fprintln(os.Stderr, usage)
		return 2
	}
	command, location := arguments[0], arguments[1]
	var set settings
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.Var(&set.pinned, "pin", "a key to trust; may be repeated")
	if command == "verify" {
		flags.StringVar(&set.etag, "etag", "", "the entity tag you have; a 304 then counts")
	} else {
		flags.StringVar(&set.state, "state", "", "remembers the newest version, as svc audit does")
		flags.BoolVar(&set.moved, "moved", false, "accept a state of another origin")
		flags.StringVar(&set.evidence, "evidence", "", "where to save the proof of a contradiction")
	}
	if flags.Parse(arguments[2:]) != nil || flags.NArg() > 0 {
		return 2
	}
	origin := ""
	if parsed, err := url.Parse(location); err == nil {
		origin = parsed.Scheme + "://" + parsed.Host
	}
	client, err := publicapi.NewClient(publicapi.Options{BaseURL: origin, PinnedKeyIds: set.pinned})
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
	return statusOf(audit(client, set))
}

func audit(client *publicapi.Client, set settings) error {
	options := publicapi.AuditOptions{State: set.state, Moved: set.moved}
	report, err := publicapi.AuditHistory(context.Background(), client, options)
	var failure *publicapi.VerificationError
	if errors.As(err, &failure) && failure.Evidence != nil && set.evidence != "" {
		if failed := writeNew(set.evidence, failure.Evidence); failed != nil {
			return failed
		}
	}
	if err != nil {
		return err
	}
	if change := report.KeyChange; change != nil && !change.IsAnnounced {
		fmt.Fprintf(os.Stderr, "warning: the key %s signs now; no audit saw it announced\n", change.After)
	}
	for _, entry := range report.NewVersions {
		fmt.Println(entry.SnapshotID, entry.CreatedAt, entry.Hash)
	}
	unavailable := ""
	if count := len(report.Unavailable); count > 0 {
		unavailable = fmt.Sprintf(", %d are unavailable", count)
	}
	fmt.Fprintf(os.Stderr,
		"Audited: %s is the newest of the history, %d versions recomputed, %d resources match%s; signed by %s\n",
		report.Head.SnapshotID, report.VersionsRead, len(report.Resources), unavailable, report.KeyID)
	return nil
}

// writeNew never replaces a file: the evidence is the only copy of the proof.
func writeNew(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Close()
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
	_, err = os.Stdout.Write(response.Body)
	return err
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	var failure *publicapi.VerificationError
	if errors.As(err, &failure) {
		fmt.Fprintln(os.Stderr, failure)
		if failure.IsInconclusive() {
			return 3
		}
		return 1
	}
	var state *publicapi.AuditStateError
	if errors.As(err, &state) {
		fmt.Fprintln(os.Stderr, state)
		return 2
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 3
}
