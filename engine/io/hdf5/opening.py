"""Opening HDF5 files of others safely.

Refused before anything is read: links that are not hard, datasets kept in other files, virtual
datasets, object types, damaged files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile, unreadable
from engine.io.text.json_text import from_json, to_json

if TYPE_CHECKING:
    import h5py

MAGIC = b"\x89HDF\r\n\x1a\n"
BLOCK_OF_MATLAB = slice(512, 520)
"""Place of the signature after the text that MATLAB 7.3 begins its files with."""
MAX_OBJECTS = 10_000
MAX_TEXT = 16_000_000
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, ArithmeticError)
"""Exceptions that the library raises for damaged files."""
READ_FAILED = re.compile(r"file read failed: .*?\berrno = (\d+)")
"""Number of the system's fault, as the library tells it."""
ENDS = re.compile(r"eof = (\d+), .*stored_eof = (\d+)")
"""Size that a truncated file has and ought to have, as the library tells them."""


def is_hdf5(head: bytes) -> bool:
    """Whether a file begins with the HDF5 signature, or MATLAB's text and then the signature.

    The first file in a tar archive lies there, too; others behind it would go unseen.
    """
    return head.startswith(MAGIC) or (head[BLOCK_OF_MATLAB] == MAGIC and not is_tar(head))


def is_tar(head: bytes) -> bool:
    """Return True if a file begins as tar archives do (POSIX.1-1988, ustar)."""
    return head[257:262] == b"ustar"


def format_of(file: InputFile) -> str | None:
    """Return what an HDF5 file says it is, "" if it does not say, None if it cannot be opened."""
    try:
        with library_file(file) as tree:
            return text_of(tree.attrs.get("format", b""))
    except DAMAGE:
        return None


@contextmanager
def library_file(file: InputFile) -> Iterator[h5py.File]:
    """Open a file with the library, which wants a path, and make sure that it is the same file.

    What the system says of a share that went away is told as that, and not as damage.
    """
    import h5py

    try:
        with h5py.File(file.path, "r") as tree:
            file.refuse_replaced()
            yield tree
    except DAMAGE as e:
        failed = READ_FAILED.search(str(e).replace("\n", " "))
        if failed is None:
            raise
        number = int(failed[1])
        raise unreadable(file.path, OSError(number, os.strerror(number))) from e


@contextmanager
def written_file(path: Path) -> Iterator[tuple[h5py.File | None, bool]]:
    """Open a file that may be written to right now, without a lock, which would stop its writer.

    Yields the file, and whether its writer has it open and shares it (SWMR); None for the file
    where it says that a writer has it open and does not.
    """
    import h5py

    file, is_open = None, False
    try:
        file = h5py.File(path, "r", locking=False)
    except DAMAGE:
        try:
            file, is_open = h5py.File(path, "r", swmr=True, locking=False), True
        except DAMAGE as e:
            if "already open" not in str(e):
                raise damaged(path, e) from e
    try:
        yield file, is_open
    finally:
        if file is not None:
            file.close()


@contextmanager
def open_hdf5(file: InputFile) -> Iterator[h5py.File]:
    """Open a file for reading, checked; damage found later becomes `FileFormatError` too."""
    if not is_hdf5(file.head):
        raise FileFormatError(f"{file.name}: not an HDF5 file; was it damaged or renamed?")
    try:
        with library_file(file) as tree:
            _refuse_unsafe(tree, file)
            yield tree
    except DAMAGE as e:
        raise damaged(file.path, e) from e


def damaged(path: Path, e: Exception) -> FileFormatError:
    """Return the error for what the library says of a file."""
    sizes = ENDS.search(str(e))
    if sizes:
        there, whole = (int(size) for size in sizes.groups())
        return FileFormatError(
            f"{path.name}: truncated HDF5 file, {there:,} of {whole:,} bytes are present; copy or "
            "export it again."
        )
    reason = "truncated" if "truncated" in str(e) else "damaged"
    return FileFormatError(f"{path.name}: {reason} HDF5 file ({e}); copy or export it again.")


def _refuse_unsafe(tree: h5py.File, file: InputFile) -> None:
    """Walk all objects once; the walk never follows a link out of the file."""
    import h5py

    path = file.path
    seen: set[int] = set()
    waiting = [tree["/"]]
    while waiting:
        group = waiting.pop()
        for name in group:
            where = f"{path.name}: {group.name.rstrip('/')}/{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise FileFormatError(
                    f"{where} links to another file, but for safety only self-contained files are "
                    "read; copy the data into this file."
                )
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > MAX_OBJECTS:
                raise FileFormatError(
                    f"{path.name}: more than {MAX_OBJECTS:,} objects, so Isocenter did not write "
                    "it."
                )
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset):
                refuse_unsafe(item, where, file.size)


def refuse_unsafe(item: h5py.Dataset, where: str, size: int, *, texts: bool = False) -> None:
    """Refuse values kept elsewhere, objects, and claims to more than a file can hold.

    Parameters
    ----------
    item
        dataset
    where
        file and dataset, for sentences
    size
        of its file [bytes]
    texts
        take texts of any length, which are kept as objects
    """
    import h5py

    if item.external or item.is_virtual:
        raise FileFormatError(
            f"{where} stores its values in other files, but for safety only self-contained files "
            "are read; copy the data into this file."
        )
    if item.dtype.hasobject and not (texts and h5py.check_string_dtype(item.dtype)):
        raise FileFormatError(f"{where} contains objects, not numbers; export numbers.")
    chunk = int(np.prod(item.chunks or (0,), dtype=object)) * item.dtype.itemsize
    refuse_bomb(max(int(item.nbytes), chunk), size, where)


def dataset(file: h5py.File, name: str, path: Path) -> h5py.Dataset:
    """Return a dataset that must be there."""
    import h5py

    item = file.get(name)
    if not isinstance(item, h5py.Dataset):
        raise FileFormatError(f"{path.name}: contains no dataset {name}; write the file again.")
    return item


def column(item: h5py.Dataset, dtype: str, path: Path) -> Array:
    """Return a dataset's values, in memory; checked are their type, their end and the room."""
    wanted = np.dtype(dtype)
    if item.dtype != wanted:
        raise FileFormatError(
            f"{path.name}: {item.name} is {item.dtype}, expected {wanted}; write the file again."
        )
    refuse_large_data(int(item.nbytes), path.name)
    offset, size = item.id.get_offset(), int(item.file.id.get_filesize())
    if offset is not None and offset + item.nbytes > size:  # the library would fill in zeros
        raise FileFormatError(
            f"{path.name}: truncated, {item.name} ends at byte {offset + item.nbytes:,} of "
            f"{size:,}; copy the file again."
        )
    return np.asarray(item[()])


def text_of(value: Any) -> str:
    """Return a text attribute or scalar dataset as Python text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return str(value)


def read_json(file: h5py.File, name: str, path: Path) -> Plain:
    """Return a JSON object kept as text, {} where it is absent."""
    if name not in file:
        return {}
    item = dataset(file, name, path)
    if item.nbytes > MAX_TEXT or item.shape != ():
        raise FileFormatError(f"{path.name}: {name} is not text; write the file again.")
    try:
        return from_json(text_of(item[()]))
    except ValueError as e:
        raise FileFormatError(f"{path.name}: {name} is not valid JSON ({e}).") from e


def as_json(value: Plain) -> np.bytes_:
    """Return a JSON object as text to keep in a file; the same text for the same object."""
    return np.bytes_(to_json(value).encode())
