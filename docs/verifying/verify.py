#!/usr/bin/env python3
"""Verifies signed responses with Python's standard library. docs/verifying.md explains the steps.

    python3 verify.py URL KEY-IDS [ETAG]               writes the body once it is verified;
                                                       with the ETag you hold, a 304 counts
    python3 verify.py --history ORIGIN KEY-IDS [HASH]  follows the versions back to the first;
                                                       HASH is the head of last time
    python3 verify.py --vectors FOLDER                 runs the cases of test/vectors

KEY-IDS are the IDs of the keys you trust, joined by commas.

Exit status: 0 verified; 1 refused, and the first word on standard error is the step; 2 wrong
usage; 3 no conclusion: unreachable, or a proxy's error without a signature. Python 3.8 or newer.
"""

import base64
import hashlib
import http.client
import json
import pathlib
import re
import sys
import time
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import NamedTuple, Optional

MAX_AGE_SECONDS = 900
MAX_SKEW_SECONDS = 60
MAX_KEYS = 64


class Refused(Exception):
    """A step of the check failed."""

    def __init__(self, step, detail):
        super().__init__(f"{step}: {detail}")
        self.step = step


# Ed25519 (RFC 8032 section 5.1). Only public values come by, so nothing has to take equal time.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def decode_point(data):
    """The point of 32 bytes, in extended coordinates; None for anything but the canonical encoding of a point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x_squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x_squared, (P + 3) // 8, P)
    if (x * x - x_squared) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - x_squared) % P != 0 or y >= P or (x == 0 and sign == 1):
        return None
    x = x if x % 2 == sign else P - x
    return (x, y, 1, x * y % P)


def add(one, other):
    """The sum of two points, which may be the same one."""
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * D * t1 * t2, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    """The point added to itself so many times."""
    total = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            total = add(total, point)
        point, scalar = add(point, point), scalar >> 1
    return total


def are_equal(one, other):
    """Whether two points are the same, whatever their coordinates are divided by."""
    (x1, y1, z1, _), (x2, y2, z2, _) = one, other
    return (x1 * z2 - x2 * z1) % P == 0 and (y1 * z2 - y2 * z1) % P == 0


def decode_usable_point(data):
    """The same; None also for the eight points of small order: under them anyone can sign."""
    point = decode_point(data)
    return None if point is None or are_equal(multiply(8, point), (0, 1, 1, 0)) else point


BASE_POINT = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signature(public_key, signature, message):
    """Whether 64 bytes are the signature of a message (bytes) under a key of 32 bytes."""
    key, r = decode_usable_point(public_key), decode_usable_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= L:
        return False
    hashed = hashlib.sha512(signature[:32] + public_key + message).digest()
    k = int.from_bytes(hashed, "little") % L
    return are_equal(multiply(s, BASE_POINT), add(r, multiply(k, key)))


# Base64 in its one right form, times, canonical JSON.


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode_base64(text, size, is_url=False):
    """The bytes of such a text; None unless encoding them gives exactly this text."""
    try:
        padded = text + "=" * (-len(text) % 4) if is_url else text
        data = base64.b64decode(padded, b"-_" if is_url else None, validate=True)
    except ValueError:
        return None
    encoded = base64url(data) if is_url else base64.b64encode(data).decode()
    return data if len(data) == size and encoded == text else None


def epoch_ms(text):
    """Milliseconds since 1970 of an ISO 8601 time in UTC."""
    form = r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?Z"
    match = re.fullmatch(form, text, re.ASCII)
    if match is None:
        raise Refused("MALFORMED", f"{text} is not a time in UTC")
    *parts, milliseconds = (int(part or 0) for part in match.groups())
    try:
        moment = datetime(*parts, tzinfo=timezone.utc)
    except ValueError:
        raise Refused("MALFORMED", f"{text} is not a valid time") from None
    since = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since // timedelta(milliseconds=1) + milliseconds


def canonical_number(number):
    """A number as ECMAScript writes it, which knows only doubles."""
    number = float(number)
    if number - number != 0:
        raise ValueError(f"{number} is not JSON")
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    if number == 0:
        return "0"
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21:
        text = text.ljust(point, "0")
        text = text if len(text) == point else f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        text = f"{text[0]}{fraction}e{point - 1:+d}"
    return "-" + text if sign else text


def canonical_json(value):
    """The canonical text of a JSON value (RFC 8785)."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        members = (f"{canonical_json(name)}:{canonical_json(value[name])}" for name in names)
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return canonical_number(value)
    return json.dumps(value, ensure_ascii=False)


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def digest_of_json(value):
    return base64url(hashlib.sha256(canonical_json(value).encode()).digest())


