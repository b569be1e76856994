"""A moment as settings hold it: a day and a time, never a number that is taken for one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator

WANTED = "write day and time as 2026-11-22 11:00, with +01:00 behind it to say the zone"


def _moment(value: object) -> object:
    """Return a moment; numbers would be seconds since 1970, and a day alone midnight."""
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str) and ":" in value:
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            pass
    raise ValueError(WANTED)


Moment = Annotated[datetime, BeforeValidator(_moment)]
