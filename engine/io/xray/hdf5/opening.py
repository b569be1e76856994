"""Open HDF5 files of instruments safely: linked files must be in the same folder.

Soft links are followed only to objects that hard links (or allowed external links) have already
reached, so a link can never lead the library elsewhere.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import release_pages
from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import exists, linked_path
from engine.io.hdf5.opening import (
    DAMAGE,
    MAX_OBJECTS,
    damaged,
    is_hdf5,
    library_file,
    provide_filters,
    refuse_unsafe,
    text_of,
)
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.frames import Images, allocate_images
from engine.io.xray.hdf5.values import attribute, numbers_of

if TYPE_CHECKING:
    import h5py

MAX_FILES = 20
BLOCK_BYTES = 64 * 2**20


class Tree:
    """Groups and datasets that can be reached safely, by path.

    Attributes
    ----------
    path : the file
    items : absolute path in the file -> group or dataset
    missing : absolute path in the file -> reason why the linked object is not available
    unusable : absolute path in the file -> reason why the dataset is not read
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.missing: dict[str, str] = {}
        self.unusable: dict[str, str] = {}
        self.items: Plain = {}
        self._soft: list[tuple[str, str]] = []
        self._seen: set[tuple[int, ...]] = set()
        self._files: dict[tuple[int, int], h5py.File] = {}
        self._inputs: dict[str, InputFile] = {}

    def dataset(self, where: str) -> h5py.Dataset | None:
        """Return a dataset whose compression filters are available.

        Parameters
        ----------
        where
            absolute path in the file

        Returns
        -------
        dataset
            None if there is none at this path

        Raises
        ------
        ResourceError
            if a compression filter is not available
        """
        import h5py

        item = self.items.get(where)
        if not isinstance(item, h5py.Dataset):
            return None
        provide_filters(item, f"{self.path.name}: {where}")
        return item

    def text(self, where: str) -> str | None:
        """Return the text of a dataset, None if there is none."""
        item = self.dataset(where)
        if item is None or item.size != 1 or item.dtype.kind not in "SO":
            return None
        return text_of(np.asarray(item[()]).reshape(-1)[0])

    def numbers(self, where: str) -> NDArray[np.float64] | None:
        """Return a dataset of numbers.

        Parameters
        ----------
        where
            absolute path in the file

        Returns
        -------
        values
            flat float64, also from texts of numbers; None if there are no numbers
        """
        item = self.items.get(where)
        return None if item is None else numbers_of(item)

    def optional_number(self, where: str) -> float | None:
        """Return a number that is not essential.

        Parameters
        ----------
        where
            absolute path in the file

        Returns
        -------
        number
            None if it is missing, damaged, not finite, or not the same in all elements
        """
        try:
            values = self.numbers(where)
        except DAMAGE:
            return None
        if values is None or not values.size or not np.isfinite(values[0]):
            return None
        return float(values[0]) if np.ptp(values) == 0 else None

    @property
    def root(self) -> h5py.File:
        """The file itself, without linked files."""
        return next(iter(self._files.values()))

    def groups(self, nx_class: str) -> list[str]:
        """Return the paths of all groups of a NeXus class, such as "NXentry"."""
        return [
            where for where, item in self.items.items() if attribute(item, "NX_class") == nx_class
        ]

    def reason_for(self, refusal: str) -> str | None:
        """Return the reason why an object in an error message is not available.

        Parameters
        ----------
        refusal
            error message

        Returns
        -------
        reason
            None if no missing or unusable object explains the message
        """
        known = {**self.missing, **self.unusable}
        named = next((why for place, why in known.items() if place in refusal), None)
        # Messages such as "no angles" name no path; then any unavailable object can be the reason.
        others = known if re.search(r"\bno\b", refusal) else self.missing
        return named or next(iter(others.values()), None)

    def _walk(self, file: h5py.File, root: str, stack: ExitStack) -> None:
        # A list instead of recursion: groups can be nested deeper than Python's stack.
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
            # Resolved after the walk, when all objects on hard links are known.
            self._soft.append((place, posixpath.normpath(posixpath.join(base, link.path))))
        return None

    def _take(self, item: Any, place: str) -> bool:
        """Store an object; return True if it is a group that was not visited before."""
        import h5py

        self.items[place] = item
        file = self._inputs[item.file.filename]
        # Hard links can form circles; the address identifies the object.
        key = (*file.identity, int(h5py.h5o.get_info(item.id).addr))
        new = key not in self._seen
        self._seen.add(key)
        self._refuse_many()
        if isinstance(item, h5py.Dataset):
            try:
                refuse_unsafe(item, f"{self.path.name}: {place}", file.size, texts=True)
            except EngineError as e:  # possibly not needed, so only the reason is stored
                self.unusable[place] = str(e)
                del self.items[place]
        return new and isinstance(item, h5py.Group)

    def _outside(self, link: h5py.ExternalLink, place: str, stack: ExitStack) -> Any:
        """Return the target of an external link if it is in the folder and on hard links.

        A missing target is possibly not needed, so only the reason is stored.
        """
        import h5py

        where = f"{self.path.name}: {place}"
        target = linked_path(self.path.parent, link.filename)
        if not exists(target):
            self.missing[place] = (
                f"{where} is stored in the file {link.filename!r}, which is missing; copy it into "
                "the same folder."
            )
            return None
        item: Any = self._open(stack.enter_context(open_input(target)), stack)["/"]
        for part in filter(None, link.path.split("/")):
            known = isinstance(item, h5py.Group) and part in item
            if not known or not isinstance(item.get(part, getlink=True), h5py.HardLink):
                self.missing[place] = (
                    f"{where} links to {link.path!r} in {link.filename!r}, which does not exist; "
                    "copy the files again."
                )
                return None
            item = item[part]
        return item

    def _open(self, file: InputFile, stack: ExitStack) -> h5py.File:
        """Return a file opened with h5py; the same object for the same file."""
        if file.identity not in self._files:
            if len(self._files) >= MAX_FILES:
                raise FileFormatError(
                    f"{self.path.name}: links to more than {MAX_FILES} files; copy the data into "
                    "fewer files."
                )
            if not is_hdf5(file.head):
                raise FileFormatError(
                    f"{file.name}: not an HDF5 file; copy it again, or choose another file."
                )
            opened = stack.enter_context(library_file(file))
            self._files[file.identity] = opened
            self._inputs[opened.filename] = file
        return self._files[file.identity]

    def _resolve_soft(self) -> None:
        """Add the paths of soft links; links to links need one pass each."""
        for _ in range(4):
            # Sorted, so that all objects below a target are one slice.
            places = sorted(self.items)
            for place, target in self._soft:
                if target in self.items:
                    self.items.setdefault(place, self.items[target])
                for known in _below(places, f"{target}/"):
                    self.items.setdefault(place + known[len(target) :], self.items[known])
                self._refuse_many()

    def _refuse_many(self) -> None:
        if len(self.items) > MAX_OBJECTS:
            raise FileFormatError(
                f"{self.path.name}: contains more than {MAX_OBJECTS:,} objects, too many for a "
                "scan; choose another file."
            )


