"""Write our HDF5 files: h5py lays a file out in memory, and we write its bytes to the disk.

A failed write inside the HDF5 library can end the process, so the library never writes to a disk or
share. Large values are not copied: the library only decides their position.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.hdf5.file_seal import SEALED, refuse_broken_seal, seal
from engine.io.hdf5.opening import as_json, open_hdf5
from engine.io.safety.atomic_write import other_bytes, publishing, refuse_other_bytes
from engine.io.safety.open_input import open_input
from engine.io.safety.seal import CHUNK_BYTES, digest

if TYPE_CHECKING:
    import h5py
    from _typeshed import ReadableBuffer, WriteableBuffer

    from engine.geometry.scanner import Scanner
    from engine.io.hdf5.piecewise import Piecewise

PAGE_BYTES = 1 << 16
"""Page size of the file in memory; empty pages are not stored."""

Fill = Callable[["h5py.File"], None]


def write_hdf5(path: Path, fill: Fill, columns: Mapping[str, Array | Piecewise]) -> None:
    """Write a sealed file, completely or not at all, and read it back.

    Parameters
    ----------
    path
        target; its folder must exist
    fill
        creates all objects, calls `reserve` for each of `columns`, and seals the file
    columns
        dataset name -> values

    Raises
    ------
    ResourceError
        if the file cannot be written, or the data read back differ
    """
    image = FileImage.of(fill, columns)

    def check(part: Path) -> None:
        # First the bytes on the disk. Then the file is opened as a reader would, and its seal is
        # checked.
        refuse_other_bytes(part, image.pieces(), path)
        try:
            with open_input(part) as file, open_hdf5(file) as tree:
                refuse_broken_seal(tree, part, compared=[name.strip("/") for name in columns])
        except FileFormatError as e:
            raise other_bytes(path) from e

    with publishing(path, image.n_bytes, check) as part, part.open("rb+") as stream:
        for piece in image.pieces():
            stream.write(piece)


def write_measured(
    path: Path,
    form: str,
    scanner: Scanner,
    columns: Mapping[str, Array | Piecewise],
    info: Plain,
    attributes: Mapping[str, object],
    more: Fill | None = None,
) -> None:
    """Write data of a scanner in one of our formats.

    Parameters
    ----------
    path
        target; an existing file is replaced
    form
        name of the format
    scanner
        stored with the data
    columns
        dataset name -> values
    info
        facts as JSON values
    attributes
        further attributes of the file
    more
        adds to the objects of the file
    """
    from engine.io.hdf5.scanner import store_scanner  # X-ray scans have no scanner

    def fill(file: h5py.File) -> None:
        # Fixed-length strings, which MATLAB and C programs can read without the vlen API.
        file.attrs["format"] = np.bytes_(form)
        file.attrs["version"] = SEALED
        for key, value in attributes.items():
            file.attrs[key] = value
        store_scanner(file, scanner)
        for name, values in columns.items():
            reserve(file, name, values)
        file.create_dataset("info", data=as_json(info), track_times=False)
        if more is not None:
            more(file)
        # The seal covers all objects, so it must be the last step.
        seal(file)

    write_hdf5(path, fill, columns)


def image_of(fill: Fill) -> bytes:
    """Return the bytes of a small HDF5 file that `fill` writes."""
    return b"".join(FileImage.of(fill, {}).pieces())


def store(file: h5py.File, name: str, values: Array) -> h5py.Dataset:
    """Create a contiguous dataset with its values and their `sha256`.

    Parameters
    ----------
    file
        open for writing
    name
        dataset
    values
        values that fit in memory twice
    """
    item = file.create_dataset(name, data=values, track_times=False)
    item.attrs["sha256"] = np.bytes_(digest(values))
    return item


def reserve(file: h5py.File, name: str, values: Array | Piecewise) -> h5py.Dataset:
    """Create a contiguous dataset whose values `write_hdf5` writes later.

    Parameters
    ----------
    file
        open for writing
    name
        dataset
    values
        its values, for shape, type and `sha256`
    """
    import h5py

    # Space is allocated at once, so that the offset is known, and never filled, which would write
    # zeros of the size of all values into memory.
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout.set_layout(h5py.h5d.CONTIGUOUS)
    layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    item = file.create_dataset(name, values.shape, values.dtype, dcpl=layout, track_times=False)
    written = digest(values) if isinstance(values, np.ndarray) else values.sha256
    item.attrs["sha256"] = np.bytes_(written)
    return item


@dataclass(frozen=True)
class FileImage:
    """The bytes of a file: the parts written by h5py, and the values between them.

    Attributes
    ----------
    buffers : (position, bytes) of each part, in order and without gaps
    """

    buffers: tuple[tuple[int, memoryview | Piecewise], ...]

    @classmethod
    def of(cls, fill: Fill, columns: Mapping[str, Array | Piecewise]) -> FileImage:
        """Let h5py lay out a file in memory.

        Parameters
        ----------
        fill
            as for `write_hdf5`
        columns
            dataset name -> values
        """
        import h5py

        pages = _Pages()
        # The earliest file format, which every version of HDF5 and MATLAB can read.
        with h5py.File(pages, "w", libver="earliest") as file:
            fill(file)
            # Asked while the file is open: offsets are fixed once all objects exist.
            places = {
                int(file[name].id.get_offset() or 0): values
                for name, values in columns.items()
                if values.nbytes
            }
        buffers, done = list["tuple[int, memoryview | Piecewise]"](), 0
        for place in sorted(places):
            values = places[place]
            buffers.append((done, memoryview(pages.between(done, place))))
            buffers.append((place, _bytes(values) if isinstance(values, np.ndarray) else values))
            done = place + values.nbytes
        buffers.append((done, memoryview(pages.between(done, pages.size))))
        return cls(tuple(buffers))

    @property
    def n_bytes(self) -> int:
        """Size of the file."""
        place, last = self.buffers[-1]
        return place + last.nbytes

    def pieces(self) -> Iterator[memoryview]:
        """Yield the bytes in order, `CHUNK_BYTES` at a time."""
        for _, buffer in self.buffers:
            if not isinstance(buffer, memoryview):
                yield from buffer.pieces()
                continue
            for start in range(0, len(buffer), CHUNK_BYTES):
                yield buffer[start : start + CHUNK_BYTES]
                # Pages of values in mapped files are released piece by piece, so that they do not
                # fill the memory.
                release_pages(np.asarray(buffer))


def _bytes(values: Array) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data


class _Pages(io.RawIOBase):
    """A file in memory that stores only the pages that were written."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}
        self._at = 0
        self.size = 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence] + offset
        return self._at

    def truncate(self, size: int | None = None) -> int:
        self.size = self._at if size is None else size
        return self.size

    def write(self, data: ReadableBuffer) -> int:
        view = memoryview(data).cast("B")
        for page, inside, outside in _spans(self._at, len(view)):
            self._pages.setdefault(page, bytearray(PAGE_BYTES))[inside] = view[outside]
        self._at += len(view)
        self.size = max(self.size, self._at)
        return len(view)

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        n_bytes = max(0, min(len(view), self.size - self._at))
        view[:n_bytes] = self.between(self._at, self._at + n_bytes)
        self._at += n_bytes
        return n_bytes

    def between(self, begin: int, end: int) -> bytes:
        """Return the bytes from `begin` to `end`, zeros where nothing was written."""
        found = bytearray(end - begin)
        for page, inside, outside in _spans(begin, end - begin):
            if page in self._pages:
                found[outside] = self._pages[page][inside]
        return bytes(found)


def _spans(begin: int, n_bytes: int) -> Iterator[tuple[int, slice, slice]]:
    """Yield each page of a range with the slice in the page and the slice in the range."""
    done = 0
    while done < n_bytes:
        page, first = divmod(begin + done, PAGE_BYTES)
        n = min(PAGE_BYTES - first, n_bytes - done)
        yield page, slice(first, first + n), slice(done, done + n)
        done += n
