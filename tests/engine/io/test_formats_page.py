"""FORMATS.md agrees with the readers: optional parts can be absent, all others are required.

The test removes every attribute and dataset of a file in turn.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import pytest

import engine.io
from engine.core.errors import EngineError
from engine.io import read_frames, read_histogram, read_listmode, read_volume
from engine.io.hdf5.response import read_response
from tests.engine.io.hdf5.unsealed_files import unseal
from tests.farm import volumes
from tests.farm.formats import _histogram, _listmode, _response, _volume

PAGE = (Path(engine.io.__file__).parent / "FORMATS.md").read_text()
ABSENT = re.compile(r"absent|optional|may have", re.IGNORECASE)
KINDS: dict[str, tuple[str, Callable[[Path], Path], Callable[[Path], object]]] = {
    "list mode": ("list mode", _listmode, read_listmode),
    "histogram": ("histogram", _histogram, read_histogram),
    "response": ("response matrix", _response, read_response),
    "volume": ("volume", _volume, read_volume),
    "frames": ("volume", volumes.frames, lambda path: (read_volume(path), read_frames(path))),
}


def rows_of(title: str) -> list[tuple[str, str]]:
    """Return subject and description of each row in the table of a section."""
    section = PAGE.partition(f"## Isocenter {title} (`.h5`)")[2].partition("\n## ")[0]
    rows = [row.strip("|").split("|", 1) for row in section.splitlines() if row.startswith("|")]
    return [(where, what) for where, what in rows]


def may_be_absent(title: str, place: str, attribute: str) -> bool:
    """Return True if the table allows it or omits it; a dataset has no attribute."""
    if attribute:
        of = [f"`{attribute}`"] if place == "/" else [f"`{attribute}`", f"`/{place}`"]
        messages = [e for e in rows_of(title) if "attribute" in e[0] and all(w in e[0] for w in of)]
    else:
        messages = [e for e in rows_of(title) if f"`/{place}`" in e[0] and "attribute" not in e[0]]
    return not messages or any(ABSENT.search(what) for _, what in messages)


def parts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each attribute with its object, and each dataset with an empty attribute."""
    found: list[tuple[str, str]] = []

    def add(name: str, item: h5py.Dataset | h5py.Group) -> None:
        found.extend((name, attribute) for attribute in item.attrs)
        if isinstance(item, h5py.Dataset):
            found.append((name, ""))

    with h5py.File(path) as file:
        found.extend(("/", attribute) for attribute in file.attrs)
        file.visititems(add)
    return iter(found)


def reads_without(path: Path, place: str, attribute: str, read: Callable[[Path], object]) -> bool:
    copy = path.with_name("copy.h5")
    shutil.copy(path, copy)
    with h5py.File(copy, "a") as file:
        if attribute:
            del file[place].attrs[attribute]
        else:
            del file[place]
    try:
        read(copy)
    except EngineError as e:
        assert "locate" not in str(e), (
            "the message must name the absent part, not an error of the HDF5 library"
        )
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_only_documented_optional_parts_can_be_absent(tmp_path: Path, kind: str) -> None:
    title, make, read = KINDS[kind]
    path = make(tmp_path)
    with h5py.File(path, "r+") as file:
        unseal(file)
    read(path)
    parts = list(parts_of(path))
    assert len(parts) >= 5
    found = {part: reads_without(path, *part, read) for part in parts}
    reported = {part: may_be_absent(title, *part) for part in parts}
    assert {part for part in parts if found[part] != reported[part]} == set()
