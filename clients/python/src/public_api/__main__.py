"""Commands: ``python -m public_api verify URL`` and ``python -m public_api audit URL``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Optional, Sequence
from urllib.parse import urlsplit

from .audit import audit_history
from .client import Client
from .errors import (
    ApiResponseError,
    AuditStateError,
    ConnectionError,
    HistoryError,
    UnsettledError,
    VerificationError,
)
from .http_response import HttpResponse
from .instant import format_instant
from .verification import target_of

EXIT_CODES = """Exit status: 0 everything holds; 1 something is proven wrong, and the first word on standard error
is the code; 2 wrong usage; 3 nothing could be established, such as an unreachable service."""


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


def _is_inconclusive(error: VerificationError) -> bool:
    """An unsigned 429 or 5xx comes from a proxy, or from a service that does not sign. It proves nothing."""
    response: Optional[HttpResponse] = error.response
    return error.code == "UNSIGNED" and response is not None and (response.status == 429 or response.status >= 500)


def _verify(client: Client, target: str, etag: Optional[str]) -> None:
    response = client.get_unverified(target, if_none_match=etag)
    verified = client.verify(response)
    print(
        f"Verified: GET {target}, status {verified.status}, "
        f"signed at {format_instant(verified.proved_at_ms)} by {verified.key_id}",
        file=sys.stderr,
    )
    sys.stdout.buffer.write(response.body)
    sys.stdout.buffer.flush()


def _audit(client: Client, options: argparse.Namespace) -> None:
    try:
        report = audit_history(client, state=options.state, moved=options.moved)
    except HistoryError as error:
        if options.evidence is not None:
            # Never replaces a file: this is the only copy of the proof.
            with open(options.evidence, "x", encoding="utf-8") as file:
                json.dump(error.evidence, file)
        raise
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


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command and returns its exit status."""
    options = _parser().parse_args(arguments)
    parts = urlsplit(options.url)
    try:
        client = Client(f"{parts.scheme}://{parts.netloc}", pinned_key_ids=options.pin)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not options.pin:
        print(
            "warning: no key is pinned; a copy of the service with its own key would pass (--pin ID)",
            file=sys.stderr,
        )
    try:
        with client:
            if options.command == "verify":
                _verify(client, target_of(options.url) or "/", options.etag)
            else:
                _audit(client, options)
    except VerificationError as error:
        print(error, file=sys.stderr)
        return 3 if _is_inconclusive(error) else 1
    except AuditStateError as error:
        print(error, file=sys.stderr)
        return 2
    except (ApiResponseError, ConnectionError, UnsettledError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
