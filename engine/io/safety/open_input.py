"""Open input files safely: regular, readable, not empty, and unchanged until the last byte.

A reader receives an open `InputFile` and opens no path itself. Adjacent files are opened through
`engine.io.folder`. Nothing is memory-mapped: a mapped file that is truncated kills the process
(SIGBUS), while a truncated read gives an error message.

A part of an open file can be read as a file, for formats that wrap other formats.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Array, not_finite_in
from engine.core.errors import (
    DataError,
    EngineError,
    FileFormatError,
    LongUnitError,
    ResourceError,
)
from engine.data.formatting import MAX_UNIT_CHARACTERS
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.stored_bytes import refuse_sparse

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 4096
"""Bytes that readers inspect to recognise a file."""
AT_ONCE = 64 * 2**20
"""Maximum size of one read request."""
WITHOUT_WAITING = sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
)
"""Flags for opening; without O_NONBLOCK, a FIFO without a writer blocks forever."""
KINDS = (
    (stat.S_ISFIFO, "this is a pipe"),
    (stat.S_ISSOCK, "this is a socket"),
    (stat.S_ISCHR, "this is a device"),
    (stat.S_ISBLK, "this is a device"),
)
BAD_NAMES = {
    errno.ELOOP: "this link leads back to itself; correct the link, or choose another file.",
    errno.ENAMETOOLONG: "the name is too long for this disk; check the path.",
}
"""Errors of the system that no other disk would solve."""


class InputFile:
    """A regular file, open for reading.

    At the end, `open_input` compares size and modification time with those at the start. Formats
    with
    checksums verify these too. A second pass to compute one would double the time of reading.

    Attributes
    ----------
    path : path that was opened
    size : size in bytes
    identity : device and inode number, equal for all names of the file
    modified_ns : time of the last change [ns since 1970]
    head : first bytes, by which readers recognise the file
    may_be_cut : True if the user agreed to use the complete events of truncated list mode
    """

    def __init__(self, path: Path, *, may_be_cut: bool = False) -> None:
        self.path, self.may_be_cut = path, may_be_cut
        self._raw = _opened(path)
        try:
            state = os.fstat(self._raw.fileno())
            self.size, self.modified_ns = state.st_size, state.st_mtime_ns
            self.identity = (state.st_dev, state.st_ino)
            self.head = self._some(0, HEAD_BYTES)
            if not self.head:
                raise FileFormatError(f"{path.name}: the file is empty; copy or export it again.")
            # Before any reader trusts the size: reading 8 TB of holes takes hours. Not before the
            # first read, which makes an archive system fetch a file that it has moved away.
            refuse_sparse(self._raw.fileno(), path.name)
        # Also for KeyboardInterrupt: an open handle would block the file on Windows.
        except BaseException:
            self._raw.close()
            raise

    @property
    def name(self) -> str:
        """File name for messages."""
        return self.path.name

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def fill(self, out: WriteableBuffer, start: int) -> int:
        """Read into a buffer from byte `start`; return the number of bytes read."""
        view = memoryview(out).cast("B")
        done = 0
        try:
            self._raw.seek(start)
            while done < len(view):
                # One request returns at most 2 GiB on Linux (read(2)), so large arrays need
                # several.
                n_bytes = self._raw.readinto(view[done : done + AT_ONCE])
                if not n_bytes:
                    break
                done += n_bytes
        except OSError as e:
            raise unreadable(self.path, e) from e
        return done

    def read(self, n_bytes: int | None = None, start: int = 0) -> bytes:
        """Return bytes of the file.

        Parameters
        ----------
        n_bytes
            number of bytes; None reads to the end
        start
            first byte in the file

        Returns
        -------
        data
            fewer bytes only if the file ends

        Raises
        ------
        ResourceError
            if they do not fit in memory
        """
        left = max(self.size - start, 0)
        wanted = left if n_bytes is None else min(n_bytes, left)
        refuse_large_data(wanted, self.name)
        return self._some(start, wanted)

    def _some(self, start: int, n_bytes: int) -> bytes:
        buffer = bytearray(n_bytes)
        return bytes(memoryview(buffer)[: self.fill(buffer, start)])

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...], start: int = 0) -> Array:
        """Return an array that is stored contiguously; refuse a file that is too short for it.

        Parameters
        ----------
        dtype
            type of the stored numbers, with byte order
        shape
            shape of the array
        start
            first byte in the file
        """
        kind = np.dtype(dtype)
        n_bytes = kind.itemsize
        # Python integers: the product of sizes from a damaged header can overflow 64 bits.
        for n in shape:
            n_bytes *= int(n)
        refuse_large_data(n_bytes, self.name)
        if start + n_bytes > self.size:
            raise FileFormatError(
                f"{self.name}: truncated, expected {start + n_bytes:,} bytes but found "
                f"{self.size:,}; copy the file again."
            )
        values = np.empty(shape, kind)
        if values.size and self.fill(values.reshape(-1).view(np.uint8).data, start) < n_bytes:
            raise self._changed()
        return values

    def text(self, max_bytes: int) -> str:
        r"""Return UTF-8 text of at most `max_bytes` with "\n" line ends; refuse anything else."""
        if self.size > max_bytes:
            raise FileFormatError(
                f"{self.name}: has {self.size:,} bytes, expected a text file of at most "
                f"{max_bytes:,} bytes; choose another file."
            )
        data = self.read()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as e:
            raise FileFormatError(
                f"{self.name}: not a text file (byte {e.start} is {e.object[e.start]:#04x}); "
                "choose another file."
            ) from e
        if "\0" in text:
            raise FileFormatError(
                f"{self.name}: not a text file (it contains null bytes); choose another file."
            )
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def sha256(self) -> str:
        """Return the SHA-256 of the file, read piece by piece."""
        total, buffer = hashlib.sha256(), bytearray(min(self.size, AT_ONCE))
        for start in range(0, self.size, AT_ONCE):
            total.update(memoryview(buffer)[: self.fill(buffer, start)])
        return total.hexdigest()

    def stream(self) -> BinaryIO:
        """Return a stream with its own position, for libraries that expect a file object."""
        return _Buffered(_Stream(self), self.size)

    def refuse_changed(self) -> None:
        """Refuse a file that has changed since it was opened."""
        now = os.fstat(self._raw.fileno())
        if (now.st_size, now.st_mtime_ns) != (self.size, self.modified_ns):
            raise self._changed()

    def refuse_replaced(self) -> None:
        """Refuse a path that now leads to another file, for libraries that open paths."""
        try:
            now = self.path.stat()
        except OSError as e:
            raise unreadable(self.path, e) from e
        if (now.st_dev, now.st_ino) != self.identity:
            raise self._changed()

    def _changed(self) -> FileFormatError:
        now = os.fstat(self._raw.fileno()).st_size
        return FileFormatError(
            f"{self.name}: changed during reading, with the same size of {now:,} bytes; wait until "
            "it is complete and open it again."
            if now == self.size
            else f"{self.name}: changed during reading from {self.size:,} to {now:,} bytes; wait "
            "until it is complete and open it again."
        )


class _Buffered(io.BufferedReader):
    """A stream that allocates no memory for bytes beyond the end of a damaged file."""

    def __init__(self, raw: io.RawIOBase, size: int) -> None:
        super().__init__(raw)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return super().read(-1)
        return super().read(min(size, max(self._size - self.tell(), 0)))


class _Stream(io.RawIOBase):
    """An open file as a stream with its own position."""

    def __init__(self, file: InputFile) -> None:
        self._file, self._at = file, 0
        self.name = file.name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size}[whence]
        if begin + offset < 0:
            raise ValueError(f"cannot seek to {begin + offset}, before the start of the file")
        self._at = begin + offset
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_bytes = self._file.fill(buffer, self._at)
        self._at += n_bytes
        return n_bytes


@contextmanager
def open_input(path: Path, *, may_be_cut: bool = False) -> Iterator[InputFile]:
    """Open a file for a reader, and refuse it at the end if it has changed meanwhile.

    Parameters
    ----------
    path
        file to open
    may_be_cut
        True if the user agreed to use the complete events of truncated list mode

    Raises
    ------
    ResourceError
        if the file is missing or unreadable, or the memory is not sufficient
    FileFormatError
        if it is a folder, a device or empty, or changes while it is read
    """
    file = InputFile(path, may_be_cut=may_be_cut)
    try:
        yield file
        file.refuse_changed()
    except MemoryError as e:
        raise ResourceError(
            f"{file.name}: does not fit in the free memory; close other programs, or bin or crop "
            "the data."
        ) from e
    except RecursionError as e:
        raise FileFormatError(
            f"{file.name}: its content is nested too deeply; export the file again."
        ) from e
    except LongUnitError as e:
        raise FileFormatError(
            f"{file.name}: the unit of its values has {e.n:,} characters, expected at most "
            f"{MAX_UNIT_CHARACTERS}; shorten the unit in the file."
        ) from e
    except EngineError:
        # A file that is still being copied looks damaged; then this is the reason to report.
        file.refuse_changed()
        raise
    finally:
        file.close()


def open_head(path: Path) -> bytes:
    """Return the first bytes of a file."""
    with open_input(path) as file:
        return file.head


def read_text(path: Path, max_bytes: int) -> str:
    """Return a UTF-8 text file of at most `max_bytes`; refuse anything else."""
    with open_input(path) as file:
        return file.text(max_bytes)


def _opened(path: Path) -> io.FileIO:
    """Open a regular file, also through a link, without waiting for pipes or devices."""
    try:
        # Checked before opening, because opening a tape or a serial port can change its state, and
        # after opening, because the name can lead to another file by then.
        _refuse_irregular(path, path.stat().st_mode)
        number = os.open(path, os.O_RDONLY | WITHOUT_WAITING)
        try:
            _refuse_irregular(path, os.fstat(number).st_mode)
            return io.FileIO(number)
        except BaseException:
            os.close(number)
            raise
    except FileNotFoundError as e:
        raise ResourceError(f"{path}: this file does not exist; check the path.") from e
    except (OSError, ValueError) as e:
        raise unreadable(path, e) from e


def _refuse_irregular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileFormatError(
            f"{path}: this is a folder; open a file in it, or run `isocenter import` on it."
        )
    if not stat.S_ISREG(mode):
        kind = next((text for holds, text in KINDS if holds(mode)), "this is not a regular file")
        raise FileFormatError(f"{path}: {kind}. Choose a regular file.")


def unreadable(path: Path, e: OSError | ValueError) -> EngineError:
    """Return the error for a file that the system refuses to read."""
    if isinstance(e, PermissionError):
        return ResourceError(f"{path}: no permission to read it; ask its owner for access.")
    if isinstance(e, OSError) and e.errno in BAD_NAMES:
        return ResourceError(f"{path}: {BAD_NAMES[e.errno]}")
    reason = (e.strerror if isinstance(e, OSError) else None) or e
    return ResourceError(f"{path}: cannot be read ({reason}); copy it to a local disk.")


def refuse_not_finite(path: Path, values: Array) -> None:
    """Refuse NaN and infinity; the error states their number and the index of the first."""
    n_bad, first = not_finite_in(values)
    if not n_bad:
        return
    where = ", ".join(str(int(i)) for i in np.unravel_index(first, values.shape))
    axes = "[z, y, x] = " if values.ndim == 3 else ""
    raise DataError(
        f"{path.name}: {n_bad:,} of {values.size:,} values are not numbers (NaN or infinite), the "
        f"first at {axes}[{where}]; repair the file, or export it again."
    )


class InputPart(InputFile):
    """Bytes of an open file from `start` on; the opener of the file closes it.

    Attributes
    ----------
    whole : the file
    start : first byte of the part
    """

    def __init__(self, whole: InputFile, start: int, n_bytes: int) -> None:
        # Does not call the base class, which would open the path a second time.
        self.whole, self.start = whole, start
        self.path, self.may_be_cut = whole.path, whole.may_be_cut
        self.identity, self.modified_ns = whole.identity, whole.modified_ns
        self.size = max(min(n_bytes, whole.size - start), 0)
        self.head = self._some(0, min(HEAD_BYTES, self.size))

    def close(self) -> None:
        """Do nothing: the opener closes the file."""

    def fill(self, out: WriteableBuffer, start: int) -> int:
        """Read into a buffer.

        Parameters
        ----------
        out
            writable buffer; at most its length is read
        start
            first byte, counted from the start of the part

        Returns
        -------
        n_bytes
            number of bytes read; fewer than the buffer at the end of the part
        """
        # Stop at the end of the part, because the file continues after it.
        view = memoryview(out).cast("B")
        return self.whole.fill(view[: max(self.size - start, 0)], self.start + start)

    def refuse_changed(self) -> None:
        """Refuse a file that has changed since it was opened."""
        self.whole.refuse_changed()

    def refuse_replaced(self) -> None:
        """Refuse a path that now leads to another file."""
        self.whole.refuse_replaced()

    def _changed(self) -> FileFormatError:
        return self.whole._changed()
