"""The audit of the history: every hash, link and change, and the served resources against the newest version."""

from __future__ import annotations

import json
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, List, Mapping, NoReturn, Optional, Sequence, TypeVar, Union

from .canonical_json import parse_json
from .client import Client
from .errors import (
    ApiResponseError,
    AuditStateError,
    HistoryError,
    UnsettledError,
    VerificationError,
)
from .evidence import Statement, Unsettled, published_of, raise_finding, verify_all
from .history import entries_of, require_changes, require_entry, require_index
from .http_response import BASE_PATH, HttpResponse
from .portable import Portable, is_portable, replace_file, to_portable
from .resources import READ_PATHS
from .verification import MAX_KEYS, parse_signing_keys
from .verification_key import import_key
from .verified import Verified

Result = TypeVar("Result")

_MAX_ROUNDS = 4
_MAX_UNSETTLED = 4
_MAX_CHECKPOINTS = 64
_MAX_STATE_BYTES = 64_000_000
_THREADS = 8
#: Twice the largest entry of a log. An entry is parsed before it is verified.
_MAX_ENTRY_BYTES = 131_072


@dataclass(frozen=True)
class KeyChange:
    """Another key signs than in the last audit."""

    before: str
    after: str
    #: Whether an earlier audit saw the new key in a key document.
    is_announced: bool


@dataclass(frozen=True)
class AuditReport:
    """The result of an audit without contradictions."""

    #: The entry of the newest version.
    head: Mapping[str, Any]
    #: The newest version of the last audit; None on the first.
    previous_head: Optional[Mapping[str, Any]]
    #: ID of the key that signed the newest version. Through the chain its signature covers all others.
    key_id: str
    key_change: Optional[KeyChange]
    #: Versions published since the last audit, oldest first.
    new_versions: Sequence[Mapping[str, Any]]
    #: Number of versions whose hash and changes this audit recomputed.
    versions_read: int
    #: Resources that match the newest version.
    resources: Sequence[str]
    #: Resources of the newest version that the service reported as unavailable.
    unavailable: Sequence[str]


def audit_history(
    client: Client,
    *,
    state: Union[str, "os.PathLike[str]", None] = None,
    moved: bool = False,
    every_version: bool = False,
) -> AuditReport:
    """Recomputes the history, compares it with the last audit, and saves the newest version in ``state``.

    The file is that of ``svc audit``. Without one, the history is not compared with an earlier audit. ``moved`` accepts a
    file of another origin if a key that it announces signs here. Raises a HistoryError with evidence if the service
    contradicts itself, an UnlinkedKeysError if it contradicts the last audit under an unrelated key, an AuditStateError
    for a file of another service, an UnsettledError if a release was in progress, and otherwise what the client raises.
    """
    store = None if state is None else _Store(pathlib.Path(state))
    saved = None if store is None else store.load()
    if saved is not None and not moved and saved.get("origin", client.origin) != client.origin:
        raise AuditStateError("OTHER_ORIGIN", f"the state belongs to {saved['origin']}")
    audit = _Audit(client, saved, every_version)
    try:
        report, newest = audit.run()
    except Unsettled as error:
        if store is not None:
            store.save(audit.unsettled_to_save(error.responses, error.keys))
        raise UnsettledError(str(error)) from None
    if store is not None:
        store.save(audit.head_to_save(to_portable(newest.response)))
    return report


@dataclass(frozen=True)
class _Head:
    """A version that was signed as the newest, with its proof."""

    entry: Mapping[str, Any]
    portable: Portable
    proved_at_ms: int
    key_id: str
    keys: Sequence[Mapping[str, Any]] = ()
    documents: Sequence[Portable] = ()


@dataclass
class _Round:
    resources: List[str] = field(default_factory=list)
    unavailable: List[str] = field(default_factory=list)
    contradiction: Optional[tuple[HttpResponse, tuple[str, str, str]]] = None


