"""Offline proofs of the transparency log. The formats are C2SP's: signed-note, tlog-checkpoint, tlog-cosignature,
tlog-policy and tlog-proof."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import importlib
import re
from dataclasses import dataclass
from typing import Any, Callable, FrozenSet, Mapping, NoReturn, Optional, Sequence, Tuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .canonical_json import canonical_json, parse_json
from .errors import VerificationError
from .history import is_entry, snapshot_id_of
from .verification_key import base64url, is_canonical_point, is_ed25519_signature

_LABEL = b"svc-version-v1\n"
_FIRST_LINE = "c2sp.org/tlog-proof@v1"
_MAX_NOTE_BYTES = 131_072
#: A key of ML-DSA-44 has 1,800 bytes as a line.
_MAX_POLICY_BYTES = 131_072
_MAX_ENTRY_BYTES = 65_535
_MAX_HASHES = 63
_MAX_PROOF_BYTES = _MAX_NOTE_BYTES + 2 * _MAX_ENTRY_BYTES + 64 * _MAX_HASHES
_MAX_LINES = 64
#: Clocks of witnesses may differ this much, in seconds.
_MAX_SECONDS_AHEAD = 300
_MAX_SAFE_INTEGER = 2**53 - 1
_ED25519, _COSIGNATURE, _ML_DSA_44 = 1, 4, 6
_ML_DSA_44_KEY_BYTES = 1312

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")
_VKEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+(.+)")
_KEY_NAME = re.compile(r"[^\s+]+")
_MAX_KEY_NAME_BYTES = 255
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f]")
_THRESHOLD = re.compile(r"any|all|[1-9][0-9]{0,3}")


@dataclass(frozen=True)
class NoteKey:
    """A public key of a log or a witness."""

    name: str
    #: Four bytes in hexadecimal.
    key_id: str
    #: The signature type.
    kind: int
    public_bytes: bytes
    #: Whether a signature of a message is valid. None where it cannot be checked: then the key counts as absent.
    is_signature: Optional[Callable[[bytes, bytes], bool]]


@dataclass(frozen=True)
class LogPolicy:
    """Whom a client trusts: logs, witnesses, and how many of these must agree. Made by ``open_policy``."""

    logs: Sequence[NoteKey]
    #: The witnesses by their names in the policy.
    witnesses: Mapping[str, NoteKey]
    #: Name of a witness or group, or ``none``.
    quorum: str
    is_met_by: Callable[[FrozenSet[str]], bool]


@dataclass(frozen=True)
class VerifiedCheckpoint:
    """A checkpoint that satisfies a policy."""

    origin: str
    size: int
    root: bytes
    #: The newest cosignature of each witness in milliseconds since 1970, newest first.
    cosignatures: Sequence[Tuple[str, int]]
    #: When enough witnesses had cosigned it, in milliseconds since 1970; None if the policy asks for none.
    witnessed_at_ms: Optional[int]


@dataclass(frozen=True)
class VerifiedProof:
    """What a proof shows."""

    #: The entry of the version, with its hash.
    version: Mapping[str, Any]
    checkpoint: VerifiedCheckpoint
    #: Names of the resources of the version that have the given bytes; empty without ``resource``.
    resources: Sequence[str]


def _malformed(place: str, expected: str) -> NoReturn:
    raise VerificationError("MALFORMED", f"{place}: expected {expected}")


def _require_text(what: str, text: str, most: int, allowed: str = "\n") -> None:
    try:
        length = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        _malformed(what, "whole characters")
    if length > most:
        _malformed(what, f"at most {most} bytes")
    for number, line in enumerate(text.split("\n"), 1):
        if any(character < " " and character not in allowed for character in line):
            _malformed(f"{what}, line {number}", "no control characters")


def _decode_base64(text: str) -> Optional[bytes]:
    """The bytes of padded base64 in its one right form."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def _decode_hash(text: str, place: str) -> bytes:
    data = _decode_base64(text)
    if data is None or len(data) != 32:
        _malformed(place, "a hash, 32 bytes in base64")
    return data


def _parse_size(text: str, place: str) -> int:
    if _SIZE.fullmatch(text) is None or int(text) > _MAX_SAFE_INTEGER:
        _malformed(place, "a number in decimal")
    return int(text)


