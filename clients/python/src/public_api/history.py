"""The rules of the hash chain."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Mapping, Optional, Pattern, Sequence

from .canonical_json import canonical_json, utf16
from .errors import HistoryError
from .instant import parse_instant

#: ``previousHash`` of the first entry.
GENESIS_PREVIOUS_HASH = "0" * 64
_MAX_SAFE_INTEGER = 2**53 - 1
_SNAPSHOT_ID = re.compile(r"VS-[0-9]{4,}")
_HASH = re.compile("[0-9a-f]{64}")
_DIGEST = re.compile("[A-Za-z0-9_-]{43}")
_WORDS = "[a-z0-9]+(-[A-Za-z0-9]+)*"
_RESOURCE = re.compile(f"{_WORDS}(/{_WORDS})*")


def snapshot_id_of(sequence: int) -> str:
    """The ID of the version with this number: at least four digits."""
    return f"VS-{sequence:04d}"


def _matches(pattern: Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def is_summary(value: Any) -> bool:
    """Whether a value has the members by which entries are linked, each of its form."""
    if not isinstance(value, dict):
        return False
    sequence = value.get("sequence")
    # A bool is an int in Python. A number like 1.0 is an integer in JSON.
    if isinstance(sequence, bool) or not isinstance(sequence, (int, float)):
        return False
    return (
        1 <= sequence <= _MAX_SAFE_INTEGER
        and sequence == int(sequence)
        and _matches(_SNAPSHOT_ID, value.get("snapshotId"))
        and parse_instant(value.get("createdAt")) is not None
        and _matches(_HASH, value.get("previousHash"))
        and _matches(_HASH, value.get("hash"))
    )


def is_entry(value: Any) -> bool:
    """Whether a value has every member of an entry. Additional members are allowed."""
    if not is_summary(value):
        return False
    resources, changes = value.get("resources"), value.get("changes")
    return (
        all(isinstance(value.get(name), str) for name in ("apiVersion", "registryVersion", "note"))
        and isinstance(resources, dict)
        and all(_matches(_RESOURCE, name) for name in resources)
        and all(_matches(_DIGEST, digest) for digest in resources.values())
        and isinstance(changes, list)
        and all(map(_is_change, changes))
    )


def entries_of(data: Any) -> Sequence[Mapping[str, Any]]:
    """The entries in data of ``version``, ``versions`` or ``versions/{id}``, newest first; empty for other data."""
    entries = data["entries"] if isinstance(data, dict) and "entries" in data else [data]
    return entries if isinstance(entries, list) and all(map(is_summary, entries)) else []


def hash_of(entry: Mapping[str, Any]) -> str:
    """The hash that an entry must have. Raises a ValueError or RecursionError for data without a canonical form."""
    rest = {name: value for name, value in entry.items() if name != "hash"}
    return hashlib.sha256(b"svc-version-v1\n" + canonical_json(rest)).hexdigest()


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str]]:
    """How resources differ from those of the entry before, sorted by name."""
    kinds = {name: "removed" for name in before if name not in after}
    for name, digest in after.items():
        if before.get(name) != digest:
            kinds[name] = "changed" if name in before else "added"
    return [(name, kinds[name]) for name in sorted(kinds, key=utf16)]


def require_changes(before: Optional[Mapping[str, Any]], entry: Mapping[str, Any]) -> None:
    """Raises a HistoryError (CHANGES_FALSE) unless an entry's changes are what its resources show."""
    at = entry["snapshotId"]
    stated = [(change["resource"], change["kind"]) for change in entry["changes"]]
    expected = changes_between({} if before is None else before["resources"], entry["resources"])
    if stated == expected:
        return
    for place in range(max(len(stated), len(expected))):
        one, other = (
            " ".join(listed[place]) if place < len(listed) else "nothing"
            for listed in (expected, stated)
        )
        if one != other:
            raise HistoryError("CHANGES_FALSE", at, one, other)


def _require(at: str, *rules: tuple[Any, Any]) -> None:
    for expected, found in rules:
        if expected != found:
            raise HistoryError("BROKEN", at, str(expected), str(found)[:100])


def require_entry(data: Any, asked: Optional[str] = None) -> Mapping[str, Any]:
    """The entry, if it is well-formed and has its right hash and ID. Raises a HistoryError (BROKEN)."""
    at = asked or "version"
    if not is_entry(data):
        raise HistoryError("BROKEN", at, "an entry of the history", "another value")
    expected = snapshot_id_of(int(data["sequence"]))
    _require(asked or expected, (asked or expected, data["snapshotId"]), (expected, data["snapshotId"]))
    try:
        computed = hash_of(data)
    except (ValueError, RecursionError):
        raise HistoryError("BROKEN", at, "JSON with a canonical form", "another value") from None
    _require(expected, (computed, data["hash"]))
    entry: Mapping[str, Any] = data
    return entry


def require_link(before: Optional[Mapping[str, Any]], entry: Mapping[str, Any]) -> None:
    """Raises a HistoryError (BROKEN) unless an entry follows the one before it; None for the first."""
    sequence = 1 if before is None else int(before["sequence"]) + 1
    at = snapshot_id_of(sequence)
    previous_hash = GENESIS_PREVIOUS_HASH if before is None else before["hash"]
    _require(at, (sequence, entry["sequence"]), (at, entry["snapshotId"]), (previous_hash, entry["previousHash"]))
    if before is None:
        return
    if (parse_instant(entry["createdAt"]) or 0) < (parse_instant(before["createdAt"]) or 0):
        raise HistoryError("BROKEN", at, f"no time before {before['createdAt']}", entry["createdAt"])


def verify_history(entries: Sequence[Mapping[str, Any]]) -> None:
    """Checks a chain of whole entries, oldest first. Raises a HistoryError: BROKEN or CHANGES_FALSE.

    A valid chain proves the order and the content of its entries, not that the service signed the newest one.
    """
    before: Optional[Mapping[str, Any]] = None
    for sequence, entry in enumerate(entries, 1):
        require_entry(entry, snapshot_id_of(sequence))
        require_link(before, entry)
        require_changes(before, entry)
        before = entry


def require_index(data: Any) -> Sequence[Mapping[str, Any]]:
    """The summaries of the whole index, newest first. Raises a HistoryError (BROKEN) unless they form a chain."""
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise HistoryError("BROKEN", "versions", "a list of entries", "another value")
    _require("versions", (data.get("count"), len(entries)))
    for place, entry in enumerate(entries):
        if not is_summary(entry):
            at = snapshot_id_of(len(entries) - place)
            raise HistoryError("BROKEN", at, "an entry of the index", "another value")
    head = data.get("head")
    for name in ("hash", "snapshotId"):
        _require("versions", (head.get(name) if isinstance(head, dict) else None, entries[0][name]))
    before: Optional[Mapping[str, Any]] = None
    for entry in reversed(entries):
        require_link(before, entry)
        before = entry
    return entries


def _is_change(value: Any) -> bool:
    """Whether a value has the texts of a change."""
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("resource", "kind"))
