"""Roles in names of files and folders: flats, darks and their scan.

Flats are used only if nothing in their names and in those of their folders refers to another scan.
The rest of a name, without the words for flats and darks, must also be part of the scan's names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FLATS = frozenset(
    (
        *("flat", "flats", "flatfield", "ff", "white", "whites", "ref", "refs", "reference"),
        *("open", "openbeam", "io", "gain", "bright", "brightfield", "blank", "empty", "air"),
    )
)
DARKS = frozenset(("dark", "darks", "darkfield", "df", "offset", "offsets", "di", "black"))
BESIDES = frozenset(
    ("field", "fields", "beam", "image", "images", "before", "after", "pre", "post")
)
"""Words that may be part of the name of a folder of flats or darks."""
WORDS = re.compile(r"[a-z]+")
TOKENS = re.compile(r"[a-z]+|\d+")


def role_of(path: Path, within: Path) -> str:
    """Return the role of a file by its name and the folders above it.

    Parameters
    ----------
    path
        file
    within
        folder below which names count

    Returns
    -------
    role
        "flats", "darks" or "". The name closest to the file decides.
    """
    parts = [*path.relative_to(within).parts[:-1], path.stem]
    for part in reversed(parts):
        # "dark" before "flat": the dark of a flat field ("flat_dark") is a dark.
        words = WORDS.findall(part.lower())
        if any(word in DARKS for word in words):
            return "darks"
        if any(word in FLATS for word in words):
            return "flats"
    return ""


def is_named_after_role(name: str) -> bool:
    """Return True if the name of a folder states only a role, so that it is no other scan.

    Parameters
    ----------
    name
        name of the folder
    """
    words = WORDS.findall(name.lower())
    roles = [word for word in words if word in FLATS | DARKS]
    return bool(roles) and all(word in FLATS | DARKS | BESIDES for word in words)


def belongs(images: Path, prefix: str, scan: Path, scan_prefix: str) -> bool:
    """Return True if flats or darks belong to a scan and to no other, by their names.

    Parameters
    ----------
    images, prefix
        folder of the flats or darks, and the beginning of their names
    scan, scan_prefix
        the same for the projections
    """
    images, scan = images.absolute(), scan.absolute()
    known = [_tokens(name) for name in (scan.name, scan.parent.name, scan_prefix)]
    home = images
    # Every folder between the references and a common parent must fit the scan.
    while home != home.parent and not scan.is_relative_to(home):
        if not _is_left_known(home.name, known):
            return False
        home = home.parent
    has_role = home != images and bool(_tokens(images.name) & (FLATS | DARKS))
    return has_role or _is_left_known(prefix, known)


def _is_left_known(name: str, names: Sequence[frozenset[str]]) -> bool:
    """Return True if a name without the words of its role adds nothing to the scan's names.

    Only names of the scan that share a word with it count. The 2 of "tooth2_flats" is known from a
    scan in "tooth2", but not from a scan "tooth" in the folder "monday2".
    """
    left = _tokens(name) - FLATS - DARKS - BESIDES
    words = frozenset(filter(str.isalpha, left))
    return not words or left <= frozenset[str]().union(*(n for n in names if n & words))


def _tokens(name: str) -> frozenset[str]:
    return frozenset(TOKENS.findall(name.lower()))
