"""Files that point to other files or contain code: no reader follows them or runs anything."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h5py
import numpy as np

from tests.farm.formats import KINDS, Kind

OTHER = "linked/other.h5"
"""Path of a file with the missing values; a reader that follows a link would look correct."""
HDF5 = (
    *("unsealed-list-mode", "unsealed-histogram", "unsealed-response", "unsealed-volume"),
    *("dxchange", "nxtomo", "cil", "efficiencies-hdf5"),
)


@dataclass(frozen=True)
class Pointer:
    """One file that points to another."""

    name: str
    act: Callable[[Path], object]


def _largest(file: h5py.File) -> str:
    """Return the name of the largest dataset, which every reader needs."""
    sizes: dict[str, int] = {}
    file.visititems(
        lambda name, item: sizes.update(
            {name: item.nbytes if isinstance(item, h5py.Dataset) else 0}
        )
    )
    return max(sizes, key=lambda name: sizes[name])


def _external(file: h5py.File, name: str, other: Path, *, target: str) -> None:
    file[name] = h5py.ExternalLink(target.format(other), name)


def _soft_to_external(file: h5py.File, name: str, other: Path) -> None:
    file["hop"] = h5py.ExternalLink(str(other), name)
    file[name] = h5py.SoftLink("/hop")


def _two_hops(file: h5py.File, name: str, other: Path) -> None:
    with h5py.File(other.with_name("between.h5"), "w") as between:
        between[name] = h5py.ExternalLink(str(other), name)
    file[name] = h5py.ExternalLink(str(other.with_name("between.h5")), name)


def _soft_loop(file: h5py.File, name: str, other: Path) -> None:
    file[name] = h5py.SoftLink("/hop")
    file["hop"] = h5py.SoftLink(f"/{name}")


def _raw_storage(file: h5py.File, name: str, other: Path) -> None:
    with h5py.File(other) as linked:
        values = linked[name][()]
    raw = other.with_suffix(".raw")
    raw.write_bytes(values.tobytes())
    pieces = [(str(raw), 0, values.nbytes)]
    file.create_dataset(name, values.shape, values.dtype, external=pieces)


def _virtual(file: h5py.File, name: str, other: Path) -> None:
    with h5py.File(other) as linked:
        shape, dtype = linked[name].shape, linked[name].dtype
    layout = h5py.VirtualLayout(shape, dtype)
    layout[...] = h5py.VirtualSource(str(other), name, shape)
    file.create_virtual_dataset(name, layout)


LINKS: dict[str, Callable[[h5py.File, str, Path], None]] = {
    "external link": partial(_external, target="{}"),
    "external link upwards": partial(_external, target="linked/../linked/other.h5"),
    "soft link to an external one": _soft_to_external,
    "two external links": _two_hops,
    "loop of soft links": _soft_loop,
    "external storage": _raw_storage,
    "virtual dataset": _virtual,
}


def _pointing(kind: Kind, way: str) -> Pointer:
    def act(folder: Path) -> object:
        path, other = kind.make(folder), folder / OTHER
        other.parent.mkdir()
        other.write_bytes(path.read_bytes())
        with h5py.File(path, "r+") as file:
            name = _largest(file)
            attributes = dict(file[name].attrs)
            del file[name]
            LINKS[way](file, name, other)
            if way in ("external storage", "virtual dataset"):
                file[name].attrs.update(attributes)
        return kind.read(path)

    return Pointer(f"{way} in {kind.name}", act)


class Mine:
    """Create a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.path,)


def _code(kind: Kind, name: str) -> Pointer:
    """Return a matrix file with Python objects as values."""

    def act(folder: Path) -> object:
        path, mine = kind.make(folder), folder / "it-ran"
        values = np.array([Mine(mine)], dtype=object)
        if path.suffix == ".npy":
            np.save(path, values, allow_pickle=True)
        else:
            with np.load(path) as arrays:
                contents = dict(arrays)
            with path.open("wb") as file:
                np.savez(file, **{**contents, name: values})
        try:
            return kind.read(path)
        finally:
            if mine.exists():
                raise RuntimeError("code of the file ran")

    return Pointer(f"objects as {name} of {kind.name}", act)


def _pickled(kind: Kind) -> Pointer:
    """Return a pickle under the name of a regular file."""

    def act(folder: Path) -> object:
        path, mine = kind.make(folder), folder / "it-ran"
        path.write_bytes(pickle.dumps(Mine(mine)))
        try:
            return kind.read(path)
        finally:
            if mine.exists():
                raise RuntimeError("code of the file ran")

    return Pointer(f"a pickle as {kind.name}", act)


XML = {
    "entities of entities": "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'>"
    + "".join(f"<!ENTITY b{k} '{f'&b{k - 1};' * 10 if k else '&b;' * 10}'>" for k in range(9))
    + "]>",
    "an external entity": "<!DOCTYPE a [<!ENTITY b8 SYSTEM 'file:///etc/hostname'>]>",
    "a parameter entity": "<!DOCTYPE a [<!ENTITY % b SYSTEM 'file:///etc/hostname'> %b;"
    "<!ENTITY b8 'x'>]>",
    "a document type elsewhere": "<!DOCTYPE a SYSTEM 'file:///etc/hostname'>",
}


def _xml(what: str) -> Pointer:
    """Return an XML geometry with its own document type."""
    kind = next(each for each in KINDS if each.name == "rtk")

    def act(folder: Path) -> object:
        path = kind.make(folder)
        geometry = next(folder.glob("*.xml"))
        text = geometry.read_text()
        head, _, rest = text.rpartition("?>") if text.startswith("<?") else ("", "", text)
        inner = rest.replace("</", "&b8;</", 1) if "b8" in XML[what] else rest
        geometry.write_text(f"{head}?>{XML[what]}{inner}" if head else XML[what] + inner)
        return kind.read(path)

    return Pointer(f"XML with {what}", act)


def _kinds(*names: str) -> list[Kind]:
    return [kind for kind in KINDS if kind.name in names]


POINTERS: tuple[Pointer, ...] = (
    *(_pointing(kind, way) for kind in _kinds(*HDF5) for way in LINKS),
    *(
        _code(kind, name)
        for kind in _kinds("matrix-sparse")
        for name in ("data", "indices", "shape")
    ),
    *(_code(kind, "values") for kind in _kinds("matrix-dense")),
    *(_pickled(kind) for kind in _kinds("matrix-dense", "matrix-sparse", "matlab", "volume")),
    *(_xml(what) for what in XML),
)