def read_json(body):
    """The value of a JSON text in UTF-8, with the base64url digest of what its ETag is about."""
    try:
        content = json.loads(body.decode("utf-8"), parse_constant=refuse_constant)
        # The OpenAPI document has no envelope.
        is_bare = isinstance(content, dict) and "openapi" in content and "ok" not in content
        data = content if is_bare else content.get("data")
        return content, None if data is None else digest_of_json(data)
    except (ValueError, ArithmeticError, RecursionError, AttributeError):
        raise Refused("MALFORMED", "the body is not JSON") from None


# The check.


class Response(NamedTuple):
    """A response, with the parts of its request that are signed."""

    method: str
    target: str
    status: int
    headers: list
    body: bytes
    if_none_match: Optional[str] = None


class Key(NamedTuple):
    """A published key, and when it may sign (milliseconds since 1970)."""

    key_id: str
    data: bytes
    is_pinned: bool
    not_before: Optional[int] = None
    not_after: Optional[int] = None


def field(headers, name):
    """The value of a header field, whatever the case of its name; several lines are joined."""
    values = [value.strip(" \t") for each, value in headers if each.lower() == name.lower()]
    return ", ".join(values) if values else None


def find_keys(offered, pinned_key_ids):
    """The usable keys among those offered, with computed IDs. At least one of them is pinned."""
    keys = []
    for each in offered[:MAX_KEYS]:
        jwk = each["jwk"]
        data = decode_base64(jwk["x"], 32, is_url=True)
        if data is None or decode_usable_point(data) is None:
            continue
        text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % jwk["x"]
        key_id = base64url(hashlib.sha256(text.encode()).digest())
        dates = (each.get("notBefore"), each.get("notAfter"))
        period = (None if date is None else epoch_ms(date) for date in dates)
        keys.append(Key(key_id, data, key_id in pinned_key_ids, *period))
    if not any(key.is_pinned for key in keys):
        raise Refused("UNKNOWN_KEY", f"no published key has an id of {', '.join(pinned_key_ids)}")
    return keys


def find_digest(content_digest):
    """The base64 of the last member sha-256 of the dictionary (RFC 9530, RFC 8941)."""
    found = None
    for member in content_digest.split(","):
        form = r"[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*"
        match = re.fullmatch(form, member)
        if match is None:
            return None
        if match[1] == "sha-256":
            found = match[2]
    return found


def find_signer(keys, signature, message):
    data = decode_base64(signature, 64)
    if data is None:
        return None
    return next((key for key in keys if is_signature(key.data, data, message)), None)


def require_signed(keys, lines, signed_at, signature, now_ms, step):
    """Checks one signature, its key and its time; how old it may be is up to the caller."""
    # One byte a character, as on the wire.
    key = find_signer(keys, signature, "\n".join(lines).encode("latin-1", "replace"))
    if key is None:
        raise Refused(step, "the signature does not match " + " | ".join(lines))
    if not key.is_pinned:
        raise Refused("UNKNOWN_KEY", f"signed by {key.key_id}")
    at_ms = epoch_ms(signed_at)
    if at_ms > now_ms + MAX_SKEW_SECONDS * 1000:
        raise Refused("FUTURE", f"signed at {signed_at}")
    is_early = key.not_before is not None and at_ms < key.not_before
    if is_early or (key.not_after is not None and at_ms > key.not_after):
        raise Refused("KEY_PERIOD", f"the key was not in use at {signed_at}")
    return at_ms


