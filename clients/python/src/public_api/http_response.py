"""A response as received, with the parts of its request that are signed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Tuple, Union

#: The start of every target of the API.
BASE_PATH = "/api/v1/"

#: Header fields as libraries represent them: a mapping by name, or pairs in the order received.
Headers = Union[Mapping[str, str], Iterable[Tuple[str, str]]]


@dataclass(frozen=True)
class HttpResponse:
    """A response, with the method and target of its request."""

    method: str
    #: Path and query exactly as sent.
    target: str
    status: int
    headers: Headers
    #: The exact bytes, after any content coding was removed. Empty for a 304.
    body: bytes
    #: If-None-Match of the request.
    if_none_match: Optional[str] = None

    @property
    def is_outage(self) -> bool:
        """Whether it is an unsigned 429 or 5xx, as from a proxy: it proves nothing."""
        return (self.status == 429 or self.status >= 500) and not is_signed(self.headers)


def fields_of(headers: Headers) -> Mapping[str, str]:
    """The fields by lower-case name. Several lines of one name are joined (RFC 9110 5.2)."""
    items: Any = getattr(headers, "items", None)
    fields: dict[str, str] = {}
    for name, value in items() if items is not None else headers:
        key, bare = name.lower(), value.strip(" \t")
        fields[key] = f"{fields[key]}, {bare}" if key in fields else bare
    return fields


def is_signed(headers: Headers) -> bool:
    """Whether a response claims to be signed. A digest alone may be that of a proxy."""
    fields = fields_of(headers)
    return "x-svc-signature" in fields or "x-svc-signed-at" in fields
