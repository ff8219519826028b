"""Checks the signature of one response: python3 verify.py URL KEYID. Needs the package cryptography.

Exit status: 0 and the body if it is valid, 1 if it is not, 3 without a response. clients/python checks more.
"""

import base64
import hashlib
import http.client
import json
import sys
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class FinalResponse(http.client.HTTPResponse):
    def begin(self):
        super().begin()
        while self.status < 200:  # Interim (RFC 9110 15.2): the response follows.
            self.headers = self.msg = None
            super().begin()


def fetch(parts, target):
    open_to = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = open_to(parts.netloc, timeout=30)
    connection.response_class = FinalResponse
    connection.request("GET", target)
    response = connection.getresponse()
    return response, response.read(16_000_000)


def key_id(x):
    jwk = f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'  # RFC 7638
    return base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).decode().rstrip("=")


def verify(parts, target, pin):
    document = json.loads(fetch(parts, "/api/v1/keys/signing-key")[1])
    x = next(key["jwk"]["x"] for key in document["data"]["keys"] if key_id(key["jwk"]["x"]) == pin)
    response, body = fetch(parts, target)
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    signed_at = response.headers["X-SVC-Signed-At"]
    lines = ("svc-response-v1", "GET", target, str(response.status), signed_at, digest)
    text = "\n".join(lines)
    print(text, file=sys.stderr)
    signature = base64.b64decode(response.headers["X-SVC-Signature"], validate=True)
    Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "=")).verify(signature, text.encode("latin-1"))
    age = datetime.now(timezone.utc) - datetime.fromisoformat(signed_at.replace("Z", "+00:00"))
    if not timedelta(seconds=-60) <= age <= timedelta(seconds=900):
        raise ValueError(f"signed {age.total_seconds():.0f} s ago")
    return body


url = sys.argv[1].split("#")[0]
parts = urlsplit(url)
try:
    valid = verify(parts, url.split(parts.netloc, 1)[1] or "/", sys.argv[2])
except (OSError, http.client.HTTPException) as error:
    sys.exit(print(f"no response: {error!r}", file=sys.stderr) or 3)
except (InvalidSignature, KeyError, StopIteration, TypeError, ValueError) as error:
    sys.exit(print(f"not valid: {error!r}", file=sys.stderr) or 1)
sys.stdout.buffer.write(valid)
