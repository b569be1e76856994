"""What the window keeps of an X-ray scan: facts and geometry; its pictures stay on the disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engine.data.projections import Projections
from engine.errors import ResourceError
from engine.modalities.xray_ct.dry_run import DryRun, dry_run, without_values
from engine.modalities.xray_ct.radiograph_store import RadiographStore


@dataclass(frozen=True, eq=False)
class XrayScan:
    """An X-ray scan.

    Attributes
    ----------
    empty_scan : the scan with zeros that take no memory for its values
    facts : what it is, by name
    notes : what the reader wants the user to know
    radiographs : what the detector saw; None where the disk has no room for it
    axes : columns at which previews found the axis of rotation, by the steps they were made with
    """

    empty_scan: Projections
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    radiographs: RadiographStore | None = None
    axes: dict[tuple[Any, ...], float] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Projections, facts: tuple[tuple[str, str], ...]) -> XrayScan:
        """Keep the outline of a scan, and its pictures if the disk has room for them."""
        notes, radiographs = data.notes, None
        try:
            radiographs = RadiographStore.of(data)
        except ResourceError as e:
            notes += (str(e),)
        return cls(without_values(data), facts, notes, radiographs)

    def obstacles(self, steps: tuple[Any, ...]) -> dict[str, str | None]:
        """Return why each of the steps cannot be done, by kind; None where it can."""
        return self._dry_run(steps).obstacles

    def prepared(self, steps: tuple[Any, ...]) -> Projections:
        """Return the outline after the steps; raises where a step that is in use cannot be done."""
        walked = self._dry_run(steps)
        if walked.fault is not None:
            raise walked.fault
        return walked.empty_scan

    def axis_is_sought(self, steps: tuple[Any, ...]) -> bool:
        """Whether the axis is yet to be found in the values, and may move the volume."""
        return self._dry_run(steps).axis_is_sought

    def _dry_run(self, steps: tuple[Any, ...]) -> DryRun:
        return _cached_dry_run(self.empty_scan, steps, self.axes.get(steps))


@lru_cache(maxsize=8)
def _cached_dry_run(empty_scan: Projections, steps: tuple[Any, ...], axis: float | None) -> DryRun:
    return dry_run(empty_scan, steps, axis)
