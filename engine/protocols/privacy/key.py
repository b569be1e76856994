"""Local key: the file behind each pseudonym of this user.

A pseudonym follows from the file (its place, size and time of change) and a secret of this user, so
that the same scan has the same one every day and nobody else can guess it. Both files of the key
are for their owner alone.
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
from engine.core.paths import config_dir

FOLDER, SECRET, NAMES = "key", "secret", "names.jsonl"
LEAST_DIGITS, MOST_DIGITS = 8, 32
"""Hexadecimal digits of a pseudonym; more where two files would have the same one."""
SUFFIXES = (
    *(".l.hdr", ".hdr.stir", ".l.hdr.stir", ".hdr", ".l", ".clm.safir", ".safir", ".h5", ".hdf5"),
    *(".nii.gz", ".nii", ".csv", ".tsv", ".txt", ".toml", ".npy", ".npz", ".raw", ".mat", ".nxs"),
    *(".log", ".xtekct", ".xml", ".mha", ".geom", ".ang", ".tif", ".tiff", ".json", ".png"),
)
"""Endings that say what a file is; any other may be part of a name."""
DESCRIBING = (".txt", ".log", ".xtekct", ".xml", ".geom", ".toml")
"""Endings of the files that say what the images of a folder are."""

log = logging.getLogger(__name__)


class Known(NamedTuple):
    """A file as it was when it got its pseudonym."""

    path: str
    n_bytes: int
    mtime_ns: int


def pseudonym_of(path: Path, kind: str = "study") -> str:
    """Return what a file is called where names must not go, with its ending: "study-3f9a21c0.h5".

    Parameters
    ----------
    path
        the file
    kind
        purpose in one word
    """
    return _pseudonym(config_dir() / FOLDER, kind, _known(path)) + ending_of(path.name)


def file_of(name: str) -> Path | None:
    """Return the file of this user that a pseudonym stands for, None where it stands for none.

    Raises `DataError` where the file is another one by now.
    """
    stem = name.removesuffix(ending_of(name))
    found = dict(_names(config_dir() / FOLDER)).get(stem)
    if found is None or ending_of(found.path) != ending_of(name):
        return None
    path = Path(found.path)
    if path.exists() and _known(path) != found:
        raise DataError(
            f"{name}: the file behind this pseudonym has changed; give the path of the file itself."
        )
    return path


def ending_of(name: str) -> str:
    """Return the ending of a file name that says what it is, empty if there is none."""
    low = name.lower()
    fitting = [suffix for suffix in SUFFIXES if low.endswith(suffix) and low != suffix]
    return name[-len(max(fitting, key=len)) :] if fitting else ""


def _known(path: Path) -> Known:
    place = os.path.realpath(path)
    try:
        found = _standing_for(path).stat()
    except OSError:
        return Known(place, 0, 0)
    return Known(place, found.st_size, found.st_mtime_ns)


def _standing_for(path: Path) -> Path:
    """Return a file, or the first that describes the scan of a folder; results may come there."""
    if not path.is_dir():
        return path
    files = sorted(each for each in path.iterdir() if each.name.lower().endswith(DESCRIBING))
    return files[0] if files else path


@lru_cache(maxsize=1024)  # asked for with each event of a run
def _pseudonym(folder: Path, kind: str, known: Known) -> str:
    digits = hmac.new(
        _secret(folder), repr((kind, *known)).encode("utf-8", "surrogatepass"), "sha256"
    )
    names = dict(_names(folder))
    for n_digits in range(LEAST_DIGITS, MOST_DIGITS + 1, 4):
        name = f"{kind}-{digits.hexdigest()[:n_digits]}"
        if names.get(name) == known:
            return name
        if name not in names:
            break
    _append(folder, name, known)
    return name


@lru_cache(maxsize=16)
def _secret(folder: Path) -> bytes:
    """Return the secret of this user; one of this process where none can be kept."""
    fresh = secrets.token_bytes(32)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(fresh)
    except FileExistsError:
        return (folder / SECRET).read_bytes() or fresh
    except OSError:
        log.warning(
            "pseudonyms of this session are not stored because the settings cannot be written"
        )
    return fresh


def _names(folder: Path) -> Iterator[tuple[str, Known]]:
    """Yield all pseudonyms; a line that a crash cut short is left out."""
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
    """Add a line in one step, so that two processes at once both keep theirs."""
    line = "\n" + json.dumps([name, *known]) + "\n"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(folder / NAMES, flags, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(line.encode("utf-8", "surrogateescape"))
    except OSError:
        log.warning("a pseudonym is not stored because the settings cannot be written")
