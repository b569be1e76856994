"""Time-activity curves: the mean of a region in each frame or gate.

    value_f = Σ w x_f / Σ w,   with its standard deviation over the voxels; w is the share inside

Frames with an error map also have the error of the mean: its standard deviation over the bootstrap
replicates. Counts/mm grow with the duration of a frame, so they are divided by it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite, nan

from engine.analysis.regions.base import RegionShape
from engine.analysis.regions.errors import error_of_mean
from engine.analysis.regions.figures import MM3_PER_ML, VOXEL_RULES, VoxelRule, figures_of
from engine.analysis.regions.measuring import coverage_of
from engine.data.timing.time_frames import FrameVolume, TimeFrame

PER_FRAME = "counts/mm"


@dataclass(frozen=True)
class TimeCurve:
    """One region over time.

    Attributes
    ----------
    frames : frames in order
    means, deviations : mean and standard deviation of each frame, in `unit`
    unit : counts/mm/s, or the unit of the images
    volume_mm3 : volume of the region
    rule : rule for voxels that are partly inside
    errors : error of each mean in `unit`, 1 standard deviation over the replicates, NaN for a
        frame without an error map; empty if no frame has one
    n_replicates : number of replicates; 0 without error maps
    """

    frames: tuple[TimeFrame, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    unit: str
    volume_mm3: float
    rule: VoxelRule = "area"
    errors: tuple[float, ...] = ()
    n_replicates: int = 0

    @property
    def is_of_a_cycle(self) -> bool:
        """True if the curve is over the gates of a cycle."""
        return any(frame.gate for frame in self.frames)

    @property
    def middles(self) -> tuple[float, ...]:
        """Middle of each frame [s]; for gates their numbers."""
        return tuple(
            float(frame.gate.number) if frame.gate else frame.start_s + frame.duration_s / 2
            for frame in self.frames
        )

    def csv(self) -> str:
        """Return the curve as CSV text with a header line.

        Curves with errors have two more columns at the end, so that curves without errors do not
        change.
        """
        unit = self.unit or "no unit"
        first = "gate" if self.is_of_a_cycle else "start [s]"
        head = (first, "duration [s]", f"mean [{unit}]", f"standard deviation [{unit}]")
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        more = (f"standard error of the mean [{unit}]", "replicates") if self.errors else ()
        writer.writerow((*head, "volume [mL]", "rule", *more))
        for k, frame in enumerate(self.frames):
            place = frame.gate.number if frame.gate else frame.start_s
            figures = (self.means[k], self.deviations[k], self.volume_mm3 / 1000)
            numbers = (f"{value:.7g}" for value in (place, frame.duration_s, *figures))
            writer.writerow((*numbers, VOXEL_RULES[self.rule], *self._error_cells(k)))
        return text.getvalue()

    def _error_cells(self, k: int) -> Iterator[str]:
        if not self.errors:
            return
        # An empty cell is a missing value in every spreadsheet.
        is_known = isfinite(self.errors[k])
        yield f"{self.errors[k]:.7g}" if is_known else ""
        yield str(self.n_replicates) if is_known else ""


def time_curve(
    frames: Sequence[FrameVolume], region: RegionShape, *, rule: VoxelRule = "area"
) -> TimeCurve:
    """Measure every frame in a region.

    Parameters
    ----------
    frames
        images on one grid, in one unit
    region
        region; a shape that depends on the image (such as a threshold) differs between frames
    rule
        rule for voxels that are partly inside

    Raises
    ------
    DataError
        if no part of the image is inside the region
    """
    coverages = [coverage_of(region, each.volume) for each in frames]
    found = [
        figures_of(each.volume, coverage, with_peak=False, rule=rule)
        for each, coverage in zip(frames, coverages, strict=True)
    ]
    errors = [
        error_of_mean(each.volume, coverage, one.mean, rule)
        for each, coverage, one in zip(frames, coverages, found, strict=True)
    ]
    replicates = [each.volume.error.n for each in frames if each.volume.error is not None]
    unit = frames[0].volume.unit
    per_s = [each.frame.duration_s if unit == PER_FRAME else 1.0 for each in frames]
    return TimeCurve(
        tuple(each.frame for each in frames),
        tuple(one.mean / seconds for one, seconds in zip(found, per_s, strict=True)),
        tuple(one.sd / seconds for one, seconds in zip(found, per_s, strict=True)),
        f"{unit}/s" if unit == PER_FRAME else unit,
        found[0].volume_ml * MM3_PER_ML,
        rule,
        tuple(
            error.sd / seconds if error is not None else nan
            for error, seconds in zip(errors, per_s, strict=True)
        )
        if replicates
        else (),
        max(replicates, default=0),
    )