def _is_key_name(name: str) -> bool:
    """Whether a text may be the name of a key (signed-note): no space of Unicode and no plus sign."""
    return _KEY_NAME.fullmatch(name) is not None and len(name.encode()) <= _MAX_KEY_NAME_BYTES


def _import_vkey(vkey: str, kinds: Sequence[int], place: str) -> NoteKey:
    match = _VKEY.fullmatch(vkey)
    typed = None if match is None else _decode_base64(match[3])
    if match is None or typed is None or not _is_key_name(match[1]):
        _malformed(place, "a key as name+8 hexadecimal digits+base64")
    name, key_id, data = match[1], match[2], typed[1:]
    kind = typed[0] if typed else 0
    if kind not in kinds:
        _malformed(place, f"a key of signature type {' or '.join(map(str, kinds))}")
    is_ml_dsa = kind == _ML_DSA_44
    if is_ml_dsa and len(data) != _ML_DSA_44_KEY_BYTES:
        _malformed(place, "a usable ML-DSA-44 public key")
    if not is_ml_dsa and (len(data) != 32 or not is_canonical_point(data)):
        _malformed(place, "a usable Ed25519 public key")
    if hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4].hex() != key_id:
        _malformed(place, "the key ID that follows from the name and the key")
    check = (
        _import_ml_dsa_44(data)
        if is_ml_dsa
        else functools.partial(is_ed25519_signature, Ed25519PublicKey.from_public_bytes(data))
    )
    return NoteKey(name, key_id, kind, data, check)


def _import_ml_dsa_44(data: bytes) -> Optional[Callable[[bytes, bytes], bool]]:
    """The check of a key; None where cryptography (48 and later has it) or its OpenSSL (3.5) lacks ML-DSA-44."""
    try:
        module = importlib.import_module("cryptography.hazmat.primitives.asymmetric.mldsa")
        key = module.MLDSA44PublicKey.from_public_bytes(data)
    except (ImportError, UnsupportedAlgorithm):
        return None

    def is_signature(signature: bytes, message: bytes) -> bool:
        try:
            key.verify(signature, message)
        except InvalidSignature:
            return False
        return True

    return is_signature


def open_policy(text: str) -> LogPolicy:
    """Reads a policy: ``log``, ``witness``, ``group`` and ``quorum`` lines. Raises a VerificationError (MALFORMED)."""
    # A comment may have any characters.
    checked = _COMMENT.sub(lambda comment: _CONTROL_CHARACTER.sub(" ", comment[0]), text)
    _require_text("the policy", checked, _MAX_POLICY_BYTES, "\n\t")
    reader = _PolicyReader()
    for number, line in enumerate(text.split("\n"), 1):
        words = [word for word in re.split("[ \t]+", line) if word]
        if words and not words[0].startswith("#"):
            reader.read(words, f"the policy, line {number}")
    quorum = reader.quorum
    if quorum is None:
        _malformed("the policy", "a quorum line")
    is_met_by = _always if quorum == "none" else reader.rules[quorum]
    return LogPolicy(reader.logs, reader.witnesses, quorum, is_met_by)


_Rule = Callable[[FrozenSet[str]], bool]


def _always(_: FrozenSet[str]) -> bool:
    return True


