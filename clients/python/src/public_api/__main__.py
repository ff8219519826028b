"""Commands: ``python -m public_api verify URL`` and ``python -m public_api audit URL``."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence
from urllib.parse import urlsplit

from .client import Client
from .errors import ApiResponseError, ConnectionError, VerificationError
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
    for each in (verify,):
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
            _verify(client, target_of(options.url) or "/", options.etag)
    except VerificationError as error:
        print(error, file=sys.stderr)
        return 3 if _is_inconclusive(error) else 1
    except (ApiResponseError, ConnectionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
