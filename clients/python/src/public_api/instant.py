"""Instants as the service writes them: ISO 8601 in UTC with the letter Z."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Optional

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def parse_instant(text: object) -> Optional[int]:
    """Milliseconds since 1970; None for another form, and for a time that does not exist."""
    match = _FORM.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, milliseconds = (int(part or 0) for part in match.groups())
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(milliseconds=1) + milliseconds


def format_instant(epoch_ms: int) -> str:
    """The text of an instant, in milliseconds."""
    moment = _EPOCH + timedelta(milliseconds=epoch_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{epoch_ms % 1000:03d}Z"
