// Command public-api verifies responses of a public API that signs them.
//
//	public-api verify URL --pin ID [--etag TAG]
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

const usage = "usage: public-api verify URL [--pin ID]... [--etag TAG]"

func main() { os.Exit(run(os.Args[1:])) }

func run(arguments []string) int {
	if len(arguments) < 2 || arguments[0] != "verify" || strings.HasPrefix(arguments[1], "-") {
		fmt.Fprintln(os.Stderr, usage)
		return 2
	}
	command, location := arguments[0], arguments[1]
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	var pinned pins
	flags.Var(&pinned, "pin", "a key to trust; may be repeated")
	etag := flags.String("etag", "", "the entity tag you have; a 304 then counts")
	if flags.Parse(arguments[2:]) != nil || flags.NArg() > 0 {
		return 2
	}
	origin := ""
	if parsed, err := url.Parse(location); err == nil {
		origin = parsed.Scheme + "://" + parsed.Host
	}
	client, err := publicapi.NewClient(publicapi.Options{BaseURL: origin, PinnedKeyIds: pinned})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	if len(pinned) == 0 {
		fmt.Fprintln(os.Stderr, "warning: no key is pinned; a copy of the service with its own key would pass (--pin ID)")
	}
	return statusOf(verify(client, publicapi.TargetOf(location), *etag))
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
	fmt.Fprintln(os.Stderr, "error:", err)
	return 3
}