class _PolicyReader:
    def __init__(self) -> None:
        self.logs: list[NoteKey] = []
        self.witnesses: dict[str, NoteKey] = {}
        self.rules: dict[str, _Rule] = {}
        self.members: set[str] = set()
        self.groups = 0
        self.quorum: Optional[str] = None

    def read(self, words: Sequence[str], place: str) -> None:
        kind, items = words[0], words[1:]
        if kind == "log" and len(items) in (1, 2):
            self.logs.append(self.key(items[0], (_ED25519, _ML_DSA_44), self.logs, place))
        elif kind == "witness" and len(items) in (2, 3):
            name = items[0]
            key = self.key(items[1], (_COSIGNATURE, _ML_DSA_44), list(self.witnesses.values()), place)
            self.define(name, lambda names: name in names, place)
            self.witnesses[name] = key
        elif kind == "group" and len(items) > 2:
            self.group(items[0], items[1], items[2:], place)
        elif kind == "quorum" and len(items) == 1:
            if self.quorum is not None or (items[0] != "none" and items[0] not in self.rules):
                _malformed(place, "one quorum, of a name defined above")
            self.quorum = items[0]
        else:
            _malformed(place, "log <vkey> [<url>], witness <name> <vkey> [<url>], group or quorum")

    def key(self, vkey: str, kinds: Sequence[int], known: Sequence[NoteKey], place: str) -> NoteKey:
        key = _import_vkey(vkey, kinds, place)
        if len(known) == _MAX_LINES or any(other.public_bytes == key.public_bytes for other in known):
            _malformed(place, f"another key, and at most {_MAX_LINES}")
        return key

    def define(self, name: str, rule: _Rule, place: str) -> None:
        if name == "none" or name in self.rules:
            _malformed(place, "a new name other than none")
        self.rules[name] = rule

    def group(self, name: str, threshold: str, listed: Sequence[str], place: str) -> None:
        self.groups += 1
        if self.groups > _MAX_LINES or _THRESHOLD.fullmatch(threshold) is None:
            _malformed(place, f"a number, any or all, in at most {_MAX_LINES} groups")
        words = {"any": 1, "all": len(listed)}
        required = words[threshold] if threshold in words else int(threshold)
        parts = [self.rules.get(member) for member in listed]
        is_known = None not in parts and len(set(listed)) == len(listed)
        if required > len(listed) or not is_known or not self.members.isdisjoint(listed):
            _malformed(place, "names that are defined above and in no other group, and no more than these")
        self.members.update(listed)
        rules = [part for part in parts if part is not None]
        self.define(name, lambda names: sum(rule(names) for rule in rules) >= required, place)


@dataclass(frozen=True)
class _Line:
    #: Where it is, for messages.
    place: str
    name: str
    key_id: str
    signature: bytes

    def is_of(self, key: NoteKey) -> bool:
        return (self.name, self.key_id) == (key.name, key.key_id)


def _parse_note(note: str) -> tuple[str, Sequence[_Line]]:
    _require_text("the checkpoint", note, _MAX_NOTE_BYTES)
    split = note.rfind("\n\n")
    if split == -1 or not note.endswith("\n"):
        _malformed("the checkpoint", "an empty line before the signatures, and a line break at the end")
    lines = note[split + 2 : -1].split("\n")
    if len(lines) > _MAX_LINES:
        _malformed("the checkpoint", f"at most {_MAX_LINES} signatures")
    first = note.count("\n", 0, split + 2) + 1
    return note[: split + 1], [
        _parse_line(line, f"the checkpoint, line {number}") for number, line in enumerate(lines, first)
    ]


def _parse_line(line: str, place: str) -> _Line:
    words = line.split(" ")
    data = _decode_base64(words[2]) if len(words) == 3 else None
    if data is None or len(data) < 5 or words[0] != "\u2014" or not _is_key_name(words[1]):
        _malformed(place, "an em dash, the name of a key and a signature in base64")
    return _Line(place, words[1], data[:4].hex(), data[4:])


def _require_log(text: str, lines: Sequence[_Line], policy: LogPolicy, origin: str) -> None:
    is_signed = False
    for key in policy.logs:
        for line in lines:
            # A log that signs with another algorithm signs with Ed25519 as well (tlog-checkpoint).
            if key.kind != _ED25519 or key.is_signature is None or not line.is_of(key):
                continue
            if not key.is_signature(line.signature, text.encode()):
                raise VerificationError("SIGNATURE", f"{line.place}: the signature of {key.name} is not valid")
            is_signed = is_signed or key.name == origin
    if not is_signed:
        # With the IDs, because a log of the same name with another key looks the same otherwise.
        known = ", ".join(f"{key.name}+{key.key_id}" for key in policy.logs)
        found = ", ".join(f"{line.name}+{line.key_id}" for line in lines)
        raise VerificationError(
            "UNKNOWN_LOG", f"expected a signature of {known}, found origin {origin} signed by {found}"
        )


@dataclass(frozen=True)
class _Head:
    #: The signed text of the checkpoint, and what it states.
    text: str
    origin: str
    size: int
    root: bytes