def check_revalidation(response, headers, keys, now_ms, max_age_seconds, absent):
    """Checks the proof of a 304, and returns its time and the ETag that it is about."""
    revalidated = field(headers, "X-SVC-Revalidated")
    if revalidated is None:
        raise Refused(absent, "there is no X-SVC-Revalidated")
    signed_at, _, signature = revalidated.partition("; ")
    etag = field(headers, "ETag") or ""
    lines = ["svc-revalidation-v1", response.method, response.target, "304", signed_at, etag]
    at_ms = require_signed(keys, lines, signed_at, signature, now_ms, "REVALIDATION")
    if now_ms - at_ms > max_age_seconds * 1000:
        raise Refused("STALE", f"revalidated at {signed_at}")
    return signed_at, etag


def is_named(etag, if_none_match):
    """Whether the request named an ETag in If-None-Match (weak comparison, RFC 9110 13.1.2)."""
    if if_none_match is None or if_none_match == "*":
        return if_none_match == "*"
    opaque = etag[2:] if etag.startswith("W/") else etag
    return opaque in re.findall(r'"[^"]*"', if_none_match)


def check(response, keys, now_ms, max_age_seconds=MAX_AGE_SECONDS, renewed_by=None):
    """Takes every step, and returns when the response was proved and its JSON; None for a 304.

    renewed_by has the headers of a later 304, if a cache did not merge them into the response.
    """
    headers = response.headers
    age = (keys, now_ms, max_age_seconds)
    if response.status == 304:
        signed_at, etag = check_revalidation(response, headers, *age, "UNSIGNED")
        if not is_named(etag, response.if_none_match):
            raise Refused("ETAG", f"the request did not name {etag} in If-None-Match")
        return signed_at, None
    names = ("Content-Digest", "X-SVC-Signed-At", "X-SVC-Signature")
    content_digest, signed_at, signature = (field(headers, name) for name in names)
    if content_digest is None or signed_at is None or signature is None:
        raise Refused("UNSIGNED", f"expected the headers {', '.join(names)}")
    digest = base64.b64encode(hashlib.sha256(response.body).digest()).decode()
    if find_digest(content_digest) != digest:
        raise Refused("DIGEST", f"the body has {digest}, Content-Digest says {content_digest}")
    lines = ["svc-response-v1", response.method, response.target, str(response.status)]
    lines += [signed_at, content_digest]
    at_ms = require_signed(keys, lines, signed_at, signature, now_ms, "SIGNATURE")
    etag = field(headers, "ETag")
    if now_ms - at_ms > max_age_seconds * 1000:
        renewal = headers if renewed_by is None else renewed_by
        signed_at, etag = check_revalidation(response, renewal, *age, "STALE")
    content, data_digest = read_json(response.body)
    if etag is not None and etag != f'W/"{data_digest}"':
        raise Refused("ETAG", f"the data have the digest {data_digest}, the ETag is {etag}")
    stated, request_id = content.get("requestId"), field(headers, "X-Request-Id")
    if stated is not None and request_id not in (None, stated):
        raise Refused("REQUEST_ID", f"the body says {stated}, the header {request_id}")
    return signed_at, content


# Fetching.


class WrongUsage(Exception):
    """The command was not understood."""


class NoConclusion(Exception):
    """The service could not be reached, or a proxy responded for it."""


def require_signature_or_success(response):
    """An unsigned 429 or 5xx is a proxy's, or says that signing is off: it proves nothing."""
    is_unsigned = field(response.headers, "X-SVC-Signature") is None
    if is_unsigned and (response.status == 429 or response.status >= 500):
        status = f"status {response.status} without a signature, as from a proxy"
        raise NoConclusion(f"UNSIGNED: {status}")


def split_url(url):
    """Scheme, host and target. The target stays as it is: the signature is over what was sent."""
    match = re.fullmatch(r"(https?)://([^/?#]+)(/[^#]*)?(?:#.*)?", url)
    if match is None:
        raise WrongUsage(f"Expected http://... or https://..., found {url}")
    return match[1], match[2], match[3] or "/"


def fetch(scheme, host, target, etag=None):
    secure = scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    try:
        connection = connect(host, timeout=30)
        headers = {} if etag is None else {"If-None-Match": etag}
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoConclusion(f"No response from {scheme}://{host}: {error}") from None
    fetched = Response("GET", target, response.status, response.getheaders(), body, etag)
    require_signature_or_success(fetched)
    return fetched


