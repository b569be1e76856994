"""Read the angles of a sidecar: source angles from +x, counter-clockwise seen from +z.

If a list or the steps state α_k, the source in view k is at

β_k = β_0 + s (α_k − α_0),   s = −1 if it turns clockwise, otherwise 1,

with β_0 = `first`, or α_0 if `first` is not given. In version 1, β_k = s α_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.io.folder import open_below
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.open_input import InputFile
from engine.io.xray.angles import WORDS, Angles, Unit, read_angles
from engine.io.xray.array_files import array_of, holds_arrays
from engine.io.xray.frames import refuse_count
from engine.io.xray.sidecar.images import split
from engine.io.xray.sidecar.settings import AngleSettings, ConeSettings, ParallelSettings, Sidecar
from engine.io.xray.text.angle_text import angles_in_text
from engine.io.xray.text.number_lists import decoded

ALIKE_RAD = 1e-9


def source_angles(
    settings: Sidecar,
    g: ConeSettings | ParallelSettings,
    n_views: int,
    path: Path,
    *,
    n_references: int = 0,
) -> Angles:
    """Return the angle of the source in each view.

    Parameters
    ----------
    settings, g
        settings of the sidecar, and its geometry
    n_views
        number of projections
    path
        the sidecar; lists of angles are in its folder
    n_references
        number of flats and darks; a list can contain their angles too

    Raises
    ------
    GeometryError
        if the list has another number of angles
    DataError
        if the angles are not finite, all equal, or apparently in another unit
    """
    given = g.angles
    stated = _stated(given, n_views, n_references, path)
    _refuse_references(given, len(stated), n_views, n_references, path)
    refuse_count(path, n_views, len(stated))
    remedy = 'Set its unit to "deg" or "rad".'
    angles = read_angles(stated, given.unit, f"{path.name}: geometry.angles", remedy=remedy)
    # Even steps are a guess of the import, and the user must see it again in each run.
    if given.assumed:
        angles = replace(angles, notes=(*angles.notes, _assumption(given, n_views, path)))
    sense = -1.0 if g.clockwise else 1.0
    first = angles.rad[0]
    if settings.version == 1:
        return _of_version_1(angles, sense, given.unit, path)
    if given.first is not None:
        first = np.deg2rad(given.first) if given.unit == "deg" else given.first
    return replace(angles, rad=first + sense * (angles.rad - angles.rad[0]))


def _assumption(given: AngleSettings, n_views: int, path: Path) -> str:
    """Return a note that even steps are assumed because no file states the angles."""
    step = abs(given.step or 0.0)
    degrees = step if given.unit == "deg" else float(np.rad2deg(step))
    return (
        f"{path.name}: found no list of angles; {n_views:,} views in even steps of {degrees:.6g}° "
        "are assumed. If the steps are not even, import the scan again with --angles FILE."
    )


def _stated(
    given: AngleSettings, n_views: int, n_references: int, path: Path
) -> NDArray[np.float64]:
    """Return α for each view, and for each image that is not excluded."""
    if given.step is not None:
        return (given.first or 0.0) + given.step * np.arange(n_views, dtype=np.float64)
    if given.values is not None:
        values = np.array(given.values)
    else:
        name, inner = split(given.file or "", path)
        n_out = sum(end - start + 1 for start, end in given.leave_out)
        # A text can contain several columns; their length shows which is the list of angles.
        lengths = (n_views + n_out,) if n_out else (n_views, n_views + n_references)
        with open_below(path, name) as file:
            values = _listed(file, inner, given, lengths)
    is_used = np.ones(len(values), bool)
    for start, end in given.leave_out:
        # NumPy would ignore a slice beyond the end, and the error would remain hidden.
        if end >= len(values):
            raise GeometryError(
                f"{path.name}: leave_out ends at angle {end:,}, but the last angle is "
                f"{len(values) - 1:,} (counted from 0); correct leave_out."
            )
        is_used[start : end + 1] = False
    return values[is_used]


def _listed(
    file: InputFile, inner: str, given: AngleSettings, lengths: Sequence[int]
) -> NDArray[np.float64]:
    """Return the angles of a text or an array in the unit of the settings."""
    # A text can have the suffix of an array file; its content decides.
    if is_hdf5(file.head) or (holds_arrays(file.path) and decoded(file.head) is None):
        return _dataset(file, inner)
    found = angles_in_text(file, lengths, column=inner)
    if found.unit is None or found.unit == given.unit:
        return found.values
    # Only a unit that the user wrote can contradict the file; the default gives way.
    if "unit" in given.model_fields_set:
        raise GeometryError(
            f"{file.name}: states its angles in {found.unit}, but the sidecar uses "
            f"{given.unit}; correct the unit in the sidecar."
        )
    return np.rad2deg(found.values)


def _dataset(file: InputFile, name: str) -> NDArray[np.float64]:
    """Return the angles in an array, which has one axis, or a single row or column."""
    values = array_of(file, name)
    if values.size != max(values.shape, default=0):
        raise FileFormatError(
            f"{file.name}: the array {name} has {' x '.join(map(str, values.shape))} values, "
            "expected a list of angles; name another array."
        )
    return np.asarray(values, np.float64).reshape(-1)


def _refuse_references(
    given: AngleSettings, n_angles: int, n_views: int, n_references: int, path: Path
) -> None:
    """Refuse a list that also contains the angles of flats and darks."""
    if n_references and n_angles == n_views + n_references and not given.leave_out:
        raise GeometryError(
            f"{path.name}: found {n_angles:,} angles for {n_views:,} projections, probably "
            f"including the {n_references:,} flat and dark images; exclude these, for example with "
            f"leave_out = [[0, {n_references - 1}]] if they come first."
        )


def _of_version_1(angles: Angles, sense: float, unit: Unit, path: Path) -> Angles:
    """Return the angles as defined in version 1 of the sidecar, with a note if that differs."""
    first = float(angles.rad[0])
    # Both definitions agree at 0° and 180°.
    differs = abs(np.angle(np.exp(2j * first))) > ALIKE_RAD
    notes = angles.notes
    if sense < 0 and differs:
        stands = np.rad2deg(-first) if unit == "deg" else -first
        notes += (
            f"{path.name}: in this version 1 sidecar, clockwise also negates the first angle, so "
            f"the source is at {stands:.6g} {WORDS[unit]} in view 0; write version = 2 and first = "
            f"{stands:.6g} to keep that.",
        )
    return replace(angles, rad=sense * angles.rad, notes=notes)
