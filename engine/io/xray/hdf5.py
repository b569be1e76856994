"""HDF5 files of instruments, opened safely: what they link to must lie in their own folder.

Soft links are followed only to what hard links (or allowed external links) have already reached,
so a link can never lead the library elsewhere.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import FileFormatError
from engine.io.hdf5 import MAX_OBJECTS, MAX_RATIO, damaged, is_hdf5, text_of
from engine.io.open_input import open_head
from engine.io.xray.frames import Images
from engine.io.xray.scan_files import refuse_outside, refuse_too_large
from engine.plain import Plain

if TYPE_CHECKING:
    import h5py

MAX_FILES = 20
MAX_ATTRIBUTE_BYTES = 4096
BLOCK_BYTES = 64 * 2**20


class Tree:
    """Every group and dataset that can be reached safely, by its path.

    Attributes
    ----------
    path : the file
    items : absolute path in the file -> group or dataset
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: Plain = {}
        self._soft: list[tuple[str, str]] = []
        self._seen: set[tuple[Path, int]] = set()
        self._files: dict[Path, h5py.File] = {}

    def dataset(self, where: str) -> h5py.Dataset | None:
        """Return a dataset by its path, None where there is none."""
        import h5py

        item = self.items.get(where)
        return item if isinstance(item, h5py.Dataset) else None

    def text(self, where: str) -> str | None:
        """Return a text, None where there is none."""
        item = self.dataset(where)
        if item is None or item.size != 1 or item.dtype.kind not in "SO":
            return None
        return text_of(np.asarray(item[()]).reshape(-1)[0])

    def numbers(self, where: str) -> NDArray[np.float64] | None:
        """Return a dataset of numbers as float64, flat; None where there is none."""
        item = self.dataset(where)
        if item is None or item.dtype.kind not in "iuf":
            return None
        return np.asarray(item[()], np.float64).reshape(-1)

    @property
    def root(self) -> h5py.File:
        """The file itself, without those that its links lead to."""
        return self._files[self.path.resolve()]

    def groups(self, nx_class: str) -> list[str]:
        """Return the paths of all groups of a NeXus class."""
        return [
            where for where, item in self.items.items() if attribute(item, "NX_class") == nx_class
        ]

    def _walk(self, file: h5py.File, root: str, stack: ExitStack) -> None:
        waiting = [(root, file["/"])]
        while waiting:
            where, group = waiting.pop()
            for name in group:
                place = f"{where.rstrip('/')}/{name}"
                item = self._follow(group, name, place, stack)
                if item is not None and self._take(item, place):
                    waiting.append((place, item))

    def _follow(self, group: h5py.Group, name: str, place: str, stack: ExitStack) -> Any:
        import h5py

        link = group.get(name, getlink=True)
        if isinstance(link, h5py.HardLink):
            return group[name]
        if isinstance(link, h5py.ExternalLink):
            return self._outside(link, place, stack)
        if isinstance(link, h5py.SoftLink):
            base = posixpath.dirname(place)
            self._soft.append((place, posixpath.normpath(posixpath.join(base, link.path))))
        return None

    def _take(self, item: Any, place: str) -> bool:
        """Remember an object; return whether it is a group that was not yet looked into."""
        import h5py

        self.items[place] = item
        key = (Path(item.file.filename), int(h5py.h5o.get_info(item.id).addr))
        new = key not in self._seen
        self._seen.add(key)
        if len(self.items) > MAX_OBJECTS:
            raise FileFormatError(f"{self.path.name}: more than {MAX_OBJECTS:,} objects.")
        if isinstance(item, h5py.Dataset):
            _refuse_unsafe(item, f"{self.path.name}: {place}")
        return new and isinstance(item, h5py.Group)

    def _outside(self, link: h5py.ExternalLink, place: str, stack: ExitStack) -> Any:
        """Return what an external link names, if it lies in the folder and on hard links."""
        import h5py

        where = f"{self.path.name}: {place}"
        target = self.path.parent / link.filename
        refuse_outside(target, self.path)
        if not target.is_file():
            raise FileFormatError(
                f"{where} is kept in the file {link.filename!r}, which is missing; copy it into "
                "the same folder."
            )
        file = self._files.get(target.resolve())
        if file is None:
            if len(self._files) >= MAX_FILES:
                raise FileFormatError(f"{where}: more than {MAX_FILES} files hang together.")
            file = stack.enter_context(h5py.File(target, "r"))
            self._files[target.resolve()] = file
        item: Any = file["/"]
        for part in filter(None, link.path.split("/")):
            known = isinstance(item, h5py.Group) and part in item
            if not known or not isinstance(item.get(part, getlink=True), h5py.HardLink):
                raise FileFormatError(
                    f"{where} leads to {link.path!r} of {link.filename!r}, where there is nothing; "
                    "copy the files again."
                )
            item = item[part]
        return item

    def _resolve_soft(self) -> None:
        for _ in range(4):  # links to links
            for place, target in self._soft:
                for known in [k for k in self.items if k == target or k.startswith(f"{target}/")]:
                    self.items.setdefault(place + known[len(target) :], self.items[known])


