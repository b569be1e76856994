"""Roles in names of files and folders: flats, darks and their scan.

Flats are taken only where nothing in their names and in those of their folders speaks of another
scan: what is left of a name without the words for flats and darks must stand in the scan's too.
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
"""Words that may stand beside these in the name of a folder that is near a scan."""
WORDS = re.compile(r"[a-z]+")
TOKENS = re.compile(r"[a-z]+|\d+")


def role_of(path: Path, within: Path) -> str:
    """Return "flats", "darks" or "", by the last word that tells in a path below a folder."""
    parts = [*path.relative_to(within).parts[:-1], path.stem]
    for part in reversed(parts):
        words = WORDS.findall(part.lower())
        if any(word in DARKS for word in words):
            return "darks"
        if any(word in FLATS for word in words):
            return "flats"
    return ""


def is_named_after_role(name: str) -> bool:
    """Return True if a folder's name says nothing but its role, so that it is no other scan."""
    words = WORDS.findall(name.lower())
    roles = [word for word in words if word in FLATS | DARKS]
    return bool(roles) and all(word in FLATS | DARKS | BESIDES for word in words)


def belongs(images: Path, prefix: str, scan: Path, scan_prefix: str) -> bool:
    """Return True if flats or darks are of a scan, and of no other, by their names.

    Parameters
    ----------
    images, prefix
        folder of the flats or darks, and what their names begin with
    scan, scan_prefix
        the same of the projections
    """
    images, scan = images.absolute(), scan.absolute()
    known = [_tokens(name) for name in (scan.name, scan.parent.name, scan_prefix)]
    home = images
    while home != home.parent and not scan.is_relative_to(home):
        if not _is_left_known(home.name, known):
            return False
        home = home.parent
    has_role = home != images and bool(_tokens(images.name) & (FLATS | DARKS))
    return has_role or _is_left_known(prefix, known)


def _is_left_known(name: str, names: Sequence[frozenset[str]]) -> bool:
    """Whether a name without the words of its role says nothing, or what the scan's names say.

    Of the scan's names, those count that share a word with it: the 2 of "tooth2_flats" is known
    from a scan in "tooth2", and not from one of a "tooth" that lies in "monday2".
    """
    left = _tokens(name) - FLATS - DARKS - BESIDES
    words = frozenset(filter(str.isalpha, left))
    return not words or left <= frozenset[str]().union(*(n for n in names if n & words))


def _tokens(name: str) -> frozenset[str]:
    return frozenset(TOKENS.findall(name.lower()))
