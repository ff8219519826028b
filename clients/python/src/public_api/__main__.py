"""Commands: ``python -m public_api verify URL`` and ``python -m public_api audit URL``."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from typing import Optional, Sequence, TextIO
from urllib.parse import urlsplit

from .audit import audit_history
from .client import Client
from .copies import is_outage
from .errors import (
    ApiResponseError,
    AuditStateError,
    CopyError,
    HistoryError,
    UnsettledError,
    VerificationError,
)
from .instant import format_instant
from .verification import target_of

EXIT_CODES = """Exit status: 0 everything holds; 1 something is proven wrong, and the first word on standard error
is the code; 2 wrong usage; 3 nothing could be established, such as an unreachable service."""


_DASHED_KEY_ID = re.compile("-[A-Za-z0-9_-]{42}")
_MAX_LINE = 2000
_MAX_NAMES = 1001


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m public_api", epilog=EXIT_CODES)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="read a URL, verify the response and write its body")
    verify.add_argument("url")
    verify.add_argument("--etag", help="the entity tag you have; a 304 then counts")
    audit = commands.add_parser("audit", help="recompute the history and compare it with the last audit")
    audit.add_argument("url", help="origin of the service")
    audit.add_argument("--state", metavar="FILE", help="remembers the newest version, as svc audit does")
    audit.add_argument("--moved", action="store_true", help="accept a state of another origin")
    audit.add_argument("--evidence", metavar="FILE", help="where to save the proof of a contradiction")
    for each in (verify, audit):
        each.add_argument(
            "--pin", action="append", default=[], metavar="ID", help="a key to trust; may be repeated"
        )
        each.epilog = EXIT_CODES
    return parser


def _verify(client: Client, target: str, etag: Optional[str]) -> None:
    response = client.get_unverified(target, if_none_match=etag)
    verified = client.verify(response)
    print(
        f"Verified: GET {target}, status {verified.status}, "
        f"signed at {format_instant(verified.proved_at_ms)} by {verified.key_id}",
        file=sys.stderr,
    )
    for warning in verified.warnings:
        _report(f"warning: {warning}", 0)
    sys.stdout.buffer.write(_for_terminal(response.body) if sys.stdout.isatty() else response.body)
    sys.stdout.buffer.flush()


def _for_terminal(body: bytes) -> bytes:
    """The same JSON, with what could control a terminal as escapes."""
    letters = (
        letter if letter.isprintable() or letter in "\n\t" else json.dumps(letter)[1:-1]
        for letter in body.decode("utf-8", "replace")
    )
    return "".join(letters).encode("utf-8")


def _save_evidence(name: str, error: HistoryError) -> None:
    """Writes the proof to a new file, or to standard output if that fails: it exists nowhere else."""
    text = json.dumps(error.evidence)
    try:
        file = _create(name)
        saved = file.name
        try:
            with file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            # A part of it would look like whole evidence.
            os.unlink(saved)
            raise
    except OSError as failure:
        _report(f"error: the evidence was not saved and follows on standard output: {failure}", 1)
        print(text)
    else:
        _report(f"The evidence is in {saved}", 1)


def _create(name: str) -> TextIO:
    """Opens a new file. An existing one is never replaced: ``-2``, ``-3`` and so on are tried, as by svc audit."""
    root, ending = os.path.splitext(name)
    for candidate in (name, *(f"{root}-{number}{ending}" for number in range(2, _MAX_NAMES))):
        try:
            return open(candidate, "x", encoding="utf-8")
        except FileExistsError:
            continue
    raise FileExistsError(f"{name} and {_MAX_NAMES - 2} others exist")


def _report(message: str, status: int) -> int:
    """Prints one line and returns the exit status. A server must not control the terminal with what is quoted."""
    line = "".join(letter if letter.isprintable() else " " for letter in message)
    print(line[:_MAX_LINE], file=sys.stderr)
    return status


def _audit(client: Client, options: argparse.Namespace) -> None:
    report = audit_history(client, state=options.state, moved=options.moved)
    change = report.key_change
    if change is not None and not change.is_announced:
        print(f"warning: the key {change.after} signs now; no audit saw it announced", file=sys.stderr)
    for entry in report.new_versions:
        print(f"{entry['snapshotId']} {entry['createdAt']} {entry['hash']}")
    unavailable = f", {len(report.unavailable)} are unavailable" if report.unavailable else ""
    print(
        f"Audited: {report.head['snapshotId']} is the newest of the history, {report.versions_read} versions "
        f"recomputed, {len(report.resources)} resources match{unavailable}; signed by {report.key_id}",
        file=sys.stderr,
    )


def _joined(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments with each key ID that starts with a dash joined to its option: argparse takes it for another one."""
    joined: list[str] = []
    for argument in arguments:
        if joined[-1:] == ["--pin"] and _DASHED_KEY_ID.fullmatch(argument):
            joined[-1] = f"--pin={argument}"
        else:
            joined.append(argument)
    return joined


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command and returns its exit status."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        parts = urlsplit(options.url)
        client = Client(f"{parts.scheme}://{parts.netloc}", pinned_key_ids=options.pin or None)
    except ValueError as error:
        return _report(f"error: {error}", 2)
    if not options.pin:
        print(
            "warning: no key is pinned; a copy of the service with its own key would pass (--pin ID)",
            file=sys.stderr,
        )
    try:
        with client:
            if options.command == "verify":
                _verify(client, target_of(options.url), options.etag)
            else:
                _audit(client, options)
    except HistoryError as error:
        _report(str(error), 1)
        if options.evidence is not None:
            _save_evidence(options.evidence, error)
        return 1
    except VerificationError as error:
        return _report(str(error), 3 if is_outage(error) else 1)
    except AuditStateError as error:
        return _report(str(error), 2)
    except ValueError as error:
        return _report(f"error: {error}", 2)
    except (ApiResponseError, CopyError, UnsettledError, OSError) as error:
        # A redirect, or a body above the limit, is a response.
        return _report(f"error: {error}", 1 if getattr(error, "is_final", False) else 3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
