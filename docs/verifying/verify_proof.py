#!/usr/bin/env python3
"""Verifies an offline proof of a version (c2sp.org/tlog-proof) with Python's standard library.

    python3 verify_proof.py PROOF POLICY [RESOURCE]   prints the version that is proved
    python3 verify_proof.py --vectors FOLDER          runs the cases of test/vectors/log

POLICY says whose log, which witnesses and how many (c2sp.org/tlog-policy). RESOURCE is a file whose
bytes must be a resource of the version. docs/witnesses.md explains the rest.

Exit status: 0 verified; 1 refused, and the first word on standard error is the step; 2 wrong usage.
Nothing is fetched. The file verify.py must be beside this one. Python 3.8 or newer.
"""

import base64
import hashlib
import json
import math
import pathlib
import re
import sys
import time
from datetime import datetime, timezone

from verify import Refused, WrongUsage, canonical_json, decode_usable_point, epoch_ms, is_signature

LOG, WITNESS = 1, 4
MAX_NOTE_BYTES, MAX_POLICY_BYTES, MAX_RESOURCE_BYTES, MAX_SKEW_SECONDS = 131072, 65536, 8388608, 300


def refuse(step, detail):
    raise Refused(step, detail)


def decode(text, length=None):
    """Bytes of base64 in its one right form; None for any other text."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, UnicodeEncodeError):
        return None
    is_right = base64.b64encode(data).decode() == text and length in (None, len(data))
    return data if is_right else None


def check_text(what, text, limit, allowed=""):
    try:
        length = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        refuse("MALFORMED", f"{what} has half of a character")
    if length > limit:
        refuse("MALFORMED", f"{what} has more than {limit} bytes")
    for number, line in enumerate(text.split("\n"), 1):
        if any(character < " " and character not in allowed for character in line):
            refuse("MALFORMED", f"{what}, line {number}: a control character")


# Keys, notes and policies.


def read_vkey(text, key_type, place):
    """Name, key ID and public key of a verifier key: name+id+base64."""
    parts = text.split("+", 2)
    data = decode(parts[2]) if len(parts) == 3 else None
    if data is None or len(data) != 33 or data[0] != key_type or not parts[0]:
        refuse("MALFORMED", f"{place}: expected a key of signature type {key_type}")
    name, key_id, public_key = parts[0], parts[1], data[1:]
    expected = hashlib.sha256(name.encode() + b"\n" + data).hexdigest()[:8]
    if key_id != expected or decode_usable_point(public_key) is None:
        refuse("MALFORMED", f"{place}: the key is not usable, or its ID does not follow from it")
    return name, key_id, public_key


def require_new(key, known, place):
    if any(other[2] == key[2] for other in known):
        refuse("MALFORMED", f"{place}: the key is already on another line")
    if len(known) == 64:
        refuse("MALFORMED", f"{place}: more than 64 lines of a kind")


def read_policy(text):
    """Logs, witnesses by name, and the rule that a set of witness names must satisfy."""
    check_text("the policy", text, MAX_POLICY_BYTES, "\t")
    logs, witnesses, rules, members, quorum = [], {}, {}, set(), None
    for number, line in enumerate(text.split("\n"), 1):
        place, words = f"the policy, line {number}", re.findall(r"[^ \t]+", line)
        if not words or words[0].startswith("#"):
            continue
        kind, items = words[0], words[1:]
        if kind in ("witness", "group") and (len(items) < 2 or items[0] in rules or items[0] == "none"):
            refuse("MALFORMED", f"{place}: expected a new name")
        if kind == "log" and 1 <= len(items) <= 2:
            key = read_vkey(items[0], LOG, place)
            require_new(key, logs, place)
            logs.append(key)
        elif kind == "witness" and 2 <= len(items) <= 3:
            key = read_vkey(items[1], WITNESS, place)
            require_new(key, witnesses.values(), place)
            witnesses[items[0]] = key
            rules[items[0]] = lambda names, name=items[0]: name in names
        elif kind == "group" and len(items) >= 3:
            listed = items[2:]
            threshold = {"any": "1", "all": str(len(listed))}.get(items[1], items[1])
            is_number = re.fullmatch(r"[1-9][0-9]{0,3}", threshold)
            if not is_number or int(threshold) > len(listed):
                refuse("MALFORMED", f"{place}: expected a number of members, any or all")
            for member in listed:
                if member not in rules or member in members:
                    refuse("MALFORMED", f"{place}: {member} is not defined above, or is in a group")
                members.add(member)
            parts = [rules[member] for member in listed]
            rules[items[0]] = lambda names, parts=parts, least=int(threshold): (
                sum(part(names) for part in parts) >= least
            )
        elif kind == "quorum" and len(items) == 1 and quorum is None:
            quorum = items[0]
            if quorum != "none" and quorum not in rules:
                refuse("MALFORMED", f"{place}: {quorum} is not defined above")
        else:
            refuse("MALFORMED", f"{place}: expected log, witness, group or one quorum")
    if quorum is None:
        refuse("MALFORMED", "the policy has no quorum line")
    return logs, witnesses, rules.get(quorum)


def read_note(note):
    """The signed text, and the signature lines as name, key ID and signature."""
    check_text("the checkpoint", note, MAX_NOTE_BYTES)
    split = note.rfind("\n\n")
    if split == -1 or not note.endswith("\n"):
        refuse("MALFORMED", "the checkpoint: expected an empty line before the signatures")
    lines = []
    for line in note[split + 2 : -1].split("\n"):
        words = line.split(" ")
        data = decode(words[2]) if len(words) == 3 and words[0] == "\u2014" else None
        if data is None or len(data) < 5 or not words[1] or "+" in words[1]:
            refuse("MALFORMED", f"the checkpoint: not a signature line: {line[:40]!r}")
        lines.append((words[1], data[:4].hex(), data[4:]))
    return note[: split + 1], lines


def read_size(text):
    return int(text) if re.fullmatch(r"0|[1-9][0-9]{0,15}", text) else None


def check_checkpoint(note, policy, now_ms, max_age_seconds=math.inf):
    """Size, root and the time of the quorum in milliseconds (None if the policy asks for none)."""
    logs, witnesses, rule = policy
    text, lines = read_note(note)
    origin, size, root = (text.split("\n") + ["", ""])[:3]
    size, root = read_size(size), decode(root, 32)
    if not origin or size is None or root is None:
        refuse("MALFORMED", "the checkpoint: expected origin, size and root hash")
    is_signed = False
    for name, key_id, public_key in logs:
        for line_name, line_id, signature in lines:
            if (line_name, line_id) != (name, key_id):
                continue
            if len(signature) != 64 or not is_signature(public_key, signature, text.encode()):
                refuse("SIGNATURE", f"the signature of {name} is not valid")
            is_signed = is_signed or name == origin
    if not is_signed:
        refuse("UNKNOWN_LOG", f"no log of the policy signed the checkpoint of {origin}")
    times = []
    for witness, (name, key_id, public_key) in witnesses.items():
        newest = None
        for line_name, line_id, blob in lines:
            if (line_name, line_id) != (name, key_id):
                continue
            seconds = int.from_bytes(blob[:8], "big")
            signed = f"cosignature/v1\ntime {seconds}\n{text}".encode()
            if len(blob) != 72 or not is_signature(public_key, blob[8:], signed):
                refuse("SIGNATURE", f"the cosignature of {name} is not valid")
            newest = max(newest or 0, seconds)
        if newest is not None and newest * 1000 <= now_ms + MAX_SKEW_SECONDS * 1000:
            times.append((newest * 1000, witness))
    if rule is None:
        return size, root, None
    names = set()
    for at_ms, witness in sorted(times, reverse=True):
        names.add(witness)
        if rule(names):
            if now_ms - at_ms > max_age_seconds * 1000:
                refuse("STALE_WITNESS", "the quorum is too old")
            return size, root, at_ms
    refuse("UNWITNESSED", f"the quorum is not met: cosigned by {', '.join(sorted(names)) or 'no witness'}")


# The proof.


def read_proof(text):
    """Entry (None if it is not contained), index, hashes and checkpoint."""
    check_text("the proof", text, 4 * MAX_NOTE_BYTES)
    head, _, note = text.partition("\n\n")
    lines = head.split("\n")
    if lines.pop(0) != "c2sp.org/tlog-proof@v1":
        refuse("MALFORMED", "the proof, line 1: expected c2sp.org/tlog-proof@v1")
    entry = None
    if lines and lines[0].startswith("extra "):
        entry = decode(lines.pop(0)[6:])
        if entry is None:
            refuse("MALFORMED", "the proof, line 2: expected an entry in base64")
    index = read_size(lines.pop(0)[6:]) if lines and lines[0].startswith("index ") else None
    hashes = [decode(line, 32) for line in lines]
    if index is None or None in hashes or len(hashes) > 63:
        refuse("MALFORMED", "the proof: expected index and hashes in base64")
    return entry, index, hashes, note


def root_of(index, size, leaf, hashes):
    """The root that a proof leads to (RFC 9162 2.1.3.2); None if it has another length."""
    node, last, found = index, size - 1, leaf
    for sibling in hashes:
        if last == 0:
            return None
        if node % 2 == 1 or node == last:
            found = hashlib.sha256(b"\x01" + sibling + found).digest()
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            found = hashlib.sha256(b"\x01" + found + sibling).digest()
        node, last = node // 2, last // 2
    return found if last == 0 else None


def read_entry(data, index):
    """The version in an entry, whose hash is the SHA-256 of the entry."""
    label, _, text = data.partition(b"\n")
    try:
        version = json.loads(text)
        is_right = label == b"svc-version-v1" and canonical_json(version).encode() == text
        is_right = is_right and all(isinstance(d, str) for d in version["resources"].values())
        is_right = is_right and version["sequence"] == index + 1
        is_right = is_right and version["snapshotId"] == f"VS-{index + 1:04d}"
    except (ValueError, ArithmeticError, RecursionError, LookupError, TypeError, AttributeError, Refused):
        is_right = False
    if not is_right:
        refuse("ENTRY", f"entry {index} is not the canonical text of its version")
    return {**version, "hash": hashlib.sha256(data).hexdigest()}


def check_proof(text, policy, now_ms, max_age_seconds=math.inf, beside=None, resource=None):
    """The version that a proof proves, names of the resource, and the checkpoint's size, root and time."""
    extra, index, hashes, note = read_proof(text)
    entry = extra if beside is None else beside
    if entry is None:
        refuse("ENTRY", "the proof does not contain the entry")
    checkpoint = check_checkpoint(note, policy, now_ms, max_age_seconds)
    size, root, _ = checkpoint
    leaf = hashlib.sha256(b"\x00" + entry).digest()
    if index >= size or root_of(index, size, leaf, hashes) != root:
        refuse("INCLUSION", f"entry {index} of a tree of {size}")
    version, names = read_entry(entry, index), []
    if resource is not None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(resource).digest()).decode().rstrip("=")
        names = [name for name, each in version["resources"].items() if each == digest]
        if not names:
            refuse("RESOURCE", f"{version['snapshotId']} has no resource with these bytes")
    return version, names, checkpoint


