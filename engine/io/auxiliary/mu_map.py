"""Check that a volume can be the μ-map of a scan, and add the μ-maps of patient, bed and coils.

    μ(p) = Σ μ_i(p)

The sum uses the voxels of the first map. Its grid is extended to all attenuating voxels of the
other maps, which are interpolated linearly and are 0 outside their grids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.auxiliary.mu_units import PER_MM, in_per_mm, recognised
from engine.io.safety.budget import refuse_large_data
from engine.io.safety.not_numbers import refuse_noted_nan

if TYPE_CHECKING:
    from engine.geometry.scanner import Scanner

WATER_PER_MM = 0.0096
"""Attenuation of water at 511 keV [1/mm]."""
MAX_PER_MM = 0.05
"""Above bone (0.017) and titanium (0.04) at 511 keV [1/mm]."""
MAX_PER_CM = 0.5
# Small negative values result from interpolation and noise.
MIN_PER_MM = -1e-4
BODY_PER_MM = 0.001
"""Threshold between air and lung [1/mm]."""
VOXEL_MM = (0.1, 50.0)
MATTER_PER_MM = 1e-5
"""Smallest relevant attenuation: one metre absorbs 1 % of the photons."""
TISSUES_PER_MM = {"air": 0.0, "lung": 0.00224, "fat": 0.00854, "soft": 0.01}
"""Attenuation of the classes of a Dixon segmentation at 511 keV, as in the Siemens mMR."""


def as_mu_map(volume: Volume, scanner: Scanner | None, path: Path) -> Volume:
    """Return a volume as a μ-map in 1/mm at 511 keV.

    Parameters
    ----------
    volume
        attenuation coefficients or CT numbers
    scanner
        scanner whose bore must contain the map; None skips this check
    path
        file, for messages

    Raises
    ------
    DataError
        if the values cannot be attenuation coefficients, or some were NaN
    GeometryError
        if the voxels are too small or too large, or the map is outside the scanner
    """
    # NaN read as 0 would be air, and the correction would be too small there.
    refuse_noted_nan(path, volume.notes)
    low, high = VOXEL_MM
    if not all(low <= v <= high for v in volume.grid.voxel_mm):
        raise GeometryError(
            f"{path.name}: the voxel size is {' × '.join(f'{v:g}' for v in volume.grid.voxel_mm)} "
            f"mm, expected {low:g} to {high:g} mm; save the map with the voxel size in mm."
        )
    # The unit is resolved before the limits below, which are in 1/mm.
    found = recognised(volume, path.name)
    if found is not None:
        volume = in_per_mm(volume, found, path.name)
    _refuse_unit(volume, path)
    if scanner is not None:
        _refuse_place(volume, scanner, path)
    return replace(volume, unit=PER_MM)


def _refuse_unit(volume: Volume, path: Path) -> None:
    least, most = float(volume.values.min()), float(volume.values.max())
    if least < MIN_PER_MM or most > 1:
        raise DataError(
            f"{path.name}: values from {least:g} to {most:g} cannot be attenuation in 1/mm and may "
            f"be Hounsfield units. Water is {WATER_PER_MM} 1/mm at 511 keV. Convert the map to "
            "1/mm at 511 keV."
        )
    if most > MAX_PER_MM:
        # STIR and CASToR store maps in 1/cm, without a unit in the file.
        raise DataError(
            f"{path.name}: values up to {most:g} look like 1/cm, expected 1/mm. Water is "
            f"{WATER_PER_MM} 1/mm at 511 keV. Divide the map by 10."
            if most <= MAX_PER_CM
            else f"{path.name}: values up to {most:g} are too large, expected 1/mm. Water is "
            f"{WATER_PER_MM} 1/mm at 511 keV. Divide the map by 10 if it is in 1/cm."
        )
    if most < BODY_PER_MM:
        raise DataError(
            f"{path.name}: all values are below {BODY_PER_MM:g} 1/mm, so the map contains only "
            "air; choose another map or reconstruct without attenuation correction."
        )


def _refuse_place(volume: Volume, scanner: Scanner, path: Path) -> None:
    """Refuse a map that is outside the bore or does not overlap the axial field of view."""
    # Only matter counts. The grid itself can be larger than the bore, as in most CT images.
    body = volume.values > BODY_PER_MM
    x, y, z = (volume.grid.centres_mm(axis) for axis in range(3))
    across = scanner.from_middle_mm(x[None, :], y[:, None])[body.any(axis=0)].max()
    if across > scanner.bore_radius_mm:
        raise GeometryError(
            f"{path.name}: the map extends {across:.0f} mm from the centre, but the bore radius of "
            f"{scanner.name!r} is {scanner.bore_radius_mm:.0f} mm; choose a map in scanner "
            "coordinates, or register this one with `isocenter register`."
        )
    # A patient extends beyond the rings, so an overlap is enough along the axis.
    inside = z[body.any(axis=(1, 2))]
    low, high = scanner.axial_range_mm
    if inside.max() < low or inside.min() > high:
        raise GeometryError(
            f"{path.name}: the map covers z = {inside.min():.0f} to {inside.max():.0f} mm, but the "
            f"scanner covers {low:.0f} to {high:.0f} mm; choose a map in scanner coordinates, or "
            "register this one with `isocenter register`."
        )


def of_classes(volume: Volume, classes: Mapping[int, float], name: str) -> Volume:
    """Return the μ-map of a segmented image, such as a Dixon segmentation of an MR image.

    Parameters
    ----------
    volume
        class numbers
    classes
        class number -> attenuation [1/mm]; class 0 is air unless it is listed
    name
        file name for messages

    Raises
    ------
    DataError
        if a voxel belongs to a class that is not listed
    """
    known = {0: 0.0, **classes}
    values = np.zeros_like(volume.values)
    # Values that match no class often reveal an image that was interpolated after segmentation.
    left = np.ones(volume.values.shape, bool)
    for number, per_mm in known.items():
        where = volume.values == number
        values[where] = per_mm
        left &= ~where
    if left.any():
        other = np.unique(volume.values[left])
        listed = ", ".join([f"{value:g}" for value in other[:5]] + ["..."] * (len(other) > 5))
        raise DataError(
            f"{name}: no attenuation value is given for the classes {listed} (classes: "
            f"{len(other):,}, voxels: {np.count_nonzero(left):,}); add a value for each class, or "
            "use a segmented image."
        )
    listed = ", ".join(f"{k}: {v:g}" for k, v in known.items())
    note = f"{name}: the classes were converted to attenuation in 1/mm ({listed})."
    info = {**volume.info, "converted_from": "classes"}
    notes = (*volume.notes, note)
    return replace(volume, values=values, unit="1/mm", info=info, notes=notes)


def added(first: Volume, others: Sequence[Volume]) -> Volume:
    """Return the sum of maps.

    Parameters
    ----------
    first
        map in 1/mm that defines the voxels
    others
        maps in 1/mm on any grid

    Returns
    -------
    volume
        the grid of `first`, extended where other maps attenuate

    Raises
    ------
    DataError
        if two maps belong to different patients
    ResourceError
        if the sum does not fit in memory
    """
    # Maps of bed and coils name no patient.
    patients = {each.patient for each in (first, *others) if each.patient}
    if len(patients) > 1:
        raise DataError(
            f"these maps belong to {len(patients)} different patients; combine the maps of a "
            "single patient with the maps of the bed and coils."
        )
    grid = _grown(first.grid, others)
    refuse_large_data(4 * grid.n_voxels, "the sum of the maps")
    total = _placed(first, grid)
    for each in others:
        total += _interpolated(each, grid)
    return replace(first, values=total, grid=grid, patient=next(iter(patients), ""))


def _grown(grid: ImageGrid, others: Sequence[Volume]) -> ImageGrid:
    """Return a grid with the same voxels, extended to the attenuating voxels of other maps."""
    lower, upper = grid.lower_mm.copy(), grid.upper_mm.copy()
    for each in others:
        matter = each.values > MATTER_PER_MM
        # Empty borders of a bed map must not enlarge the grid.
        if not matter.any():
            continue
        for axis in range(3):
            # Arrays are [z, y, x], so axis x (0) is the last one.
            other_axes = tuple(k for k in range(3) if k != 2 - axis)
            places = np.flatnonzero(matter.any(axis=other_axes))
            centres, edge = each.grid.centres_mm(axis), each.grid.voxel_mm[axis]
            lower[axis] = min(lower[axis], centres[places[0]] - edge)
            upper[axis] = max(upper[axis], centres[places[-1]] + edge)
    voxel = np.array(grid.voxel_mm)
    # Whole voxels are added, so that the first map needs no interpolation. 1e-6 absorbs rounding,
    # which would otherwise add an empty layer.
    before = np.ceil((grid.lower_mm - lower) / voxel - 1e-6).astype(int)
    after = np.ceil((upper - grid.upper_mm) / voxel - 1e-6).astype(int)
    n = np.array(grid.shape[::-1]) + before + after
    centre = grid.lower_mm - before * voxel + n * voxel / 2
    x, y, z = (float(place) for place in centre)
    return replace(grid, shape=(int(n[2]), int(n[1]), int(n[0])), centre_mm=(x, y, z))


def _placed(volume: Volume, grid: ImageGrid) -> NDArray[np.float32]:
    """Return the values of a volume in a larger grid with the same voxels."""
    start = np.rint((volume.grid.lower_mm - grid.lower_mm) / grid.voxel_mm).astype(int)[::-1]
    values = np.zeros(grid.shape, np.float32)
    slots = (slice(a, a + n) for a, n in zip(start, volume.values.shape, strict=True))
    values[tuple(slots)] = volume.values
    return values


def _interpolated(volume: Volume, grid: ImageGrid) -> NDArray[np.float32]:
    from scipy.ndimage import affine_transform

    steps = np.array(grid.voxel_mm) / volume.grid.voxel_mm
    first = [grid.centres_mm(axis)[0] for axis in range(3)]
    # Voxel i is the interval [i, i + 1) here, but its centre is i in SciPy.
    offset = volume.grid.to_voxels(np.array(first)) - 0.5
    return np.asarray(
        affine_transform(
            # "grid-constant" interpolates to 0 beyond the border. "constant" cuts it half a voxel
            # earlier.
            volume.values,
            steps[::-1],
            offset[::-1],
            grid.shape,
            order=1,
            mode="grid-constant",
        ),
        np.float32,
    )
