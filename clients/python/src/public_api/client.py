"""A client that verifies every response."""

from __future__ import annotations

import os
import random
import re
import secrets
import threading
import time
from collections import OrderedDict
from email.utils import parsedate_to_datetime
from dataclasses import replace
from typing import Any, Callable, Collection, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from .connection import Connection, Fetch, origin_of
from .copies import Copies, is_outage
from .errors import ApiResponseError, ConnectionError, VerificationError
from .http_response import HttpResponse, fields_of
from .resources import READ_PATHS, Reads, VersionEntry
from .verification import (
    MAX_AGE_SECONDS,
    MAX_CLOCK_SKEW_SECONDS,
    VerifiedResponse,
    verify_key_document,
    verify_received,
)
from .verification_key import VerificationKey
from .verified import RateLimit, Verified
from .watch import watch_versions

Result = TypeVar("Result")

#: Maximum number of responses stored for revalidation: every endpoint once, and some versions.
_MAX_STORED = 64
#: An announced key is known after this time, if it does not sign before.
_RELOAD_AFTER_MS = 24 * 3_600_000
_FIRST_WAIT_SECONDS = 0.25
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{43}")
#: Faults that a newer key document may resolve, because a cache may have an old one.
_MAYBE_NEW_KEY = frozenset({"SIGNATURE", "REVALIDATION", "UNKNOWN_KEY", "KEY_PERIOD"})


