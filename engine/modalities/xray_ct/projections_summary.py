"""Summary of an X-ray scan: facts and geometry. Its projections stay on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

from engine.core.errors import ResourceError
from engine.data.formatting import counted
from engine.data.projections import Projections
from engine.io.xray.facts import facts_of
from engine.modalities.scan_summary import ScanSummary
from engine.modalities.xray_ct.dry_run import DryRun, dry_run, without_values
from engine.modalities.xray_ct.radiograph_store import RadiographStore


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectionsSummary(ScanSummary):
    """Summary of an X-ray scan.

    Attributes
    ----------
    empty_scan : the scan without values
    radiographs : projections; None if the disk is full
    axes : columns of the axis that previews found, by the steps of the preview
    """

    modality: ClassVar[str] = "ct"
    needs_scanner: bool = False
    empty_scan: Projections
    radiographs: RadiographStore | None = None
    axes: dict[tuple[Any, ...], float] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Projections, path: Path) -> Self:
        """Return the geometry of a scan, with its projections in a file if the disk has space.

        Parameters
        ----------
        data
            scan as read
        path
            its file, for messages
        """
        notes, radiographs, fault = data.notes, None, ""
        # Such a scan cannot be reconstructed, so its projections are not copied to the disk.
        if data.n_not_finite:
            fault = (
                f"{path.name}: {data.n_not_finite:,} of {data.values.size:,} values "
                "are infinite or NaN; export the scan again."
            )
        else:
            try:
                # Without space on the disk the scan can still be reconstructed, but not viewed.
                radiographs = RadiographStore.of(data)
            except ResourceError as e:
                notes += (str(e),)
        return cls(
            text=_text(data),
            facts=() if fault else facts_of(data),
            notes=notes,
            fault=fault,
            empty_scan=without_values(data),
            radiographs=radiographs,
        )

    @property
    def length_unit(self) -> str:
        return "mm" if self.empty_scan.pixel_mm_known else "pixels"

    @property
    def projections(self) -> RadiographStore | None:
        return self.radiographs

    def obstacles(self, steps: tuple[Any, ...]) -> dict[str, str | None]:
        """Return why steps cannot be done.

        Parameters
        ----------
        steps
            steps with their settings

        Returns
        -------
        obstacles
            a clause for each kind; None if it can be done
        """
        return self._dry_run(steps).obstacles

    def prepared(self, steps: tuple[Any, ...]) -> Projections:
        """Return the scan after its steps, without values.

        Parameters
        ----------
        steps
            steps with their settings

        Raises
        ------
        EngineError
            if a step in use fails
        """
        done = self._dry_run(steps)
        if done.fault is not None:
            raise done.fault
        return done.empty_scan

    def needs_axis_search(self, steps: tuple[Any, ...]) -> bool:
        """Return True if the axis must still be found in the values, which may move the volume.

        Parameters
        ----------
        steps
            steps with their settings
        """
        return self._dry_run(steps).needs_axis_search

    def _dry_run(self, steps: tuple[Any, ...]) -> DryRun:
        # The window asks for every change of a setting, and the answer depends on these three only.
        return _cached_dry_run(self.empty_scan, steps, self.axes.get(steps))


def _text(data: Projections) -> str:
    n_views, n_rows, n_columns = data.shape
    beam = "fan" if n_rows == 1 and data.geometry.beam == "cone" else data.geometry.beam
    width, height = data.geometry.pixel_size_mm
    pixel = "pixel size unknown"
    if data.pixel_mm_known:
        pixel = f"pixels of {width:.4g} × {height:.4g} mm"
    return f"{counted(n_views, 'view')} of {n_columns:,} × {n_rows:,} pixels, {beam} beam, {pixel}"


@lru_cache(maxsize=8)
def _cached_dry_run(empty_scan: Projections, steps: tuple[Any, ...], axis: float | None) -> DryRun:
    return dry_run(empty_scan, steps, axis)
