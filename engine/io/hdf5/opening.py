"""Open HDF5 files of other programs safely.

Before any value is read, the following are refused: soft and external links, datasets in other
files, virtual datasets, object types, and damaged files. A file of unknown format is described by
names, shapes and types of its datasets.

Compression filters are those of hdf5plugin; missing ones are named. Detectors write with
bitshuffle, LZ4, Blosc or Zstandard. No other libraries of filters are loaded, because paths in the
environment could point to foreign code. hdf5plugin is imported only if a dataset needs it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, ResourceError
from engine.core.json_types import Plain
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile, unreadable
from engine.io.safety.seal import digest
from engine.io.text.json_text import from_json, to_json

if TYPE_CHECKING:
    import h5py

MAGIC = b"\x89HDF\r\n\x1a\n"
BLOCK_OF_MATLAB = slice(512, 520)
"""Position of the signature behind the text at the beginning of MATLAB 7.3 files."""
CHUNK = 4_000_000
"""Rows that are checked together, so that the temporary arrays stay small."""
# A damaged file can have a tree without end. Our own files have far fewer objects.
MAX_OBJECTS = 10_000
MAX_TEXT = 16_000_000
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, ArithmeticError)
"""Exceptions that h5py raises for damaged files."""
READ_FAILED = re.compile(r"file read failed: .*?\berrno = (\d+)")
"""Error number of the system in the message of the HDF5 library."""
ENDS = re.compile(r"eof = (\d+), .*stored_eof = (\d+)")
"""Actual and expected size of a truncated file in the message of the HDF5 library."""
MAX_NAMED = 6
NAMES = {
    307: "bzip2",
    32001: "Blosc",
    32004: "LZ4",
    32008: "bitshuffle",
    32013: "ZFP",
    32015: "Zstandard",
    32017: "SZ",
    32018: "FCIDECOMP",
    32024: "SZ3",
    32026: "Blosc2",
}
"""Filter numbers registered at The HDF Group."""


def is_hdf5(head: bytes) -> bool:
    """Return True if a file begins with the HDF5 signature, perhaps after MATLAB's text.

    In a tar archive the first file is at the same position. It is refused, because the files behind
    it
    would be ignored.
    """
    return head.startswith(MAGIC) or (head[BLOCK_OF_MATLAB] == MAGIC and not is_tar(head))


def is_tar(head: bytes) -> bool:
    """Return True if a file begins as a tar archive (POSIX ustar)."""
    return head[257:262] == b"ustar"


def format_of(file: InputFile) -> str | None:
    """Return the stated format of an HDF5 file.

    Parameters
    ----------
    file
        file with the HDF5 signature

    Returns
    -------
    name
        "" if the file states none, None if it cannot be opened
    """
    try:
        with library_file(file) as tree:
            return text_of(tree.attrs.get("format", b""))
    except DAMAGE:
        return None


@contextmanager
def library_file(file: InputFile) -> Iterator[h5py.File]:
    """Open a file with h5py, and ensure that it is the same file.

    Parameters
    ----------
    file
        open file; h5py opens its path a second time

    Yields
    ------
    tree
        open for reading

    Raises
    ------
    EngineError
        if the path leads to another file by now, or the system fails to read
    """
    import h5py

    try:
        with h5py.File(file.path, "r") as tree:
            # h5py accepts only paths, so the name can lead to another file than the one that was
            # checked.
            file.refuse_replaced()
            yield tree
    except DAMAGE as e:
        # HDF5 reports a lost network share as a damaged file. The error number in its text tells
        # the cause.
        failed = READ_FAILED.search(str(e).replace("\n", " "))
        if failed is None:
            raise
        number = int(failed[1])
        raise unreadable(file.path, OSError(number, os.strerror(number))) from e


@contextmanager
def written_file(path: Path) -> Iterator[tuple[h5py.File | None, bool]]:
    """Open a file that another program may be writing, without a lock.

    Parameters
    ----------
    path
        file to open

    Yields
    ------
    tree, is_open
        `is_open` is True if the writer shares the file (SWMR); tree is None if the writer has it
        open
        without sharing it

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    import h5py

    file, is_open = None, False
    try:
        # HDF5 locks files for reading by default. The lock would stop the program that writes the
        # file.
        file = h5py.File(path, "r", locking=False)
    except DAMAGE:
        try:
            file, is_open = h5py.File(path, "r", swmr=True, locking=False), True
        except DAMAGE as e:
            # The file states that a writer without SWMR has it open. It is not damaged: try again
            # later.
            if "already open" not in str(e):
                raise damaged(path, e) from e
    try:
        yield file, is_open
    finally:
        if file is not None:
            file.close()


