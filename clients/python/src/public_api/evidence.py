"""Signed responses that prove a contradiction of the history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, NoReturn, Optional, Protocol, Sequence

from .errors import HistoryError, UnlinkedKeysError
from .http_response import BASE_PATH, fields_of
from .instant import parse_instant
from .portable import Portable, from_portable
from .resources import READ_PATHS
from .verification import VerifiedResponse, parse_signing_keys, verify_received
from .verification_key import VerificationKey, import_key
from .verified import Verified

#: How long the nodes of an honest service may serve different versions after a release.
ROLLOUT_MS = 600_000


class Reader(Protocol):
    """Reads what a service publishes, and verifies it."""

    def get(self, target: str, *, fresh: bool = False, copies: bool = True) -> Verified[Any]: ...

    def keys(self) -> Sequence[VerificationKey]: ...


class Unsettled(Exception):
    """A contradiction that a release explains while it reaches the nodes of the service one after the other."""

    def __init__(self, message: str, responses: Sequence[Portable], keys: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.responses = responses
        self.keys = keys


@dataclass(frozen=True)
class Statement:
    """A verified response with its request."""

    path: str
    verified: VerifiedResponse
    portable: Portable

    @property
    def is_newest(self) -> bool:
        return self.path == READ_PATHS["version"]

    def contradicts(self, newest: Mapping[str, Any]) -> Optional[tuple[str, str, str]]:
        """Where a statement about the current data contradicts the newest version."""
        data, target = self.verified.data, self.portable["target"]
        if self.path == READ_PATHS["versions"]:
            # A page of the index says nothing about the newest version.
            if "limit=" in target or "before=" in target:
                return None
            head = data.get("head") if isinstance(data, dict) else None
            found = head.get("hash") if isinstance(head, dict) else None
            return None if found == newest["hash"] else ("versions", newest["hash"], str(found))
        name = self.path[len(BASE_PATH) :]
        digest = newest["resources"].get(name)
        expected = f'W/"{digest}"'
        if digest is None or self.verified.etag == expected:
            return None
        return name, expected, str(self.verified.etag)


def raise_finding(
    reader: Reader,
    finding: HistoryError,
    responses: Sequence[Portable],
    keys: Sequence[Mapping[str, Any]] = (),
    documents: Sequence[Portable] = (),
) -> NoReturn:
    """Raises the finding with its evidence if it is proven and the keys that signed are of one service.

    ``keys`` and ``documents`` are those of an earlier time.
    """
    listed = [*keys, *(published_of(key) for key in reader.keys())]
    keys = list({key["jwk"]["x"]: key for key in listed}.values())
    statements = verify_all(responses, keys)
    key_ids = _key_ids(statements)
    if not _are_of_one_service(key_ids, verify_all(documents, keys)):
        raise UnlinkedKeysError(key_ids, str(finding))
    if not _is_proven(finding.code, statements):
        raise Unsettled(f"{finding}, as it can be during a release", responses, keys)
    finding.evidence = {
        "format": "svc-history-evidence-v1",
        "fault": finding.code,
        "keys": keys,
        "responses": list(responses),
        **({"keyDocuments": list(documents)} if documents else {}),
    }
    raise finding


def published_of(key: VerificationKey) -> Mapping[str, Any]:
    jwk = key.published["jwk"]
    return {
        "jwk": {name: jwk[name] for name in ("kty", "crv", "x")},
        "notBefore": key.published.get("notBefore"),
        "notAfter": key.published.get("notAfter"),
    }


def verify_all(portables: Sequence[Portable], published: Sequence[Mapping[str, Any]]) -> list[Statement]:
    """Verifies portable responses as of the time at which they were signed."""
    keys = [import_key(key) for key in published]
    statements = []
    for each in portables:
        response = from_portable(each)
        signed_at = fields_of(response.headers).get("x-svc-signed-at")
        verified = verify_received(response, keys, parse_instant(signed_at) or 0)
        statements.append(Statement(response.target.split("?", 1)[0], verified, each))
    return statements


def _key_ids(statements: Sequence[Statement]) -> list[str]:
    """The IDs of the keys that signed, the one that signed first at the beginning."""
    in_order = sorted(statements, key=lambda each: each.verified.proved_at_ms)
    return list(dict.fromkeys(each.verified.key_id for each in in_order))


def _are_of_one_service(key_ids: Sequence[str], documents: Sequence[Statement]) -> bool:
    """Whether one key signed, or two that one key document lists which the older of them signed."""
    if len(key_ids) != 2:
        return len(key_ids) == 1
    for document in documents:
        if document.path == READ_PATHS["signingKey"] and document.verified.key_id == key_ids[0]:
            listed = {key.key_id for key in parse_signing_keys(document.verified.data)}
            if listed.issuperset(key_ids):
                return True
    return False


def _is_proven(fault: str, statements: Sequence[Statement]) -> bool:
    """Whether no release in progress explains the responses: what is current may differ between nodes for a while."""
    times = [each.verified.proved_at_ms for each in statements]
    gaps = [after - before for before, after in zip(times, times[1:])]
    return fault not in ("SHORTENED", "INCONSISTENT") or all(gap > ROLLOUT_MS for gap in gaps)
