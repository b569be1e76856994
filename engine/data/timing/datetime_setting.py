"""Date and time as a setting, never confused with a number."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator

WANTED = (
    "write date and time as 2026-11-22 11:00, followed by the time zone if "
    "known, for example +01:00"
)


def _moment(value: object) -> object:
    """Return date and time; refuse numbers (seconds since 1970) and days without a time."""
    if value is None or isinstance(value, datetime):
        return value
    # fromisoformat accepts a day alone as midnight, which would shift a decay correction by hours.
    if isinstance(value, str) and ":" in value:
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            pass
    raise ValueError(WANTED)


Moment = Annotated[datetime, BeforeValidator(_moment)]
