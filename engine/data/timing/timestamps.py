"""Timestamps of scans and of images of this program."""

from __future__ import annotations

from datetime import datetime


def moment_of(text: object) -> datetime | None:
    """Parse a timestamp in ISO 8601.

    Parameters
    ----------
    text
        any value of a file

    Returns
    -------
    the time; None for a day without a time, and for invalid text
    """
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) and ":" in text else None
    except ValueError:
        return None