def attribute(item: Any, name: str, default: str = "") -> str:
    """Return a text attribute; one that claims more than a word is not read, nor is any other."""
    import h5py

    if not h5py.h5a.exists(item.id, name.encode()):
        return default
    found = h5py.h5a.open(item.id, name.encode())
    if int(np.prod(found.shape, dtype=object)) != 1:
        return default
    if found.get_storage_size() > MAX_ATTRIBUTE_BYTES:
        return default
    return text_of(np.asarray(item.attrs[name]).reshape(-1)[0])


def _refuse_unsafe(item: h5py.Dataset, where: str) -> None:
    import h5py

    if item.external or item.is_virtual:
        raise FileFormatError(
            f"{where} keeps its values in other files; for safety only files that hold all their "
            "data are read, so copy the data in."
        )
    if item.dtype.hasobject and h5py.check_string_dtype(item.dtype) is None:
        raise FileFormatError(f"{where} holds objects, not plain numbers; export plain numbers.")
    size = Path(item.file.filename).stat().st_size
    if item.nbytes > size * MAX_RATIO:
        raise FileFormatError(
            f"{where} claims {item.nbytes:,} bytes in a file of {size:,}; the file is damaged."
        )


@contextmanager
def open_tree(path: Path) -> Iterator[Tree]:
    """Open a file and walk it once; damage found later becomes `FileFormatError` too."""
    import h5py

    if not is_hdf5(open_head(path)):
        raise FileFormatError(f"{path.name}: not an HDF5 file; was it damaged or renamed?")
    tree = Tree(path)
    try:
        with ExitStack() as stack:
            file = stack.enter_context(h5py.File(path, "r"))
            tree._files[path.resolve()] = file
            tree._walk(file, "/", stack)
            tree._resolve_soft()
            yield tree
    except (OSError, RuntimeError, LookupError, ValueError, TypeError) as e:
        text = str(e)
        if "filter" in text:
            raise FileFormatError(
                f"{path.name}: compressed in a way that cannot be read here ({text}); save it "
                "with gzip or without compression."
            ) from e
        raise damaged(path, e) from e


def read_images(
    item: h5py.Dataset, path: Path, keep: NDArray[np.intp] | None = None, view_axis: int = 0
) -> Images:
    """Return images of a dataset as float32 (n, rows, columns), read in pieces.

    Parameters
    ----------
    item
        three axes of numbers
    path
        file, for sentences
    keep
        which images, in order; all if None
    view_axis
        0 for (view, row, column), 1 for sinograms (row, view, column)
    """
    if item.ndim != 3 or item.dtype.kind not in "iuf":
        raise FileFormatError(
            f"{path.name}: {item.name} is {item.dtype} of {item.ndim} axes, want numbers of three "
            "(view, row, column)."
        )
    n_all, rows, columns = _turned(item.shape, view_axis)
    chosen = np.arange(n_all) if keep is None else keep
    refuse_too_large(len(chosen) * rows * columns, path)
    values = np.empty((len(chosen), rows, columns), np.float32)
    block = max(BLOCK_BYTES // max(rows * columns * item.dtype.itemsize, 1), 1)
    if view_axis == 1:
        for start in range(0, rows, block):
            part = item[start : start + block]
            values[:, start : start + block] = part.transpose(1, 0, 2)[chosen]
        return values
    for start in range(0, n_all, block):
        here = np.flatnonzero((chosen >= start) & (chosen < start + block))
        if len(here):
            values[here] = item[start : start + block][chosen[here] - start]
    return values


def _turned(shape: tuple[int, ...], view_axis: int) -> tuple[int, int, int]:
    a, b, columns = shape
    return (b, a, columns) if view_axis == 1 else (a, b, columns)
