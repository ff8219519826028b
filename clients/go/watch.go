package publicapi

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const (
	usualPace    = time.Minute
	shortestPace = 5 * time.Second
	longestPace  = 15 * time.Minute
	// A gateway can ask for years.
	longestAsked = time.Hour
)

// WatchOptions of Watch.
type WatchOptions struct {
	// After is the last version that is known, such as the result of VersionByID. The versions since then come first.
	After *Verified[VersionEntry]
	// OnFailure gets each failure that may pass, and the time until the next try.
	OnFailure func(err error, wait time.Duration)
}

// Watch calls yield with the newest version, then with each later one, until the context ends or yield returns an error.
// Each must continue the one before it. Watch asks with a conditional request as often as a cache would, from 5 seconds to
// 15 minutes. After a failure that may pass it waits twice as long each time, or as long as the service asks, up to an hour.
// It never yields a copy, nor a version older than the last one.
//
// The error is a *VerificationError with Evidence if the history is rewritten, or still shorter after 10 minutes. Every
// other error is one that waiting does not help against.
func (c *Client) Watch(ctx context.Context, options WatchOptions, yield func(*Verified[VersionEntry]) error) error {
	last, pace, failures := options.After, usualPace, 0
	var missing time.Duration
	for {
		var stopped error
		newest, err := c.head(ctx, last)
		if err == nil {
			err = c.versionsSince(ctx, last, newest, func(version *Verified[VersionEntry]) error {
				last = version
				stopped = yield(version)
				return stopped
			})
		}
		if stopped != nil || ctx.Err() != nil {
			return firstOf(stopped, ctx.Err())
		}
		if err == nil {
			pace, failures, missing = paceOf(newest.Response), 0, 0
		}
		wait := pace
		if err != nil {
			asked, mayPass := c.connection.retries.reason(err)
			// A node that is late does not have a version that another one named.
			isMissing := statusOf(err) == http.StatusNotFound
			if !mayPass && !(isMissing && missing <= rolloutTime) {
				return err
			}
			failures++
			wait = backOff(pace, failures, asked)
			if !isMissing {
				missing = 0
			} else {
				missing += wait
			}
			if options.OnFailure != nil {
				options.OnFailure(err, wait)
			}
		}
		if err := c.wait(ctx, wait); err != nil {
			return err
		}
	}
}

// backOff gives the time until the next try, a part of it random so that clients that failed together do not return
// together.
func backOff(pace time.Duration, failures int, asked time.Duration) time.Duration {
	wait := longestPace
	if longer := pace << failures; failures < 10 && longer < wait {
		wait = longer
	}
	wait = time.Duration(float64(wait) * (0.5 + rand.Float64()/2))
	if asked > longestAsked {
		asked = longestAsked
	}
	if asked > wait {
		return asked
	}
	return wait
}

func statusOf(err error) int {
	var refused *APIError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watched reads a version of the service whose entry is right. asked is the ID in its path, or empty.
func (c *Client) watched(
	ctx context.Context, target, asked string, options ...ReadOption,
) (*Verified[VersionEntry], error) {
	// A copy may be old.
	version, err := read[VersionEntry](ctx, c, target, append(options, WithoutCopies()))
	if err != nil {
		return nil, err
	}
	if _, failure := requireEntry(version.raw, asked); failure != nil {
		return nil, c.contradiction(ctx, failure, version)
	}
	return version, nil
}

// contradiction is the failure with the responses as its evidence.
func (c *Client) contradiction(ctx context.Context, failure *VerificationError, versions ...*Verified[VersionEntry]) error {
	var responses []portable
	for _, each := range versions {
		responses = append(responses, portableOf(each.Response))
	}
	return (&audit{client: c, ctx: ctx}).fail(failure, responses, nil)
}

// head gives the newest version. One before the last is read again without caches, and ignored while a release explains
// it.
func (c *Client) head(ctx context.Context, last *Verified[VersionEntry]) (*Verified[VersionEntry], error) {
	newest, err := c.watched(ctx, readPaths["version"], "")
	if err != nil || last == nil || newest.Data.Sequence >= last.Data.Sequence {
		return newest, err
	}
	fresh, err := c.watched(ctx, readPaths["version"], "", Fresh())
	if err != nil || fresh.Data.Sequence >= last.Data.Sequence || fresh.ProvedAt.Sub(last.ProvedAt) <= rolloutTime {
		return fresh, err
	}
	id := last.Data.SnapshotID
	return nil, c.contradiction(ctx, historyFault("SHORTENED", id, id, fresh.Data.SnapshotID), last, fresh)
}

// versionsSince yields the versions after the last one, oldest first, each checked against the one before it.
func (c *Client) versionsSince(
	ctx context.Context, last, newest *Verified[VersionEntry], yield func(*Verified[VersionEntry]) error,
) error {
	if last == nil {
		return yield(newest)
	}
	head := newest.Data.Sequence
	if head == last.Data.Sequence && newest.Data.Hash != last.Data.Hash {
		failure := historyFault("REWRITTEN", last.Data.SnapshotID, last.Data.Hash, newest.Data.Hash)
		return c.contradiction(ctx, failure, last, newest)
	}
	for sequence := last.Data.Sequence + 1; sequence <= head; sequence++ {
		version := newest
		if sequence < head {
			id := SnapshotID(sequence)
			read, err := c.watched(ctx, readPaths["versions"]+"/"+id, id)
			if err != nil {
				return err
			}
			version = read
		}
		before, _ := entryOf(last.raw)
		entry, _ := entryOf(version.raw)
		failure := requireLink(&before, entry)
		if failure == nil {
			failure = requireChanges(&before, entry)
		}
		if failure != nil {
			return c.contradiction(ctx, failure, last, version)
		}
		if err := yield(version); err != nil {
			return err
		}
		last = version
	}
	return nil
}

var maxAgeForm = regexp.MustCompile(`\bmax-age=([0-9]{1,9})\b`)

// paceOf says how long a cache would use a response.
func paceOf(response *Response) time.Duration {
	control, _ := field(response.Header, "Cache-Control")
	parts := maxAgeForm.FindStringSubmatch(control)
	if parts == nil {
		return usualPace
	}
	seconds, _ := strconv.Atoi(parts[1])
	pace := time.Duration(seconds) * time.Second
	if pace < shortestPace {
		return shortestPace
	}
	if pace > longestPace {
		return longestPace
	}
	return pace
}
