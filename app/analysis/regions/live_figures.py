"""Figures of regions in the displayed image, and means over iterations and frames, updated live.

They are measured in a thread, one after the other, from images in memory. During a run the next
measurement waits a hundred times the processor time of the last one and its display. So it takes
about 1 % of one core, however many regions there are.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.run_images import StoredImage
from app.state.services.context import AppContext
from app.views.fusion.fusion_text import measures_both
from engine.analysis.regions import (
    MeasuredRegion,
    Region,
    RegionShape,
    ValueHistogram,
    coverage_of,
    histogram_of,
    mean_in,
    measure,
)
from engine.data import Volume

SETTLE_MS = 60
"""Minimum delay between measurements of a region that is being dragged."""
SHARE = 0.01
"""Fraction of one core for measurements while a run is active."""
TURN_S = 0.05
"""Time limit of one measurement [s]; further new images wait for the next one."""
Points = list[tuple[float, float, float]]
"""(iteration, or middle of a frame [s]; mean; its standard deviation, NaN if unknown)."""

MeanFound = tuple[float, float]
"""Mean of a region and its standard deviation, NaN if unknown."""


@dataclass(frozen=True)
class MeasuredFigures:
    """Result of one measurement.

    Attributes
    ----------
    measured : regions in the displayed image
    curves : means of each region over the stored images
    histogram : histogram of the selected region; None without one
    is_whole : True if all stored images were measured
    cost_s : processor time [s]
    second : regions in the second volume; empty unless both volumes have one unit
    """

    measured: tuple[MeasuredRegion, ...]
    curves: dict[str, Points]
    cost_s: float
    histogram: ValueHistogram | None = None
    is_whole: bool = True
    second: tuple[MeasuredRegion, ...] = ()


class KnownMeans:
    """A cache of measured means of stored images."""

    def __init__(self) -> None:
        # A weak reference, so that the cache does not keep old iterates in memory. `id` alone is
        # not enough, because Python reuses the numbers of deleted objects.
        self._found: dict[int, tuple[weakref.ref[Volume], dict[RegionShape, MeanFound]]] = {}

    def has_all(self, regions: Sequence[Region], volume: Volume) -> bool:
        """Return True if the means of all regions in an image are cached."""
        known = self._found.get(id(volume))
        is_same = known is not None and known[0]() is volume
        return is_same and all(region.shape in known[1] for region in regions if known)

    def of(self, region: Region, volume: Volume, shown: Volume | None = None) -> MeanFound:
        """Return the mean of a region in an image and its error, from the cache if possible.

        Parameters
        ----------
        region
            region to measure; the cache uses its shape, so that a new name costs nothing
        volume
            stored image
        shown
            the image in the unit of the mean; None if it is that of `volume`
        """
        known = self._found.get(id(volume))
        if known is None or known[0]() is not volume:
            alive = {k: each for k, each in self._found.items() if each[0]() is not None}
            known = weakref.ref(volume), {}
            self._found = alive | {id(volume): known}
        if region.shape not in known[1]:
            known[1][region.shape] = mean_in(region, volume if shown is None else shown)
        return known[1][region.shape]


class RegionFollower(QObject):
    """Measure regions while the tab is visible.

    Signals
    -------
    measured : new figures are available

    Attributes
    ----------
    found : latest figures
    is_wanted : True while the tab is visible
    """

    measured = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self.found = MeasuredFigures((), {}, 0.0)
        self.is_wanted = False
        self._is_measuring = self._is_stale = False
        self._means = KnownMeans()
        self._unit = ""
        self._not_before = 0.0
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._measure)
        session = self._session
        for signal in (
            session.view.volume_changed,
            session.view.fusion.volume_changed,
            session.regions.changed,
            session.regions.chosen_changed,
            session.run.images_changed,
        ):
            signal.connect(self.refresh_soon)

    @property
    def image(self) -> str:
        """Name of the displayed image."""
        run = self._session.run
        items, volumes = run.record.images.items, self._session.volumes
        shown = volumes.suv.original(self._session.view.volume)
        stored = next((each for each in items if each.volume is shown), None)
        return stored.caption if stored is not None else tr("displayed image")

    @property
    def _second_image(self) -> tuple[str, Volume] | None:
        """Name and volume of the second image, if regions have a mean in it."""
        view = self._session.view
        if not measures_both(view):
            return None
        return (view.fusion.name, view.fusion.volume) if view.fusion.volume else None

    @property
    def is_of_frames(self) -> bool:
        """True if the curves run over time frames."""
        return bool(self._session.run.record.images.frames)

    def want(self, wanted: bool) -> None:
        """Start or stop measuring."""
        self.is_wanted = wanted
        self.refresh_soon()

    def refresh_soon(self) -> None:
        """Schedule a measurement, at most one for several steps of a drag or run."""
        self._is_stale = True
        if self.is_wanted and not self._is_measuring and not self._soon.isActive():
            wait_ms = 1000 * (self._not_before - time.monotonic())
            self._soon.start(max(SETTLE_MS, int(wait_ms) + 1))

    def _measure(self) -> None:
        volume, regions = self._session.view.volume, self._session.regions.regions
        self._is_stale = False
        # Without regions no thread is needed, and old figures must go.
        if volume is None or not regions:
            self._report_found(MeasuredFigures((), {}, 0.0))
            return
        session, volumes = self._session, self._session.volumes
        # A curve has the unit of the figures, and only regions of the same scan.
        items = session.run.record.images.items if volumes.base_fits_run else []
        stored, image = images_by_position(items), self.image
        convert = volumes.suv.converter(volumes.provenance)
        if volume.unit != self._unit:
            self._unit, self._means = volume.unit, KnownMeans()
        chosen, second = self._session.regions.chosen_region, self._second_image
        self._is_measuring = True
        self._context.commands.run_task(
            lambda _: found_in(
                regions, volume, image, stored, self._means, chosen, second, convert
            ),
            self._report_found,
            failed=tr("The regions could not be measured."),
            on_end=self._finish_measurement,
        )

    def _report_found(self, found: MeasuredFigures) -> None:
        self.found = found
        start = time.thread_time()
        # The table and plots are drawn inside this call; their cost counts as well.
        self.measured.emit()
        cost_s = found.cost_s + time.thread_time() - start
        is_active = self._session.run.state.is_active
        self._not_before = time.monotonic() + (cost_s / SHARE if is_active else 0.0)

    def _finish_measurement(self) -> None:
        self._is_measuring = False
        # Something changed during the measurement, or its time limit ended it.
        if self._is_stale or not self.found.is_whole:
            self.refresh_soon()


def found_in(
    regions: Sequence[Region],
    volume: Volume,
    image: str,
    stored: Sequence[tuple[float, Volume]],
    means: KnownMeans,
    chosen: Region | None = None,
    second: tuple[str, Volume] | None = None,
    convert: Callable[[Volume], Volume] = lambda volume: volume,
) -> MeasuredFigures:
    """Measure regions in an image, and their means in stored images; called in a thread.

    Parameters
    ----------
    regions
        regions to measure
    volume
        displayed image
    image
        name of the displayed image
    stored
        (iteration or time [s], volume) of the stored images
    means
        cache of the means, which is updated
    chosen
        region with a histogram; None: no histogram
    second
        name and volume of the second image; None: no comparison
    convert
        converts a stored image to the unit of the displayed one
    """
    start = time.thread_time()
    measured = tuple(measure(region, volume, image) for region in regions)
    curves: dict[str, Points] = {region.name: [] for region in regions}
    is_whole = True
    for at, each in stored:
        # Cached means are free, so images that have them are still included.
        is_known = means.has_all(regions, each)
        if time.thread_time() - start > TURN_S and not is_known:
            is_whole = False
            continue
        shown = each if is_known else convert(each)
        for region in regions:
            curves[region.name].append((at, *means.of(region, each, shown)))
    # Only the selected region has a histogram, because it is the only one on the screen.
    histogram = None
    if chosen is not None and any(each.figures and each.region == chosen for each in measured):
        histogram = histogram_of(volume, coverage_of(chosen.shape, volume))
    there = tuple(measure(each, second[1], second[0]) for each in regions) if second else ()
    cost_s = time.thread_time() - start
    return MeasuredFigures(measured, curves, cost_s, histogram, is_whole=is_whole, second=there)


def images_by_position(items: Sequence[StoredImage]) -> list[tuple[float, Volume]]:
    """Return iterates by iteration; for a scan in frames, the frames by their middle [s].

    Parameters
    ----------
    items
        stored images of the run

    Returns
    -------
    list of tuple
        (iteration or time [s], volume); images within an iteration are left out
    """
    frames = [each for each in items if each.frame is not None]
    if frames:
        return [
            (each.frame.start_s + each.frame.duration_s / 2, each.volume)
            for each in frames
            if each.frame is not None
        ]
    return [
        (each.place[0], each.volume)
        for each in items
        if each.place is not None and each.label == f"iteration {int(each.place[0])}"
    ]