class Client(Reads):
    """Reads a service and verifies every response. Sends nothing before the first call.

    ``pinned_key_ids`` are the IDs of the keys to trust, learned from another source than the service. Without them,
    the client trusts the keys of the first key document, and accepts a copy of the service with its own keys.
    Threads may share a client.

    ``mirrors`` are URLs of copies (None: none), which are read in their order while the service is away, and ``store`` is a folder
    for the last verified responses, which is read after them. Neither is trusted. A copy older than
    ``max_mirror_age_seconds`` (None: any age) is not read.
    """

    def __init__(
        self,
        base_url: str,
        *,
        pinned_key_ids: Optional[Collection[str]] = None,
        api_key: Optional[str] = None,
        max_age_seconds: float = MAX_AGE_SECONDS,
        max_retries: int = 2,
        max_wait_seconds: float = 30,
        timeout_seconds: float = 30,
        max_body_bytes: int = 16_000_000,
        mirrors: Optional[Sequence[str]] = None,
        max_mirror_age_seconds: Optional[float] = None,
        store: Union[str, "os.PathLike[str]", None] = None,
        fetch: Optional[Fetch] = None,
        now: Callable[[], float] = time.time,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        pinned = _pins_of(pinned_key_ids)
        if api_key is not None and re.fullmatch("[!-~]+", api_key) is None:
            raise ValueError("api_key: expected visible ASCII")
        if not (max_age_seconds > 0 and timeout_seconds > 0 and max_body_bytes > 0 and max_wait_seconds > 0):
            raise ValueError(
                "max_age_seconds, timeout_seconds, max_body_bytes, max_wait_seconds: expected more than 0"
            )
        if max_retries < 0:
            raise ValueError("max_retries: expected 0 or more")
        #: Origin of the service.
        self.origin = origin_of(base_url)
        self._limits = (timeout_seconds, max_body_bytes)
        self._connections: dict[str, Connection] = {}
        self._fetch = fetch or self._send
        self._credentials = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._pinned = pinned
        self._trusted = pinned
        self._max_age_seconds = max_age_seconds
        self._max_retries = max_retries
        self._max_wait_seconds = max_wait_seconds
        self._now = now
        self._wait = wait
        #: Held while the key document is loaded, so that threads share one request for it.
        self._keys_lock = threading.RLock()
        self._stored_lock = threading.Lock()
        self._keys: Optional[Sequence[VerificationKey]] = None
        self._keys_loaded_ms = 0
        self._key_document: Optional[HttpResponse] = None
        self._stored: OrderedDict[str, Verified[Any]] = OrderedDict()
        self._copies = Copies(
            () if mirrors is None else mirrors,
            max_mirror_age_seconds,
            store,
            self.origin,
            self._fetch,
            self.now_ms,
            lambda: self._trusted or None,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections. The client remains usable."""
        for connection in self._connections.values():
            connection.close()

    def _send(self, origin: str, target: str, headers: Mapping[str, str]) -> HttpResponse:
        connection = self._connections.get(origin)
        if connection is None:
            connection = self._connections.setdefault(origin, Connection(origin, *self._limits))
        return connection.get(target, headers)

    def get(self, target: str, *, fresh: bool = False, copies: bool = True) -> Verified[Any]:
        """Reads any target and verifies the response.

        ``fresh`` requests a response created for this call: a random query parameter bypasses every cache, and the
        signature covers it, and no copy replaces it, as without ``copies``. Raises a VerificationError, an
        ApiResponseError, a ConnectionError or a CopyError.
        """
        if fresh:
            asked = _fresh_target(target)
            return self._with_age(self._with_retries(lambda: self._request(asked, self._credentials)))
        try:
            result, renewal = self._with_retries(lambda: self._attempt(target))
        except (ConnectionError, VerificationError) as error:
            refetched = self._refetch(target, error)
            if refetched is not None:
                return refetched
            if not copies or not is_outage(error):
                raise
            return self._copies.read(target, error)
        with self._stored_lock:
            is_new = self._stored.get(target) is not result
            self._stored[target] = result
            self._stored.move_to_end(target)
            while len(self._stored) > _MAX_STORED:
                self._stored.popitem(last=False)
        if is_new and self._key_document is not None:
            warnings = self._copies.save(target, result, (result.response, self._key_document, renewal))
            result = replace(result, warnings=(*result.warnings, *warnings))
        return self._with_age(result)

    def _refetch(self, target: str, error: Exception) -> Optional[Verified[Any]]:
        """What the service itself says now in place of an old response of a cache; None if that is not the case."""
        if not isinstance(error, VerificationError) or error.code != "STALE":
            return None
        try:
            result = self._request(_fresh_target(target), self._credentials)
        except (ConnectionError, VerificationError) as later:
            if not is_outage(later):
                raise
            # While the service is away, the error of the first response says more.
            return None
        warning = f"REFETCHED: a cache on the way kept {target} for too long"
        return self._with_age(replace(result, warnings=(*result.warnings, warning)))

    def watch(
        self,
        *,
        after: Optional[Verified[VersionEntry]] = None,
        stop: Optional[threading.Event] = None,
        on_failure: Optional[Callable[[Exception, float], None]] = None,
    ) -> Iterator[Verified[VersionEntry]]:
        """Yields the newest version, then each later one, until ``stop`` is set.

        With ``after``, such as ``client.version_by_id("VS-0012")``, the versions since that one come first. Each must
        continue the one before it. Asks with a conditional request as often as a cache would, from 5 s to 15 min. After
        a failure that may pass, ``on_failure`` gets it and the seconds until the next try: twice as long each time, or as
        long as the service asks, up to an hour. A copy is never yielded, nor a version older than the last one.

        Raises a HistoryError with evidence if the history is rewritten, or still shorter after 10 minutes, and every
        error that waiting does not help against.
        """
        return watch_versions(self, after, stop, on_failure, self._wait, self._reason_of)

    def _with_age(self, result: Verified[Any]) -> Verified[Any]:
        return replace(result, age_seconds=max(0, self.now_ms() - result.proved_at_ms) // 1000)

    def get_unverified(self, target: str, *, if_none_match: Optional[str] = None) -> HttpResponse:
        """The response to a GET, unverified. Failures of the connection are retried."""
        condition = {} if if_none_match is None else {"If-None-Match": if_none_match}
        headers = {**self._credentials, **condition}
        return self._with_retries(lambda: self._fetch(self.origin, target, headers))

    def verify(self, response: HttpResponse) -> VerifiedResponse:
        """Verifies a response with the service's keys. If no known key matches, the key document is loaded again."""
        known = self.keys()
        try:
            return self._check(response, known)
        except VerificationError as error:
            if error.code not in _MAYBE_NEW_KEY:
                raise
            first = error
        with self._keys_lock:
            # Another thread may have loaded the document in the meantime.
            if self._keys is known:
                try:
                    self._keys = self._load_keys(_fresh_target(READ_PATHS["signingKey"]))
                except (ConnectionError, VerificationError) as error:
                    # A response was received and does not verify: that is not an outage.
                    if is_outage(error):
                        raise first from error
                    raise
            renewed = self._keys or known
        return self._check(response, renewed)

    def keys(self) -> Sequence[VerificationKey]:
        """The service's keys, from its signing-key document. Loaded once, again when they may have changed, and each day
        if no key is pinned: a key that was announced is then known before it signs."""
        with self._keys_lock:
            is_old = self.now_ms() - self._keys_loaded_ms > _RELOAD_AFTER_MS
            # Pinned keys need no announcement.
            if self._keys is None or (is_old and not self._pinned):
                try:
                    self._keys = self._load_newest_keys()
                except (ConnectionError, VerificationError):
                    # Without a newer document, the known keys stay in use.
                    if self._keys is None:
                        raise
            return self._keys

    def _load_newest_keys(self) -> Sequence[VerificationKey]:
        try:
            return self._load_keys(READ_PATHS["signingKey"])
        except VerificationError as error:
            if error.code not in _MAYBE_NEW_KEY:
                raise
            return self._load_keys(_fresh_target(READ_PATHS["signingKey"]))

    def now_ms(self) -> int:
        """The client's clock: milliseconds since 1970."""
        return int(self._now() * 1000)

    def _read(self, path: str, fresh: bool) -> Verified[Any]:
        return self.get(path, fresh=fresh)

    def _load_keys(self, target: str) -> Sequence[VerificationKey]:
        self._keys_loaded_ms = self.now_ms()
        # Sent without the API key, so that a refusal of the key can be verified.
        document = self._with_retries(lambda: self._fetch(self.origin, target, {}))
        keys = verify_key_document(
            target=target,
            status=document.status,
            headers=document.headers,
            body=document.body,
            now_ms=self.now_ms(),
            pinned_key_ids=self._trusted or None,
            max_age_seconds=self._max_age_seconds,
        )
        # Without pins, a document signed by a trusted key extends the trust, so an announced key can take over.
        if not self._pinned:
            self._trusted = tuple({*self._trusted, *(key.key_id for key in keys)})
        self._key_document = document
        return keys

    def _check(self, response: HttpResponse, keys: Sequence[VerificationKey]) -> VerifiedResponse:
        return verify_received(response, keys, self.now_ms(), self._trusted or None, self._max_age_seconds)

    def _attempt(self, target: str) -> tuple[Verified[Any], Optional[HttpResponse]]:
        """The result, and the 304 that renewed it."""
        before = self._stored.get(target)
        if before is not None:
            headers = {**self._credentials, "If-None-Match": before.etag}
            response = self._fetch(self.origin, target, headers)
            if response.status != 304:
                return self._result_of(response), None
            renewed = self._renewed(before, response)
            if renewed is not None:
                return renewed
        return self._request(target, self._credentials), None

    def _request(self, target: str, headers: Mapping[str, str]) -> Verified[Any]:
        return self._result_of(self._fetch(self.origin, target, headers))

    def _renewed(
        self, before: Verified[Any], response: HttpResponse
    ) -> Optional[tuple[Verified[Any], Optional[HttpResponse]]]:
        """The stored response, if the 304 proves it or it is still fresh; else None."""
        try:
            verified = self.verify(response)
        except VerificationError:
            # A cache may send a 304 itself, without a proof.
            age_seconds = (self.now_ms() - before.proved_at_ms) / 1000
            # A clock that was set back must not make it fresh for longer.
            is_fresh = -MAX_CLOCK_SKEW_SECONDS <= age_seconds <= self._max_age_seconds
            return (before, None) if is_fresh else None
        renewed = replace(
            before,
            key_id=verified.key_id,
            proved_at_ms=verified.proved_at_ms,
            rate_limit=_rate_limit_of(response),
            warnings=verified.warnings,
        )
        return renewed, response

    def _result_of(self, response: HttpResponse) -> Verified[Any]:
        verified = self.verify(response)
        content = verified.content if isinstance(verified.content, dict) else {}
        error, stated = content.get("error"), content.get("requestId")
        request_id = stated if isinstance(stated, str) else None
        if isinstance(error, dict) and all(
            isinstance(error.get(name), str) for name in ("code", "message")
        ):
            raise ApiResponseError(error, response, request_id)
        if verified.etag is None:
            fault = VerificationError("MALFORMED", f"no data; status {response.status}")
            fault.response = response
            raise fault
        return Verified(
            data=verified.data,
            etag=verified.etag,
            key_id=verified.key_id,
            proved_at_ms=verified.proved_at_ms,
            request_id=request_id,
            rate_limit=_rate_limit_of(response),
            response=response,
            warnings=verified.warnings,
        )

    def _with_retries(self, attempt: Callable[[], Result]) -> Result:
        """Repeats an attempt while its error may pass. Waits as long as the service asked, else doubles the wait."""
        tries = 0
        while True:
            try:
                return attempt()
            except (ConnectionError, ApiResponseError, VerificationError) as error:
                may_pass, after = self._reason_of(error)
                backoff = _FIRST_WAIT_SECONDS * 2**tries * random.uniform(0.5, 1)
                seconds = backoff if after is None else after
                if not may_pass or tries >= self._max_retries or seconds > self._max_wait_seconds:
                    raise
                self._wait(seconds)
                tries += 1

    def _reason_of(self, error: Exception) -> tuple[bool, Optional[float]]:
        """Whether an error may pass, and the seconds that the service asked to wait."""
        if isinstance(error, ConnectionError):
            return not error.is_final, None
        if isinstance(error, ApiResponseError):
            return error.retryable, error.retry_after_seconds
        if isinstance(error, VerificationError) and error.response and is_outage(error):
            after = fields_of(error.response.headers).get("retry-after", "")
            return True, _seconds_of(after, self._now())
        return False, None


def _pins_of(pinned_key_ids: Optional[Collection[str]]) -> tuple[str, ...]:
    """The key IDs to trust. An empty collection is a mistake of the caller, not a wish to trust every key."""
    if pinned_key_ids is None:
        return ()
    pins = () if isinstance(pinned_key_ids, str) else tuple(pinned_key_ids)
    if not pins or not all(isinstance(each, str) and _KEY_ID.fullmatch(each) for each in pins):
        raise ValueError("pinned_key_ids: expected a list of key IDs of 43 characters")
    return pins


def _fresh_target(target: str) -> str:
    """The target with a random parameter that bypasses every cache; the signature covers it."""
    return f"{target}{'&' if '?' in target else '?'}fresh={secrets.token_urlsafe(16)}"


def _seconds_of(retry_after: str, now: float) -> Optional[float]:
    """Retry-After (RFC 9110 10.2.3) in seconds; None if it is missing, malformed or past."""
    if re.fullmatch("[0-9]+", retry_after):
        return float(retry_after)
    try:
        seconds = parsedate_to_datetime(retry_after).timestamp() - now
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return seconds if seconds >= 0 else None


def _rate_limit_of(response: HttpResponse) -> Optional[RateLimit]:
    """The quota that a response states; None without an API key."""
    fields = fields_of(response.headers)
    values = [fields.get(f"x-ratelimit-{name}", "") for name in ("limit", "remaining", "reset")]
    if not all(re.fullmatch("[0-9]{1,9}", value) for value in values):
        return None
    return RateLimit(*map(int, values))
