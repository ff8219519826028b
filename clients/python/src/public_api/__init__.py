"""A client for a public API that signs every response: verified by default."""

from .audit import AuditReport, KeyChange, audit_history
from .client import Client
from .errors import (
    ApiResponseError,
    AuditStateError,
    ConnectionError,
    CopyError,
    HistoryError,
    UnlinkedKeysError,
    UnsettledError,
    VerificationError,
)
from .history import verify_history
from .http_response import HttpResponse
from .log import (
    LogPolicy,
    VerifiedCheckpoint,
    VerifiedProof,
    open_policy,
    verify_checkpoint,
    verify_proof,
)
from .verification import (
    VerifiedResponse,
    parse_signing_keys,
    target_of,
    verify_key_document,
    verify_response,
)
from .verification_key import VerificationKey, import_key
from .verified import RateLimit, Verified

__all__ = [
    "ApiResponseError",
    "AuditReport",
    "AuditStateError",
    "Client",
    "ConnectionError",
    "CopyError",
    "HistoryError",
    "HttpResponse",
    "KeyChange",
    "LogPolicy",
    "RateLimit",
    "UnlinkedKeysError",
    "UnsettledError",
    "VerificationError",
    "VerificationKey",
    "Verified",
    "VerifiedCheckpoint",
    "VerifiedProof",
    "VerifiedResponse",
    "audit_history",
    "import_key",
    "open_policy",
    "parse_signing_keys",
    "target_of",
    "verify_checkpoint",
    "verify_history",
    "verify_key_document",
    "verify_proof",
    "verify_response",
]