def format_time(at_ms):
    return datetime.fromtimestamp(at_ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def outcome_of(vector):
    """The outcome of a case of test/vectors/log, and what its result states."""
    optional = lambda name: base64.b64decode(vector[name]) if name in vector else None
    age = vector.get("maxAgeSeconds", math.inf)
    try:
        policy, now_ms = read_policy(vector["policy"]), epoch_ms(vector["now"])
        if "proof" in vector:
            version, names, (size, root, at_ms) = check_proof(
                vector["proof"], policy, now_ms, age, optional("entryBase64"), optional("resourceBase64")
            )
            more = {"hash": version["hash"], "resources": names}
        else:
            (size, root, at_ms), more = check_checkpoint(vector["note"], policy, now_ms, age), {}
    except Refused as refused:
        return refused.step, None
    at = None if at_ms is None else format_time(at_ms)
    return "ok", {"size": size, "root": base64.b64encode(root).decode(), "witnessedAt": at, **more}


def run_vectors(folder):
    wrong, files = [], sorted(pathlib.Path(folder).glob("*.json"))
    for file in files:
        vector = json.loads(file.read_text("utf-8"))
        found, result = outcome_of(vector)
        if found != vector["expected"] or result != vector.get("result"):
            wrong.append(f"{file.stem}: expected {vector['expected']}, found {found} {result}")
    if wrong or not files:
        refuse("VECTORS", "; ".join(wrong) or "no vectors in this folder")
    print(f"{len(files)} cases have the expected outcome")


def read_file(name):
    with open(name, "rb") as file:
        data = file.read(MAX_RESOURCE_BYTES + 1)
    if len(data) > MAX_RESOURCE_BYTES:
        refuse("MALFORMED", f"{name} has more than {MAX_RESOURCE_BYTES} bytes")
    return data


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--vectors":
        return run_vectors(arguments[1])
    if len(arguments) not in (2, 3) or arguments[0].startswith("-"):
        raise WrongUsage(__doc__.strip())
    # Not read_text, which replaces CR LF.
    proof, policy = (read_file(name).decode("utf-8") for name in arguments[:2])
    resource = read_file(arguments[2]) if len(arguments) == 3 else None
    now_ms = int(time.time() * 1000)
    version, names, (size, _, at_ms) = check_proof(
        proof, read_policy(policy), now_ms, resource=resource
    )
    print(f"Verified: {version['snapshotId']} of {version['createdAt']}, hash {version['hash']}")
    for name in names:
        print(f"{arguments[2]} is its resource {name}")
    when = "the policy asks for no witness" if at_ms is None else f"quorum at {format_time(at_ms)}"
    print(f"In a log of {size} versions; {when}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        sys.exit(str(refused))
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"UNREADABLE: {error}")
    except WrongUsage as wrong:
        print(wrong, file=sys.stderr)
        sys.exit(2)