def now():
    return time.time_ns() // 1_000_000


def fetch_keys(scheme, host, pinned_key_ids):
    """The keys of the key document, whose own signature proves the dates in it."""
    response = fetch(scheme, host, "/api/v1/keys/signing-key")
    try:
        content = json.loads(response.body.decode("utf-8"))
        keys = find_keys(content["data"]["keys"], pinned_key_ids.split(","))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Refused("UNKNOWN_KEY", "the key document cannot be read") from None
    check(response, keys, now())
    return keys


def verify(url, pinned_key_ids, etag=None):
    scheme, host, target = split_url(url)
    keys = fetch_keys(scheme, host, pinned_key_ids)
    response = fetch(scheme, host, target, etag)
    signed_at, _ = check(response, keys, now())
    summary = f"Verified: GET {target}, status {response.status}, signed at {signed_at}"
    print(summary, file=sys.stderr)
    sys.stdout.buffer.write(response.body)


# The history.


def hash_of(entry):
    """The hash that an entry must have: over a label line and its canonical JSON without hash."""
    rest = {name: value for name, value in entry.items() if name != "hash"}
    return hashlib.sha256(b"svc-version-v1\n" + canonical_json(rest).encode()).hexdigest()


def changes_between(before, after):
    """How resources differ from those of the entry before, sorted by name."""
    kinds = {name: "removed" for name in before if name not in after}
    for name, digest in after.items():
        if before.get(name) != digest:
            kinds[name] = "changed" if name in before else "added"
    names = sorted(kinds, key=lambda name: name.encode("utf-16-be"))
    return [(name, kinds[name]) for name in names]


def require_changes(entry, before):
    """Refuses an entry whose changes are not what its resources and those before it show."""
    stated = [(change["resource"], change["kind"]) for change in entry["changes"]]
    previous = {} if before is None else before["resources"]
    expected = changes_between(previous, entry["resources"])
    if stated != expected:
        message = f"{entry['snapshotId']}: expected {expected}, found {stated}"
        raise Refused("CHANGES_FALSE", message)


def is_text(value):
    return isinstance(value, str)


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_instant(value):
    try:
        return is_text(value) and epoch_ms(value) is not None
    except Refused:
        return False


WORDS = "[a-z0-9]+(-[A-Za-z0-9]+)*"


def are_digests(value):
    name_form, digest_form = f"{WORDS}(/{WORDS})*", "[A-Za-z0-9_-]{43}"
    return isinstance(value, dict) and all(
        re.fullmatch(name_form, name) and is_text(digest) and re.fullmatch(digest_form, digest)
        for name, digest in value.items()
    )


def are_changes(value):
    changes = value if isinstance(value, list) else [None]
    members = ("resource", "kind")
    return all(isinstance(c, dict) and all(is_text(c.get(m)) for m in members) for c in changes)


TEXTS = ("snapshotId", "apiVersion", "registryVersion", "note", "previousHash", "hash")
FORMS = {
    **dict.fromkeys(TEXTS, is_text),
    "sequence": is_number,
    "createdAt": is_instant,
    "resources": are_digests,
    "changes": are_changes,
}


def require_shape(entry):
    """Refuses an entry in which a member is missing or of another type."""
    if not isinstance(entry, dict):
        raise Refused("BROKEN", "expected an entry of the history")
    for name, is_right in FORMS.items():
        if not is_right(entry.get(name)):
            raise Refused("BROKEN", f"an entry whose {name} is missing or malformed")


def require_entry(entry, sequence, expected_hash):
    """Refuses an entry that is malformed, or does not have this number and this hash."""
    snapshot_id = f"VS-{sequence:04d}"
    require_shape(entry)
    if not hash_of(entry) == entry["hash"] == expected_hash:
        raise Refused("BROKEN", f"{snapshot_id}: expected the hash {expected_hash}")
    if (entry["snapshotId"], entry["sequence"]) != (snapshot_id, sequence):
        raise Refused("BROKEN", f"{snapshot_id}: this is not its number")


