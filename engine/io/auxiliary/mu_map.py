"""Check that a volume can be the μ-map of a scan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io.auxiliary.mu_units import PER_MM, in_per_mm, recognised
from engine.io.safety.not_numbers import refuse_noted_nan

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
    refuse_noted_nan(path, volume.notes, "an attenuation map")
    low, high = VOXEL_MM
    if not all(low <= v <= high for v in volume.grid.voxel_mm):
        raise GeometryError(
            f"{path.name}: the voxel size is {volume.grid.describe()}, expected {low:g} to "
            f"{high:g} mm; save the map with the voxel size in mm."
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
    water = f"water is {WATER_PER_MM} 1/mm at 511 keV"
    if least < MIN_PER_MM or most > 1:
        raise DataError(
            f"{path.name}: values from {least:g} to {most:g} cannot be attenuation in 1/mm and may "
            f"be Hounsfield units ({water}); convert the map to 1/mm at 511 keV."
        )
    if most > MAX_PER_MM:
        # STIR and CASToR store maps in 1/cm, without a unit in the file.
        guess = "look like 1/cm" if most <= MAX_PER_CM else "are too large"
        raise DataError(
            f"{path.name}: values up to {most:g} {guess}, expected 1/mm ({water}); divide the map "
            "by 10 if it is in 1/cm."
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
