"""Parse dates and times of options."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.core.errors import SettingsError

TIME = "YYYY-MM-DDTHH:MM:SS+HH:MM"


def moment_of(text: str | None, zone: str | None) -> datetime | None:
    """Parse a date with a time; a date or time alone is refused.

    Parameters
    ----------
    text
        date and time in ISO 8601, or None
    zone
        time zone for a time without an offset, such as Europe/Berlin

    Raises
    ------
    SettingsError
        if the text or the zone is not valid
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    # `fromisoformat` accepts a date alone, as midnight, which is never the time of an injection
    if moment is None or ":" not in text:
        raise SettingsError(f"{text!r} is not a date with a time; expected {TIME}.")
    if moment.tzinfo is not None or zone is None:
        return moment
    # Windows has no zone database: the package tzdata provides it, and may be missing
    try:
        return moment.replace(tzinfo=ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as e:
        raise SettingsError(
            f"{zone!r} is not a time zone; expected one such as Europe/Berlin."
        ) from e
