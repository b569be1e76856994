"""Location of frames in a file: datasets of Data Exchange, or one stack of NXtomo.

Only hard links are followed, so that nothing outside of the file is opened.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.geometry.xray import XrayGeometry
from engine.io.hdf5.opening import refuse_unsafe
from engine.io.xray.angles import unit_named
from engine.io.xray.hdf5.values import attribute
from engine.io.xray.pose import turned_parallel
from engine.live.core.frame import FrameKind

if TYPE_CHECKING:
    import h5py

DX_IMAGES = {
    "exchange/data_dark": FrameKind.DARK,
    "exchange/data_white": FrameKind.FLAT,
    "exchange/data": FrameKind.PROJECTION,
}
NX_KINDS = {0: FrameKind.PROJECTION, 1: FrameKind.FLAT, 2: FrameKind.DARK}
KEY_NAMES, ANGLE_NAMES = ("image_key", "image_key_control"), ("rotation_angle",)
PIXEL_NAMES = ("x_pixel_size", "x_actual_pixel_size", "resolution")
MM = {"m": 1e3, "mm": 1.0, "um": 1e-3, "µm": 1e-3, "micron": 1e-3, "microns": 1e-3}
MAX_OBJECTS = 10_000


@dataclass(frozen=True, eq=False)
class Hdf5Layout:
    """Images of a file, with their angles and kinds.

    Attributes
    ----------
    path : the file
    images : stacks by name
    axis : axis of the frame number
    angles : angles that exist so far [rad], in the sense of rotation of the file; None without
        angles
    n_angles : final number of angles, None if the dataset can grow
    keys : kind of each image of the only stack (NXtomo); None if the stack's name states it
    pixel_mm : pixel size; 1 if the file does not state it
    """

    path: Path
    images: dict[str, h5py.Dataset]
    axis: int
    angles: NDArray[np.float64] | None
    n_angles: int | None
    keys: NDArray[np.int64] | None
    pixel_mm: float

    def n_there(self, name: str) -> int:
        """Return the number of images with all their data.

        Parameters
        ----------
        name
            name of the stack
        """
        n = int(self.images[name].shape[self.axis])
        if self.keys is not None:
            # Angles and keys are often written after the image
            n = min(n, len(self.keys))
        elif DX_IMAGES[name] != FrameKind.PROJECTION:
            return n
        return n if self.angles is None else min(n, len(self.angles))

    def place(self, name: str, k: int) -> tuple[FrameKind | None, int]:
        """Return kind and number of an image.

        Parameters
        ----------
        name
            name of the stack
        k
            position in the stack, from 0

        Returns
        -------
        kind
            None for an image that is marked invalid
        index
            number among the images of its kind, from 0
        """
        if self.keys is None:
            return DX_IMAGES[name], k
        key = int(self.keys[k])
        return NX_KINDS.get(key), int((self.keys[:k] == key).sum())

    def angle(self, kind: FrameKind, index: int, k: int) -> float | None:
        """Return the angle of the source for a projection.

        Parameters
        ----------
        kind
            kind of the image
        index
            number among its kind
        k
            position in the stack

        Returns
        -------
        angle_rad
            angle [rad]; None for darks and flats, or without angles
        """
        # NXtomo has an angle for every image of the stack, Data Exchange for projections only
        at = index if self.keys is None else k
        if kind != FrameKind.PROJECTION or self.angles is None:
            return None
        return float(self._orbit(self.angles[at : at + 1]).angles_rad[0])

    @property
    def planned(self) -> int | None:
        """Final number of projections, if the number of angles is fixed."""
        if self.keys is None or self.n_angles is None:
            return self.n_angles
        return int((self.keys == 0).sum()) if len(self.keys) == self.n_angles else None

    @cached_property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of all projections, once all angles exist."""
        if self.angles is None or self.planned is None or len(self.angles) != self.n_angles:
            return None
        return self._orbit(self.angles if self.keys is None else self.angles[self.keys == 0])

    def _orbit(self, angles: NDArray[np.float64]) -> XrayGeometry:
        item = next(iter(self.images.values()))
        rows, columns = (int(n) for k, n in enumerate(item.shape) if k != self.axis)
        size = (self.pixel_mm, self.pixel_mm)
        return turned_parallel(angles, pixel_mm=size, shape=(rows, columns))


