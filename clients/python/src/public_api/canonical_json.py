"""JSON as the signed data uses it: strict reading, and the canonical text of RFC 8785."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_MAX_SAFE_INTEGER = 2**53
#: Digits of the largest integer that a double represents exactly.
_SAFE_DIGITS = 16
#: Arrays and objects inside one another. Deeper texts only exhaust the stack.
_MAX_DEPTH = 128
_CONTAINERS = frozenset((dict, list))


class _OtherNumber(Exception):
    """A number other than a safe integer."""


def _constant(text: str) -> Any:
    raise ValueError(f"expected JSON, found {text}")


def _integer(text: str) -> float:
    """An integer as ECMAScript reads it: as a double."""
    if len(text) < _SAFE_DIGITS:
        return int(text)
    number = float(text)
    return int(number) if abs(number) <= _MAX_SAFE_INTEGER else number


def _no_double(text: str) -> float:
    raise _OtherNumber


def _safe_integer(text: str) -> int:
    # A sign and 16 digits at most.
    number = int(text) if len(text) <= _SAFE_DIGITS + 1 else _MAX_SAFE_INTEGER + 1
    if abs(number) > _MAX_SAFE_INTEGER:
        raise _OtherNumber
    return number


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        # Readers differ in which one counts (RFC 7493 2.3).
        raise ValueError("expected each name once in an object")
    return value


def _require_depth(value: Any) -> None:
    # The parser makes no other types than these, and comparing types takes half the time of isinstance.
    level: list[Any] = [[value]]
    depth = -1
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise ValueError(f"expected at most {_MAX_DEPTH} arrays and objects inside one another")
        level = [
            inner
            for each in level
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) in _CONTAINERS
        ]


_DECODER = json.JSONDecoder(
    parse_float=float, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
)
#: Most documents have only safe integers, whose canonical text the encoder of the standard library writes.
_PLAIN_DECODER = json.JSONDecoder(
    parse_float=_no_double, parse_int=_safe_integer, parse_constant=_constant, object_pairs_hook=_object
)
_PLAIN_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
)


def parse_json(text: bytes) -> tuple[Any, bool]:
    """The value of a JSON text in UTF-8, and whether it has numbers other than safe integers.

    A number beyond the doubles is infinite, as in ECMAScript, and has no canonical text. Raises a ValueError or a
    RecursionError, also for an object with two members of one name (I-JSON, RFC 7493).
    """
    decoded = text.decode("utf-8")
    try:
        value, has_doubles = _PLAIN_DECODER.decode(decoded), False
    except _OtherNumber:
        value, has_doubles = _DECODER.decode(decoded), True
    _require_depth(value)
    return value, has_doubles


def canonical_json(value: Any, *, has_doubles: bool = True) -> bytes:
    """The canonical text of a JSON value (RFC 8785). Raises a ValueError for a value without one.

    ``has_doubles`` is False if every number is a safe integer; the text is then faster to write.
    """
    if not has_doubles:
        text = _PLAIN_ENCODER.encode(value)
        # Names are sorted by UTF-16 code units. That order differs from Python's only beyond U+FFFF.
        if text.isascii() or _ASTRAL.search(text) is None:
            return text.encode("utf-8")
    return _write(value).encode("utf-8")


def utf16(name: str) -> bytes:
    """Sorts names as RFC 8785 does: by UTF-16 code units."""
    return name.encode("utf-16-be")


def _write(value: Any) -> str:
    if isinstance(value, dict):
        names = sorted(value, key=utf16)
        return "{" + ",".join(f"{_write(name)}:{_write(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return _format_number(float(value))
        except OverflowError:
            raise ValueError("expected a number that a double represents") from None
    return json.dumps(value, ensure_ascii=False)


def _format_number(number: float) -> str:
    """A double as ECMAScript writes it: the shortest digits, in its own choice of notation."""
    if number - number != 0:
        raise ValueError("expected a number that a double represents")
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    if not isinstance(exponent, int):
        raise ValueError("expected a finite number")
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
