"""The exceptions of this package."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

if TYPE_CHECKING:
    from .http_response import HttpResponse


class VerificationError(Exception):
    """A response, key or proof that must not be trusted. ``code`` names the step of the check that failed.

    Codes of a response: KEY_MALFORMED, UNKNOWN_KEY, UNSIGNED, DIGEST, SIGNATURE, KEY_PERIOD, MALFORMED, FUTURE, STALE,
    REVALIDATION, and ETAG for a 304 of other data. Codes of a proof: also UNWITNESSED, STALE_WITNESS, LOG_MISMATCH.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        #: The response that failed; None for a key or a proof that was checked by itself.
        self.response: Optional[HttpResponse] = None


class ApiResponseError(Exception):
    """The service refused a request and signed the refusal. ``code`` is one of the error catalog."""

    def __init__(self, error: Mapping[str, Any], response: HttpResponse, request_id: Optional[str]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        #: HTTP status.
        self.status: int = response.status
        #: Whether the same request may succeed later.
        self.retryable: bool = error.get("retryable") is True
        after = error.get("retryAfterSeconds")
        #: Seconds until a retry may succeed, if the service states them.
        self.retry_after_seconds: Optional[float] = after if type(after) in (int, float) else None
        #: ID of the request, for questions to the operator.
        self.request_id = request_id
        #: The signed response.
        self.response = response


class CopyError(Exception):
    """The service is away, and its copies cannot replace it. ``__cause__`` is the error of the service.

    Codes: NO_COPY for data that is not a published resource, STALE_COPY for a copy older than the maximum age.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class ConnectionError(builtins.ConnectionError):
    """No complete response was received. ``__cause__`` has the reason where another exception gave it."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        #: Whether the same request would fail again: a redirect, or a body above the limit.
        self.is_final = is_final


class HistoryError(VerificationError):
    """The history contradicts itself or an earlier one.

    Codes: SHORTENED, REWRITTEN, BROKEN, CHANGES_FALSE, INCONSISTENT.
    """

    def __init__(self, code: str, at: str, expected: str, found: str) -> None:
        super().__init__(code, f"{at}: expected {expected}, found {found}")
        #: ID of the version, name of the resource, or ``versions`` for the index.
        self.at = at
        self.expected = expected
        self.found = found
        #: Signed responses that prove the contradiction, in the format of ``svc audit``. Store it: it is the only copy.
        self.evidence: Optional[Mapping[str, Any]] = None


class UnlinkedKeysError(VerificationError):
    """The history contradicts the saved one, and unrelated keys signed the two: another service may use the address."""

    def __init__(self, key_ids: Sequence[str], detail: str) -> None:
        super().__init__("UNLINKED_KEYS", f"{detail}; no key document links the keys {' and '.join(key_ids)}")
        self.key_ids = tuple(key_ids)


class AuditStateError(Exception):
    """The saved state cannot be compared with this service.

    Codes: OTHER_ORIGIN, OTHER_KEYS, UNREADABLE.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class UnsettledError(Exception):
    """A release was in progress, so an audit confirmed and contradicted nothing. ``code`` is UNSETTLED."""

    code = "UNSETTLED"

    def __init__(self, detail: str) -> None:
        super().__init__(f"{self.code}: {detail}")