def layout_of(file: h5py.File, path: Path, *, is_open: bool) -> Hdf5Layout:
    """Find the frames of a file.

    Parameters
    ----------
    file
        open file
    path
        its path, for messages
    is_open
        True if a writer has it open

    Returns
    -------
    layout
        stacks, angles and keys

    Raises
    ------
    FileFormatError
        if the file contains no frames, perhaps not yet, or an unsafe dataset
    """
    items = _datasets(file, path)
    if "exchange/data" in items:
        return _of_data_exchange(items, path, is_open=is_open)
    stacks = {
        name: item
        for name, item in items.items()
        if item.ndim == 3 and item.dtype.kind in "iuf" and _is_image(file, name)
    }
    keys = _numbers(items, KEY_NAMES)
    # Several stacks, or none: nothing states which one is the scan
    if len(stacks) != 1 or keys is None:
        raise FileFormatError(
            f"{path.name}: expected /exchange/data (Data Exchange), or one stack of images with an "
            f"image_key (NXtomo); number of stacks: {len(stacks)}, number of keys: "
            f"{int(keys is not None)}. Export the scan in one of these formats."
        )
    angles, n_angles = _angles(items, ANGLE_NAMES, is_open=is_open)
    whole = keys.astype(np.int64)
    return Hdf5Layout(path, stacks, 0, angles, n_angles, whole, _pixel_mm(items))


def _of_data_exchange(items: dict[str, h5py.Dataset], path: Path, *, is_open: bool) -> Hdf5Layout:
    images = {name: items[name] for name in DX_IMAGES if name in items and items[name].ndim == 3}
    if "exchange/data" not in images:
        raise FileFormatError(
            f"{path.name}: /exchange/data has {items['exchange/data'].ndim} axes, expected three; "
            "export the scan again."
        )
    # Data Exchange states its axes as "theta:y:x"; some files have rows first
    axes = attribute(images["exchange/data"], "axes").split(":")
    axis = 1 if len(axes) == 3 and axes[1].startswith("theta") else 0
    angles, n_angles = _angles(items, ("theta",), is_open=is_open)
    return Hdf5Layout(path, images, axis, angles, n_angles, None, _pixel_mm(items))


def _datasets(file: h5py.File, path: Path) -> dict[str, h5py.Dataset]:
    """Return all datasets of numbers by name; links to other files are not followed."""
    import h5py

    found: dict[str, h5py.Dataset] = {}

    def visit(name: str, item: object) -> bool | None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf":
            # External storage and huge chunks are refused before anything is read
            refuse_unsafe(item, f"{path.name}: /{name}", 2**62)
            found[name] = item
        # A returned value ends the visit
        return True if len(found) > MAX_OBJECTS else None

    file.visititems(visit)
    return found


def _is_image(file: h5py.File, name: str) -> bool:
    return attribute(file[posixpath.dirname(name)], "NX_class") in ("NXdetector", "NXdata")


def _numbers(items: dict[str, h5py.Dataset], names: tuple[str, ...]) -> NDArray[np.float64] | None:
    for name, item in items.items():
        if posixpath.basename(name) in names and item.ndim == 1:
            return np.asarray(item[()], np.float64)
    return None


def _angles(
    items: dict[str, h5py.Dataset], names: tuple[str, ...], *, is_open: bool
) -> tuple[NDArray[np.float64] | None, int | None]:
    """Return the existing angles [rad], and their final number.

    Reserved space contains NaN, or zeros at its end.
    """
    for name, item in items.items():
        if posixpath.basename(name) in names and item.ndim == 1:
            values = np.asarray(item[()], np.float64)
            is_fixed = item.maxshape[0] == item.shape[0]
            bad = np.flatnonzero(~np.isfinite(values))
            values = values[: bad[0]] if len(bad) else values
            # The first angle may be 0, but trailing zeros are not written yet
            if is_open and is_fixed and len(values) > 1:
                turned = np.flatnonzero(values)
                values = values[: turned[-1] + 1] if len(turned) else values[:0]
            unit = unit_named(attribute(item, "units", "deg"), name)
            in_rad = values if unit == "rad" else np.deg2rad(values)
            return in_rad, int(item.shape[0]) if is_fixed else None
    return None, None


def _pixel_mm(items: dict[str, h5py.Dataset]) -> float:
    for name, item in items.items():
        if posixpath.basename(name) in PIXEL_NAMES and item.size == 1:
            scale = MM.get(attribute(item, "units", "m").strip().lower())
            size = float(np.asarray(item[()]).reshape(-1)[0]) * (scale or np.nan)
            # Outside of 1 nm to 10 mm the unit is wrong
            if 1e-6 < size < 10:
                return size
    return 1.0