def require_link(entry, before):
    """Refuses an entry that does not follow from the one before it, or from none."""
    snapshot_id = entry["snapshotId"]
    if entry["previousHash"] != ("0" * 64 if before is None else before["hash"]):
        raise Refused("BROKEN", f"{snapshot_id}: previousHash is not the hash before it")
    if before is not None and epoch_ms(before["createdAt"]) > epoch_ms(entry["createdAt"]):
        raise Refused("BROKEN", f"{snapshot_id}: it is earlier than the version before it")
    require_changes(entry, before)


def follow(origin, pinned_key_ids, kept_hash=None):
    """The newest version is signed, and each one proves the one before by its hash."""
    scheme, host, _ = split_url(origin)
    keys = fetch_keys(scheme, host, pinned_key_ids)
    response = fetch(scheme, host, "/api/v1/version")
    _, content = check(response, keys, now())
    if response.status != 200:
        raise NoConclusion(f"/api/v1/version has status {response.status}")
    head = entry = content.get("data")
    require_shape(head)
    require_entry(head, head["sequence"], head["hash"])
    is_kept_met = kept_hash in (None, head["hash"])
    for sequence in range(head["sequence"] - 1, 0, -1):
        response = fetch(scheme, host, f"/api/v1/versions/VS-{sequence:04d}")
        # The hash proves the entry, so its signature needs no check.
        before = read_json(response.body)[0].get("data")
        require_entry(before, sequence, entry["previousHash"])
        require_link(entry, before)
        is_kept_met, entry = is_kept_met or before["hash"] == kept_hash, before
    require_link(entry, None)
    if not is_kept_met:
        raise Refused("REWRITTEN", f"the version with the hash {kept_hash} is gone")
    print(head["hash"])


# The vectors.


def response_of(vector):
    request, response = vector["request"], vector["response"]
    return Response(
        request["method"],
        request["target"],
        response["status"],
        response["headers"],
        base64.b64decode(response["bodyBase64"] or ""),
        field(request["headers"], "If-None-Match"),
    )


def check_vector(vector):
    renewal = vector.get("revalidation")
    check(
        response_of(vector),
        find_keys([vector["publicKey"]], [vector["pinnedKeyId"]]),
        epoch_ms(vector["now"]),
        vector["maxAgeSeconds"],
        None if renewal is None else renewal["headers"],
    )


def check_history(vector):
    before = None
    for number, entry in enumerate(vector["entries"], 1):
        require_shape(entry)
        require_entry(entry, number, entry["hash"])
        require_link(entry, before)
        before = entry


def outcome_of(vector):
    try:
        check_history(vector) if "entries" in vector else check_vector(vector)
        return "ok"
    except Refused as refused:
        return refused.step


def run_vectors(folder):
    count, wrong = 0, []
    for file in sorted(pathlib.Path(folder).rglob("*.json")):
        if file.name == "index.json":
            continue
        vector = json.loads(file.read_text("utf-8"))
        # Those of the log have a policy, and those of key documents are for clients without a pin.
        others = ("policy", "keyRequest")
        if not isinstance(vector, dict) or "expected" not in vector or any(name in vector for name in others):
            continue
        for case in [vector, *({**vector, **link} for link in vector.get("chain", []))]:
            found = outcome_of(case)
            count += 1
            if found != case["expected"]:
                wrong.append(f"{file.stem}: expected {case['expected']}, found {found}")
    if wrong or count == 0:
        raise Refused("VECTORS", "; ".join(wrong) or "no vectors in this folder")
    print(f"{count} cases have the expected outcome")


def main(arguments):
    command, *rest = arguments or ["--help"]
    if command == "--vectors" and len(rest) == 1:
        run_vectors(*rest)
    elif command == "--history" and len(rest) in (2, 3):
        follow(*rest)
    elif not command.startswith("-") and len(rest) in (1, 2):
        verify(command, *rest)
    else:
        raise WrongUsage(__doc__.strip())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        sys.exit(str(refused))
    except WrongUsage as wrong:
        print(wrong, file=sys.stderr)
        sys.exit(2)
    except NoConclusion as reason:
        print(reason, file=sys.stderr)
        sys.exit(3)
