"""Ed25519 public keys, and the checks that make every verifier accept the same signatures."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .errors import VerificationError
from .instant import parse_instant

# Libraries differ in the keys and signatures that they accept. The doubtful ones are rejected before the library decides.

#: 2^255 - 19, the prime of the field.
_P = 2**255 - 19
#: The order of the group that the base point generates.
_L = 2**252 + 27742317777372353535851937790883648493
#: y of two points of order 8. The y of the other two is the prime minus this.
_ORDER_8_Y = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
#: y of all points whose order divides the cofactor. Anyone can sign for them.
_SMALL_ORDER_Y = frozenset({0, 1, _P - 1, _ORDER_8_Y, _P - _ORDER_8_Y})
_SIGN_BIT = 2**255 - 1

# 32 or 64 bytes have exactly one encoding: no white space, padding as stated, no stray bits.
_BASE64_64 = re.compile(r"[A-Za-z0-9+/]{85}[AQgw]==")
_BASE64URL_32 = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")


def base64url(data: bytes) -> str:
    """base64url without padding (RFC 4648 section 5)."""
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def is_canonical_point(data: bytes) -> bool:
    """Whether 32 bytes encode a y below the prime, of a point that is not of small order (RFC 8032 5.1.3)."""
    y = int.from_bytes(data, "little") & _SIGN_BIT
    return y < _P and y not in _SMALL_ORDER_Y


def is_canonical_signature(signature: bytes) -> bool:
    """Whether 64 bytes are a canonical R and an S below the group order."""
    return is_canonical_point(signature[:32]) and int.from_bytes(signature[32:], "little") < _L


def is_ed25519_signature(key: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    """Whether the signature of a message is valid, by the strict rules above."""
    if len(signature) != 64 or not is_canonical_signature(signature):
        return False
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


@dataclass(frozen=True)
class VerificationKey:
    """An imported and validated key."""

    #: RFC 7638 thumbprint, computed from the key itself.
    key_id: str
    #: The key as the document has it: ``jwk`` with ``kty``, ``crv`` and ``x``, and two dates.
    published: Mapping[str, Any]
    public_key: Ed25519PublicKey
    #: Milliseconds since 1970; None for no limit. An unreadable date excludes every time.
    not_before_ms: Optional[float] = None
    not_after_ms: Optional[float] = None

    def is_signature_of(self, text: str, signature_base64: str) -> bool:
        """Whether the signature (padded base64) over a text of one byte a character is valid for this key."""
        if _BASE64_64.fullmatch(signature_base64) is None:
            return False
        try:
            message = text.encode("latin-1")
        except UnicodeEncodeError:
            return False
        return is_ed25519_signature(self.public_key, base64.b64decode(signature_base64), message)

    def was_in_use(self, at_ms: int) -> bool:
        """Whether the key was in use at a time, in milliseconds since 1970."""
        return (self.not_before_ms is None or at_ms >= self.not_before_ms) and (
            self.not_after_ms is None or at_ms <= self.not_after_ms
        )


def _limit(date: object) -> Optional[float]:
    if date is None:
        return None
    limit = parse_instant(date)
    return math.nan if limit is None else limit


def import_key(published: Mapping[str, Any]) -> VerificationKey:
    """Reads a public key and computes its ID (RFC 7638). Raises a VerificationError (KEY_MALFORMED)."""
    jwk = published.get("jwk")
    x: Optional[object] = jwk.get("x") if isinstance(jwk, Mapping) else None
    if (
        not isinstance(jwk, Mapping)
        or (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519")
        or not isinstance(x, str)
        or _BASE64URL_32.fullmatch(x) is None
    ):
        raise VerificationError("KEY_MALFORMED", "expected kty OKP, crv Ed25519, x base64url")
    data = base64.urlsafe_b64decode(x + "=")
    if not is_canonical_point(data):
        raise VerificationError("KEY_MALFORMED", "of small order or not reduced")
    thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode("ascii"))
    return VerificationKey(
        base64url(thumbprint.digest()),
        published,
        Ed25519PublicKey.from_public_bytes(data),
        _limit(published.get("notBefore")),
        _limit(published.get("notAfter")),
    )
