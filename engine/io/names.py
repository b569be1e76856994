"""Refuse file names that Windows reserves for devices or changes.

They are refused on every system, because files are copied to other computers, and network shares
can
be on Windows servers.
"""

from __future__ import annotations

import os
import re

from engine.core.errors import ResourceError

# Windows ignores the suffix: "con.nii" opens the console. It also accepts superscript digits
# (Microsoft, "Naming Files, Paths, and Namespaces").
DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?", re.IGNORECASE | re.DOTALL
)
NETWORK = re.compile(r"[\\/]{2}([^\\/?.][^\\/]*)")
ON_WINDOWS = re.compile(r'[<>:"|?*\x00-\x1f]')
"""Characters that only Windows refuses. A colon would open an alternate data stream of a file."""


def refuse_unusable_name(name: str) -> None:
    """Refuse a name that could not be read on every system.

    Parameters
    ----------
    name
        name of a file to write, without its folder

    Raises
    ------
    ResourceError
        if Windows reserves or changes the name, or does not allow one of its characters
    """
    why = _why(name)
    if why:
        raise ResourceError(f"{name!r}: {why}. Choose another name.")


def network_host(path: str) -> str:
    """Return the host of a network path such as `//host/share/scan` or its Windows form.

    Parameters
    ----------
    path
        path as text

    Returns
    -------
    host
        in lower case; "" for other paths, drives and devices
    """
    found = NETWORK.match(path)
    return found[1].lower() if found else ""


def usable_name(name: str) -> str:
    """Return the name, with a prefix if Windows reserves it for a device."""
    return f"scan-{name}" if DEVICE.fullmatch(name) else name


def _why(name: str) -> str:
    if DEVICE.fullmatch(name):
        return "Windows reserves this name for a device"
    if name.endswith((".", " ")):
        return "Windows removes the dot or space at its end"
    # Other systems allow these characters, and users have such files, so only Windows refuses them.
    if os.name == "nt" and (found := ON_WINDOWS.search(name)):
        return f"Windows does not allow {found[0]!r} in a name"
    return ""
