"""Signed responses as JSON, with what is needed to verify them later: the format of ``svc audit`` and of ``now.json``."""

from __future__ import annotations

import base64
import os
import pathlib
import tempfile
from typing import Any, Mapping

from .errors import VerificationError
from .http_response import HttpResponse, fields_of

#: A signed response as JSON.
Portable = Mapping[str, Any]

_PROOF_FIELDS = ("Content-Digest", "X-SVC-Signed-At", "X-SVC-Signature", "X-Request-Id")
_PROOF_FIELDS_OF_304 = ("ETag", "X-SVC-Revalidated")


def to_portable(response: HttpResponse) -> Portable:
    """A response with the fields that belong to its proof."""
    fields = fields_of(response.headers)
    names = _PROOF_FIELDS_OF_304 if response.status == 304 else _PROOF_FIELDS
    return {
        "method": response.method,
        "target": response.target,
        "status": response.status,
        "headers": [[name, fields[name.lower()]] for name in names if name.lower() in fields],
        "bodyBase64": base64.b64encode(response.body).decode("ascii"),
    }


def from_portable(portable: Portable) -> HttpResponse:
    """The response. Raises a VerificationError (MALFORMED) for a body that is not base64."""
    try:
        body = base64.b64decode(portable["bodyBase64"], validate=True)
    except ValueError:
        raise VerificationError("MALFORMED", "bodyBase64 is not base64") from None
    headers = [(name, value) for name, value in portable["headers"]]
    return HttpResponse(portable["method"], portable["target"], portable["status"], headers, body)


def is_portable(value: Any) -> bool:
    """Whether a JSON value has the form of a portable response."""
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("method", "target", "bodyBase64"))
        and type(value.get("status")) is int
        and isinstance(value.get("headers"), list)
        and all(_is_pair(each) for each in value["headers"])
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value)


def replace_file(file: pathlib.Path, text: str) -> None:
    """Replaces a file atomically and durably. Creates its folder."""
    folder = file.parent
    folder.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".tmp", dir=folder)
    try:
        with open(handle, "w", encoding="utf-8") as written:
            written.write(text)
            written.flush()
            # If the name changed before the bytes are on disk, a power failure could leave an empty file.
            os.fsync(written.fileno())
        os.replace(beside, file)
    except BaseException:
        os.unlink(beside)
        raise
    _sync_folder(folder)


def _sync_folder(folder: pathlib.Path) -> None:
    """Makes the name durable where the system can sync a folder."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
