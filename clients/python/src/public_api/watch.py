"""New versions as they are published."""

from __future__ import annotations

import random
import re
import threading
from typing import Callable, Iterator, Optional

from .errors import ApiResponseError, ConnectionError, HistoryError, VerificationError
from .evidence import ROLLOUT_MS, Reader, raise_finding
from .history import require_changes, require_entry, require_link, snapshot_id_of
from .http_response import fields_of
from .portable import to_portable
from .resources import READ_PATHS, VersionEntry
from .verified import Verified

Version = Verified[VersionEntry]

_USUAL_PACE_SECONDS, _SHORTEST_PACE_SECONDS, _LONGEST_PACE_SECONDS = 60.0, 5.0, 900.0
#: A gateway can ask for years.
_LONGEST_ASKED_SECONDS = 3600.0


def watch_versions(
    reader: Reader,
    after: Optional[Version],
    stop: Optional[threading.Event],
    on_failure: Optional[Callable[[Exception, float], None]],
    wait: Callable[[float], None],
    reason_of: Callable[[Exception], tuple[bool, Optional[float]]],
) -> Iterator[Version]:
    """Yields each new version. ``reason_of`` says whether an error may pass, and how long the service asked to wait."""
    last = after
    pace, failures, missing_seconds = _USUAL_PACE_SECONDS, 0, 0.0
    while stop is None or not stop.is_set():
        try:
            newest = _head(reader, last)
            for version in _versions_since(reader, last, newest):
                last = version
                yield version
            pace, failures, missing_seconds = _pace_of(newest), 0, 0.0
            seconds = pace
        except (ApiResponseError, ConnectionError, VerificationError) as error:
            may_pass, asked = reason_of(error)
            # A node that is late does not have a version that another one named.
            is_missing = isinstance(error, ApiResponseError) and error.status == 404
            if not may_pass and not (is_missing and missing_seconds * 1000 <= ROLLOUT_MS):
                raise
            failures += 1
            seconds = min(pace * 2.0 ** min(failures, 10), _LONGEST_PACE_SECONDS) * random.uniform(0.5, 1)
            seconds = max(seconds, min(asked or 0, _LONGEST_ASKED_SECONDS))
            missing_seconds = missing_seconds + seconds if is_missing else 0.0
            if on_failure is not None:
                on_failure(error, seconds)
        if stop is None:
            wait(seconds)
        else:
            stop.wait(seconds)


def _read(reader: Reader, path: str, asked: Optional[str] = None, *, fresh: bool = False) -> Version:
    # A copy may be old.
    version: Version = reader.get(path, fresh=fresh, copies=False)
    try:
        require_entry(version.data, asked)
    except HistoryError as finding:
        raise_finding(reader, finding, [to_portable(version.response)])
    return version


def _head(reader: Reader, last: Optional[Version]) -> Version:
    """The newest version. One before the last is read again without caches, and ignored while a release explains it."""
    newest = _read(reader, READ_PATHS["version"])
    if last is None or newest.data["sequence"] >= last.data["sequence"]:
        return newest
    fresh = _read(reader, READ_PATHS["version"], fresh=True)
    is_late = fresh.proved_at_ms - last.proved_at_ms <= ROLLOUT_MS
    if fresh.data["sequence"] >= last.data["sequence"] or is_late:
        return fresh
    at = last.data["snapshotId"]
    finding = HistoryError("SHORTENED", at, at, fresh.data["snapshotId"])
    raise_finding(reader, finding, [to_portable(each.response) for each in (last, fresh)])


def _versions_since(reader: Reader, last: Optional[Version], newest: Version) -> Iterator[Version]:
    """The versions after the last one, oldest first, each checked against the one before it."""
    if last is None:
        yield newest
        return
    head = newest.data["sequence"]
    if head == last.data["sequence"]:
        _require_same(reader, last, newest)
    for sequence in range(int(last.data["sequence"]) + 1, int(head) + 1):
        at = snapshot_id_of(sequence)
        version = newest if sequence == head else _read(reader, f"{READ_PATHS['versions']}/{at}", at)
        try:
            require_link(last.data, version.data)
            require_changes(last.data, version.data)
        except HistoryError as finding:
            raise_finding(reader, finding, [to_portable(each.response) for each in (last, version)])
        last = version
        yield version


def _require_same(reader: Reader, last: Version, newest: Version) -> None:
    expected, found = last.data["hash"], newest.data["hash"]
    if expected != found:
        finding = HistoryError("REWRITTEN", last.data["snapshotId"], expected, found)
        raise_finding(reader, finding, [to_portable(each.response) for each in (last, newest)])


def _pace_of(newest: Version) -> float:
    """How long a cache would use the response."""
    control = fields_of(newest.response.headers).get("cache-control", "")
    match = re.search(r"\bmax-age=([0-9]{1,9})\b", control)
    seconds = _USUAL_PACE_SECONDS if match is None else float(match[1])
    return min(max(seconds, _SHORTEST_PACE_SECONDS), _LONGEST_PACE_SECONDS)
