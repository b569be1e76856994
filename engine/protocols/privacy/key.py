"""Local key: the file behind each pseudonym of this user.

A pseudonym is derived from the file (its path, size and modification time) and a secret of this
user. The same scan therefore has the same pseudonym every day, and nobody else can guess it. Only
their owner can read the two files of the key.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from engine.core.errors import DataError
from engine.core.paths import key_dir

SECRET, NAMES = "secret", "names.jsonl"
MIN_DIGITS, MAX_DIGITS = 8, 32
"""Hexadecimal digits of a pseudonym; more digits resolve collisions between two files."""
SUFFIXES = (
    *(".l.hdr", ".hdr.stir", ".l.hdr.stir", ".hdr", ".l", ".clm.safir", ".safir", ".h5", ".hdf5"),
    *(".nii.gz", ".nii", ".csv", ".tsv", ".txt", ".toml", ".npy", ".npz", ".raw", ".mat", ".nxs"),
    *(".log", ".xtekct", ".xml", ".mha", ".geom", ".ang", ".tif", ".tiff", ".json", ".png"),
)
"""Endings that state the format of a file; any other ending may be part of a name."""
DESCRIBING = (".txt", ".log", ".xtekct", ".xml", ".geom", ".toml")
"""Endings of files that describe the images of a folder."""

log = logging.getLogger(__name__)


class Known(NamedTuple):
    """State of a file when it received its pseudonym."""

    path: str
    n_bytes: int
    mtime_ns: int


def pseudonym_of(path: Path, kind: str = "study") -> str:
    """Return the pseudonym of a file with its ending, such as "study-3f9a21c0.h5".

    Parameters
    ----------
    path
        the file; it does not have to exist
    kind
        purpose of the file in one word, the first part of the pseudonym
    """
    return _pseudonym(key_dir(), kind, _known(path)) + ending_of(path.name)


def file_of(name: str) -> Path | None:
    """Return the file of this user behind a pseudonym; None if there is none.

    Parameters
    ----------
    name
        pseudonym with its ending

    Raises
    ------
    DataError
        if the file has been changed since it received the pseudonym
    """
    stem = name.removesuffix(ending_of(name))
    found = dict(_names(key_dir())).get(stem)
    # The ending must match too: "study-3f9a21c0.nii" is not the scan "study-3f9a21c0.h5".
    if found is None or ending_of(found.path) != ending_of(name):
        return None
    path = Path(found.path)
    if path.exists() and _known(path) != found:
        raise DataError(
            f"{name}: the original file of this pseudonym has changed; give the path of the "
            "original file instead."
        )
    return path


def ending_of(name: str) -> str:
    """Return the ending of a file name that states its format; empty if there is none.

    Parameters
    ----------
    name
        file name, without folders

    Returns
    -------
    ending
        in the spelling of the name. Of several endings that fit, the longest counts, such as
        ".nii.gz".
    """
    low = name.lower()
    # A file called ".h5" has no name before the ending, so the ending is its name.
    fitting = [suffix for suffix in SUFFIXES if low.endswith(suffix) and low != suffix]
    return name[-len(max(fitting, key=len)) :] if fitting else ""


def _known(path: Path) -> Known:
    # The real path, so that a link and its target have the same pseudonym.
    place = os.path.realpath(path)
    try:
        found = _standing_for(path).stat()
    except OSError:
        # A removed file keeps its pseudonym: its path alone identifies it.
        return Known(place, 0, 0)
    return Known(place, found.st_size, found.st_mtime_ns)


def _standing_for(path: Path) -> Path:
    """Return a file, or the first file that describes the scan in a folder.

    The folder itself would not do: results written into it change its modification time.
    """
    if not path.is_dir():
        return path
    files = sorted(each for each in path.iterdir() if each.name.lower().endswith(DESCRIBING))
    return files[0] if files else path


@lru_cache(maxsize=1024)  # asked for with each event of a run
def _pseudonym(folder: Path, kind: str, known: Known) -> str:
    # A keyed hash (HMAC), because a plain hash of a path could be found by trying patient names.
    digits = hmac.new(
        # File names on Linux are bytes; surrogates keep those that are not valid UTF-8.
        _secret(folder),
        repr((kind, *known)).encode("utf-8", "surrogatepass"),
        "sha256",
    )
    names = dict(_names(folder))
    # Short pseudonyms are easy to read. More digits only if the short one belongs to another file.
    for n_digits in range(MIN_DIGITS, MAX_DIGITS + 1, 4):
        name = f"{kind}-{digits.hexdigest()[:n_digits]}"
        if names.get(name) == known:
            return name
        if name not in names:
            break
    _append(folder, name, known)
    return name


@lru_cache(maxsize=16)
def _secret(folder: Path) -> bytes:
    """Return the secret of this user; a temporary one if it cannot be stored."""
    fresh = secrets.token_bytes(32)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # O_EXCL: two programs that start at once must agree on one secret. 0o600: owner only.
        handle = os.open(folder / SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(fresh)
    except FileExistsError:
        # Another process may have created the file without having written it yet.
        return (folder / SECRET).read_bytes() or fresh
    except OSError:
        log.warning(
            "pseudonyms of this session are not stored because the settings cannot be written"
        )
    return fresh


def _names(folder: Path) -> Iterator[tuple[str, Known]]:
    """Yield all pseudonyms; lines truncated by a crash are skipped."""
    try:
        lines = (folder / NAMES).read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            name, *known = json.loads(line)
            yield str(name), Known(*known)
        except (ValueError, TypeError):
            continue


def _append(folder: Path, name: str, known: Known) -> None:
    """Append a line in one write; two simultaneous processes then preserve both lines."""
    # The leading line break separates the entry from a line that a crash has truncated.
    line = "\n" + json.dumps([name, *known]) + "\n"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(folder / NAMES, flags, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(line.encode("utf-8", "surrogateescape"))
    except OSError:
        log.warning("a pseudonym is not stored because the settings cannot be written")
