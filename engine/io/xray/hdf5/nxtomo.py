"""Read NXtomo: projections, flats and darks in one array, distinguished by `image_key`.

Data are found by NeXus class, because facilities choose the names of groups.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.io.base import ProjectionsReader
from engine.io.hdf5.file_seal import check_foreign_seal
from engine.io.hdf5.opening import DAMAGE, is_hdf5, library_file
from engine.io.safety.open_input import InputFile
from engine.io.text.lengths import MM_OF
from engine.io.xray.angles import ATTRIBUTE, read_angles, unit_named
from engine.io.xray.frames import assemble, refuse_count
from engine.io.xray.hdf5.dxchange import DATA, has_object
from engine.io.xray.hdf5.opening import Tree, open_tree, read_images
from engine.io.xray.hdf5.values import attribute, numbers_of
from engine.io.xray.pose import turned_parallel

if TYPE_CHECKING:
    import h5py

PROJECTION, FLAT, DARK, INVALID = range(4)
KEY_NAMES = ("image_key", "image_key_control")
ANGLE_NAMES = ("rotation_angle",)
ANGLE_WORDS = ("rotation", "theta", "angle")


class NxTomo(ProjectionsReader):
    """NXtomo file."""

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_hdf5(file.head) and not has_object(file, DATA) and _is_nexus(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        with open_tree(file) as tree:
            return _read(tree, file.path)


def _is_nexus(file: InputFile) -> bool:
    """Return True if a group at the top is an NXentry."""
    import h5py

    try:
        with library_file(file) as tree:
            tops = [tree[k] for k in tree if isinstance(tree.get(k, getlink=True), h5py.HardLink)]
            return any(attribute(t, "NX_class") == "NXentry" for t in tops)
    except DAMAGE:
        return False


def _read(tree: Tree, path: Path) -> Projections:
    check_foreign_seal(tree.root, path)
    frames = _frames(tree, path)
    keys = _keys(tree, len(frames), path)
    shots = np.flatnonzero(keys == PROJECTION)
    # Angles before images: reading gigabytes for a scan without angles would be wasted.
    item, values = _angles(tree, len(frames), len(shots), path)
    where = f"{path.name}: {item.name}"
    if not len(shots):
        raise DataError(
            f"{path.name}: image_key marks none of the {len(keys):,} images as a projection (0); "
            "export the scan again."
        )
    unit = unit_named(attribute(item, "units"), where)
    # Angles are given for all images, or for the projections only.
    every = values[shots] if len(values) == len(keys) else values
    angles = read_angles(every, unit, where, remedy=ATTRIBUTE)
    shots = shots[: len(angles.rad)]
    notes = list(angles.notes)
    invalid = int((keys == INVALID).sum())
    if invalid:
        notes.append(f"{path.name}: {invalid:,} images marked invalid are not used.")
    flats, darks = (
        read_images(frames, path, chosen) if len(chosen := np.flatnonzero(keys == key)) else None
        for key in (FLAT, DARK)
    )
    # Missing flats are only noted: the images can still be inspected.
    if flats is None:
        notes.append(f"{path.name}: no flat images, so the open beam is unknown.")
    images = read_images(frames, path, shots)
    pixel = _pixel_mm(tree)
    geometry = turned_parallel(angles.rad, pixel_mm=pixel or (1.0, 1.0), shape=images.shape[1:])
    return assemble(
        path,
        images,
        geometry,
        "counts",
        flats=flats,
        darks=darks,
        pixel_mm_known=pixel is not None,
        whole_numbers=frames.dtype.kind in "iu",
        info={**flat_positions(keys, shots), "format": NxTomo.name},
        notes=notes,
    )


def flat_positions(keys: NDArray[np.int64], shots: NDArray[np.intp]) -> Plain:
    """Return the view after each flat.

    Parameters
    ----------
    keys
        (n_images,) `image_key`, in order of time
    shots
        (n_views,) positions of the projections

    Returns
    -------
    facts
        `flat_views` for `Projections.info`; {} if there are no flats
    """
    # The position of flats in time is needed to interpolate between them.
    flats = np.flatnonzero(keys == FLAT)
    return {"flat_views": np.searchsorted(shots, flats).tolist()} if len(flats) else {}


def _scope(tree: Tree) -> str:
    """Return the path of the entry with the definition NXtomo, "" if there is none."""
    for nx_class in ("NXsubentry", "NXentry"):
        for where in tree.groups(nx_class):
            if tree.text(f"{where}/definition") == "NXtomo":
                return where
    return ""


def _inside(tree: Tree) -> Plain:
    """Return the datasets of the NXtomo entry, or of the whole file if no entry states NXtomo."""
    import h5py

    scope = _scope(tree)
    found = {
        where: item
        for where, item in tree.items.items()
        if isinstance(item, h5py.Dataset) and where.startswith(f"{scope}/")
    }
    # Some facilities declare NXtomo in a subentry and keep the images outside it.
    if not scope or any(item.ndim == 3 for item in found.values()):
        return found
    return {w: i for w, i in tree.items.items() if isinstance(i, h5py.Dataset)}


def _class_of(tree: Tree, where: str) -> str:
    parent = tree.items.get(posixpath.dirname(where))
    return attribute(parent, "NX_class") if parent is not None else ""


def _frames(tree: Tree, path: Path) -> h5py.Dataset:
    """Return the dataset of the images: `data` of a detector, otherwise of an NXdata."""
    stacks = {w: i for w, i in _inside(tree).items() if i.ndim == 3 and i.dtype.kind in "iuf"}
    for nx_class in ("NXdetector", "NXdata"):
        here = {w: i for w, i in stacks.items() if _class_of(tree, w) == nx_class}
        named = {w: i for w, i in here.items() if posixpath.basename(w) == "data"} or here
        # NXdata usually links to the data of the detector; that is one stack, not two.
        different = {_identity(i): w for w, i in named.items()}
        if len(different) == 1:
            return next(iter(named.values()))
        # The user cannot choose a stack inside a file, so the message asks for one scan per file.
        if different:
            raise FileFormatError(
                f"{path.name}: contains {len(different)} image stacks "
                f"({', '.join(sorted(different.values()))}); keep one scan per file."
            )
    raise FileFormatError(
        f"{path.name}: contains no images (three axes) in a group of class NXdetector or NXdata; "
        "export the scan as NXtomo."
    )


def _identity(item: h5py.Dataset) -> tuple[str, int]:
    """Return the same value for all links to a dataset."""
    import h5py

    return str(item.file.filename), int(h5py.h5o.get_info(item.id).addr)


def _keys(tree: Tree, n_frames: int, path: Path) -> NDArray[np.int64]:
    for name in KEY_NAMES:
        for where, item in _inside(tree).items():
            if posixpath.basename(where) == name and item.dtype.kind in "iuf":
                keys = np.asarray(item[()]).reshape(-1).astype(np.int64)
                if len(keys) != n_frames:
                    raise FileFormatError(
                        f"{path.name}: {where} has {len(keys):,} entries, expected one for each of "
                        f"the {n_frames:,} images; export the scan again."
                    )
                # NXtomo defines 0 to 3 only; other values come from another convention.
                strange = np.setdiff1d(keys, np.arange(4))
                if len(strange):
                    raise FileFormatError(
                        f"{path.name}: {where} contains {int(strange[0])}, expected 0 "
                        "(projection), 1 (flat), 2 (dark) or 3 (invalid); export the scan again."
                    )
                return keys
    raise FileFormatError(
        f"{path.name}: contains no image_key to separate projections, flats and darks; export the "
        "scan as NXtomo."
    )


def _is_list(item: h5py.Dataset) -> bool:
    """Return True if a dataset has one axis, or a single row or column."""
    return bool(item.shape) and item.size == max(item.shape) and item.dtype.kind in "iufSO"


def _angles(
    tree: Tree, n_frames: int, n_shots: int, path: Path
) -> tuple[h5py.Dataset, NDArray[np.float64]]:
    """Return the rotation angle of each image, or of each projection.

    The search goes by name, then by a word in the name; samples and data groups come first.
    """
    lists = {w: i for w, i in _inside(tree).items() if _is_list(i)}
    named = [w for w in lists if posixpath.basename(w) in ANGLE_NAMES]
    axes = [w for w in lists if _class_of(tree, w) in ("NXsample", "NXtransformations", "NXdata")]
    words = [w for w in lists if any(k in posixpath.basename(w).lower() for k in ANGLE_WORDS)]
    # The standard name first, then likely groups, then any name with a word for angles.
    for where in [*named, *(w for w in axes if w in words), *words]:
        values = numbers_of(lists[where])
        if values is not None and (len(values) in (n_frames, n_shots) or where in named):
            if len(values) != n_shots:
                refuse_count(path, n_frames, len(values))
            return lists[where], values
    raise FileFormatError(
        f"{path.name}: contains no rotation_angle with {n_frames:,} numbers; export the scan as "
        "NXtomo."
    )


def _pixel_mm(tree: Tree) -> tuple[float, float] | None:
    """Return width and height of a pixel, None if the file does not state plausible ones."""
    found = []
    for axis in "xy":
        for where, item in _inside(tree).items():
            if posixpath.basename(where) == f"{axis}_pixel_size":
                # NeXus lengths without a unit are in metres.
                scale = MM_OF.get(attribute(item, "units", "m").strip().lower())
                size = (tree.optional_number(where) or np.nan) * (scale or np.nan)
                if 1e-6 < size < 10:
                    found.append(size)
                break
    return (found[0], found[1]) if len(found) == 2 else None
