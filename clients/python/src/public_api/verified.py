"""Verified data with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Optional, Sequence, TypeVar

from .http_response import HttpResponse

Data = TypeVar("Data")


@dataclass(frozen=True)
class RateLimit:
    """Quota of the API key. The signature does not cover it."""

    #: Requests per window.
    limit: int
    #: Requests left in this window.
    remaining: int
    #: Seconds until the window ends.
    reset_seconds: int


@dataclass(frozen=True)
class Verified(Generic[Data]):
    """Verified data with its proof."""

    #: ``data`` of the envelope, or the whole document if it has no envelope.
    data: Data
    #: The entity tag of ``data``, computed from it.
    etag: str
    #: RFC 7638 ID of the key that signed them last.
    key_id: str
    #: When the data was last signed as current: milliseconds since 1970.
    proved_at_ms: int
    #: ID of the request, for questions to the operator. None for openapi.json, which has no envelope.
    request_id: Optional[str]
    #: Quota of the API key; None without a key.
    rate_limit: Optional[RateLimit]
    #: The signed response.
    response: HttpResponse
    #: ``origin``, ``mirror`` or ``store``. From a mirror, ``response`` is that of the newest version.
    source: str = "origin"
    #: Whole seconds from ``proved_at_ms`` to the read.
    age_seconds: int = 0
    #: What does not match in header fields that are not signed, and copies that were passed over: ``CODE: detail``.
    warnings: Sequence[str] = ()

