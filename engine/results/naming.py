"""Names for images that leave: they say of what, made how, and when."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from engine.io.names import usable_name

MOST_SCAN, MOST_PROTOCOL = 80, 40
"""Bytes of a name; folders allow 255, to which endings and marks are added."""


def default_export_name(scan: Path | str, protocol: str, made: datetime, part: str = "") -> str:
    """Return the name of a file to export to, without its ending.

    Parameters
    ----------
    scan
        its file or name
    protocol
        name of the protocol
    made
        when the image was made
    part
        which image of the run, empty for the last

    Examples
    --------
    >>> default_export_name("chest.l.hdr", "Brain / FDG", datetime(2026, 11, 22, 14, 3))
    'chest_Brain-FDG_2026-11-22_14-03'
    """
    name = Path(scan).name
    stem = name.lstrip(".").partition(".")[0] or name
    date = f"{made.astimezone() if made.tzinfo else made:%Y-%m-%d_%H-%M}"
    words = [_plain(stem, MOST_SCAN), _plain(protocol, MOST_PROTOCOL), date]
    if part:
        words.append(_plain(part, MOST_PROTOCOL))
    return usable_name("_".join(word for word in words if word))


def _plain(text: str, most_bytes: int) -> str:
    """Return letters, digits, points and hyphens alone, which every system takes."""
    kept = re.sub(r"[^\w.]+", "-", text).strip("-._")
    return kept.encode()[:most_bytes].decode(errors="ignore")
