"""The rules of the hash chain."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from .canonical_json import canonical_json, utf16
from .errors import HistoryError
from .instant import parse_instant

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

#: ``previousHash`` of the first entry.
GENESIS_PREVIOUS_HASH = "0" * 64
_MAX_SAFE_INTEGER = 2**53 - 1
_SUMMARY_TEXTS = ("snapshotId", "createdAt", "previousHash", "hash")


def snapshot_id_of(sequence: int) -> str:
    """The ID of the version with this number: at least four digits."""
    return f"VS-{sequence:04d}"


def is_summary(value: Any) -> bool:
    """Whether a value has the members by which entries are linked, each of its type."""
    if not isinstance(value, dict):
        return False
    sequence = value.get("sequence")
    # A bool is an int in Python. A number like 1.0 is an integer in JSON.
    if isinstance(sequence, bool) or not isinstance(sequence, (int, float)):
        return False
    is_safe = abs(sequence) <= _MAX_SAFE_INTEGER and sequence == int(sequence)
    return is_safe and all(isinstance(value.get(name), str) for name in _SUMMARY_TEXTS)


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
    at, resources, changes = entry["snapshotId"], entry.get("resources"), entry.get("changes")
    previous = {} if before is None else before.get("resources")
    if not is_record_of_texts(resources) or not is_record_of_texts(previous):
        raise HistoryError("CHANGES_FALSE", at, "resources with their digests", "another value")
    if not isinstance(changes, list) or not all(map(is_change, changes)):
        raise HistoryError("CHANGES_FALSE", at, "a list of changes", "another value")
    stated = [(change["resource"], change["kind"]) for change in changes]
    expected = changes_between(previous, resources)
    if stated == expected:
        return
    for place in range(max(len(stated), len(expected))):
        one, other = (
            " ".join(listed[place]) if place < len(listed) else "nothing"
            for listed in (expected, stated)
        )
        if one != other:
            raise HistoryError("CHANGES_FALSE", at, one, other)


def require_link(before: Optional[Mapping[str, Any]], entry: Any) -> None:
    """Raises a HistoryError (BROKEN) unless an entry has its right hash and follows the one before it."""
    sequence = 1 if before is None else int(before["sequence"]) + 1
    at = snapshot_id_of(sequence)
    if not is_summary(entry):
        raise HistoryError("BROKEN", at, "an entry of the history", "another value")
    try:
        computed = hash_of(entry)
    except (ValueError, RecursionError):
        raise HistoryError("BROKEN", at, "JSON with a canonical form", "another value") from None
    rules = (
        (at, entry["snapshotId"]),
        (sequence, entry["sequence"]),
        (GENESIS_PREVIOUS_HASH if before is None else before["hash"], entry["previousHash"]),
        (computed, entry["hash"]),
    )
    for expected, found in rules:
        if expected != found:
            raise HistoryError("BROKEN", at, str(expected), str(found))
    created_at = parse_instant(entry["createdAt"])
    if created_at is None:
        raise HistoryError("BROKEN", at, "an instant of ISO 8601 in UTC", "another createdAt")
    earlier = None if before is None else parse_instant(before["createdAt"])
    if earlier is not None and created_at < earlier:
        expected = f"no time before {before['createdAt'] if before else ''}"
        raise HistoryError("BROKEN", at, expected, entry["createdAt"])


def verify_history(entries: Sequence[Mapping[str, Any]]) -> None:
    """Checks a chain of whole entries, oldest first. Raises a HistoryError: BROKEN or CHANGES_FALSE.

    A valid chain proves the order and the content of its entries, not that the service signed the newest one.
    """
    before: Optional[Mapping[str, Any]] = None
    for entry in entries:
        require_link(before, entry)
        require_changes(before, entry)
        before = entry


def require_index(data: Any) -> Sequence[Mapping[str, Any]]:
    """The summaries of the index, newest first. Raises a HistoryError (BROKEN) unless they form a chain."""
    entries = entries_of(data)
    count = data.get("count") if isinstance(data, dict) else None
    if not entries or count != len(entries):
        raise HistoryError("BROKEN", "versions", str(count), f"{len(entries)} well-formed entries")
    head = data.get("head")
    if not isinstance(head, dict) or head.get("hash") != entries[0]["hash"]:
        raise HistoryError("BROKEN", "versions", "the hash of the newest entry as head", "another head")
    for place, entry in enumerate(entries):
        sequence = len(entries) - place
        at = snapshot_id_of(sequence)
        before = entries[place + 1]["hash"] if sequence > 1 else GENESIS_PREVIOUS_HASH
        rules = (
            (at, entry["snapshotId"]),
            (sequence, entry["sequence"]),
            (before, entry["previousHash"]),
        )
        for expected, found in rules:
            if expected != found:
                raise HistoryError("BROKEN", at, str(expected), str(found))
    return entries


def is_record_of_texts(value: Any) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def is_change(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("resource", "kind"))
