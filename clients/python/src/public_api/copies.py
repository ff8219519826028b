"""Copies of a service, for reads while it is away: mirrors, and the last verified responses on disk."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import pathlib
from dataclasses import dataclass, replace
from typing import Any, Callable, Collection, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from .canonical_json import parse_json
from .connection import Fetch, origin_of
from .errors import ConnectionError, CopyError, VerificationError
from .history import require_entry
from .http_response import BASE_PATH, HttpResponse
from .memory import Proof, ReaderMemory
from .portable import from_portable, is_portable, replace_file, to_portable
from .resources import COPIED_PATHS, READ_PATHS
from .verification import VerifiedResponse, verify_key_document, verify_received
from .verification_key import VerificationKey, base64url
from .verified import Verified

_COPY_SCHEMA = "svc.public.copy.v1"
#: now.json is parsed before it is verified, so its size is limited.
_MAX_NOW_BYTES = 2_000_000
_MAX_STORED_BYTES = 64_000_000


def is_outage(error: BaseException) -> bool:
    """Whether an error means that the service is away. A response that was received and does not verify never is."""
    if isinstance(error, ConnectionError):
        return not error.is_final
    return (
        isinstance(error, VerificationError)
        and error.code == "UNSIGNED"
        and error.response is not None
        and error.response.is_outage
    )


@dataclass
class _Copy:
    """What a mirror or the store has of a resource. ``path`` is that of its bytes in a mirror, if they are not read yet."""

    proof: Proof
    result: Verified[Any]
    place: str = ""
    origin: str = ""
    path: str = ""
    digest: str = ""
    listed: Sequence[Any] = ()


class Copies:
    """Reads the copies in their order. ``trusted`` gives the IDs of the keys to trust; None: not known yet."""

    def __init__(
        self,
        mirrors: Sequence[str],
        max_age_seconds: Optional[float],
        store: Union[str, "os.PathLike[str]", None],
        origin: str,
        fetch: Fetch,
        now_ms: Callable[[], int],
        trusted: Callable[[], Optional[Collection[str]]],
    ) -> None:
        if isinstance(mirrors, str):
            raise ValueError("mirrors: expected a list of URLs")
        self._mirrors = [_mirror_of(url) for url in mirrors]
        if max_age_seconds is not None and not max_age_seconds > 0:
            raise ValueError("max_mirror_age_seconds: expected more than 0")
        self._max_age_seconds = math.inf if max_age_seconds is None else max_age_seconds
        self._folder = None if store is None else pathlib.Path(store)
        self._origin, self._fetch, self._now_ms, self._trusted = origin, fetch, now_ms, trusted
        self._memory = ReaderMemory()

    def read(self, target: str, outage: Exception) -> Verified[Any]:
        """The newest copy of a published resource, and never one that is older than what this reader verified without a
        warning that says so. Raises a CopyError, a VerificationError, or the outage."""
        if not self._mirrors and self._folder is None:
            raise outage
        if target not in COPIED_PATHS:
            raise CopyError("NO_COPY", f"{target} is not a published resource") from outage
        warnings: list[str] = []
        failures: list[Exception] = []

        def pass_over(place: str, error: Exception) -> None:
            if isinstance(error, (CopyError, VerificationError)):
                failures.append(error)
                warnings.append(f"{error.code}: {place}: {str(error)[len(error.code) + 2 :]}")
            else:
                warnings.append(f"CONNECTION: {place}: {error}")

        version, last, refused = self._recall(target)
        copies: list[_Copy] = []
        for origin, prefix in self._mirrors:
            try:
                copy = self._read_proof(origin, prefix, target)
                self._memory.learn_version(copy.proof.entry, False)
                copies.append(copy)
            except (ConnectionError, CopyError, VerificationError) as error:
                pass_over(f"{origin}{prefix}", error)
        # Of one version, the first.
        copies.sort(key=lambda copy: -_sequence_of(copy.proof))
        # The next process must know of it, too.
        if copies and (version is None or copies[0].proof.is_after(version.proof)):
            warnings.extend(self._write(READ_PATHS["version"], copies[0].listed))

        def result_of(copy: _Copy) -> Optional[Verified[Any]]:
            try:
                result, body = self._read_resource(copy)
            except (ConnectionError, CopyError, VerificationError) as error:
                pass_over(copy.place, error)
                return None
            if self._memory.age_of(target, copy.proof) is None:
                if body is not None and (last is None or copy.proof.is_after(last.proof)):
                    warnings.extend(self._write(target, copy.listed, body))
            self._memory.learn_proof(target, copy.proof)
            return result

        result: Optional[Verified[Any]] = None
        older: list[_Copy] = []
        for copy in copies:
            reason = self._memory.age_of(target, copy.proof)
            if reason is not None:
                warnings.append(f"OLDER_COPY: {copy.place}: {reason}")
                older.append(copy)
                continue
            result = result_of(copy)
            if result is not None:
                break
        for copy in older:
            if result is not None or (last is not None and not copy.proof.is_after(last.proof)):
                break
            result = result_of(copy)
        if result is None and last is not None:
            reason = self._memory.age_of(target, last.proof)
            if reason is not None:
                warnings.append(f"OLDER_COPY: store: {reason}")
            try:
                result = replace(last.result, age_seconds=self._age_of(last.proof.proved_at_ms))
            except CopyError as error:
                raise error from outage
        if result is not None:
            return replace(result, warnings=tuple(warnings))
        for failure in (*failures, refused):
            if failure is not None:
                raise failure from outage
        raise outage

    def save(
        self, target: str, result: Verified[Any], responses: Sequence[Optional[HttpResponse]]
    ) -> Sequence[str]:
        """Remembers a verified response, and stores it with the key document and the 304 that renewed it. Returns
        warnings."""
        proof = Proof(result.etag, result.proved_at_ms, None)
        if target == READ_PATHS["version"]:
            # Another process may have stored a newer one.
            self._recall(target)
        if target.startswith(READ_PATHS["version"]):
            try:
                proof = replace(proof, entry=require_entry(result.data))
                self._memory.learn_version(proof.entry, True)
            except VerificationError:
                pass
        # A node of the service may be behind the others.
        if target not in COPIED_PATHS or self._memory.age_of(target, proof) is not None:
            return ()
        self._memory.learn_proof(target, proof)
        return self._write(target, [to_portable(each) for each in responses if each is not None])

    def _write(self, target: str, listed: Sequence[Any], body: Optional[bytes] = None) -> Sequence[str]:
        """Stores what proves a result; from a mirror, also the bytes of the resource. Returns warnings."""
        if self._folder is None:
            return ()
        record = {"origin": self._origin, "keyIds": list(self._trusted() or ()), "responses": list(listed)}
        if body is not None:
            record["bodyBase64"] = base64.b64encode(body).decode()
        try:
            replace_file(self._file(target), json.dumps(record))
        except OSError as error:
            return (f"STORE: not saved: {error}",)
        return ()

    def _recall(self, target: str) -> tuple[Optional[_Copy], Optional[_Copy], Optional[VerificationError]]:
        """What the store has of the newest version and of a target, and why the latter is refused."""
        version, refused = self._read_stored(READ_PATHS["version"])
        if version is not None:
            self._memory.learn_version(version.proof.entry, False)
        last = version
        if target != READ_PATHS["version"]:
            last, refused = self._read_stored(target)
        if last is not None:
            self._memory.learn_proof(target, last.proof)
        return version, last, refused

    def _read_proof(self, origin: str, prefix: str, target: str) -> _Copy:
        """The verified now.json of a mirror."""
        body = self._get(origin, f"{prefix}now.json", _MAX_NOW_BYTES)
        content = _parse(body)
        listed = content.get("responses") if isinstance(content, dict) else None
        if not isinstance(content, dict) or content.get("schema") != _COPY_SCHEMA or not isinstance(listed, list):
            raise VerificationError("MALFORMED", f"expected an object with the schema {_COPY_SCHEMA}")
        if content.get("origin") != self._origin:
            # The signature does not cover it.
            raise VerificationError("MALFORMED", f"now.json is not a copy of {self._origin}")
        asked = [_asked(each) for each in listed[:2]]
        expected = [("GET", READ_PATHS[name], 200) for name in ("version", "signingKey")]
        if asked != expected:
            raise VerificationError("MALFORMED", "expected the newest version and the key document first")
        newest, document = map(from_portable, listed[:2])
        trusted = self._trusted()
        if trusted is None:
            raise VerificationError("UNKNOWN_KEY", "no key is pinned, and none was received from the service yet")
        keys = self._keys_of(document, trusted)
        verified = self._verify(newest, keys, trusted)
        try:
            entry = require_entry(verified.data)
        except VerificationError as error:
            raise VerificationError("MALFORMED", str(error)) from None
        self._memory.require_same_history(entry)
        age_seconds = self._age_of(verified.proved_at_ms)
        result = _result(newest, verified, "mirror", age_seconds, verified.data, verified.etag)
        proof = Proof(result.etag, result.proved_at_ms, entry)
        copy = _Copy(proof, result, f"{origin}{prefix}", origin, listed=listed[:2])
        if target == READ_PATHS["version"]:
            return copy
        name = target[len(BASE_PATH) :]
        digest = entry["resources"].get(name)
        if digest is None:
            raise CopyError("NO_COPY", f"{entry['snapshotId']} has no {name}")
        path = f"{prefix}archive/resources/{name}/{digest}.json"
        return replace(copy, proof=replace(proof, etag=f'W/"{digest}"'), path=path, digest=digest)

    def _read_resource(self, copy: _Copy) -> tuple[Verified[Any], Optional[bytes]]:
        """A resource of a mirror, with its bytes; none for the version, which is in the proof itself."""
        if copy.path == "":
            return copy.result, None
        body = self._get(copy.origin, copy.path)
        found = base64url(hashlib.sha256(body).digest())
        if found != copy.digest:
            raise VerificationError("DIGEST", f"{copy.path}: expected {copy.digest}, found {found}")
        return replace(copy.result, data=_parse(body), etag=copy.proof.etag), body

    def _get(self, origin: str, path: str, most: Optional[int] = None) -> bytes:
        response = self._fetch(origin, path, {})
        if response.is_outage:
            raise ConnectionError(f"{origin}{path} not fetched: status {response.status}")
        if response.status != 200 or (most is not None and len(response.body) > most):
            raise VerificationError("MALFORMED", f"{path}: status {response.status}, {len(response.body)} bytes")
        return response.body

    def _read_stored(self, target: str) -> tuple[Optional[_Copy], Optional[VerificationError]]:
        """The stored result; None if there is none that verifies. The error is that no trusted key signed it: without
        pins, those that the client had when it wrote the record."""
        if self._folder is None:
            return None, None
        file = self._file(target)
        try:
            if file.stat().st_size > _MAX_STORED_BYTES:
                return None, None
            content = _parse(file.read_bytes())
            return (self._verify_record(content, target) if isinstance(content, dict) else None), None
        except VerificationError as error:
            return None, (error if error.code == "UNKNOWN_KEY" else None)
        except (OSError, ValueError):
            return None, None

    def _verify_record(self, record: Mapping[str, Any], target: str) -> Optional[_Copy]:
        listed = record.get("responses")
        if not isinstance(listed, list) or not 2 <= len(listed) <= 3 or not all(map(is_portable, listed)):
            return None
        response, document, *renewals = map(from_portable, listed)
        named = record.get("keyIds")
        trusted = self._trusted() or (named if isinstance(named, list) else None)
        if not trusted:
            raise VerificationError("UNKNOWN_KEY", "no key is pinned, and the store names none")
        keys = self._keys_of(document, trusted)
        verified = newest = self._verify(response, keys, trusted)
        for renewal in renewals:
            newest = self._verify(replace(renewal, if_none_match=verified.etag), keys, trusted)
        if verified.etag is None:
            return None
        is_version = response.target == READ_PATHS["version"]
        entry = require_entry(verified.data) if is_version else None
        result = _result(response, newest, "store", 0, verified.data, verified.etag)
        copy = _Copy(Proof(result.etag, result.proved_at_ms, entry), result)
        if response.target == target:
            return copy
        # The version of a copy, with the bytes of a resource that it names.
        if entry is None:
            return None
        body = base64.b64decode(str(record.get("bodyBase64")), validate=True)
        digest = base64url(hashlib.sha256(body).digest())
        if entry["resources"].get(target[len(BASE_PATH) :]) != digest:
            return None
        etag = f'W/"{digest}"'
        return replace(
            copy, proof=replace(copy.proof, etag=etag), result=replace(result, data=_parse(body), etag=etag)
        )

    def _keys_of(self, document: HttpResponse, trusted: Optional[Collection[str]]) -> Sequence[VerificationKey]:
        return verify_key_document(
            target=document.target,
            status=document.status,
            headers=document.headers,
            body=document.body,
            now_ms=self._now_ms(),
            pinned_key_ids=trusted,
            max_age_seconds=math.inf,
        )

    def _verify(
        self,
        response: HttpResponse,
        keys: Sequence[VerificationKey],
        trusted: Optional[Collection[str]],
    ) -> VerifiedResponse:
        return verify_received(response, keys, self._now_ms(), trusted, math.inf)

    def _age_of(self, proved_at_ms: int) -> int:
        age_seconds = max(0, self._now_ms() - proved_at_ms) // 1000
        if age_seconds > self._max_age_seconds:
            detail = f"signed {age_seconds} s ago; expected at most {self._max_age_seconds:g} s"
            raise CopyError("STALE_COPY", detail)
        return age_seconds

    def _file(self, target: str) -> pathlib.Path:
        name = hashlib.sha256(f"{self._origin}\n{target}".encode()).hexdigest()
        return (self._folder or pathlib.Path()) / f"{name}.json"


def _sequence_of(proof: Proof) -> int:
    return 0 if proof.entry is None else int(proof.entry["sequence"])


def _mirror_of(url: str) -> tuple[str, str]:
    """Origin and path of a copy, the path with a slash at its end. Raises a ValueError."""
    parts = urlsplit(url)
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError("mirrors: expected URLs such as https://copy.example.net/status/")
    path = f"{parts.path.rstrip('/')}/"
    return origin_of(f"{parts.scheme}://{parts.netloc}"), path


def _parse(body: bytes) -> Any:
    try:
        return parse_json(body)[0]
    except (ValueError, RecursionError):
        raise VerificationError("MALFORMED", "the body is not JSON") from None


def _asked(value: Any) -> Optional[tuple[str, str, int]]:
    return (value["method"], value["target"], value["status"]) if is_portable(value) else None


def _result(
    response: HttpResponse,
    verified: VerifiedResponse,
    source: str,
    age_seconds: int,
    data: Any,
    etag: Optional[str],
) -> Verified[Any]:
    content: Mapping[str, Any] = verified.content if isinstance(verified.content, dict) else {}
    request_id = content.get("requestId")
    return Verified(
        data=data,
        etag=etag or "",
        key_id=verified.key_id,
        proved_at_ms=verified.proved_at_ms,
        request_id=request_id if isinstance(request_id, str) else None,
        rate_limit=None,
        response=response,
        source=source,
        age_seconds=age_seconds,
        warnings=(),
    )