@contextmanager
def open_hdf5(file: InputFile) -> Iterator[h5py.File]:
    """Open a checked file for reading; damage that is found later becomes a `FileFormatError` too.

    Parameters
    ----------
    file
        open file

    Yields
    ------
    tree
        open for reading

    Raises
    ------
    FileFormatError
        if it is no HDF5 file, is damaged, or refers to other files
    """
    if not is_hdf5(file.head):
        raise FileFormatError(
            f"{file.name}: not an HDF5 file; copy it again, or choose the right file."
        )
    try:
        with library_file(file) as tree:
            _refuse_unsafe(tree, file)
            yield tree
    except DAMAGE as e:
        raise damaged(file.path, e) from e


def damaged(path: Path, e: Exception) -> FileFormatError:
    """Return the error for a damaged file, with the reason of the HDF5 library."""
    sizes = ENDS.search(str(e))
    if sizes:
        there, whole = (int(size) for size in sizes.groups())
        return FileFormatError(
            f"{path.name}: truncated HDF5 file, {there:,} of {whole:,} bytes are present; copy or "
            "export it again."
        )
    if "truncated" in str(e):
        return FileFormatError(f"{path.name}: truncated HDF5 file ({e}); copy or export it again.")
    return FileFormatError(f"{path.name}: damaged HDF5 file ({e}); copy or export it again.")


def _refuse_unsafe(tree: h5py.File, file: InputFile) -> None:
    """Visit all objects once; links out of the file are never followed."""
    import h5py

    path = file.path
    # Hard links can form cycles, so objects are known by their address.
    seen: set[int] = set()
    waiting = [tree["/"]]
    while waiting:
        group = waiting.pop()
        for name in group:
            where = f"{path.name}: {group.name.rstrip('/')}/{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise FileFormatError(
                    f"{where}: links to another file, but, for safety, only self-contained files "
                    "are read; copy the data into this file."
                )
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > MAX_OBJECTS:
                raise FileFormatError(
                    f"{path.name}: contains more than {MAX_OBJECTS:,} objects, so it was not "
                    "written by Isocenter; choose another file."
                )
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset):
                refuse_unsafe(item, where, file.size)


def refuse_unsafe(item: h5py.Dataset, where: str, size: int, *, texts: bool = False) -> None:
    """Refuse a dataset that is stored elsewhere, contains objects, or claims an impossible size.

    Parameters
    ----------
    item
        dataset
    where
        file and dataset, for messages
    size
        size of its file [bytes]
    texts
        True accepts texts of variable length, which HDF5 stores as objects

    Raises
    ------
    FileFormatError
        states the reason
    """
    import h5py

    # Such a dataset could read any file of the user, such as a password file, into an image.
    if item.external or item.is_virtual:
        raise FileFormatError(
            f"{where}: the values are stored in other files, but, for safety, only self-contained "
            "files are read; copy the data into this file."
        )
    # Object types need decoding in Python, and references could point to other objects.
    if item.dtype.hasobject and not (texts and h5py.check_string_dtype(item.dtype)):
        raise FileFormatError(
            f"{where}: contains objects, expected numbers; export the data as numbers."
        )
    # HDF5 allocates a whole chunk even to read one value, and a chunk can be larger than the
    # dataset. Python integers, because the product can overflow 64 bits.
    chunk = int(np.prod(item.chunks or (0,), dtype=object)) * item.dtype.itemsize
    refuse_bomb(max(int(item.nbytes), chunk), size, where)


def dataset(file: h5py.File, name: str, path: Path) -> h5py.Dataset:
    """Return a dataset; refuse a file that has none of this name."""
    import h5py

    item = file.get(name)
    if not isinstance(item, h5py.Dataset):
        raise FileFormatError(f"{path.name}: contains no dataset {name!r}; write the file again.")
    return item


def column(item: h5py.Dataset, dtype: str, path: Path) -> Array:
    """Return the values of a dataset in memory.

    Parameters
    ----------
    item
        dataset
    dtype
        required NumPy type, with byte order
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if the type differs, or the file is truncated
    ResourceError
        if the values do not fit in memory
    """
    wanted = np.dtype(dtype)
    if item.dtype != wanted:
        raise FileFormatError(
            f"{path.name}: the dataset {item.name!r} has the type {item.dtype}, expected {wanted}; "
            "write the file again."
        )
    refuse_large_data(int(item.nbytes), path.name)
    offset, size = item.id.get_offset(), int(item.file.id.get_filesize())
    # HDF5 returns zeros for contiguous values beyond the end of the file.
    if offset is not None and offset + item.nbytes > size:
        raise FileFormatError(
            f"{path.name}: the file is truncated; the dataset {item.name!r} ends at byte "
            f"{offset + item.nbytes:,}, but the file has only {size:,} bytes. Copy the file again."
        )
    return np.asarray(item[()])


