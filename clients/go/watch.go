package publicapi

import (
	"context"
	"math/rand"
	"regexp"
	"strconv"
	"time"
)

const (
	usualPace    = time.Minute
	shortestPace = 5 * time.Second
	longestPace  = 15 * time.Minute
)

// Watch calls yield with the newest version, then with each later one, until the context ends or yield returns an error.
// With an after that is not nil, the versions since that one come first. Each must continue the one before it. Watch asks
// as often as a cache would, and waits longer after each failure that may pass. It returns every other error, such as a
// *VerificationError.
func (c *Client) Watch(ctx context.Context, after *VersionEntry, yield func(*Verified[VersionEntry]) error) error {
	last, pace, failures := after, usualPace, 0
	for {
		var stopped error
		newest, err := c.Version(ctx)
		if err == nil {
			err = c.versionsSince(ctx, last, newest, func(version *Verified[VersionEntry]) error {
				last = &version.Data
				stopped = yield(version)
				return stopped
			})
		}
		if stopped != nil || ctx.Err() != nil {
			return firstOf(stopped, ctx.Err())
		}
		if err == nil {
			pace, failures = paceOf(newest.Response), 0
		}
		wait := pace
		if err != nil {
			asked, mayPass := c.connection.retries.reason(err)
			if !mayPass {
				return err
			}
			failures++
			wait = longestPace
			if longer := pace << failures; failures < 10 && longer < wait {
				wait = longer
			}
			wait = time.Duration(float64(wait) * (0.5 + rand.Float64()/2))
			if asked > wait {
				wait = asked
			}
		}
		if err := c.wait(ctx, wait); err != nil {
			return err
		}
	}
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

// versionsSince yields the versions after the last one, up to the newest.
func (c *Client) versionsSince(
	ctx context.Context, last *VersionEntry, newest *Verified[VersionEntry], yield func(*Verified[VersionEntry]) error,
) error {
	if last == nil {
		return yield(newest)
	}
	if newest.Data.Sequence == last.Sequence && newest.Data.Hash != last.Hash {
		return historyFault("REWRITTEN", last.SnapshotID, last.Hash, newest.Data.Hash)
	}
	before := chainEntry{
		snapshotID: last.SnapshotID, createdAt: last.CreatedAt, hash: last.Hash, sequence: last.Sequence,
	}
	// A node of the service may be a version behind for a while.
	for sequence := last.Sequence + 1; sequence <= newest.Data.Sequence; sequence++ {
		version := newest
		if sequence < newest.Data.Sequence {
			read, err := c.VersionByID(ctx, SnapshotID(sequence))
			if err != nil {
				return err
			}
			version = read
		}
		entry, failure := requireEntry(version.raw, SnapshotID(sequence))
		if failure == nil {
			failure = requireLink(&before, entry)
		}
		if failure != nil {
			return failure
		}
		if err := yield(version); err != nil {
			return err
		}
		before = entry
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