class _Audit:
    def __init__(self, client: Client, saved: Optional[Mapping[str, Any]], every_version: bool) -> None:
        self.client = client
        self.saved = saved
        self.every_version = every_version
        self.entries: dict[str, Mapping[str, Any]] = {}
        self.known: list[_Head] = []
        self.doubts: list[Statement] = []

    def run(self) -> tuple[AuditReport, Verified[Any]]:
        newest = self.read_newest()
        self.read_saved()
        head = self.known[0] if self.known else None
        is_audited = self.saved is not None and self.saved.get("isAudited") is not False
        previous = head if is_audited else None
        change = self.key_change(head, newest.key_id)
        for _ in range(_MAX_ROUNDS):
            found = self.run_round(newest, previous)
            after = self.read_newest()
            if after.data["hash"] == newest.data["hash"]:
                self.require_consistent(newest, after, found)
                return self.report(newest, previous, change, found), newest
            self.known.append(self.head_of(newest))
            newest = after
        raise UnsettledError(f"a new version was published during each of {_MAX_ROUNDS} rounds")

    def report(
        self, newest: Verified[Any], previous: Optional[_Head], change: Optional[KeyChange], found: _Round
    ) -> AuditReport:
        last = 0 if previous is None else previous.entry["sequence"]
        read = sorted(self.entries.values(), key=_sequence_of)
        return AuditReport(
            head=newest.data,
            previous_head=None if previous is None else previous.entry,
            key_id=newest.key_id,
            key_change=change,
            new_versions=[entry for entry in read if entry["sequence"] > last],
            versions_read=len(read),
            resources=sorted(found.resources),
            unavailable=sorted(found.unavailable),
        )

    # Reading.

    def or_broken(self, read: Callable[[], Verified[Any]]) -> Verified[Any]:
        """A signed success without data is a HistoryError with the response as evidence."""
        try:
            return read()
        except VerificationError as error:
            if error.code != "MALFORMED" or error.response is None or error.response.status != 200:
                raise
            response = error.response
            finding = HistoryError("BROKEN", "the response", "data", "nothing")
        try:
            self.fail(finding, [to_portable(response)])
        except HistoryError:
            raise
        except VerificationError:
            # Without a valid signature the response is evidence of nothing.
            raise VerificationError("MALFORMED", "no data") from None

    def checked(self, result: Verified[Any], check: Callable[[], Result]) -> Result:
        """Runs a check of signed data. A HistoryError gets the response as its evidence."""
        try:
            return check()
        except HistoryError as finding:
            self.fail(finding, [to_portable(result.response)])

    def read_newest(self) -> Verified[Any]:
        newest = self.or_broken(lambda: self.client.version(fresh=True))
        self.checked(newest, lambda: require_entry(newest.data))
        return newest

    def read_entry(self, summary: Mapping[str, Any], index: Verified[Any]) -> Mapping[str, Any]:
        """An entry whose hash the signed index contains, so that its own signature needs no check."""
        path = f"{READ_PATHS['versions']}/{summary['snapshotId']}"
        response = self.client.get_unverified(path)
        try:
            if len(response.body) > _MAX_ENTRY_BYTES:
                raise ValueError("expected an entry")
            data = parse_json(response.body)[0]["data"]
            entry = require_entry(data, summary["snapshotId"])
            if all(entry[name] == value for name, value in summary.items() if name in _SUMMARY):
                return entry
        except (ValueError, LookupError, TypeError, RecursionError, HistoryError):
            pass
        entry = self.read_signed(summary, index).data
        return entry

    def read_signed(self, summary: Mapping[str, Any], index: Verified[Any]) -> Verified[Any]:
        at = summary["snapshotId"]
        signed = self.or_broken(lambda: self.client.version_by_id(at, fresh=True))
        entry = self.checked(signed, lambda: require_entry(signed.data, at))
        responses = [to_portable(signed.response), to_portable(index.response)]
        if entry["hash"] != summary["hash"]:
            self.fail(HistoryError("REWRITTEN", at, summary["hash"], entry["hash"]), responses)
        for name in _SUMMARY:
            if entry[name] != summary[name]:
                finding = HistoryError("BROKEN", at, str(summary[name]), str(entry[name]))
                self.fail(finding, responses[::-1])
        return signed

    # One pass over the history while one version is the newest.

    def run_round(self, newest: Verified[Any], previous: Optional[_Head]) -> _Round:
        self.require_succession(newest)
        index = self.or_broken(lambda: self.client.versions(fresh=True))
        summaries = self.checked(index, lambda: require_index(index.data))
        found = _Round()
        if summaries[0]["hash"] != newest.data["hash"]:
            finding = (newest.data["snapshotId"], newest.data["hash"], summaries[0]["hash"])
            found.contradiction = (index.response, finding)
            return found
        self.require_succession(index)
        last = 0 if self.every_version or previous is None else previous.entry["sequence"]
        to_read = [
            summary
            for summary in reversed(summaries)
            if summary["sequence"] > last and summary["hash"] not in self.entries
        ]
        with ThreadPoolExecutor(_THREADS) as pool:
            for entry in pool.map(lambda summary: self.read_entry(summary, index), to_read):
                self.entries[entry["hash"]] = entry
            for summary in to_read:
                self.check_changes(summary, summaries, index)
            names = [name for name in newest.data["resources"] if not name.startswith("site/")]
            list(pool.map(lambda name: self.check_resource(name, newest, found), names))
        return found

    def require_succession(self, result: Verified[Any]) -> None:
        """Raises unless a response about the history continues every version that was signed before."""
        summaries = entries_of(result.data)
        by_sequence = {each["sequence"]: each for each in summaries}
        for head in self.known:
            entry, at = head.entry, head.entry["snapshotId"]
            responses = [head.portable, to_portable(result.response)]
            if summaries and summaries[0]["sequence"] < entry["sequence"]:
                finding = HistoryError("SHORTENED", at, at, summaries[0]["snapshotId"])
                self.fail(finding, responses, head)
            same = by_sequence.get(entry["sequence"], entry)
            if same["hash"] != entry["hash"]:
                self.fail(HistoryError("REWRITTEN", at, entry["hash"], same["hash"]), responses, head)

    def check_changes(
        self, summary: Mapping[str, Any], summaries: Sequence[Mapping[str, Any]], index: Verified[Any]
    ) -> None:
        sequence = int(summary["sequence"])
        before = summaries[len(summaries) - sequence + 1] if sequence > 1 else None
        try:
            require_changes(self.entry_of(before, index), self.entries[summary["hash"]])
            return
        except HistoryError as error:
            finding = error
        listed = [summary] if before is None else [before, summary]
        signed = [self.read_signed(each, index) for each in listed]
        self.fail(finding, [to_portable(each.response) for each in signed])

    def entry_of(self, summary: Optional[Mapping[str, Any]], index: Verified[Any]) -> Optional[Mapping[str, Any]]:
        if summary is None:
            return None
        known = {head.entry["hash"]: head.entry for head in self.known}
        hash_ = summary["hash"]
        return self.entries.get(hash_) or known.get(hash_) or self.read_entry(summary, index)

    def check_resource(self, name: str, newest: Verified[Any], found: _Round) -> None:
        expected = f'W/"{newest.data["resources"][name]}"'
        try:
            resource = self.client.get(BASE_PATH + name, fresh=True)
        except ApiResponseError as error:
            if error.code != "SNAPSHOT_UNAVAILABLE":
                raise
            found.unavailable.append(name)
            return
        except VerificationError as error:
            if error.code != "MALFORMED" or error.response is None:
                raise
            found.contradiction = (error.response, (name, expected, "no data"))
            return
        if resource.etag == expected:
            found.resources.append(name)
        else:
            found.contradiction = (resource.response, (name, expected, resource.etag))

    def require_consistent(self, newest: Verified[Any], after: Verified[Any], found: _Round) -> None:
        """Raises if a response contradicts the version that was the newest before and after it."""
        same = [head for head in self.known if head.entry["hash"] == newest.data["hash"]]
        # The earliest response with this version proves the most.
        head = min(same, key=lambda each: each.proved_at_ms) if same else None
        first = to_portable(newest.response) if head is None else head.portable
        last = to_portable(after.response)
        for doubt in self.doubts:
            finding = doubt.contradicts(newest.data)
            if finding is None:
                continue
            try:
                self.fail(HistoryError("INCONSISTENT", *finding), [first, doubt.portable, last], head)
            except Unsettled:
                # The response belongs to a release that was in progress then.
                pass
        if found.contradiction is not None:
            response, finding = found.contradiction
            responses = [first, to_portable(response), last]
            self.fail(HistoryError("INCONSISTENT", *finding), responses, head)

    # Contradictions.

    def fail(
        self, finding: HistoryError, responses: Sequence[Portable], head: Optional[_Head] = None
    ) -> NoReturn:
        """Raises the finding with its evidence."""
        keys, documents = ((), ()) if head is None else (head.keys, head.documents)
        raise_finding(self.client, finding, responses, keys, documents)

    # The state.

    def read_saved(self) -> None:
        if self.saved is None:
            return
        keys, document = self.saved["keys"], self.saved.get("keyDocument")
        documents = () if document is None else (document,)
        portables = [self.saved["response"], *self.saved.get("unsettled", ())]
        try:
            statements = verify_all(portables, keys)
        except VerificationError as error:
            # An edited state would accuse the service.
            detail = f"the signature of the saved head is invalid; {error}"
            raise AuditStateError("UNREADABLE", detail) from None
        for place, statement in enumerate(statements):
            verified, listed = statement.verified, entries_of(statement.verified.data)
            if statement.is_newest and listed:
                self.known.append(
                    _Head(
                        verified.data, statement.portable, verified.proved_at_ms, verified.key_id, keys, documents
                    )
                )
            elif place > 0:
                self.doubts.append(statement)
            else:
                raise AuditStateError("UNREADABLE", "expected a response of the newest version")

    def key_change(self, head: Optional[_Head], key_id: str) -> Optional[KeyChange]:
        if self.saved is None or head is None or head.key_id == key_id:
            return None
        listed = [import_key(key).key_id for key in self.saved["keys"]]
        is_announced = key_id in [*listed, *self.saved.get("keyIds", ())]
        if self.saved.get("origin") != self.client.origin and not is_announced:
            raise AuditStateError("OTHER_KEYS", f"the state does not announce the key {key_id}")
        return KeyChange(head.key_id, key_id, is_announced)

    def head_of(self, newest: Verified[Any]) -> _Head:
        keys = [published_of(key) for key in self.client.keys()]
        portable = to_portable(newest.response)
        return _Head(newest.data, portable, newest.proved_at_ms, newest.key_id, keys)

    def head_to_save(self, portable: Portable) -> Mapping[str, Any]:
        document = self.client.signing_key(fresh=True)
        keys = parse_signing_keys(document.data)
        saved = self.saved or {}
        before = saved.get("keyIds", ())
        # The rest is kept: what `svc audit` or a later version saved.
        own = ("isAudited", "unsettled")
        return {
            **{name: value for name, value in saved.items() if name not in own},
            "origin": self.client.origin,
            "response": portable,
            "keys": [published_of(key) for key in keys],
            "keyIds": list(dict.fromkeys([*before, *(key.key_id for key in keys)])),
            "keyDocument": to_portable(document.response),
        }

    def unsettled_to_save(
        self, responses: Sequence[Portable], keys: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """The state with the responses of a contradiction, which a later audit can confirm."""
        # The last response is what a later one replaces.
        kept = responses[:-1]
        base = self.saved or {**self.head_to_save(kept[0]), "isAudited": False}
        known = {each["bodyBase64"]: each for each in [*kept, *base.get("unsettled", ())]}
        known.pop(base["response"]["bodyBase64"], None)
        return {**base, "keys": list(keys), "unsettled": list(known.values())[:_MAX_UNSETTLED]}


_SUMMARY = ("snapshotId", "sequence", "createdAt", "previousHash", "hash")


def _sequence_of(entry: Mapping[str, Any]) -> int:
    return int(entry["sequence"])


#: What editors put before a text.
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\xef\xbb\xbf": "a byte order mark"}


class _Store:
    """A file that is replaced atomically."""

    def __init__(self, file: pathlib.Path) -> None:
        self.file = file

    def load(self) -> Optional[Mapping[str, Any]]:
        if not self.file.exists():
            return None
        # A device or a pipe has no state, and replacing it would destroy it.
        if not self.file.is_file() or self.file.stat().st_size > _MAX_STATE_BYTES:
            raise AuditStateError("UNREADABLE", f"{self.file}: expected a regular file that an audit saved")
        try:
            text = self.file.read_bytes()
            value = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
        except OSError as error:
            raise AuditStateError("UNREADABLE", f"{self.file}: {error.strerror}") from None
        except (ValueError, RecursionError):
            value = None
        if not _is_state(value):
            found = next((f", found {name}" for mark, name in _MARKS.items() if text.startswith(mark)), "")
            raise AuditStateError("UNREADABLE", f"{self.file}: expected the JSON that an audit saved{found}")
        state: Mapping[str, Any] = value
        return state

    def save(self, state: Mapping[str, Any]) -> None:
        replace_file(self.file, json.dumps(state, ensure_ascii=False, separators=(",", ":")) + "\n")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_published(value: Any) -> bool:
    jwk = value.get("jwk") if isinstance(value, dict) else None
    return (
        isinstance(jwk, dict)
        and all(isinstance(jwk.get(name), str) for name in ("kty", "crv", "x"))
        and all(isinstance(value.get(name), (str, type(None))) for name in ("notBefore", "notAfter"))
    )


def _is_state(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    keys, unsettled = value.get("keys"), value.get("unsettled", [])
    return (
        isinstance(value.get("origin", ""), str)
        and isinstance(value.get("pinFrom", ""), str)
        and isinstance(value.get("isAudited", True), bool)
        and isinstance(keys, list)
        and 0 < len(keys) <= 2 * MAX_KEYS
        and all(map(_is_published, keys))
        and _is_texts(value.get("keyIds", []))
        and _is_texts(value.get("checkpoints", []))
        and len(value.get("checkpoints", [])) <= _MAX_CHECKPOINTS
        and ("keyDocument" not in value or is_portable(value["keyDocument"]))
        and isinstance(unsettled, list)
        and len(unsettled) <= _MAX_UNSETTLED
        and all(map(is_portable, unsettled))
        and is_portable(value.get("response"))
    )
