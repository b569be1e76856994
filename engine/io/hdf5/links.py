"""List the files that an HDF5 file refers to, without reading any of its values.

Three kinds of objects refer to other files: external links, virtual datasets, and datasets in
external storage. HDF5's library finds them wherever they are in the file. A damaged file can end
its process, also while it is read, so the window lists links only of scans that another process
has read before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import EngineError
from engine.io.folder import is_file, linked_path, names_in
from engine.io.hdf5.opening import DAMAGE, MAX_OBJECTS, is_hdf5, library_file
from engine.io.safety.open_input import InputFile, open_input

if TYPE_CHECKING:
    import h5py

MAX_FILES = 20
"""Linked files that are searched for further links; readers open no more."""
BLOCK = "%b"
"""Number of a block in the name of a virtual dataset's file, see H5Pset_virtual."""
SAME_FILE = "."


def linked_files(file: InputFile) -> tuple[Path, ...]:
    """Return the files that an HDF5 file and its linked files refer to.

    Links that lead out of the folder count as links to a file of this name in the folder, as for
    readers. Damaged objects are left out, because readers report them.

    Parameters
    ----------
    file
        any open file

    Returns
    -------
    files
        existing files, without the file itself, in the order in which they are found
    """
    found: dict[Path, None] = dict.fromkeys(_files_in(file, file.path.parent))
    waiting = list(found)
    for each in islice(waiting, MAX_FILES):  # grows meanwhile
        with suppress(EngineError), open_input(each) as linked:
            for other in (*_files_in(linked, each.parent), *_files_in(linked, file.path.parent)):
                if other not in found:
                    found[other] = None
                    waiting.append(other)
    return tuple(each for each in found if each != file.path)


def _files_in(file: InputFile, folder: Path) -> Iterator[Path]:
    if not is_hdf5(file.head):
        return
    for name in _names_at(file.path, file.identity, file.size, file.modified_ns):
        path = linked_path(folder, name)
        if BLOCK in name:
            yield from _blocks_at(path)
        elif is_file(path):
            yield path


@lru_cache(maxsize=64)  # a run asks several times for the same file
# Size and time are part of the cache key, so that a changed file is searched again.
def _names_at(path: Path, _identity: tuple[int, int], _size: int, _ns: int) -> tuple[str, ...]:
    names: dict[str, None] = {}
    with suppress(*DAMAGE, EngineError), open_input(path) as file, library_file(file) as tree:
        for name in _linked_names(tree):
            names[name] = None
    return tuple(names)


def _linked_names(tree: h5py.File) -> Iterator[str]:
    """Yield the names of files in all objects that hard links reach."""
    import h5py

    # Hard links can form cycles, so objects are known by their address.
    seen: set[int] = set()
    waiting = [tree["/"]]
    while waiting:
        group = waiting.pop()
        for name in islice(group, MAX_OBJECTS):
            item = None
            # One damaged object does not hide the links of the others.
            with suppress(*DAMAGE):
                link = group.get(name, getlink=True)
                if isinstance(link, h5py.ExternalLink):
                    yield link.filename
                item = group[name] if isinstance(link, h5py.HardLink) else None
            if item is None:
                continue
            address = h5py.h5o.get_info(item.id).addr
            if address in seen or len(seen) > MAX_OBJECTS:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                waiting.append(item)
            with suppress(*DAMAGE):
                yield from _names_of(item)


def _names_of(item: Any) -> Iterator[str]:
    """Yield the names of the files with the values of a dataset."""
    import h5py

    if not isinstance(item, h5py.Dataset):
        return
    yield from (name for name, _, _ in item.external or ())
    if item.is_virtual:
        sources = (each.file_name for each in item.virtual_sources())
        yield from (name for name in sources if name != SAME_FILE)


def _blocks_at(path: Path) -> Iterator[Path]:
    """Yield the files of a virtual dataset with one file for each block."""
    pattern = re.compile(r"\d+".join(map(re.escape, path.name.split(BLOCK))))
    with suppress(EngineError):
        for name in sorted(names_in(path.parent)):
            if pattern.fullmatch(name) and is_file(path.parent / name):
                yield path.parent / name
