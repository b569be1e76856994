"""Moments as options give them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.core.errors import SettingsError

TIME = "YYYY-MM-DDTHH:MM:SS+HH:MM"


def moment_of(text: str | None, zone: str | None) -> datetime | None:
    """Return a moment; a day without a time, or a time without a day, is none."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or ":" not in text:
        raise SettingsError(f"{text!r} is no date with a time; want {TIME}.")
    if moment.tzinfo is not None or zone is None:
        return moment
    try:
        return moment.replace(tzinfo=ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as e:
        raise SettingsError(f"{zone!r} is no time zone; want one as Europe/Berlin.") from e
