"""Copies of a service, for reads while it is away: mirrors, and the last verified responses on disk."""

from __future__ import annotations

import hashlib
import json
import math
import os
import pathlib
from dataclasses import replace
from typing import Any, Callable, Collection, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from .canonical_json import parse_json
from .connection import Fetch, origin_of
from .errors import ConnectionError, CopyError, VerificationError
from .history import require_entry
from .http_response import BASE_PATH, HttpResponse
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

    def read(self, target: str, outage: Exception) -> Verified[Any]:
        """The newest copy of a published resource. Raises a CopyError, a VerificationError, or the outage."""
        if not self._mirrors and self._folder is None:
            raise outage
        if target not in COPIED_PATHS:
            raise CopyError("NO_COPY", f"{target} is not a published resource") from outage
        warnings: list[str] = []
        failure = outage
        for origin, prefix in self._mirrors:
            try:
                return self._read_mirror(origin, prefix, target, warnings)
            except (ConnectionError, CopyError, VerificationError) as error:
                if isinstance(error, ConnectionError):
                    warnings.append(f"CONNECTION: {origin}{prefix}: {error}")
                else:
                    failure = error if failure is outage else failure
                    detail = str(error)[len(error.code) + 2 :]
                    warnings.append(f"{error.code}: {origin}{prefix}: {detail}")
        try:
            stored = self._read_stored(target, warnings)
        except CopyError as error:
            raise error from outage
        if stored is not None:
            return stored
        if failure is outage:
            raise outage
        raise failure from outage

    def save(self, target: str, responses: Sequence[Optional[HttpResponse]]) -> Sequence[str]:
        """Stores a verified response, the key document, and the 304 that renewed the response. Returns warnings."""
        if self._folder is None or target not in COPIED_PATHS:
            return ()
        listed = [to_portable(each) for each in responses if each is not None]
        try:
            replace_file(self._file(target), json.dumps({"origin": self._origin, "responses": listed}))
        except OSError as error:
            return (f"STORE: not saved: {error}",)
        return ()

    def _read_mirror(self, origin: str, prefix: str, target: str, warnings: Sequence[str]) -> Verified[Any]:
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
        age_seconds = self._age_of(verified)
        data, etag = verified.data, verified.etag
        if target != READ_PATHS["version"]:
            name = target[len(BASE_PATH) :]
            digest = entry["resources"].get(name)
            if digest is None:
                raise CopyError("NO_COPY", f"{entry['snapshotId']} has no {name}")
            data, etag = self._read_archived(origin, f"{prefix}archive/resources/{name}/{digest}.json", digest)
        return _result(newest, verified, "mirror", age_seconds, data, etag, warnings)

    def _read_archived(self, origin: str, path: str, digest: str) -> tuple[Any, str]:
        body = self._get(origin, path)
        found = base64url(hashlib.sha256(body).digest())
        if found != digest:
            raise VerificationError("DIGEST", f"{path}: expected {digest}, found {found}")
        return _parse(body), f'W/"{digest}"'

    def _get(self, origin: str, path: str, most: Optional[int] = None) -> bytes:
        response = self._fetch(origin, path, {})
        if response.is_outage:
            raise ConnectionError(f"{origin}{path} not fetched: status {response.status}")
        if response.status != 200 or (most is not None and len(response.body) > most):
            raise VerificationError("MALFORMED", f"{path}: status {response.status}, {len(response.body)} bytes")
        return response.body

    def _read_stored(self, target: str, warnings: Sequence[str]) -> Optional[Verified[Any]]:
        """The stored response; None if there is none that verifies."""
        if self._folder is None:
            return None
        file = self._file(target)
        try:
            if file.stat().st_size > _MAX_STORED_BYTES:
                return None
            content = _parse(file.read_bytes())
        except (OSError, VerificationError):
            return None
        listed = content.get("responses") if isinstance(content, dict) else None
        if not isinstance(listed, list) or not 2 <= len(listed) <= 3 or not all(map(is_portable, listed)):
            return None
        try:
            response, document, *renewals = map(from_portable, listed)
            if response.target != target:
                return None
            trusted = self._trusted()
            keys = self._keys_of(document, trusted)
            verified = newest = self._verify(response, keys, trusted)
            for renewal in renewals:
                newest = self._verify(replace(renewal, if_none_match=verified.etag), keys, trusted)
        except VerificationError:
            return None
        if verified.etag is None:
            return None
        return _result(
            response, newest, "store", self._age_of(newest), verified.data, verified.etag, warnings
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

    def _age_of(self, verified: VerifiedResponse) -> int:
        age_seconds = max(0, self._now_ms() - verified.proved_at_ms) // 1000
        if age_seconds > self._max_age_seconds:
            detail = f"signed {age_seconds} s ago; expected at most {self._max_age_seconds:g} s"
            raise CopyError("STALE_COPY", detail)
        return age_seconds

    def _file(self, target: str) -> pathlib.Path:
        name = hashlib.sha256(f"{self._origin}\n{target}".encode()).hexdigest()
        return (self._folder or pathlib.Path()) / f"{name}.json"


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
    warnings: Sequence[str],
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
        warnings=tuple(warnings),
    )
