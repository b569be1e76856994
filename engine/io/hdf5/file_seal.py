"""The seal of our HDF5 files: a digest over every group, dataset and attribute.

The seal is the attribute `seal` of the file. A second mark, the file version or the attribute
`creator`, states that there is one. So a single damage cannot remove the seal unnoticed.
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
"""Versions of our formats without and with a seal."""


def seal(file: h5py.File) -> None:
    """Seal a file after all datasets were created.

    Parameters
    ----------
    file
        open for writing; values that are written later are covered by their attribute `sha256`
    """
    file.attrs[SEAL] = np.bytes_(_seal_of(file))


def seal_foreign(file: h5py.File) -> None:
    """Seal a file of a public format, and state that this program made it."""
    file.attrs[CREATOR] = np.bytes_(OURS)
    seal(file)


def check_seal(
    file: h5py.File, path: Path, kind: str, compared: Collection[str] = ()
) -> tuple[str, ...]:
    """Refuse another format, an unknown version or a broken seal.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages
    kind
        required value of the attribute `format`
    compared
        datasets whose values the caller compares with their `sha256` while reading them, so that
        they are
        not read twice

    Returns
    -------
    notes
        a note if the file is of an older version without a seal

    Raises
    ------
    FileFormatError
        if format or version differ, or the file has changed
    """
    found = text_of(file.attrs.get("format", b""))
    if found != kind:
        raise FileFormatError(
            f"{path.name}: its format is {found!r}, expected {kind!r}; choose another file."
        )
    version = file.attrs.get("version", 0)
    if version not in (UNSEALED, SEALED):
        raise FileFormatError(
            f"{path.name}: version {version} of the format {kind!r} is not supported, expected "
            f"{UNSEALED} or {SEALED}; update Isocenter, or write the file again with the installed "
            "version."
        )
    # Version 2 without a seal is not accepted: its seal was removed.
    if version == UNSEALED and SEAL not in file.attrs:
        return (unsealed(path),)
    refuse_broken_seal(file, path, compared)
    return ()


def check_foreign_seal(file: h5py.File, path: Path) -> bool:
    """Refuse a file of a public format that this program made and that has changed.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages

    Returns
    -------
    is_sealed
        False for files of other programs, and for files of older versions

    Raises
    ------
    FileFormatError
        if the seal is broken
    """
    creator = text_of(file.attrs.get(CREATOR, b""))
    if SEAL not in file.attrs and creator != OURS:
        return False
    refuse_broken_seal(
        file,
        path,
        remedy=(
            f"Copy the file again or, if the change is intended, delete the attributes {SEAL!r} "
            f"and {CREATOR!r}."
        ),
    )
    return True


def refuse_broken_seal(
    file: h5py.File,
    path: Path,
    compared: Collection[str] = (),
    remedy: str = "Copy the file again.",
) -> None:
    """Refuse a file that differs from its seal.

    Parameters
    ----------
    file
        open for reading
    path
        file, for messages
    compared
        datasets whose values the caller compares with their `sha256`
    remedy
        remedy, as a whole sentence

    Raises
    ------
    FileFormatError
        names the dataset, or the file if anything else has changed
    """
    if text_of(file.attrs.get(SEAL, b"")) != _seal_of(file):
        raise broken(path, remedy)
    # The seal covers the stored digest of large datasets, not their values, so compare these
    # separately.
    for name, item in _datasets(file).items():
        written = item.attrs.get("sha256")
        if written is not None and name not in compared and text_of(written) != _digest(item):
            raise FileFormatError(
                f"{path.name}: the dataset {name!r} has changed since it was written (its checksum "
                f"differs). {remedy}"
            )


def _seal_of(file: h5py.File) -> str:
    """Return the SHA-256 of a JSON text with all objects by name, without the seal itself."""
    objects: Plain = {name: _described(item) for name, item in _objects(file).items()}
    # The seal cannot cover itself.
    objects["/"]["attributes"].pop(SEAL, None)
    return sha256(to_json(objects).encode()).hexdigest()


def _objects(file: h5py.File) -> Plain:
    """Return every object once, by its first name; soft and external links by their text."""
    import h5py

    found: Plain = {"/": file["/"]}
    # Hard links can form cycles. The address in the file identifies an object.
    names = {int(h5py.h5o.get_info(file["/"].id).addr): "/"}
    waiting = ["/"]
    while waiting:
        place = waiting.pop()
        # Sorted, because HDF5 does not fix the order of names, and the digest must not depend on
        # it.
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
    """Return type, shape, digest and attributes; large values only by their `sha256`."""
    import h5py

    if isinstance(item, str):
        return item
    stated = {name: _attribute(value) for name, value in item.attrs.items()}
    if not isinstance(item, h5py.Dataset):
        return {"attributes": stated}
    # Large values are written after the seal, so it contains only their digest.
    values = "" if "sha256" in stated else _digest(item)
    return {"type": item.dtype.str, "shape": item.shape, "values": values, "attributes": stated}


def _attribute(value: object) -> tuple[object, ...]:
    if isinstance(value, str):
        return "text", value
    # As bytes: JSON numbers would not distinguish float32 from float64, or -0.0 from 0.0.
    array = np.asarray(value)
    return array.dtype.str, array.shape, array.tobytes().hex()


def _digest(item: h5py.Dataset) -> str:
    """Return the SHA-256 of a dataset's bytes, read piece by piece."""
    if not item.shape or not item.size:
        return digest(np.asarray(item[()]))
    total = sha256()
    # Whole rows in pieces of about 16 MiB, so that any dataset can be checked in little memory.
    rows = max(CHUNK_BYTES * len(item) // max(item.nbytes, 1), 1)
    for start in range(0, len(item), rows):
        part = np.ascontiguousarray(item[start : start + rows])
        total.update(part.reshape(-1).view(np.uint8).data)
    return total.hexdigest()
