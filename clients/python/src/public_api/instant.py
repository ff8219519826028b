"""Instants as the service writes them: ISO 8601 in UTC with the letter Z."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import Optional

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{3}))?Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DAYS_OF_400_YEARS = 146_097
_EPOCH_DAY = date(1970, 1, 1).toordinal()


def parse_instant(text: object) -> Optional[int]:
    """Milliseconds since 1970; None for another form, and for a time that does not exist."""
    match = _FORM.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, milliseconds = match.groups()
    try:
        # A date has no year 0. The calendar repeats after 400 years.
        days = date(int(year) or 400, int(month), int(day)).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    if int(year) == 0:
        days -= _DAYS_OF_400_YEARS
    seconds = ((days * 24 + int(hour)) * 60 + int(minute)) * 60 + int(second)
    return seconds * 1000 + int(milliseconds or 0)


def format_instant(epoch_ms: int) -> str:
    """The text of an instant, in milliseconds."""
    moment = _EPOCH + timedelta(milliseconds=epoch_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{epoch_ms % 1000:03d}Z"
