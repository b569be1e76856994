"""Time-activity curves: the mean of a region in each frame or gate.

    value_f = Σ w x_f / Σ w,   with its standard deviation over the voxels; w is the share inside

Counts/mm grow with the duration of a frame, so they are divided by it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from engine.analysis.regions.base import RegionShape
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
    """

    frames: tuple[TimeFrame, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    unit: str
    volume_mm3: float
    rule: VoxelRule = "area"

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
        """Return the curve as CSV text with a header line."""
        unit = self.unit or "no unit"
        first = "gate" if self.is_of_a_cycle else "start [s]"
        head = (first, "duration [s]", f"mean [{unit}]", f"standard deviation [{unit}]")
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow((*head, "volume [mL]", "rule"))
        for frame, mean, deviation in zip(self.frames, self.means, self.deviations, strict=True):
            place = frame.gate.number if frame.gate else frame.start_s
            values = (place, frame.duration_s, mean, deviation, self.volume_mm3 / 1000)
            numbers = (f"{value:.7g}" for value in values)
            writer.writerow((*numbers, VOXEL_RULES[self.rule]))
        return text.getvalue()


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
    found = [
        figures_of(each.volume, coverage_of(region, each.volume), with_peak=False, rule=rule)
        for each in frames
    ]
    unit = frames[0].volume.unit
    per_s = [each.frame.duration_s if unit == PER_FRAME else 1.0 for each in frames]
    return TimeCurve(
        tuple(each.frame for each in frames),
        tuple(one.mean / seconds for one, seconds in zip(found, per_s, strict=True)),
        tuple(one.sd / seconds for one, seconds in zip(found, per_s, strict=True)),
        f"{unit}/s" if unit == PER_FRAME else unit,
        found[0].volume_ml * MM3_PER_ML,
        rule,
    )
