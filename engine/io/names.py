"""Refuse file names that Windows reserves for devices or changes.

They are refused on every system, since what is written here is read elsewhere, and shares have
Windows behind them.
"""

from __future__ import annotations

import os
import re

from engine.core.errors import ResourceError

DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?", re.IGNORECASE | re.DOTALL
)
ON_WINDOWS = re.compile(r'[<>:"|?*\x00-\x1f]')
"""Signs that other systems take. A colon would open a second, hidden stream of a file."""


def refuse_unusable_name(name: str) -> None:
    """Refuse the name of a file to be written that could not be read everywhere."""
    why = _why(name)
    if why:
        raise ResourceError(f"{name!r}: {why}; choose another name.")


def usable_name(name: str) -> str:
    """Return a name that is like another one and that Windows keeps for no device."""
    return f"scan-{name}" if DEVICE.fullmatch(name) else name


def _why(name: str) -> str:
    if DEVICE.fullmatch(name):
        return "Windows reserves this name for a device"
    if name.endswith((".", " ")):
        return "Windows removes the dot or space at its end"
    if os.name == "nt" and (found := ON_WINDOWS.search(name)):
        return f"Windows does not allow {found[0]!r} in a name"
    return ""