def _cosigned(key: NoteKey, head: _Head, seconds: int) -> bytes:
    """What a witness signs of a tree at a time; with ML-DSA-44 the structure cosigned_message."""
    if key.kind != _ML_DSA_44:
        return f"cosignature/v1\ntime {seconds}\n{head.text}".encode()
    name, origin = key.name.encode(), head.origin.encode()
    time, size = seconds.to_bytes(8, "big"), head.size.to_bytes(8, "big")
    # A longer origin has no such message.
    names = (bytes([len(name)]), name, time, bytes([len(origin) % 256]), origin)
    return b"".join((b"subtree/v1\n\0", *names, bytes(8), size, head.root))


def _cosignatures(head: _Head, lines: Sequence[_Line], policy: LogPolicy) -> list[tuple[str, int]]:
    """The newest cosignature of each witness in seconds, newest first."""
    found: dict[str, int] = {}
    for name, key in policy.witnesses.items():
        for line in lines:
            if key.is_signature is None or not line.is_of(key):
                continue
            seconds = int.from_bytes(line.signature[:8], "big")
            is_time = len(line.signature) > 8 and seconds <= _MAX_SAFE_INTEGER
            if not is_time or not key.is_signature(line.signature[8:], _cosigned(key, head, seconds)):
                raise VerificationError("SIGNATURE", f"{line.place}: the cosignature of {key.name} is not valid")
            # A time of 0 makes no statement about when the witness saw the checkpoint (tlog-cosignature).
            if seconds > 0:
                found[name] = max(found.get(name, 0), seconds)
    return sorted(found.items(), key=lambda each: -each[1])


def verify_checkpoint(
    note: str, policy: LogPolicy, *, now_ms: int, max_age_seconds: Optional[float] = 604_800
) -> VerifiedCheckpoint:
    """Verifies a signed checkpoint: the log's signature, the quorum of witnesses and its age (None: any).

    Raises a VerificationError: MALFORMED, UNKNOWN_LOG, SIGNATURE, UNWITNESSED or STALE_WITNESS.
    """
    text, lines = _parse_note(note)
    stated = [*text.split("\n"), "", "", ""]
    if stated[0] == "":
        _malformed("the checkpoint, line 1", "the origin of the log")
    origin, size = stated[0], _parse_size(stated[1], "the checkpoint, line 2")
    root = _decode_hash(stated[2], "the checkpoint, line 3")
    _require_log(text, lines, policy, origin)
    latest = now_ms // 1000 + _MAX_SECONDS_AHEAD
    head = _Head(text, origin, size, root)
    cosigned = [each for each in _cosignatures(head, lines, policy) if each[1] <= latest]
    cosignatures = [(name, seconds * 1000) for name, seconds in cosigned]
    if policy.quorum == "none":
        return VerifiedCheckpoint(origin, size, root, cosignatures, None)
    witnessed_at_ms: Optional[int] = None
    names: FrozenSet[str] = frozenset()
    # The k-th newest counts: one fresh witness must not hide that the others are gone.
    for name, at_ms in cosignatures:
        names |= {name}
        if policy.is_met_by(names):
            witnessed_at_ms = at_ms
            break
    if witnessed_at_ms is None:
        absent = [
            f"; {name} cosigned with ML-DSA-44, which this platform cannot check"
            for name, key in policy.witnesses.items()
            if key.is_signature is None and any(line.is_of(key) for line in lines)
        ]
        detail = f"{len(names)} known witnesses do not meet the quorum{''.join(absent)}"
        raise VerificationError("UNWITNESSED", detail)
    if max_age_seconds is not None and not now_ms - witnessed_at_ms <= max_age_seconds * 1000:
        raise VerificationError("STALE_WITNESS", f"the quorum is older than {max_age_seconds} s")
    return VerifiedCheckpoint(origin, size, root, cosignatures, witnessed_at_ms)


