"""New versions as they are published."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional

from .errors import ApiResponseError, ConnectionError, CopyError, HistoryError, VerificationError
from .history import require_entry, require_link, snapshot_id_of
from .http_response import fields_of
from .resources import VersionEntry
from .verified import Verified

if TYPE_CHECKING:
    from .client import Client

_USUAL_PACE_SECONDS, _SHORTEST_PACE_SECONDS, _LONGEST_PACE_SECONDS = 60.0, 5.0, 900.0


def watch_versions(
    client: Client,
    after: Optional[VersionEntry],
    wait: Callable[[float], None],
    reason_of: Callable[[Exception], tuple[bool, Optional[float]]],
) -> Iterator[Verified[VersionEntry]]:
    """Yields each new version. ``reason_of`` says whether an error may pass, and how long the service asked to wait."""
    last: Optional[Mapping[str, Any]] = after
    pace, failures = _USUAL_PACE_SECONDS, 0
    while True:
        try:
            newest = client.version()
            for version in _versions_since(client, last, newest):
                last = version.data
                yield version
            pace, failures, seconds = _pace_of(newest), 0, 0.0
        except (ApiResponseError, ConnectionError, CopyError, VerificationError) as error:
            may_pass, asked = reason_of(error)
            if not may_pass:
                raise
            failures += 1
            seconds = min(pace * 2.0**failures, _LONGEST_PACE_SECONDS) * random.uniform(0.5, 1)
            seconds = max(seconds, asked or 0)
        wait(seconds or pace)


def _versions_since(
    client: Client, last: Optional[Mapping[str, Any]], newest: Verified[VersionEntry]
) -> Iterator[Verified[VersionEntry]]:
    entry = require_entry(newest.data)
    if last is None:
        yield newest
        return
    if entry["sequence"] == last["sequence"] and entry["hash"] != last["hash"]:
        raise HistoryError("REWRITTEN", entry["snapshotId"], last["hash"], entry["hash"])
    # A node of the service may be a version behind for a while.
    for sequence in range(last["sequence"] + 1, int(entry["sequence"]) + 1):
        is_newest = sequence == entry["sequence"]
        version = newest if is_newest else client.version_by_id(snapshot_id_of(sequence))
        require_link(last, require_entry(version.data, snapshot_id_of(sequence)))
        last = version.data
        yield version


def _pace_of(newest: Verified[VersionEntry]) -> float:
    """How long a cache would use the response."""
    control = fields_of(newest.response.headers).get("cache-control", "")
    match = re.search(r"\bmax-age=([0-9]{1,9})\b", control)
    seconds = _USUAL_PACE_SECONDS if match is None else float(match[1])
    return min(max(seconds, _SHORTEST_PACE_SECONDS), _LONGEST_PACE_SECONDS)
