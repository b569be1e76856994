"""Slices of a running scan: views in memory, filtered, in the requested planes.

Frames become line integrals as they arrive. Each is filtered once, and again only if the weights of
its rays change. Once no more views wait, slices have the same bits as those of a stored scan with
the same views. While views arrive, they are summed in another order. They agree to 2e-6 of the
largest value, or to 3e-6 if views are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.errors import DataError, EngineError
from engine.corrections.preprocess.base import PreprocessStep
from engine.data.projections import Projections
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame, FrameKind
from engine.live.ct.axis_finding import middle_rows
from engine.live.ct.filtered_views import FilteredViews
from engine.live.ct.images import LiveImages
from engine.live.ct.preparing import Preparation
from engine.live.ct.settings import LiveSettings
from engine.live.ct.unusable_views import UnusableViews
from engine.live.ct.view_ring import ViewRing, view_of
from engine.live.ct.views import check_scan, check_shape, starts_new_scan, views_of, word_of
from engine.operators.xray.slice_sums import checked_planes
from engine.recon.filtering.orbit import orbit_of
from engine.recon.filtering.projections import sides_cut
from engine.recon.filtering.redundancy import coverage
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.view_filter import ViewWeights, weights_of

LOOKED_AT = 8
"""Number of views that are checked for truncation while more arrive; all of them at the end."""


class LiveSlices:
    """Views of a running scan, and their slices.

    Parameters
    ----------
    scan : geometry of the whole scan; for a continuous scan at least one rotation
    planes : planes of the slices, any number
    steps : preprocessing steps, as in the protocol of a normal run
    filter : filter of the rows
    settings : views of the slices, and their weights
    on : device and threads

    Attributes
    ----------
    measured_shape : (n_rows, n_columns) of frames
    n_window : most views
    preparation : conversion of frames to line integrals
    scan : number of the views' scan, if the source numbers scans
    """

    def __init__(
        self,
        scan: XrayGeometry,
        planes: Sequence[Plane],
        *,
        steps: Sequence[PreprocessStep] = (),
        filter: FilterSettings | None = None,
        settings: LiveSettings | None = None,
        on: Backend,
    ) -> None:
        self.settings, self._device = settings or LiveSettings(), on
        self._on = cpu() if on.is_cuda else on  # filters in parallel with the GPU
        self.measured_shape, self.preparation = scan.shape, Preparation(scan, steps, on=self._on)
        self._scan = self.preparation.geometry
        check_scan(self._scan)
        # The step of the whole scan: gaps of missing views must not widen it
        self._step_rad = coverage(self._scan.angles_rad).typical_gap_rad
        self.n_window = views_of(self._scan, self.settings)
        self._ring = ViewRing(self._scan, self.n_window)
        self._planes, self._filter_settings = checked_planes(planes), filter or FilterSettings()
        self._axis_shift = self._roll_rad = 0.0
        self._cut: tuple[bool, bool] | None = None
        self._since_cut = self._n_beyond = 0
        self._unusable = UnusableViews(self.n_window)
        self.scan: int | None = None
        self._newest_weights: ViewWeights | None
        self._forget_filtered()

    @property
    def waits_for(self) -> str | None:
        """Text about missing data that views need; None if nothing is missing."""
        return self.preparation.waits_for

    @property
    def state(self) -> str:
        """The text of `waits_for` for display, "" if nothing is missing."""
        return self.preparation.last_known_fault or ""

    @property
    def numbers(self) -> set[int]:
        """Numbers of the views in memory, and of those that cannot be used."""
        return self._ring.numbers | self._unusable.numbers

    @property
    def newest(self) -> int | None:
        """Number of the newest view; None without one."""
        return self._ring.newest

    def filtered_views(self, k: int) -> tuple[Array, XrayGeometry, Array]:
        """Return the filtered views of the newest images.

        Parameters
        ----------
        k
            views are averaged over k × k pixels

        Returns
        -------
        views
            (n_views, rows, columns) means over k × k pixels
        geometry
            geometry of the views before averaging
        gains
            (n_views,) weight of each view

        Raises
        ------
        ValueError
            before the first images
        """
        weights, filtered = self._newest_weights, self._filtered
        if weights is None or filtered is None:
            raise ValueError("there are no filtered views yet; wait for the first slices.")
        views = filtered.sums.binned(self._ring.slots, k)
        return views, weights.design.geometry, weights.level * weights.gains

    def stored_views(self) -> Projections:
        """Return a copy of the line integrals in memory; of large ones the rows in the middle.

        Raises
        ------
        DataError
            if there is no view
        """
        slots = self._ring.slots
        if not slots:
            raise DataError(
                "The centre of rotation cannot be estimated because there are no views yet; wait "
                "for the first views."
            )
        rows = middle_rows((len(slots), *self._ring.values.shape[1:]))
        geometry = self._ring.geometry(slots).rolled(self._roll_rad)
        geometry = geometry.cropped(rows, slice(0, geometry.shape[1]))
        return Projections(self._ring.values[slots, rows], geometry, "integrals")

    @property
    def n_bytes(self) -> int:
        """Memory of views, before and after the filter, and of slices."""
        filtered = 0 if self._filtered is None else self._filtered.sums.n_bytes
        return self._ring.values.nbytes + filtered

    def add(self, frames: Sequence[Frame], *, same_scan: bool = False) -> list[str]:
        """Add frames.

        Parameters
        ----------
        frames
            darks, flats and projections in order
        same_scan
            True if late frames belong to the scan in memory, whatever their numbers are

        Returns
        -------
        texts
            sentences about frames that cannot be used

        Raises
        ------
        DataError
            if a frame has another size than the detector
        """
        texts, views = list[str](), list[Frame]()
        for frame in frames:
            check_shape(frame, self.measured_shape)
            if frame.kind != FrameKind.PROJECTION:
                self.preparation.take(frame)
                # Other darks and flats may make unusable views usable
                self._unusable.clear()
            elif self._is_wanted(frame, texts, same_scan):
                views.append(frame)
        if views and self.waits_for is not None:
            return [*texts, self.waits_for]
        self._put(views, texts)
        return texts

    def clear(self) -> None:
        """Discard all views: another scan starts. Darks and flats stay."""
        self._ring.free(self._ring.slots)
        self._unusable.clear()
        self._cut = None
        self._forget_filtered()

    def place(self, planes: Sequence[Plane]) -> None:
        """Change the planes of the slices.

        Parameters
        ----------
        planes
            new planes, any number
        """
        self._planes = checked_planes(planes)
        if self._filtered is not None:
            self._filtered.sums.place(self._planes)

    def set_axis(self, column: float) -> None:
        """Set the column of the rotation axis.

        Parameters
        ----------
        column
            mean column of the axis over the views, from 0
        """
        turned = self._scan.rolled(self._roll_rad)
        self._axis_shift = float(turned.axis_column.mean()) - column
        # The weights of rays depend on the axis, so every view is filtered again
        self._forget_filtered()

    def roll(self, degrees: float) -> None:
        """Rotate the detector in its plane, in addition to the geometry [°]."""
        self._roll_rad = np.radians(degrees)
        self._forget_filtered()

    def filter(self, settings: FilterSettings) -> None:
        """Filter all views with other settings."""
        self._filter_settings, self._cut = settings, None
        self._forget_filtered()

    @property
    def geometry(self) -> XrayGeometry:
        """Geometry of the whole scan after steps, axis and roll."""
        return self._aligned(self._scan)

    def refresh(self, *, is_idle: bool = True) -> LiveImages | None:
        """Return the slices of the views in memory.

        Parameters
        ----------
        is_idle
            True if no more views wait, so that slower and more accurate work is possible

        Returns
        -------
        images
            slices of all planes; None without a view
        """
        slots, newest = self._ring.slots, self._ring.newest
        if newest is None:
            return None
        geometry = self._aligned(self._ring.geometry(slots))
        choice = self.settings.weights
        # Shared weights change with every view, and each change filters views again
        even = choice == "even" or (choice == "auto" and not is_idle)
        weights = weights_of(
            geometry,
            self._filter_settings,
            self._cut_sides(slots, is_idle=is_idle),
            step_rad=self._step_rad,
            even=even,
        )
        sums = self._brought_up(slots, weights).sums
        self._newest_weights = weights
        seen, gains, level = weights.design.geometry, weights.gains, weights.level
        # A complete sum has a fixed order, so it has the bits of a stored scan
        values = sums.values(slots, seen, gains, level=level, in_one_go=is_idle)
        return LiveImages(
            values,
            sums.planes,
            len(slots),
            newest,
            weights.covered_rad,
            word_of(weights),
            float(geometry.axis_column.mean()),
            geometry.angles_rad,
            self._filter_settings,
            float(np.degrees(self._roll_rad)),
        )

    def _is_wanted(self, frame: Frame, texts: list[str], same_scan: bool) -> bool:
        newest = self._ring.newest
        if not same_scan and starts_new_scan(frame, newest, self.scan):
            self.clear()
            texts.append(f"Projection {frame.index} after {newest}: another scan starts.")
        if self.settings.mode == "growing" and frame.index >= self.n_window:
            # Reported once: a detector may go on for hours
            self._n_beyond += 1
            if self._n_beyond == 1:
                texts.append(
                    f"Projection {frame.index} is beyond the {self.n_window} views of "
                    "the scan. Projections from here on are not used."
                )
            return False
        self.scan = frame.scan
        return True

    def _put(self, frames: Sequence[Frame], texts: list[str]) -> None:
        if self.settings.mode == "sliding":
            frames = frames[-self.n_window :]
        prepared = []
        frames = list({frame.index: frame for frame in frames}.values())  # the last one of a number
        # Views are prepared independently; results are read in the order of arrival
        with ThreadPoolExecutor(self._on.threads) as pool:
            for frame, each in [(f, pool.submit(self._prepared, f)) for f in frames]:
                try:
                    prepared.append((frame, *each.result()))
                    texts += self._unusable.was_usable(frame.index)
                except EngineError as e:
                    texts += self._unusable.add(frame.index, str(e))
        if not prepared:
            return
        numbers = [frame.index for frame, _, _ in prepared]
        newest = max(*numbers, self._ring.newest or 0, 0)
        # Slots are freed before the new views need them
        outdated = self._ring.outdated(numbers, newest - self.n_window + 1)
        if self._filtered is not None:
            self._filtered.forget(outdated)
        self._ring.free(outdated)
        for frame, values, view in prepared:
            # A late view outside of the window would be removed at the next one
            if frame.index > newest - self.n_window:
                self._ring.put(frame.index, values, view)
        self._since_cut += len(prepared)

    def _prepared(self, frame: Frame) -> tuple[Array, XrayGeometry]:
        view = view_of(self._scan, frame)  # of the prepared scan, with equal numbers and angles
        return self.preparation.integrals(frame), view

    def _aligned(self, geometry: XrayGeometry) -> XrayGeometry:
        """Return the geometry with the chosen axis and roll of the detector."""
        if self._roll_rad:
            geometry = geometry.rolled(self._roll_rad)
        return geometry.shifted(columns=self._axis_shift) if self._axis_shift else geometry

    def _cut_sides(self, slots: list[int], *, is_idle: bool) -> tuple[bool, bool]:
        # Truncation rarely changes during a scan, so a few views decide until it has ended
        if self._cut is None or is_idle or self._since_cut >= self.n_window:
            some = slots if is_idle else slots[:: max(1, len(slots) // LOOKED_AT)]
            self._cut = sides_cut(self._ring.values[some], self._filter_settings)
            self._since_cut = 0
        return self._cut

    def _forget_filtered(self) -> None:
        self._newest_weights = None
        self._filtered: FilteredViews | None = None

    def _brought_up(self, slots: list[int], weights: ViewWeights) -> FilteredViews:
        filtered = self._filtered
        # Other padding needs filters of another length, and new sums
        if filtered is None or not filtered.fits(weights):
            filtered = FilteredViews(
                self._planes,
                weights,
                self._filter_settings,
                n_slots=self.n_window,
                n_measured=self._scan.shape[1],
                alike=orbit_of(self.geometry).all_alike,
                on=self._on,
                sums_on=self._device,
            )
        self._filtered = filtered
        filtered.bring_up(slots, self._ring.values, weights)
        return filtered
