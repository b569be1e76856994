"""Names for exported images, from scan, protocol and time."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from engine.io.names import usable_name

MAX_SCAN, MAX_PROTOCOL = 80, 40
"""Bytes of each part; file systems allow 255 per name, including suffixes and marks."""


def default_export_name(scan: Path | str, protocol: str, made: datetime, part: str = "") -> str:
    """Return the name of a file to export to, without its ending.

    Parameters
    ----------
    scan
        file or name of the scan
    protocol
        name of the protocol
    made
        time at which the image was made
    part
        name of an image of the run; empty for the final one

    Examples
    --------
    >>> default_export_name("chest.l.hdr", "Brain / FDG", datetime(2026, 11, 22, 14, 3))
    'chest_Brain-FDG_2026-11-22_14-03'
    """
    name = Path(scan).name
    stem = name.lstrip(".").partition(".")[0] or name
    # No colons and spaces: Windows refuses colons, and shells split at spaces.
    # Local time, as the user saw it on the clock; a time without a zone is local already.
    date = f"{made.astimezone() if made.tzinfo else made:%Y-%m-%d_%H-%M}"
    words = [_safe_letters(stem, MAX_SCAN), _safe_letters(protocol, MAX_PROTOCOL), date]
    if part:
        words.append(_safe_letters(part, MAX_PROTOCOL))
    return usable_name("_".join(word for word in words if word))


def _safe_letters(text: str, max_bytes: int) -> str:
    """Return a text with only letters, digits, dots and hyphens, valid in every file system."""
    cleaned = re.sub(r"[^\w.]+", "-", text).strip("-._")
    # The cut may divide a character of several bytes, which is then dropped.
    return cleaned.encode()[:max_bytes].decode(errors="ignore")
