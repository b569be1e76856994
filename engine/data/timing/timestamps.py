"""Timestamps of scans and of images of this program."""

from __future__ import annotations

from datetime import datetime


def moment_of(text: object) -> datetime | None:
    """Return a moment from ISO 8601; None for a day without a time, and for what is no moment."""
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) and ":" in text else None
    except ValueError:
        return None
