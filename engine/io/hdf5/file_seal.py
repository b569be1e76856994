"""The seal of an HDF5 file of ours: over every group, dataset and attribute in it.

It is kept in the attribute `seal` of the file. A second mark says that there is one, so that no
single damage takes the seal away unseen: the file's version, or its attribute `creator`.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.hdf5.opening import text_of
from engine.io.safety.seal import CHUNK_BYTES, broken, digest, unsealed
from engine.io.text.json_text import to_json

if TYPE_CHECKING:
    import h5py

SEAL, CREATOR, OURS = "seal", "creator", "Isocenter"
UNSEALED, SEALED = 1, 2
"""Versions of our formats before they had a seal, and since."""


def seal(file: h5py.File) -> None:
    """Seal a file whose datasets are made; values still to be written are known by `sha256`."""
    file.attrs[SEAL] = np.bytes_(_seal_of(file))


def seal_foreign(file: h5py.File) -> None:
    """Seal a file of a common format, and say that we made it."""
    file.attrs[CREATOR] = np.bytes_(OURS)
    seal(file)


def check_seal(
    file: h5py.File, path: Path, kind: str, compared: Collection[str] = ()
) -> tuple[str, ...]:
    """Refuse another format, an unknown version or a broken seal; return what to remark.

    Parameters
    ----------
    file
        open for reading
    path
        for sentences
    kind
        the format it must be
    compared
        datasets whose values the caller compares with their `sha256` as it reads them
    """
    found = text_of(file.attrs.get("format", b""))
    if found != kind:
        raise FileFormatError(f"{path.name}: its format is {found!r}, expected {kind!r}.")
    version = file.attrs.get("version", 0)
    if version not in (UNSEALED, SEALED):
        raise FileFormatError(
            f"{path.name}: format {kind!r} version {version}, expected version {UNSEALED} or "
            f"{SEALED}; write it again with this program, or update the program."
        )
    if version == UNSEALED and SEAL not in file.attrs:
        return (unsealed(path),)
    refuse_broken_seal(file, path, compared)
    return ()


def check_foreign_seal(file: h5py.File, path: Path) -> bool:
    """Refuse a file of a common format that we made and that has changed; return if it is sealed.

    Files of other programs, and older ones of ours, are not.
    """
    creator = text_of(file.attrs.get(CREATOR, b""))
    if SEAL not in file.attrs and creator != OURS:
        return False
    refuse_broken_seal(
        file,
        path,
        way_out=(
            f"copy the file again or, if the change is intended, delete the attributes {SEAL} and "
            f"{CREATOR}"
        ),
    )
    return True


def refuse_broken_seal(
    file: h5py.File,
    path: Path,
    compared: Collection[str] = (),
    way_out: str = "copy the file again",
) -> None:
    """Refuse a file whose seal, or one of whose datasets but the `compared`, is not as written."""
    if text_of(file.attrs.get(SEAL, b"")) != _seal_of(file):
        raise broken(path, way_out)
    for name, item in _datasets(file).items():
        written = item.attrs.get("sha256")
        if written is not None and name not in compared and text_of(written) != _digest(item):
            raise FileFormatError(
                f"{path.name}: {name} has changed since it was written (its checksum differs); "
                f"{way_out}."
            )


def _seal_of(file: h5py.File) -> str:
    """Return the SHA-256 of a JSON text of all objects by their names, without the seal."""
    objects: Plain = {name: _described(item) for name, item in _objects(file).items()}
    objects["/"]["attributes"].pop(SEAL, None)
    return sha256(to_json(objects).encode()).hexdigest()


def _objects(file: h5py.File) -> Plain:
    """Return every object once, by the first name it has; links to elsewhere by what they say."""
    import h5py

    found: Plain = {"/": file["/"]}
    names = {int(h5py.h5o.get_info(file["/"].id).addr): "/"}
    waiting = ["/"]
    while waiting:
        place = waiting.pop()
        for name in sorted(found[place]):
            link, where = found[place].get(name, getlink=True), f"{place.rstrip('/')}/{name}"
            if not isinstance(link, h5py.HardLink):
                found[where] = f"{type(link).__name__} {getattr(link, 'path', '')}"
                continue
            item = found[place][name]
            address = int(h5py.h5o.get_info(item.id).addr)
            earlier = names.setdefault(address, where)
            found[where] = item if earlier == where else f"same as {earlier}"
            if earlier == where and isinstance(item, h5py.Group):
                waiting.append(where)
    return found


def _datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    import h5py

    found = _objects(file).items()
    return {name.strip("/"): item for name, item in found if isinstance(item, h5py.Dataset)}


def _described(item: str | h5py.Group | h5py.Dataset) -> Plain | str:
    """Return type, shape, digest of the values and attributes; values may be known by `sha256`."""
    import h5py

    if isinstance(item, str):
        return item
    said = {name: _attribute(value) for name, value in item.attrs.items()}
    if not isinstance(item, h5py.Dataset):
        return {"attributes": said}
    values = "" if "sha256" in said else _digest(item)
    return {"type": item.dtype.str, "shape": item.shape, "values": values, "attributes": said}


def _attribute(value: object) -> tuple[object, ...]:
    if isinstance(value, str):
        return "text", value
    array = np.asarray(value)
    return array.dtype.str, array.shape, array.tobytes().hex()


def _digest(item: h5py.Dataset) -> str:
    """Return the SHA-256 of a dataset's bytes, read in pieces."""
    if not item.shape or not item.size:
        return digest(np.asarray(item[()]))
    total = sha256()
    rows = max(CHUNK_BYTES * len(item) // max(item.nbytes, 1), 1)
    for start in range(0, len(item), rows):
        part = np.ascontiguousarray(item[start : start + rows])
        total.update(part.reshape(-1).view(np.uint8).data)
    return total.hexdigest()
