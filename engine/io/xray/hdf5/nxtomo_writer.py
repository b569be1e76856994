"""Write NXtomo: flats and darks are in acquisition order, marked by `image_key`.

NXtomo has parallel beams with the axis in the middle of the detector only; geometries of other
scans are stored in Data Exchange files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.hdf5.file_seal import seal_foreign
from engine.io.hdf5.piecewise import Piecewise
from engine.io.hdf5.writer import reserve, store, write_hdf5
from engine.io.xray.hdf5.nxtomo import DARK, FLAT
from engine.io.xray.pose import turned_parallel

if TYPE_CHECKING:
    import h5py

ENTRY = "entry"
DATA = f"/{ENTRY}/instrument/detector/data"
AT_ZERO = np.pi / 2
"""Added to our angles [rad]: a view at angle 0 of the format has its source at −y."""
SAME = 1e-4
"""Largest difference from the geometry that readers assume [pixels]."""


def write_nxtomo(data: Projections, path: Path) -> None:
    """Write counts of a parallel beam, completely or not at all.

    Parameters
    ----------
    data
        counts with flats and darks
    path
        NeXus file

    Raises
    ------
    GeometryError
        if the projections are not counts, or NXtomo cannot store their geometry
    """
    if data.kind != "counts":
        raise GeometryError(
            f"{path.name}: NXtomo can only store counts, but the values of this scan are of kind "
            f"{data.kind!r}; save it as .h5 instead."
        )
    angles = nxtomo_angles(data.geometry, path)
    frames, keys, turns = _in_order(data, angles)
    columns = {DATA: frames}
    write_hdf5(path, lambda file: _fill(file, data, columns, keys, turns), columns)


def nxtomo_angles(geometry: XrayGeometry, path: Path) -> NDArray[np.float64]:
    """Return the angles that describe a geometry completely.

    Parameters
    ----------
    geometry
        geometry of the scan
    path
        NeXus file, for the error message

    Returns
    -------
    angles
        (n_views,) [rad], from the first turn

    Raises
    ------
    GeometryError
        if the beam is a cone, the axis is off-centre, or rows run upwards
    """
    angles = np.unwrap(geometry.angles_rad + AT_ZERO)
    angles -= 2 * np.pi * np.floor(angles[0] / (2 * np.pi) + 1e-9)
    # Compare with the geometry that a reader would build from the angles alone.
    wanted = turned_parallel(angles, pixel_mm=geometry.pixel_size_mm, shape=geometry.shape)
    is_same = geometry.beam == "parallel" and all(
        np.abs(getattr(wanted, name) - getattr(geometry, name)).max()
        < SAME * min(geometry.pixel_size_mm)
        for name in ("corner_mm", "u_mm", "v_mm")
    )
    if not is_same:
        raise GeometryError(
            f"{path.name}: NXtomo cannot store cone beams, an off-centre rotation axis or rows "
            "that run upwards; save the scan as .h5, which stores the complete geometry."
        )
    return angles


def _in_order(
    data: Projections, angles: NDArray[np.float64]
) -> tuple[Piecewise, NDArray[np.uint8], NDArray[np.float64]]:
    """Return images, keys and angles [°]: darks, then each flat before the view after it."""
    flats = np.empty((0, *data.shape[1:])) if data.flats is None else data.flats
    darks = np.empty((0, *data.shape[1:])) if data.darks is None else data.darks
    flat_views = np.asarray(data.info.get("flat_views", np.zeros(len(flats))), float)
    # Half a view before: a stable sort then puts each flat in front of its view.
    at = np.concatenate([np.full(len(darks), -1.0), flat_views - 0.5, np.arange(data.n_views)])
    kinds = (np.full(len(darks), DARK), np.full(len(flats), FLAT), np.zeros(data.n_views))
    keys = np.concatenate(kinds).astype(np.uint8)
    order = np.argsort(at, kind="stable")
    starts = np.cumsum([0, len(darks), len(flats)])

    def rows(first: int, end: int) -> Array:
        parts = np.searchsorted(starts, order[first:end], side="right") - 1
        chosen = zip(parts, order[first:end], strict=True)
        return np.stack([(darks, flats, data.values)[p][k - starts[p]] for p, k in chosen])

    images = Piecewise((len(order), *data.shape[1:]), np.dtype("<f4"), rows)
    # Flats and darks get the angle of the view that follows, as if the stage waited there.
    nearest = np.clip(np.ceil(at[order]).astype(int), 0, data.n_views - 1)
    return images, keys[order], np.rad2deg(angles)[nearest]


def _fill(
    file: h5py.File,
    data: Projections,
    columns: Mapping[str, Array | Piecewise],
    keys: NDArray[np.uint8],
    turns: NDArray[np.float64],
) -> None:
    groups = {
        ENTRY: "NXentry",
        f"{ENTRY}/instrument": "NXinstrument",
        f"{ENTRY}/instrument/detector": "NXdetector",
        f"{ENTRY}/sample": "NXsample",
        f"{ENTRY}/data": "NXdata",
    }
    for name, nx_class in groups.items():
        file.create_group(name).attrs["NX_class"] = np.bytes_(nx_class)
    file.create_dataset(f"{ENTRY}/definition", data=np.bytes_("NXtomo"), track_times=False)
    reserve(file, DATA, columns[DATA])
    detector = file[f"{ENTRY}/instrument/detector"]
    store(detector, "image_key", keys)
    angle = store(file, f"{ENTRY}/sample/rotation_angle", turns)
    angle.attrs["units"] = np.bytes_("deg")
    if data.pixel_mm_known:
        for axis, size in zip("xy", data.geometry.pixel_size_mm, strict=True):
            store(detector, f"{axis}_pixel_size", np.array(size)).attrs["units"] = np.bytes_("mm")
    # Hard links, so that viewers find the plot in NXdata without a copy of the images.
    shown = file[f"{ENTRY}/data"]
    shown["data"], shown["rotation_angle"] = file[DATA], angle
    shown["image_key"] = detector["image_key"]
    seal_foreign(file)
