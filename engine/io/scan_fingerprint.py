"""Fingerprint of a scan, by which files and settings that were made for it recognise it.

It covers the size and pieces of each file. Large scans are not read completely. Names, folders and
times do not count, so that a scan can be moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path

from engine.core.errors import DataError, EngineError
from engine.io.folder import entries, is_file, is_folder, state_of
from engine.io.safety.open_input import open_input

ENDS_BYTES = 2**20
"""Bytes that `scan_digest` reads at the beginning and at the end of a file."""
MAX_FILES = 64
"""Maximum number of files of a scan that are read."""
END_BYTES, PIECE_BYTES, PIECES = 2**19, 2**16, 16
"""Bytes at each end of a file and of each piece between, and the number of these pieces."""


class WatchedScan:
    """The files of a scan, watched from before it is read until its fingerprint is known.

    Parameters
    ----------
    path
        file or folder of a scan, or an auxiliary file
    by_library
        as for `engine.io.input_files.links_behind`
    """

    def __init__(self, path: Path, *, by_library: bool = True) -> None:
        self._path = path
        files = _files_of(path, by_library=by_library)
        self._files = tuple(islice(files, MAX_FILES))
        self._before = [state_of(each) for each in self._files]

    def fingerprint(self) -> str:
        """Return the fingerprint of the files that were read.

        Returns
        -------
        fingerprint
            64 hexadecimal digits

        Raises
        ------
        DataError
            if a file has changed since this object was made: the values that were read, and the
            fingerprint, might belong to different scans
        EngineError
            if the file itself cannot be read
        """
        total = sha256(b"isocenter-scan-2")
        if is_folder(self._path):
            # The number of files still detects a missing view beyond the files that are read.
            total.update(f"{len(entries(self._path))} entries".encode())
        for each in self._files:
            for piece in _pieces_of(each, is_needed=each == self._path):
                total.update(piece)
        if [state_of(each) for each in self._files] != self._before:
            raise DataError(
                f"{self._path.name}: the file was changed while it was read. Wait until the "
                "program that writes it has finished, and open it again."
            )
        return total.hexdigest()


def fingerprint_of(path: Path) -> str:
    """Return the fingerprint of a scan, or of an auxiliary file.

    It covers the data behind a header too, because the headers of two patients can be equal.

    Parameters
    ----------
    path
        file or folder; the files of a folder count in the order of their names

    Returns
    -------
    fingerprint
        64 hexadecimal digits; it covers at most 2 MiB of each of at most 64 files

    Raises
    ------
    EngineError
        if the file cannot be read
    """
    return WatchedScan(path).fingerprint()


def lacks_linked_files(path: Path, fingerprint: str) -> bool:
    """Return True if a fingerprint differs because it lacks files that a scan refers to.

    Earlier versions did not find all links in an HDF5 file. Their fingerprints do not show whether
    the values in the other files are still the same.

    Parameters
    ----------
    path
        file or folder of the scan
    fingerprint
        fingerprint that differs from that of the scan

    Raises
    ------
    EngineError
        if the file cannot be read
    """
    return WatchedScan(path, by_library=False).fingerprint() == fingerprint


def is_scan_of(path: Path, fingerprint: str) -> bool:
    """Return True if a scan has a fingerprint, also one that an earlier version wrote.

    Parameters
    ----------
    path
        file or folder of the scan
    fingerprint
        result of `fingerprint_of` or `scan_digest`

    Raises
    ------
    EngineError
        if the file cannot be read
    """
    return fingerprint in (fingerprint_of(path), scan_digest(path))


def scan_digest(path: Path) -> str:
    """Return the fingerprint of a scan as earlier versions wrote it.

    It lacks the data behind a header. Tracer files of these versions contain it.

    Parameters
    ----------
    path
        file or folder of the scan; the files of a folder count in the order of their names

    Returns
    -------
    digest
        64 hexadecimal digits

    Raises
    ------
    EngineError
        if a file cannot be read
    """
    total = sha256()
    files = [path]
    if path.is_dir():
        files = [each for each in entries(path) if each.is_file()]
        total.update(f"{len(files)} files".encode())
    for each in files[:MAX_FILES]:
        with open_input(each) as file:
            # The size separates files that agree at both ends, such as a list mode that was cut in
            # the middle.
            total.update(f"{file.size} bytes".encode())
            total.update(file.read(ENDS_BYTES))
            total.update(file.read(ENDS_BYTES, max(file.size - ENDS_BYTES, 0)))
    return total.hexdigest()


def _files_of(path: Path, *, by_library: bool) -> Iterator[Path]:
    """Yield the files that a fingerprint covers. No error is raised: reading reports them."""
    if is_folder(path):
        yield from _files_in(path)
        return
    yield path
    from engine.io.input_files import values_behind  # imports the readers of all formats

    yield from values_behind(path, by_library=by_library)


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of its subfolders, which some formats have."""
    try:
        found = entries(folder)
    except EngineError:
        return
    yield from (each for each in found if is_file(each))
    for each in found:
        # A link could lead back to this folder.
        if is_folder(each) and not each.is_symlink():
            yield from _files_in(each)


def _pieces_of(path: Path, *, is_needed: bool) -> Iterator[bytes]:
    """Yield the size of a file, both ends and some pieces between them.

    The outer bins of a sinogram can be empty, so that two scans agree at both ends.
    """
    try:
        with open_input(path) as file:
            yield f"{file.size} bytes".encode()
            if file.size <= 2 * END_BYTES + PIECES * PIECE_BYTES:
                yield file.read()
                return
            yield file.read(END_BYTES)
            between = file.size - 2 * END_BYTES - PIECE_BYTES
            for k in range(PIECES):
                yield file.read(PIECE_BYTES, END_BYTES + between * k // (PIECES - 1))
            yield file.read(END_BYTES, file.size - END_BYTES)
    except EngineError:
        if is_needed:
            raise
        # Not every file behind a header is one that the scan needs.
        yield b"unreadable"