def _parse_proof(text: str) -> tuple[Optional[bytes], int, Sequence[bytes], str]:
    _require_text("the proof", text, _MAX_PROOF_BYTES)
    before, _, note = text.partition("\n\n")
    head = before.split("\n") if "\n\n" in text else [""]
    if head[0] != _FIRST_LINE:
        _malformed("the proof, line 1", _FIRST_LINE)
    entry: Optional[bytes] = None
    rest = head[1:]
    if rest and rest[0].startswith("extra "):
        entry = _decode_base64(rest[0][len("extra ") :])
        if entry is None:
            _malformed("the proof, line 2", "extra and an entry in base64")
        rest = rest[1:]
    at = 2 if entry is None else 3
    if not rest or not rest[0].startswith("index "):
        _malformed(f"the proof, line {at}", "index and the place of the entry")
    index = _parse_size(rest[0][len("index ") :], f"the proof, line {at}")
    if len(rest) - 1 > _MAX_HASHES:
        _malformed(f"the proof, line {at + 1 + _MAX_HASHES}", f"at most {_MAX_HASHES} hashes")
    hashes = [_decode_hash(line, f"the proof, line {number}") for number, line in enumerate(rest[1:], at + 1)]
    return entry, index, hashes, note


def _require_inclusion(leaf: bytes, index: int, hashes: Sequence[bytes], size: int, root: bytes) -> None:
    """Follows the hashes from a leaf to the root (RFC 9162 2.1.3.2)."""
    failure = VerificationError("INCLUSION", f"entry {index} of a tree of {size}")
    if index >= size:
        raise failure
    node, last, found = index, size - 1, leaf
    for sibling in hashes:
        if last == 0:
            raise failure
        if node % 2 == 1 or node == last:
            found = hashlib.sha256(b"\x01" + sibling + found).digest()
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = hashlib.sha256(b"\x01" + found + sibling).digest()
        node, last = node // 2, last // 2
    if last != 0 or found != root:
        raise failure


def _parse_entry(data: bytes, index: int) -> Mapping[str, Any]:
    failure = VerificationError("ENTRY", f"entry {index} is not that of {snapshot_id_of(index + 1)}")
    if len(data) > _MAX_ENTRY_BYTES or not data.startswith(_LABEL):
        raise failure
    text = data[len(_LABEL) :]
    try:
        value, has_doubles = parse_json(text)
        is_canonical = canonical_json(value, has_doubles=has_doubles) == text
    except (ValueError, RecursionError):
        raise failure from None
    expected = [index + 1, snapshot_id_of(index + 1)]
    # The hash follows from the bytes, so they do not contain it.
    if not is_canonical or not isinstance(value, dict) or "hash" in value:
        raise failure
    version: dict[str, Any] = {**value, "hash": hashlib.sha256(data).hexdigest()}
    if not is_entry(version) or [version["sequence"], version["snapshotId"]] != expected:
        raise failure
    return version


def verify_proof(
    proof: str,
    policy: LogPolicy,
    *,
    now_ms: int,
    entry: Optional[bytes] = None,
    resource: Optional[bytes] = None,
    max_age_seconds: Optional[float] = None,
) -> VerifiedProof:
    """Verifies an offline proof without a network: the checkpoint by the policy, the entry by the proof.

    ``entry`` is needed for a proof that does not contain it. With the bytes of a ``resource``, the entry must contain
    their digest. A proof is accepted whatever its age, unless ``max_age_seconds`` is given. Raises a VerificationError:
    MALFORMED, UNKNOWN_LOG, SIGNATURE, UNWITNESSED, STALE_WITNESS, INCLUSION, ENTRY or RESOURCE.
    """
    extra, index, hashes, note = _parse_proof(proof)
    data = extra if entry is None else entry
    if data is None:
        raise VerificationError("ENTRY", "the proof does not contain the entry; pass the entry as well")
    checkpoint = verify_checkpoint(note, policy, now_ms=now_ms, max_age_seconds=max_age_seconds)
    leaf = hashlib.sha256(b"\x00" + data).digest()
    _require_inclusion(leaf, index, hashes, checkpoint.size, checkpoint.root)
    version = _parse_entry(data, index)
    if resource is None:
        return VerifiedProof(version, checkpoint, ())
    digest = base64url(hashlib.sha256(resource).digest())
    resources = [name for name, each in version["resources"].items() if each == digest]
    if not resources:
        raise VerificationError("RESOURCE", f"{version['snapshotId']} has no resource with digest {digest}")
    return VerifiedProof(version, checkpoint, resources)
