"""Read images whose files state voxel positions in the patient: one image, or time frames.

The centre of voxel (i, j, k) is at M (i, j, k, 1) [mm, LPS]. Axes along those of the patient are
sorted. Tilted axes are resampled onto straight voxels by linear interpolation. A single tilted
slice cannot be resampled; it opens in its own axes, with its position in `Volume.info`. NaN, which
SPM writes outside the object, becomes 0.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.timing.time_frames import MS, FrameVolume, TimeFrame
from engine.data.volume import FRAME, Volume
from engine.io.auxiliary.provenance_file import adjacent_provenance
from engine.io.safety.not_numbers import nan_as_zero
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.frame_stack import FrameClock, frame_times
from engine.io.volumes.straight_axes import MAX_TILT, NO_SIDES, in_own_axes
from engine.io.volumes.tilted_axes import upright

AIR_HU, HOUNSFIELD, SURELY_HU = -1000.0, "HU", -500.0
"""Value outside a tilted CT, its unit, and a value that only a CT falls below."""
SLICE_NOTE = "A single tilted slice opens in its own axes, so its position in the scanner is lost."

Values = NDArray[np.float32]
Matrix = NDArray[np.float64]


def patient_frames(
    file: InputFile,
    values: Values,
    affine: Matrix,
    unit: str,
    *,
    clock: FrameClock | None = None,
    notes: tuple[str, ...] = (),
) -> tuple[FrameVolume, ...]:
    """Return the images of a file: one, or one for each time frame.

    Parameters
    ----------
    file
        the image; our provenance sidecar can be next to it
    values
        (n_i, n_j, n_k), or (n_i, n_j, n_k, n_t) with time frames
    affine
        (4, 4) from voxel numbers to LPS [mm]
    unit
        unit of the values, "" if unknown
    clock
        times stated in the header; None: no times
    notes
        notes of the reader

    Raises
    ------
    GeometryError
        if the slices do not form a volume, or the geometry is not plausible
    """
    provenance, of_provenance = adjacent_provenance(file)
    values, of_nan = nan_as_zero(file.path, values)
    n = values.shape[3] if values.ndim == 4 else 1
    frames: tuple[TimeFrame, ...] = (TimeFrame(0, MS),)
    of_times = ""
    if n > 1:
        frames, of_times = frame_times(file.path, n, provenance, clock or FrameClock())
    notes = (*notes, *of_provenance, *of_nan, *([of_times] if of_times else ()))
    stack = values.reshape((*values.shape[:3], n))
    images = (_placed(file.path, stack[..., k], affine, unit) for k in range(n))
    found = (replace(e, info={**provenance, **e.info}, notes=(*notes, *e.notes)) for e in images)
    return tuple(
        FrameVolume(frame, _as_it_was(file.path, image, affine))
        for frame, image in zip(frames, found, strict=True)
    )


def _as_it_was(path: Path, volume: Volume, affine: Matrix) -> Volume:
    """Return an image of ours in the axes that it had before it was written in patient axes."""
    # Older versions wrote z of the scanner, although their provenance states LPI.
    if volume.sides == "LPI" and affine[2, 2] >= 0:
        return volume
    return in_own_axes(path, volume)


def _placed(path: Path, values: Values, affine: Matrix, unit: str) -> Volume:
    """Return (n_i, n_j, n_k) values as a volume; a tilted slice keeps its own axes."""
    plane = _turned_slice(values.shape, affine)
    if plane is not None:
        voxel, frame = plane
        refuse_not_finite(path, values.T)
        grid = stated_grid(path, values.shape[::-1], voxel, (0.0, 0.0, 0.0))
        info: Plain = {FRAME: frame, "axes": NO_SIDES}
        return Volume(np.ascontiguousarray(values.T), grid, unit, info, (SLICE_NOTE,))
    low = float(values.min())
    # Most files state no unit, so very low values identify a CT.
    fill = AIR_HU if unit == HOUNSFIELD or low < SURELY_HU else 0.0
    straight, grid, notes = upright(path, values, affine, fill)
    refuse_not_finite(path, straight)
    return Volume(straight, grid, unit, {}, notes)


def _turned_slice(shape: tuple[int, ...], affine: Matrix) -> tuple[tuple[float, ...], Plain] | None:
    """Return voxel size and frame of a single tilted slice, None for any other volume."""
    edges = np.linalg.norm(affine[:3, :3], axis=0)
    if shape[2] != 1 or not np.isfinite(affine).all() or (edges <= 0).any():
        return None
    across, down, _ = (affine[:3, :3] / edges).T
    # The second largest cosine is 0 for a direction along an axis.
    is_straight = all(np.sort(np.abs(each))[1] <= MAX_TILT for each in (across, down))
    if is_straight or abs(across @ down) > MAX_TILT:
        return None
    centre = (affine @ [*((np.array(shape) - 1) / 2), 1])[:3]
    frame: Plain = {
        "centre_mm": centre.tolist(),
        "across": across.tolist(),
        "down": down.tolist(),
    }
    return tuple(edges.tolist()), frame