def _below(places: list[str], start: str) -> Iterator[str]:
    """Yield those of sorted paths that begin with `start`."""
    for k in range(bisect_left(places, start), len(places)):
        if not places[k].startswith(start):
            return
        yield places[k]


@contextmanager
def open_tree(file: InputFile) -> Iterator[Tree]:
    """Open an HDF5 file and list its objects.

    Parameters
    ----------
    file
        HDF5 file; linked files in its folder are opened too

    Yields
    ------
    tree
        valid inside the block

    Raises
    ------
    FileFormatError
        if the file is damaged, now or when it is read inside the block
    """
    if not is_hdf5(file.head):
        raise FileFormatError(
            f"{file.name}: not an HDF5 file; copy it again, or choose another file."
        )
    tree = Tree(file.path)
    try:
        with ExitStack() as stack:
            tree._walk(tree._open(file, stack), "/", stack)
            tree._resolve_soft()
            yield tree
    except FileFormatError as e:
        # The reader only sees that an object is missing; the walk knows why.
        reason = tree.reason_for(str(e))
        if reason:
            raise FileFormatError(reason) from e
        raise
    except DAMAGE as e:
        text = str(e)
        # h5py reports an unknown compression by this word only.
        if "filter" in text:
            raise FileFormatError(
                f"{file.name}: unsupported compression ({text}); save the data with gzip or "
                "uncompressed."
            ) from e
        raise damaged(file.path, e) from e


def read_images(
    item: h5py.Dataset, path: Path, keep: NDArray[np.intp] | None = None, view_axis: int = 0
) -> Images:
    """Return images of a dataset as float32 (n, rows, columns), read in pieces.

    Parameters
    ----------
    item
        dataset of numbers with three axes
    path
        file, for error messages
    keep
        indices of the images, in order; None: all
    view_axis
        0 for (view, row, column), 1 for sinograms (row, view, column)

    Raises
    ------
    FileFormatError
        if the dataset has other axes or types
    """
    if item.ndim != 3 or item.dtype.kind not in "iuf":
        raise FileFormatError(
            f"{path.name}: {item.name} has {item.ndim} axes and the type {item.dtype}, expected "
            "three axes (view, row, column) and a numeric type; export the scan again."
        )
    provide_filters(item, f"{path.name}: {item.name}")
    n_all, rows, columns = _turned(item.shape, view_axis)
    chosen = np.arange(n_all) if keep is None else keep
    values = allocate_images((len(chosen), rows, columns), path.name)
    block = max(BLOCK_BYTES // max(rows * columns * item.dtype.itemsize, 1), 1)
    if view_axis == 1:
        # Read along the first axis of the file, because chunks of other axes would be unpacked
        # repeatedly.
        for start in range(0, rows, block):
            part = item[start : start + block]
            values[:, start : start + block] = part.transpose(1, 0, 2)[chosen]
            release_pages(values)
        return values
    for start in range(0, n_all, block):
        # Read whole blocks and select in memory: h5py is slow with lists of indices.
        here = np.flatnonzero((chosen >= start) & (chosen < start + block))
        if len(here):
            values[here] = item[start : start + block][chosen[here] - start]
            release_pages(values)
    return values


def _turned(shape: tuple[int, ...], view_axis: int) -> tuple[int, int, int]:
    a, b, columns = shape
    return (b, a, columns) if view_axis == 1 else (a, b, columns)
