"""A live reconstruction in a thread: it receives frames, and provides images and statistics.

One thread takes all waiting frames, updates the slices, and provides the newest images. Its
consumer may be slow, and sees the newest images only. An image is as late as the work on one batch,
and batches grow if the work is too slow for the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from engine.core.backend import Backend
from engine.core.errors import DataError, EngineError
from engine.data.projections import Projections
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Ended, Noticed
from engine.live.core.source import FrameSource
from engine.live.ct.axis_finding import AxisFinder
from engine.live.ct.batches import batch_of
from engine.live.ct.following import LiveChoices, LiveUpdate, LiveWork, Request
from engine.live.ct.recorded import recorded_projections
from engine.live.ct.recording import Recording
from engine.live.following_thread import FollowingThread
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.records import RecordingFile
from engine.operators.xray.slice_sums import SliceSums
from engine.recon.filtering.settings import FilterSettings

QUIET_S = 0.3
"""Time without a frame after which slower work is done."""
MIN_S = 1 / 60
"""Shortest interval between images: no screen shows more."""
ANSWER_S = 0.03
"""Interval of checks for requests after the end of the scan."""


class LiveSession(FollowingThread[LiveUpdate]):
    """Reconstructs a running scan in a thread that starts at once.

    Parameters
    ----------
    source : source of the frames
    choices : geometry, slices, steps, filter and mode
    on : device and threads
    stays : True to accept requests after the end of the scan, until `close`. The end is then an
        event
    finds_axis : True to find the rotation axis at the end of the scan
    recorder : writes the frames of a growing scan to the disk as they arrive; the session closes it

    Attributes
    ----------
    senders : source that refuses senders, and lets the user choose one; None for other sources
    """

    noun = "slices"

    def __init__(
        self,
        source: FrameSource,
        choices: LiveChoices | None = None,
        *,
        on: Backend,
        stays: bool = False,
        finds_axis: bool = False,
        recorder: LiveRecorder | None = None,
    ) -> None:
        super().__init__(source, recorder)
        self._stays, self._finds_axis = stays, finds_axis
        choices = choices or LiveChoices()
        # A sliding image discards old views, so it can follow a scan of any length
        is_recorded = choices.settings.mode == "growing"
        # Between source and queue, so that frames dropped from the queue are recorded
        self._recording = Recording(source, choices.geometry, recorder) if is_recorded else None
        self._source, self._on = self._recording or source, on
        self._work = LiveWork(source, choices, on=on, report=self._report)
        self._requests: dict[str, Request] = {}
        self._finder = AxisFinder(self.set_axis, lambda text: self._report(Noticed(text)))
        self._begin(self._work.update)

    def place(self, planes: Sequence[Plane]) -> None:
        """Change the planes of the slices, from the next images on.

        Parameters
        ----------
        planes
            new planes, any number
        """
        self._ask("planes", lambda slices: slices.place(planes))

    def set_axis(self, column: float) -> None:
        """Set the column of the rotation axis, from 0."""
        self._ask("axis", lambda slices: slices.set_axis(column))

    def find_axis(self) -> None:
        """Find the rotation axis from the views in memory, in parallel, and use it."""
        self._ask("find axis", lambda slices: self._finder.begin(slices.stored_views()))

    def roll(self, degrees: float) -> None:
        """Rotate the detector in its plane, in addition to the geometry [°]."""
        self._ask("roll", lambda slices: slices.roll(degrees))

    def filter(self, settings: FilterSettings) -> None:
        """Filter all views with other settings."""
        self._ask("filter", lambda slices: slices.filter(settings))

    def scan(self) -> Projections:
        """Return the recorded scan for a normal run; call it after `close`.

        Raises
        ------
        DataError
            if the mode is "sliding", or no geometry or no projection arrived
        """
        if self._recording is None:
            raise DataError(
                "the scan cannot be saved because sliding mode does not record it; use growing "
                "mode for the next scan."
            )
        geometry = self._recording.geometry_of_scan
        if geometry is None:
            raise DataError(
                "the scan cannot be saved because its geometry was not received; check that the "
                "source sends it."
            )
        recorder = self._recorder
        if recorder is not None and recorder.is_whole:
            # Memory may have space for a part of the scan only
            with suppress(EngineError):
                file = RecordingFile(recorder.path)
                return recorded_projections(file, recorder.path.parent, geometry)
        return self._recording.scan(geometry)

    @property
    def _is_memory_full(self) -> bool:
        return self._recording is not None and self._recording.is_full

    @property
    def _is_recorded(self) -> bool:
        return self._recording is not None

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan as measured, once it is known."""
        return self._work.geometry

    @property
    def device(self) -> str:
        """Name of the device that makes the slices."""
        return self._on.name

    @property
    def steps(self) -> tuple[str, ...]:
        """Kinds of the steps that are applied to views; others need the whole scan."""
        return self._work.steps

    @property
    def frames_sha256(self) -> str | None:
        """Digest of the frames of a growing scan, after `close`; None if they are not recorded."""
        return None if self._recording is None else self._recording.sha256

    def _ask(self, what: str, request: Request) -> None:
        with self._changed:
            self._requests.pop(what, None)  # the newest request of a kind counts
            self._requests[what] = request

    def _asked(self) -> list[Request]:
        with self._changed:
            # Requests before the first frame wait for the slices
            if not self._work.is_ready:
                return []
            requests = list(self._requests.values())
            self._requests.clear()
        return requests

    def _hand_over(self) -> None:
        self._show(self._work.update)

    def _follow_source(self) -> None:
        if not self._on.is_cuda:
            SliceSums.compile()  # otherwise the first views would wait for the compiler
        with Arrivals(self._source) as arrivals:
            self._follow_to_end(arrivals, lambda: self._follow(arrivals))

    def _finish(self) -> None:
        # Before the last hand-over, so that it has the last preview
        self._work.wait()
        if self._finds_axis and not self._stop.is_set():
            self._see_axis_found()
        self._hand_over()
        if self._stays and not self._stop.is_set():
            self._report(Ended(f"{self._name}: ended."))
            self._answer_on()
        self._finder.wait()

    def _see_axis_found(self) -> None:
        """Find the axis from all views, and make the slices again with it."""
        self.find_axis()
        # The first call starts the search, the second one applies its result
        self._work.answer(self._asked())
        self._finder.wait()
        self._work.answer(self._asked())
        self._work.refresh(is_idle=True, is_late=False)

    def _answer_on(self) -> None:
        """Carry out requests without a source."""
        while not self._stop.wait(ANSWER_S):
            asked = self._asked()
            if asked:
                self._work.answer(asked)
                self._work.refresh(is_idle=True, is_late=False)
                self._hand_over()

    def _follow(self, arrivals: Arrivals) -> None:
        work = self._work
        came_s = shown_s = 0.0
        is_quiet, has_ended = True, False
        while not (self._stop.is_set() or has_ended):
            arrived = batch_of(arrivals, max(MIN_S - (monotonic() - shown_s), 0))
            has_ended = any(isinstance(each, Ended) for each in arrived)
            # Frames before requests, so that a moved slice shows the newest views
            n_new = work.handle(arrived)
            asked = self._asked()
            work.answer(asked)
            if n_new:
                came_s, is_quiet = monotonic(), False
            # Between two frames of a slow scan, there is time for exact weights
            settles = has_ended or monotonic() - came_s >= QUIET_S
            if self._recording is not None and settles and not is_quiet:
                # Dropped frames are added once there is time, so that the final slices have all
                # views
                while work.catch_up(self._recording) and not self._stop.is_set():
                    pass
            if n_new or asked or (settles and not is_quiet):
                work.refresh(is_idle=settles, is_late=arrivals.waiting > 0)
                shown_s, is_quiet = monotonic(), settles
                self._hand_over()
            elif arrived:
                self._hand_over()
