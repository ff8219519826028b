"""The check of a signed response. Nothing here sends a request."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Any, Collection, Mapping, Optional, Sequence
from urllib.parse import urlsplit

from .canonical_json import canonical_json, parse_json
from .errors import VerificationError
from .http_response import Headers, HttpResponse, fields_of
from .instant import parse_instant
from .resources import READ_PATHS
from .verification_key import VerificationKey, base64url, import_key

#: Maximum age of a signature, in seconds, unless another is given.
MAX_AGE_SECONDS = 900
#: How far a signature may be ahead of the verifier's clock, in seconds.
MAX_CLOCK_SKEW_SECONDS = 60
#: Maximum number of keys of a document. A real one has one or two, and each costs as much as a verification.
MAX_KEYS = 64
#: A key document is parsed before it is verified, so its size is limited.
_MAX_KEY_DOCUMENT_BYTES = 131_072
_PROOF_FIELDS = ("Content-Digest", "X-SVC-Signed-At", "X-SVC-Signature")

_DIGEST_MEMBER = re.compile(r"[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*")
#: An envelope up to its data, as the service writes it. It has nothing behind the data.
_ENVELOPE = re.compile(
    rb'\{"ok":true,"schema":"[A-Za-z0-9_.-]+","requestId":"[A-Za-z0-9_-]+","issuedAt":"[A-Za-z0-9_:.-]+","data":'
)
_ENVELOPE_MEMBERS = 5
_URL_ALPHABET = str.maketrans("+/", "-_")
#: A third of the time of ``in``.
_UNICODE_ESCAPE = re.compile(rb"\\u")
_ENTITY_TAG = re.compile(r'"[^"]*"')
#: ``null`` is data as well.
_NO_DATA = object()


@dataclass(frozen=True)
class VerifiedResponse:
    """The result of a verification."""

    status: int
    #: The whole body as JSON; None for a 304.
    content: Any
    #: ``data`` of an enveloped success, or the whole OpenAPI document; None otherwise.
    data: Any
    #: The entity tag of ``data``, computed from it; for a 304, the one that it proves.
    etag: Optional[str]
    #: RFC 7638 ID of the key that signed.
    key_id: str
    #: When the response, or the 304 that renewed it, was signed: milliseconds since 1970.
    proved_at_ms: int
    #: What does not match in header fields that are not signed: ``ETAG: …`` and ``REQUEST_ID: …``.
    warnings: Sequence[str] = ()


def target_of(url: str) -> str:
    """The target that a client sends for a URL: path and query, without the fragment.

    >>> target_of("https://api.example.org/api/v1/status?a=1#top")
    '/api/v1/status?a=1'
    """
    bare = url.split("#", 1)[0]
    parts = urlsplit(bare)
    return "/" + bare[len(parts.scheme) + len("://") + len(parts.netloc) :].removeprefix("/")


def verify_response(
    *,
    method: str,
    target: str,
    status: int,
    headers: Headers,
    body: bytes,
    keys: Sequence[VerificationKey],
    now_ms: int,
    pinned_key_ids: Optional[Collection[str]] = None,
    max_age_seconds: float = MAX_AGE_SECONDS,
    if_none_match: Optional[str] = None,
    revalidated: Optional[Headers] = None,
) -> VerifiedResponse:
    """Checks that a trusted key signed a response for this method, target and status, and that it is fresh.

    Without ``pinned_key_ids`` every key of ``keys`` is trusted, with an empty collection none. ``revalidated`` has the
    header fields of a later 304 with which a cache renewed the response, unless the cache merged them. Raises a
    VerificationError whose ``code`` names the first step that failed.
    """
    response = HttpResponse(method, target, status, headers, body, if_none_match)
    return verify_received(response, keys, now_ms, pinned_key_ids, max_age_seconds, revalidated)


def verify_received(
    response: HttpResponse,
    keys: Sequence[VerificationKey],
    now_ms: int,
    pinned_key_ids: Optional[Collection[str]] = None,
    max_age_seconds: float = MAX_AGE_SECONDS,
    revalidated: Optional[Headers] = None,
) -> VerifiedResponse:
    """``verify_response`` for a response with its request."""
    if isinstance(pinned_key_ids, str):
        raise TypeError("pinned_key_ids: expected a list of key IDs, found one text")
    check = _Check(response, keys, pinned_key_ids, now_ms, max_age_seconds)
    try:
        return check.run(revalidated)
    except VerificationError as error:
        error.response = response
        raise


def parse_signing_keys(data: Any) -> Sequence[VerificationKey]:
    """The Ed25519 keys of ``data`` of the signing-key document, the current one first. Does not verify the document."""
    listed = data.get("keys") if isinstance(data, dict) else None
    known = [each for each in listed if _is_ed25519(each)] if isinstance(listed, list) else []
    if not 1 <= len(known) <= MAX_KEYS:
        detail = f"expected 1 to {MAX_KEYS} Ed25519 keys, found {len(known)}"
        raise VerificationError("MALFORMED", detail)
    return [import_key(each) for each in known]


def verify_key_document(
    *,
    target: str,
    status: int,
    headers: Headers,
    body: bytes,
    now_ms: int,
    method: str = "GET",
    pinned_key_ids: Optional[Collection[str]] = None,
    max_age_seconds: float = MAX_AGE_SECONDS,
) -> Sequence[VerificationKey]:
    """Verifies a response of the signing-key endpoint with the keys that it contains, and returns them.

    That proves only that the signer has one of them: pass ``pinned_key_ids``, or pin the returned IDs from then on.
    """
    response = HttpResponse(method, target, status, headers, body)
    is_signed = _is_signed(fields_of(headers))
    content = _parse_body(body) if is_signed and len(body) <= _MAX_KEY_DOCUMENT_BYTES else None
    if not isinstance(content, dict) or "data" not in content:
        code = "MALFORMED" if is_signed else "UNSIGNED"
        error = VerificationError(code, f"no signing-key document; status {status}")
        error.response = response
        raise error
    keys = parse_signing_keys(content["data"])
    verify_received(response, keys, now_ms, pinned_key_ids, max_age_seconds)
    return keys


def _is_ed25519(value: Any) -> bool:
    jwk = value.get("jwk") if isinstance(value, dict) else None
    return isinstance(jwk, dict) and (jwk.get("kty"), jwk.get("crv")) == ("OKP", "Ed25519")


def _is_signed(fields: Mapping[str, str]) -> bool:
    return all(name.lower() in fields for name in _PROOF_FIELDS)


def _parse_body(body: bytes) -> Any:
    """The body as JSON; None if it is not JSON in UTF-8. ``null`` is None as well: it has no data either."""
    try:
        return parse_json(body)[0]
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class _Proof:
    key_id: str
    signed_at_ms: int


@dataclass(frozen=True)
class _Check:
    response: HttpResponse
    keys: Sequence[VerificationKey]
    pinned_key_ids: Optional[Collection[str]]
    now_ms: int
    max_age_seconds: float

    def run(self, revalidated: Optional[Headers]) -> VerifiedResponse:
        response, fields = self.response, fields_of(self.response.headers)
        if not any(map(self.is_trusted, self.keys)):
            found = ", ".join(key.key_id for key in self.keys)
            raise VerificationError("UNKNOWN_KEY", f"found {found or 'no key'}")
        if response.status == 304:
            listed = _listed(response.if_none_match or "", fields.get("etag", ""))
            proof, etag = self.revalidation(fields, _required(fields, "X-SVC-Revalidated"), listed)
            if etag not in listed:
                raise VerificationError("ETAG", f"{etag} is not in If-None-Match")
            warnings = _differences("ETAG", etag, fields.get("etag"))
            return VerifiedResponse(304, None, None, etag, proof.key_id, proof.signed_at_ms, warnings)
        content_digest, signed_at, signature = (_required(fields, name) for name in _PROOF_FIELDS)
        digest = base64.b64encode(hashlib.sha256(response.body).digest()).decode("ascii")
        stated = _find_digest(content_digest)
        if stated != digest:
            raise VerificationError("DIGEST", f"stated {stated or 'no sha-256'}, the body has {digest}")
        status = str(response.status)
        lines = ("svc-response-v1", response.method, response.target, status, signed_at, content_digest)
        signed = proof = self.proof_of(lines, signed_at, signature, "SIGNATURE")
        body = self.read_body(digest, fields.get("etag"))
        if not self.is_fresh(signed.signed_at_ms):
            later = fields if revalidated is None else fields_of(revalidated)
            renewal = later.get("x-svc-revalidated")
            if renewal is None:
                raise VerificationError("STALE", f"signed at {signed_at}, and no 304 renewed it")
            # The ETag that was signed is computed from the body: a proxy may have changed the header.
            own = None if body is None else body[2]
            proof, renewed = self.revalidation(later, renewal, () if own is None else (own,))
            if body is not None and renewed != own:
                raise VerificationError("ETAG", f"expected {own or 'none'}, found {renewed}")
        if body is None:
            # The parser's message quotes the body.
            raise VerificationError("MALFORMED", "the body is not JSON")
        content, data, own = body
        warnings = [*_differences("ETAG", own, fields.get("etag"))]
        if isinstance(content, dict) and "requestId" in content:
            stated = content["requestId"]
            request_id = stated if isinstance(stated, str) else None
            warnings += _differences("REQUEST_ID", request_id, fields.get("x-request-id"))
        return VerifiedResponse(
            response.status, content, data, own, signed.key_id, proof.signed_at_ms, warnings
        )

    def is_trusted(self, key: VerificationKey) -> bool:
        return self.pinned_key_ids is None or key.key_id in self.pinned_key_ids

    def is_fresh(self, signed_at_ms: int) -> bool:
        return self.now_ms - signed_at_ms <= self.max_age_seconds * 1000

    def signer_of(self, text: str, signature: str) -> Optional[VerificationKey]:
        return next((key for key in self.keys if key.is_signature_of(text, signature)), None)

    def retired(self, signer: VerificationKey) -> str:
        """What a pin that is out of date needs to know."""
        for key in self.keys:
            is_over = key.not_after_ms is not None and key.not_after_ms < self.now_ms
            if self.is_trusted(key) and (is_over or key.published.get("status") == "retired"):
                # In the first day, its last signatures still count.
                retired = f"was retired on {key.published['notAfter']}" if is_over else "is retired"
                return (
                    f"; the service says that the pinned key {key.key_id} {retired} and the current one is "
                    f"{signer.key_id}: check it against another source, such as `svc verify --pin-from`"
                )
        return ""

    def proof_of(self, lines: Sequence[str], signed_at: str, signature: str, fault: str) -> _Proof:
        text = "\n".join(lines)
        signer = self.signer_of(text, signature)
        if signer is None:
            raise VerificationError(fault, "not valid for any key")
        if not self.is_trusted(signer):
            raise VerificationError("UNKNOWN_KEY", f"signed by {signer.key_id}{self.retired(signer)}")
        signed_at_ms = parse_instant(signed_at)
        if signed_at_ms is None:
            raise VerificationError("MALFORMED", f"signed at {signed_at}")
        if signed_at_ms > self.now_ms + MAX_CLOCK_SKEW_SECONDS * 1000:
            ahead = f"more than {MAX_CLOCK_SKEW_SECONDS} s ahead of this clock"
            raise VerificationError("FUTURE", f"signed at {signed_at}, {ahead}")
        if not signer.was_in_use(signed_at_ms):
            raise VerificationError("KEY_PERIOD", f"{signer.key_id} signed at {signed_at}")
        return _Proof(signer.key_id, signed_at_ms)

    def revalidation(
        self, fields: Mapping[str, str], revalidated: str, expected: Collection[str]
    ) -> tuple[_Proof, str]:
        """Verifies the proof of a 304, and returns the ETag that it signs: one of the expected, or that of the header."""
        signed_at, _, signature = revalidated.partition("; ")
        stated = fields.get("etag", "")
        response = self.response
        lines = ("svc-revalidation-v1", response.method, response.target, "304", signed_at)
        candidates = [stated] if stated in expected else [*expected, stated]
        etag = next((each for each in candidates if self.signer_of("\n".join((*lines, each)), signature)), stated)
        proof = self.proof_of((*lines, etag), signed_at, signature, "REVALIDATION")
        if not self.is_fresh(proof.signed_at_ms):
            raise VerificationError("STALE", f"renewed at {signed_at}")
        return proof, etag

    def read_body(self, digest: str, stated: Optional[str]) -> Optional[tuple[Any, Any, Optional[str]]]:
        """The body, its data, and the entity tag of the data; None if it is not JSON.

        The tag is that of the bytes of the data as they were sent if the header says so, because the service sends them in
        canonical form; else that of their canonical form. ``digest`` is the one of the whole body, in base64.
        """
        text = self.response.body
        try:
            content, has_doubles = parse_json(text)
            data = _data_of(content, self.response.target)
            if data is _NO_DATA:
                return content, None, None
            # A number may be beyond the doubles, and an escape half of a surrogate pair: neither has a canonical form.
            if stated is not None and _UNICODE_ESCAPE.search(text) is None and not (has_doubles and _is_infinite(data)):
                sent = _sent_data(text, content)
                if data is content:
                    digest = digest.translate(_URL_ALPHABET).rstrip("=")
                else:
                    digest = "" if sent is None else base64url(hashlib.sha256(sent).digest())
                if stated == f'W/"{digest}"':
                    return content, data, stated
            canonical = hashlib.sha256(canonical_json(data, has_doubles=has_doubles)).digest()
        except (ValueError, RecursionError):
            return None
        return content, data, f'W/"{base64url(canonical)}"'


def _required(fields: Mapping[str, str], name: str) -> str:
    value = fields.get(name.lower())
    if value is None:
        raise VerificationError("UNSIGNED", f"no {name}")
    return value


def _find_digest(content_digest: str) -> Optional[str]:
    """The base64 of the last member sha-256 of the dictionary (RFC 9530 2, RFC 8941 3.2)."""
    found = None
    for member in content_digest.split(","):
        match = _DIGEST_MEMBER.fullmatch(member)
        if match is None:
            return None
        if match[1] == "sha-256":
            found = match[2]
    return found


def _listed(if_none_match: str, etag: str) -> Sequence[str]:
    """The entity tags that a request accepts, in the form of the service (weak comparison, RFC 9110 13.1.2)."""
    return [etag] if if_none_match == "*" else [f"W/{each}" for each in _ENTITY_TAG.findall(if_none_match)]


def _differences(code: str, expected: Optional[str], found: Optional[str]) -> Sequence[str]:
    return () if found is None or found == expected else (f"{code}: expected {expected or 'none'}, found {found}",)


def _data_of(content: Any, target: str) -> Any:
    members = content if isinstance(content, dict) else {}
    # The OpenAPI document has no envelope.
    if target.split("?", 1)[0] == READ_PATHS["openapi"] and "ok" not in members:
        return content
    return members.get("data", _NO_DATA)


def _sent_data(text: bytes, content: Any) -> Optional[memoryview]:
    """The bytes of ``data`` as they were sent; None if the envelope does not have the form of the service."""
    start = _ENVELOPE.match(text)
    is_envelope = start is not None and text.endswith(b"}") and len(content) == _ENVELOPE_MEMBERS
    return memoryview(text)[start.end() : -1] if start is not None and is_envelope else None


def _is_infinite(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_infinite, value.values()))
    if isinstance(value, list):
        return any(map(_is_infinite, value))
    return isinstance(value, float) and value in (float("inf"), float("-inf"))
