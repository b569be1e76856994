"""Read NeXus files of CIL: one array with named axes, and the scanner geometry in `config`.

At angle θ the scanner is rotated by −θ about its axis, which is the object rotated by +θ.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.data.projections import Projections
from engine.geometry.vectors import about_z
from engine.geometry.xray import Beam, XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.xray.angles import Angles, read_angles
from engine.io.xray.frames import assemble, guess_kind, refuse_count
from engine.io.xray.hdf5.dxchange import has_object
from engine.io.xray.hdf5.nxtomo import DARK, FLAT, PROJECTION, flat_positions
from engine.io.xray.hdf5.opening import Tree, open_tree
from engine.io.xray.hdf5.values import attribute, number_attribute

if TYPE_CHECKING:
    import h5py

Array = NDArray[np.float64]

ENTRY = "/entry1/tomo_entry"
DATA, CONFIG, KEYS = f"{ENTRY}/data/data", f"{ENTRY}/config", f"{ENTRY}/data/image_key"
AXES = ("angle", "vertical", "horizontal")
UNITS: dict[str, Literal["deg", "rad"]] = {"degree": "deg", "radian": "rad"}
_DOWN = 1e-9 - 1
"""Cosine to z below which an axis points down."""


class CilNexus(ProjectionsReader):
    """NeXus file of CIL."""

    format_name: ClassVar[str] = "CIL NeXus"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_hdf5(file.head) and has_object(file, DATA) and has_object(file, CONFIG)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        with open_tree(file) as tree:
            return _read(tree, file.path)


def _read(tree: Tree, path: Path) -> Projections:
    item = tree.dataset(DATA)
    if item is None:
        raise FileFormatError(f"{path.name}: contains no dataset {DATA!r}; export the scan again.")
    images = _images(item, path)
    keys = tree.numbers(KEYS)
    if keys is None:
        # Files without image keys contain projections only.
        keys = np.full(len(images), PROJECTION)
    refuse_count(path, len(images), len(keys))
    angles = _angles(tree, path)
    shots = np.flatnonzero(keys == PROJECTION)
    refuse_count(path, len(shots), len(angles.rad))
    notes = list(angles.notes)
    values = images[shots]
    flats, darks = (images[k] if (k := keys == key).any() else None for key in (FLAT, DARK))
    kind = "counts" if flats is not None else guess_kind(path, values, notes)
    geometry, calibrated = _geometry(tree, item, angles.rad, images.shape[1:], path)
    return assemble(
        path,
        values,
        geometry,
        kind,
        flats=flats,
        darks=darks,
        calibrated=calibrated,
        whole_numbers=item.dtype.kind in "iu" and kind == "counts",
        info={**flat_positions(keys.astype(int), shots), "format": CilNexus.name},
        notes=notes,
    )


def _images(item: h5py.Dataset, path: Path) -> NDArray[np.float32]:
    """Return the images (n, rows, columns) as float32; scaled integers are converted back."""
    # Versions of CIL name these attributes differently.
    labels = [attribute(item, f"dim{k}") or attribute(item, f"dimension{k}") for k in range(4)]
    labels = [label for label in labels if label]
    if len(labels) != item.ndim or item.dtype.kind not in "iuf":
        raise FileFormatError(
            f"{path.name}: {DATA!r} has {item.ndim} axes with the labels [{', '.join(labels)}] and "
            f"the type {item.dtype}, expected a numeric type and one label per axis; export the "
            "scan again."
        )
    refuse_large_data(4 * int(item.size), path.name)
    values = np.asarray(item[()], np.float32)
    if "channel" in labels:
        k = labels.index("channel")
        if values.shape[k] != 1:
            raise FileFormatError(
                f"{path.name}: contains {values.shape[k]} energy channels, expected one; export a "
                "single channel."
            )
        values, labels = values.take([0], axis=k).squeeze(k), [n for n in labels if n != "channel"]
    # A single slice has no vertical axis.
    if "vertical" not in labels:
        values, labels = values[..., None], [*labels, "vertical"]
    if sorted(labels) != sorted(AXES):
        raise FileFormatError(
            f"{path.name}: the axes of {DATA} are {', '.join(labels)}, expected angle, vertical "
            "and horizontal; export the projections."
        )
    values = values.transpose([labels.index(name) for name in AXES])
    scale, offset = (
        number_attribute(item, name, default) for name, default in (("scale", 1), ("offset", 0))
    )
    # CIL stores value · scale + offset when it compresses to integers.
    if (scale, offset) != (1, 0) and scale:
        values = np.asarray((values - offset) / scale)
    return np.ascontiguousarray(values, np.float32)


def _angles(tree: Tree, path: Path) -> Angles:
    where = f"{CONFIG}/angles"
    item, values = tree.dataset(where), tree.numbers(where)
    if item is None or values is None:
        raise FileFormatError(f"{path.name}: contains no angles in {where}; export the scan again.")
    unit = attribute(item, "angle_unit", "degree")
    if unit not in UNITS:
        raise FileFormatError(
            f"{path.name}: the unit of the angles is {unit!r}, expected degree or radian; correct "
            "the attribute `angle_unit` in a copy of the file."
        )
    first = number_attribute(item, "initial_angle", 0)
    remedy = "Set its attribute `angle_unit` to the true unit in a copy of the file."
    return read_angles(values + first, UNITS[unit], f"{path.name}: {where}", remedy=remedy)


def _geometry(
    tree: Tree, item: h5py.Dataset, angles: Array, shape: tuple[int, ...], path: Path
) -> tuple[XrayGeometry, bool]:
    """Return the geometry with its rotation axis on z, and True if the file shifts the axis."""

    def vector(name: str, default: tuple[float, float, float] | None = None) -> Array:
        found = tree.numbers(f"{CONFIG}/{name}")
        if found is None and default is not None:
            return np.array(default)
        if found is None or len(found) not in (2, 3) or not np.isfinite(found).all():
            raise FileFormatError(
                f"{path.name}: '{CONFIG}/{name}' does not contain two or three finite numbers; "
                "export the scan again."
            )
        # Two components in a 2-D scan: z is 0.
        return np.append(found, 0.0)[:3]

    is_cone = tree.dataset(f"{CONFIG}/source/position") is not None
    beam: Beam = "cone" if is_cone else "parallel"
    source = vector("source/position" if is_cone else "ray/direction")
    detector, axis = vector("detector/position"), vector("rotation_axis/position")
    width = number_attribute(item, "pixel_size_h", 1.0)
    height = number_attribute(item, "pixel_size_v", width) or width
    origin = attribute(item, "panel_origin", "bottom-left")
    u = vector("detector/direction_x") * width * (-1 if "right" in origin else 1)
    v = vector("detector/direction_y", (0.0, 0.0, 1.0)) * height * (-1 if "top" in origin else 1)
    # CIL allows any direction of the rotation axis; here it is z.
    upright = _onto_z(vector("rotation_axis/direction", (0.0, 0.0, 1.0)))
    turn = about_z(-angles) @ upright
    # A parallel beam has a direction, which does not move with the origin.
    places = (source - axis if is_cone else source, detector - axis, u, v)
    source, detector, u, v = (turn @ each for each in places)
    geometry = XrayGeometry(beam, source, detector, u, v, (shape[0], shape[1]))
    return geometry, bool(np.abs(axis).max() > 0)


def _onto_z(axis: Array) -> Array:
    """Return the smallest rotation that turns a direction onto z (Rodrigues' formula)."""
    x, y, z = axis / np.linalg.norm(axis)
    # The formula divides by 1 + z; from −z, half a turn about y is used.
    if z < _DOWN:
        return np.diag([-1.0, 1.0, -1.0])
    cross = np.array([[0, 0, -x], [0, 0, -y], [x, y, 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + z))