def unchanged_column(item: h5py.Dataset, dtype: str, path: Path) -> Array:
    """Return the values of a dataset in memory, as `column`, and check their digest."""
    values = column(item, dtype, path)
    refuse_changed(item, values, path)
    return values


def refuse_changed(item: h5py.Dataset, values: Array, path: Path) -> None:
    """Refuse values that do not match the stored digest; older files have none.

    Parameters
    ----------
    item
        dataset
    values
        its values
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if the values have changed since they were written
    """
    written = item.attrs.get("sha256")
    if written is not None and digest(values) != text_of(written):
        raise FileFormatError(
            f"{path.name}: the dataset {item.name.strip('/')!r} has changed since it was written "
            "(its checksum differs); copy the file again."
        )


def first_row(values: Array, bad: Callable[[Array], Array]) -> int | None:
    """Return the index of the first row with a bad value, None if there is none.

    Parameters
    ----------
    values
        (n,) or (n, 2), perhaps in a file
    bad
        function that marks the bad values of a part
    """
    for start in range(0, len(values), CHUNK):
        hit = np.flatnonzero(bad(values[start : start + CHUNK]))
        if len(hit):
            # `flatnonzero` counts values, but a row can have two.
            return start + int(hit[0]) // (values[0].size or 1)
    return None


def text_of(value: Any) -> str:
    """Return a text attribute or scalar dataset as `str`."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return str(value)


def read_json(file: h5py.File, name: str, path: Path) -> Plain:
    """Return a JSON object that is stored as text, {} if it is absent.

    Parameters
    ----------
    file
        open for reading
    name
        dataset
    path
        file, for messages

    Raises
    ------
    FileFormatError
        if it is no JSON object
    """
    if name not in file:
        return {}
    item = dataset(file, name, path)
    if item.nbytes > MAX_TEXT or item.shape != ():
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} is not text; write the file again."
        )
    try:
        return from_json(text_of(item[()]))
    except ValueError as e:
        raise FileFormatError(
            f"{path.name}: the dataset {name!r} is not valid JSON; write the file again. Reason: "
            f"{e}."
        ) from e


def as_json(value: Plain) -> np.bytes_:
    """Return a JSON object as text for a file; equal objects give equal texts."""
    return np.bytes_(to_json(value).encode())


def datasets_in(file: InputFile) -> list[str]:
    """Return each dataset of a file as text.

    Parameters
    ----------
    file
        open HDF5 file

    Returns
    -------
    datasets
        such as "/group/name (3 x 4, float32)", in the order of the file
    """
    import h5py

    found: list[str] = []

    # Must return None: any other value ends `visititems`.
    def note(name: str, item: h5py.HLObject) -> None:
        if isinstance(item, h5py.Dataset):
            shape = " x ".join(f"{n:,}" for n in item.shape or ()) or "one value"
            found.append(f"/{name} ({shape}, {item.dtype})")

    with open_hdf5(file) as tree:
        tree.visititems(note)
    return found


def describe_contents(file: InputFile) -> str:
    """Return the message for an HDF5 file that no reader accepts, with its first datasets."""
    found = datasets_in(file)
    named = ", ".join([*found[:MAX_NAMED], *["..."] * (len(found) > MAX_NAMED)])
    return (
        f"{file.name}: unknown kind of HDF5 file; export it in a supported format, or describe its "
        f"X-ray projections with `isocenter import`. Datasets: {len(found):,} ({named})."
    )


def holds(file: InputFile, name: str) -> bool:
    """Return True if a file has a top-level dataset of this name."""
    return any(each.startswith(f"/{name} (") for each in datasets_in(file))


def provide_filters(item: h5py.Dataset, where: str) -> None:
    """Load the filters of a dataset.

    Parameters
    ----------
    item
        dataset that will be read
    where
        file and dataset, for the message

    Raises
    ------
    ResourceError
        names the filters that are not installed
    """
    if not _missing(item):
        return
    # The import registers all filters of the package with the HDF5 library.
    with suppress(ImportError):
        import_module("hdf5plugin")
    missing = _missing(item)
    if missing:
        names = ", ".join(NAMES.get(number, str(number)) for number in missing)
        raise ResourceError(
            f"{where}: a compression filter is not installed; run pip install "
            "'isocenter[filters]', or save the file with gzip or uncompressed. Missing filters: "
            f"{names}."
        )


def _missing(item: h5py.Dataset) -> list[int]:
    import h5py

    # The creation properties list the filters without reading any value.
    plan = item.id.get_create_plist()
    numbers = (int(plan.get_filter(k)[0]) for k in range(plan.get_nfilters()))
    return [number for number in numbers if not h5py.h5z.filter_avail(number)]
