"""Preview of one slice of a CT scan by filtered back projection.

It is fast because it omits all work that the slice does not need. Rows that do not see the slice
are cut off before preprocessing. Results of steps are cached until a step changes. If the slice
would still take long, columns and voxels are made k times larger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.corrections.preprocess import STEPS, PreprocessStep
from engine.corrections.preprocess.plausibility import doubts
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.modalities.xray_ct.dry_run import DryRun, dry_run, without_values
from engine.modalities.xray_ct.flow import NO_PATIENT
from engine.modalities.xray_ct.model import expect_integrals
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import back_projected
from engine.recon.filtering.gridding import gridded, is_gridded
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings

MAX_UPDATES = 6e8
"""Voxels times views that two slow cores back-project in less than a second."""
MARGIN = 4
"""Rows on each side of those that see the slice, because steps use neighbouring rows."""

Check = Callable[[], None]
Rows = range


@dataclass(frozen=True)
class PreviewSlice:
    """One slice.

    Attributes
    ----------
    volume : (1, n_y, n_x) the slice at its position in the volume
    grid : grid of the whole volume, with the axis that was found
    axis : column of the axis that a step found; None if none was found
    messages : settings that were used, in words
    warnings : warnings of a run with these settings
    protocol : requested protocol
    seconds : duration
    """

    volume: Volume
    grid: ImageGrid
    axis: float | None
    messages: tuple[str, ...]
    warnings: tuple[str, ...]
    protocol: CtProtocol
    seconds: float


class SlicePreview:
    """Preview of one scan, for any number of slices.

    Parameters
    ----------
    scan : the whole scan; its values may be in a file
    on : device, for its number of threads
    max_updates : voxels times views of a preview; a larger slice has coarser pixels
    """

    def __init__(self, scan: Projections, *, on: Backend, max_updates: float = MAX_UPDATES) -> None:
        self._scan, self._on, self._max_updates = scan, on, max_updates
        self._empty_scan = without_values(scan)
        self._last_rows: tuple[Rows, Projections] | None = None
        self._steps: list[tuple[PreprocessStep, Projections]] = []

    def central_slice(self, protocol: CtProtocol, check: Check = lambda: None) -> PreviewSlice:
        """Return the central slice of the volume that a protocol describes.

        Parameters
        ----------
        protocol
            protocol of a run
        check
            called regularly; may raise to stop

        Raises
        ------
        DataError
            if a step that is switched on cannot be done, or values are not finite
        """
        clock = perf_counter()
        scan = self.prepared(protocol, check)
        axis = float(scan.geometry.axis_column.mean())
        found = _search_result(protocol, scan).get("value")
        # With the axis from the values, the volume is that of the run and not of the raw geometry.
        grid = protocol.grid.grid_for(walked(self._empty_scan, protocol, found).empty_scan.geometry)
        coarser = self._coarser(grid, scan.n_views)
        # Binning columns after the steps, because bad pixels must not spread over a bin.
        scan = _with_wider_columns(scan, coarser)
        settings = protocol.algorithm.filter or FilterSettings()
        plan = planned(scan.values, scan.geometry, settings)
        thin = _central(grid, coarser)
        A = XrayTransform(plan.geometry, thin, on=self._on, on_progress=lambda *_: check())
        # One row of margin, for the linear interpolation of the back projection.
        rows = _rows_of_slice(thin, scan.geometry, margin=1)
        check()
        if is_gridded(settings, plan.geometry, thin, self._on):
            values = gridded(
                scan.values, plan, settings, thin, on=self._on, on_progress=lambda *_: check()
            )
        else:
            some = slice(rows.start, rows.stop)
            y = filtered(scan.values, plan, settings, on=self._on, rows=some)
            check()
            values = back_projected(A, y, plan)
        unit = "1/mm" if scan.pixel_mm_known else "1/pixel"
        volume = Volume(values, thin, unit, {"axes": scan.info.get("axes", NO_PATIENT)})
        messages = messages_of(protocol, settings, scan, axis, coarser)
        if protocol.hounsfield is not None and scan.pixel_mm_known:
            volume = protocol.hounsfield.apply(volume)
            messages = (*messages, protocol.hounsfield.summary(volume))
        warnings = (*doubts(scan), *plan.warnings)
        return PreviewSlice(
            volume, grid, found, messages, warnings, protocol, perf_counter() - clock
        )

    def prepared(self, protocol: CtProtocol, check: Check = lambda: None) -> Projections:
        """Return the line integrals of the rows that see the slice.

        Parameters
        ----------
        protocol
            protocol of a run
        check
            called before each step; may raise to stop

        Returns
        -------
        scan
            results of steps that have not changed since the last call are reused

        Raises
        ------
        DataError
            if a step that is switched on cannot be done, or values are not finite
        """
        rows, steps = self._in_band(protocol)
        scan, done = self._band(rows), 0
        # The first step that differs invalidates all later results.
        for (before, after), step in zip(self._steps, steps, strict=False):
            if before != step:
                break
            scan, done = after, done + 1
        del self._steps[done:]
        for step in steps[done:]:
            check()
            scan = applied(step, scan, self._on)
            self._steps.append((step, scan))
        expect_integrals(scan)
        if scan.n_not_finite:
            raise DataError(
                f"{scan.n_not_finite:,} of {scan.values.size:,} projection values are infinite or "
                "NaN; switch on the bad-pixel correction."
            )
        return scan

    def _in_band(self, protocol: CtProtocol) -> tuple[Rows, list[PreprocessStep]]:
        """Return the detector rows that the slice needs, and the steps for these rows."""
        after = walked(self._empty_scan, protocol, None)
        geometry = after.empty_scan.geometry
        grid = protocol.grid.grid_for(geometry)
        seen = _rows_of_slice(_central(grid, 1), geometry, margin=MARGIN)
        # The axis of a cone beam is found in the plane of the source.
        if after.needs_axis_search and geometry.beam == "cone":
            level = float(np.clip(geometry.axis_seen[:, 1].mean(), 0, geometry.shape[0] - 1))
            level_rows = Rows(max(int(level) - MARGIN, 0), int(level) + MARGIN + 1)
            seen = Rows(min(seen.start, level_rows.start), max(seen.stop, level_rows.stop))
        seen = Rows(seen.start, min(seen.stop, geometry.shape[0]))
        return _in_band(steps_of(protocol), after.before, seen)

    def _band(self, rows: Rows) -> Projections:
        """Return these rows of the scan; they are cached until other rows are needed."""
        if self._last_rows is None or self._last_rows[0] != rows:
            # A different band of rows makes all cached results of steps useless.
            self._last_rows = rows, _cut(self._scan, slice(rows.start, rows.stop))
            self._steps.clear()
        return self._last_rows[1]

    def _coarser(self, grid: ImageGrid, n_views: int) -> int:
        _, n_y, n_x = grid.shape
        # Larger pixels in both directions reduce the work with the square of the factor.
        return max(1, int(np.ceil(np.sqrt(n_y * n_x * n_views / self._max_updates))))


def walked(empty_scan: Projections, protocol: CtProtocol, axis: float | None) -> DryRun:
    """Return the scan after its steps, without values.

    Parameters
    ----------
    empty_scan
        scan without its values
    protocol
        protocol of a run
    axis
        column of the axis if it is known; None if it is not

    Raises
    ------
    EngineError
        if a step in use fails
    """
    found = dry_run(empty_scan, steps_of(protocol), axis)
    if found.fault is not None:
        raise found.fault
    return found


def steps_of(protocol: CtProtocol) -> list[PreprocessStep]:
    """Return the steps of a protocol in order, including those that are off.

    Parameters
    ----------
    protocol
        protocol of a run
    """
    return [getattr(protocol.steps, step.kind) for step in STEPS]


def _search_result(protocol: CtProtocol, scan: Projections) -> Plain:
    """Return value and method of the step that searches one, if it ran."""
    for step in steps_of(protocol):
        if step.sought and (facts := step.facts(scan)):
            return {"value": facts.get(step.sought), "method": facts.get("method")}
    return {}


def _in_band(
    steps: list[PreprocessStep], before: Sequence[XrayGeometry | None], rows: Rows
) -> tuple[Rows, list[PreprocessStep]]:
    """Return the detector rows from which steps compute `rows`, and the steps for them."""
    within = list(steps)
    # Backwards from the last step: each one needs the rows that the next one reads.
    for i in reversed(range(len(steps))):
        geometry = before[i]
        if geometry is None:
            continue
        needed = steps[i].rows_before(rows, geometry)
        # A step that needs all rows, such as a roll, cannot run on a band of them.
        if needed is None:
            rows, within[i:] = Rows(geometry.shape[0]), steps[i:]
        else:
            rows, within[i] = needed, steps[i].within_rows()
    return rows, within


def applied(step: PreprocessStep, scan: Projections, on: Backend) -> Projections:
    """Return a scan after a step.

    Parameters
    ----------
    step
        step with its settings
    scan
        scan before the step
    on
        device

    Raises
    ------
    DataError
        if the step is switched on and cannot be done
    """
    obstacle = step.obstacle(scan)
    if step.use == "off":
        return scan
    if obstacle is None:
        return step.apply(scan, on=on)
    if step.use == "on":
        raise step.refusal(obstacle)
    return scan


def _cut(scan: Projections, rows: slice) -> Projections:
    """Return the scan with these rows only, as a copy that does not keep the others in memory."""

    def cut(fields: Any) -> Any:
        return None if fields is None else np.ascontiguousarray(fields[..., rows, :])

    return replace(
        scan,
        values=cut(scan.values),
        geometry=scan.geometry.cropped(rows, slice(None)),
        flats=cut(scan.flats),
        darks=cut(scan.darks),
        bad_pixels=cut(scan.bad_pixels),
    )


def _central(grid: ImageGrid, coarser: int) -> ImageGrid:
    """Return the middle slice of a grid, with voxels `coarser` times as large."""
    n_z, n_y, n_x = grid.shape
    x, y, z = grid.voxel_mm
    centre = (*grid.centre_mm[:2], float(grid.centres_mm(2)[n_z // 2]))
    n = [int(np.ceil(edge / coarser)) for edge in (n_y, n_x)]
    return ImageGrid((1, n[0], n[1]), (coarser * x, coarser * y, z), centre)


def _rows_of_slice(grid: ImageGrid, geometry: XrayGeometry, *, margin: int) -> Rows:
    """Return the rows that see a voxel of a slice, with `margin` rows on each side."""
    x, y = ([ends[axis] for ends in (grid.lower_mm, grid.upper_mm)] for axis in (0, 1))
    # The projection of a box is the hull of its corners.
    corners = [(a, b, grid.centre_mm[2]) for a in x for b in y]
    seen = geometry.project(corners)[..., 1]
    n_rows = geometry.shape[0]
    first = int(np.clip(np.floor(seen.min()) - margin, 0, n_rows - 1))
    return Rows(first, int(np.clip(np.ceil(seen.max()) + margin + 1, first + 1, n_rows)))


def _with_wider_columns(scan: Projections, k: int) -> Projections:
    """Return the means over k columns; incomplete groups at the end are dropped."""
    if k == 1:
        return scan
    n_views, n_rows, n_columns = scan.shape
    n = n_columns // k
    values = scan.values[..., : n * k].reshape(n_views, n_rows, n, k).mean(axis=3)
    return replace(scan, values=values, geometry=scan.geometry.binned((1, k)), bad_pixels=None)


def messages_of(
    protocol: CtProtocol, settings: FilterSettings, scan: Projections, axis: float, coarser: int
) -> tuple[str, ...]:
    """Describe the settings of a preview.

    Parameters
    ----------
    protocol
        protocol of a run
    settings
        settings of the filter
    scan
        prepared scan
    axis
        column of the axis
    coarser
        factor of the pixel size, 1 for that of the run
    """
    messages = [protocol.algorithm.describe()]
    # An iterative run looks different, so the preview says that it is filtered back projection.
    if protocol.algorithm.filter is None:
        messages = [f"Filtered back projection, {settings.describe()}"]
        messages.append(f"the run itself uses {protocol.algorithm.title}")
    method = _search_result(protocol, scan).get("method")
    words = {
        None: "from the scan",
        "given": "from the protocol",
        "not found": "not found in the scan",
    }
    found = words.get(method, f"found by {method}")
    messages.append(f"axis at column {axis:.2f}, {found}")
    if coarser > 1:
        messages.append(f"pixels {coarser} times larger than in the run")
    # Filters of the final image are left out: they need neighbouring slices.
    if protocol.finishing:
        messages.append("without the filters of the final image")
    return tuple(messages)
