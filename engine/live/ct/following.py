"""Process the frames of a running scan batch by batch: slices, recording and statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from engine.core.backend import Backend
from engine.core.errors import EngineError
from engine.corrections.preprocess.base import PreprocessStep
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import (
    Announced,
    Arrival,
    Ended,
    Frame,
    FrameKind,
    Noticed,
    Resumed,
    ShapeChanged,
    SourceEvent,
)
from engine.live.core.source import FrameSource
from engine.live.ct.batches import MAX_AT_ONCE, evenly_thinned, split_scans
from engine.live.ct.images import LiveImages
from engine.live.ct.planes import middle_planes
from engine.live.ct.preview import CoarsePreview, CoarseVolume
from engine.live.ct.recording import Recording
from engine.live.ct.settings import LiveSettings
from engine.live.ct.slices import LiveSlices
from engine.live.ct.statistics import Figures, LiveStatistics
from engine.live.ct.views import check_shape, is_same_geometry, starts_new_scan
from engine.recon.filtering.settings import FilterSettings

MAX_WAITING = 256
"""Most projections that wait for darks, flats or the geometry."""

Request = Callable[[LiveSlices], None]


@dataclass(frozen=True)
class LiveChoices:
    """Choices for a live reconstruction.

    Attributes
    ----------
    geometry : geometry of the whole scan; None: the source provides it
    planes : planes of the slices; None: three through the centre
    steps : preprocessing steps, as in a normal run
    filter : filter of the rows
    settings : views of the slices, and their weights
    """

    geometry: XrayGeometry | None = None
    planes: Sequence[Plane] | None = None
    steps: Sequence[PreprocessStep] = ()
    filter: FilterSettings = field(default_factory=FilterSettings)
    settings: LiveSettings = field(default_factory=LiveSettings)


@dataclass(frozen=True, eq=False)
class LiveUpdate:
    """Newest state of a live reconstruction.

    Attributes
    ----------
    images : slices; None before the first view
    statistics : current statistics
    state : text about missing data, or the end of the scan; empty while it runs
    preview : coarse volume; None before the first one
    projection : newest projection, as measured; None before the first one
    """

    images: LiveImages | None
    statistics: LiveStatistics
    state: str
    preview: CoarseVolume | None
    projection: Frame | None = None


class LiveWork:
    """Follows one source.

    Parameters
    ----------
    source : source of the frames; only its name and geometry are used
    choices : geometry, slices, steps, filter and mode
    on : device and threads
    report : called with events of the source
    """

    def __init__(
        self,
        source: FrameSource,
        choices: LiveChoices,
        *,
        on: Backend,
        report: Callable[[SourceEvent], None],
    ) -> None:
        self._source, self._choices, self._on, self._report = source, choices, on, report
        self._slices: LiveSlices | None = None
        self._geometry: XrayGeometry | None = None
        # Announced, but perhaps not used yet: it may belong to the next scan
        self._announced: XrayGeometry | None = None
        self._images: LiveImages | None = None
        self._waiting: list[Frame] = []
        self._projection: Frame | None = None
        self._figures = Figures()
        self._preview = CoarsePreview(choices.settings.preview_edge)

    @property
    def update(self) -> LiveUpdate:
        """Newest state."""
        slices, images = self._slices, self._images
        figures = self._figures.at(
            0 if images is None else images.n_views,
            0.0 if images is None else images.covered_rad,
            0 if slices is None else slices.n_bytes,
        )
        state = "waiting for the geometry of the scan" if slices is None else slices.state
        return LiveUpdate(images, figures, state, self._preview.volume, self._projection)

    def wait(self) -> None:
        """Wait for the preview, which a separate thread makes."""
        self._preview.wait()

    def handle(self, arrived: Sequence[Arrival]) -> int:
        """Process frames and events.

        Parameters
        ----------
        arrived
            batch of the source, in order

        Returns
        -------
        n_views
            number of projections that were added to the slices
        """
        frames = []
        for each in arrived:
            if isinstance(each, Frame):
                frames.append(each)
            elif not isinstance(each, Ended):
                self._report(each)
            if isinstance(each, ShapeChanged) or self._starts_other_geometry(each):
                # Frames before another detector or geometry would be reconstructed with the wrong
                # one
                frames.clear()
                self._begin_with_another_detector()
        views = [frame for frame in frames if frame.kind == FrameKind.PROJECTION]
        # Shown as measured, even if it cannot be reconstructed yet
        self._projection = views[-1] if views else self._projection
        skipped = 0
        # A sliding image lags behind its scan unless it leaves out views
        if self._choices.settings.mode == "sliding":
            frames, skipped = evenly_thinned(frames)
        lost = sum(frame.lost for frame in views) + skipped
        self._figures.count([frame.arrived_s for frame in views], lost)
        return self._take_frames(frames)

    def _take_frames(self, frames: list[Frame]) -> int:
        slices = self._slices or self._created_slices()
        if slices is None:
            # The newest ones: darks and flats may arrive only after thousands of projections
            self._waiting = [*self._waiting, *frames][-MAX_WAITING:]
            return 0
        frames, n_views = [*self._waiting, *frames], 0
        self._waiting.clear()
        for frame in frames:
            # Before any frame is added, since this error ends the session
            check_shape(frame, slices.measured_shape)
        # Order matters: flats apply to the projections after them
        for is_view, group in groupby(frames, lambda f: f.kind == FrameKind.PROJECTION):
            if is_view:
                self._waiting.extend(group)
                n_views += self._process_waiting(slices)
            else:
                self._add(slices, list(group))
        n_views += self._process_waiting(slices)
        del self._waiting[:-MAX_WAITING]
        return n_views

    def _process_waiting(self, slices: LiveSlices) -> int:
        """Add the waiting projections, after the darks and flats that arrived before them."""
        if not self._waiting or slices.waits_for is not None:
            return 0
        views = list(self._waiting)
        self._waiting.clear()
        for scan in split_scans(views, slices.newest, slices.scan):
            # Slices never mix two scans
            if starts_new_scan(scan[0], slices.newest, slices.scan):
                self._restart(slices)
            self._add(slices, scan)
        self._figures.using([frame.arrived_s for frame in views])
        return len(views)

    def _add(self, slices: LiveSlices, frames: Sequence[Frame], *, same_scan: bool = False) -> None:
        for text in slices.add(frames, same_scan=same_scan):
            self._report(Noticed(f"{self._source.name}: {text}"))

    def _created_slices(self) -> LiveSlices | None:
        """Return the slices, once the geometry is known."""
        choices = self._choices
        geometry = choices.geometry
        if geometry is None:
            # The announced geometry first: the source may already know that of the next scan
            geometry = self._geometry = self._announced or self._source.geometry
        if geometry is None:
            return None
        self._slices = slices = LiveSlices(
            geometry,
            choices.planes or middle_planes(geometry),
            steps=choices.steps,
            filter=choices.filter,
            settings=choices.settings,
            on=self._on,
        )
        # Reported once, when the steps are known to meet this geometry
        for title in slices.preparation.left_out:
            self._report(
                Noticed(f"{title} needs the whole scan and is left out of the live reconstruction.")
            )
        return slices

    def _starts_other_geometry(self, arrival: Arrival) -> bool:
        """Return True if another scan starts whose geometry differs from the current one."""
        if isinstance(arrival, Resumed) and arrival.is_new_sender:
            self._announced = None
            return True
        before = now = self._geometry
        if isinstance(arrival, Announced):
            # Of two scans in one batch the first never had slices; its frames are discarded too
            before, now = self._geometry or self._announced, arrival.geometry
            self._announced = now
        elif isinstance(arrival, Resumed) and arrival.is_new_scan:
            now = self._announced or self._source.geometry
        # With a geometry from the user, announcements do not matter
        if self._choices.geometry is not None or before is None:
            return False
        return not is_same_geometry(before, now)

    def _restart(self, slices: LiveSlices) -> None:
        slices.clear()
        self._preview.forget()
        self._report(
            Resumed(f"{self._source.name}: another scan starts. Earlier views are discarded.")
        )

    def _begin_with_another_detector(self) -> None:
        self._slices = self._geometry = None
        self._waiting.clear()
        self._preview.forget()

    def answer(self, requests: Sequence[Request]) -> None:
        """Carry out requests of the user; a request that fails is reported.

        Parameters
        ----------
        requests
            functions of the slices, in the order of the user
        """
        for request in requests:
            try:
                if self._slices is not None:
                    request(self._slices)
            except EngineError as e:
                self._report(Noticed(str(e)))

    def refresh(self, *, is_idle: bool, is_late: bool) -> None:
        """Update the images.

        Parameters
        ----------
        is_idle
            True if no frames are arriving, so slower work is possible
        is_late
            True if frames are waiting
        """
        slices = self._slices
        if slices is None:
            return
        self._images = slices.refresh(is_idle=is_idle)
        fault = self._preview.take_fault()
        if fault:
            self._report(Noticed(f"{self._source.name}: the preview volume has failed ({fault})."))
        if self._images is None:
            return
        self._figures.showed()
        # The preview takes the time of many slices, so it is made only if no frame waits
        if is_idle or not is_late:
            self._preview.offer(slices, self._figures.used)

    def catch_up(self, recording: Recording) -> int:
        """Add recorded projections that were dropped from the queue.

        Parameters
        ----------
        recording
            recording of the same source

        Returns
        -------
        n_views
            number of projections added; 0 once all are
        """
        slices = self._slices
        if slices is None:
            return 0
        recorded = recording.views(slices.numbers, MAX_AT_ONCE)
        # Darks and flats are evaluated only if there are views
        if not recorded or slices.waits_for is not None:
            return 0
        if not is_same_geometry(recording.geometry_of_scan, self.geometry):
            return 0  # the source has started the next scan
        # Frames beyond the planned scan are recorded, but not in the slices
        recorded = [frame for frame in recorded if frame.index < slices.n_window]
        self._add(slices, recorded, same_scan=True)
        return len(recorded)

    @property
    def steps(self) -> tuple[str, ...]:
        """Kinds of the steps that are applied to views, in order."""
        return () if self._slices is None else self._slices.preparation.kinds

    @property
    def is_ready(self) -> bool:
        """True if there are slices to which requests apply."""
        return self._slices is not None

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan as measured, once it is known."""
        return self._choices.geometry or self._geometry or self._source.geometry
