"""A live reconstruction that runs by itself: frames in, images and figures out.

One thread takes all frames that wait, brings the slices up to date and hands over the newest
images; whoever looks may be slow, and sees the newest. So an image is as late as the work on one
batch, and batches grow where the work is too slow for the frames.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from threading import Condition, Event, Thread
from time import monotonic

from engine.core.backend import Backend
from engine.core.errors import DataError, EngineError
from engine.data.projections import Projections
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Ended, Frame, Noticed, SourceEvent
from engine.live.core.source import FrameSource
from engine.live.ct.axis_finding import AxisFinder
from engine.live.ct.batches import batch_of
from engine.live.ct.following import LiveChoices, LiveUpdate, LiveWork, Request
from engine.live.ct.recording import Recording
from engine.operators.xray.slice_sums import SliceSums
from engine.recon.filtering.settings import FilterSettings

SETTLED_S = 0.3
"""Without a frame for so long, what takes longer is done."""
LEAST_S = 1 / 60
"""From one image to the next: no screen shows more."""
MOST_EVENTS = 1000
ANSWER_S = 0.03
"""Between two looks for what is asked for, when the scan has ended."""


class LiveSession:
    """Reconstructs a running scan in a thread, which begins at once.

    Parameters
    ----------
    source : of the frames
    choices : geometry, slices, steps, filter and mode
    on : device and threads
    stays : whether slices can be moved, filtered and so on when the scan has ended, until `close`;
        the end is told as an event then
    finds_axis : whether the axis is looked for when the scan has ended, before that is told
    """

    def __init__(
        self,
        source: FrameSource,
        choices: LiveChoices | None = None,
        *,
        on: Backend,
        stays: bool = False,
        finds_axis: bool = False,
    ) -> None:
        self._stays, self._finds_axis = stays, finds_axis
        choices = choices or LiveChoices()
        is_kept = choices.settings.mode == "growing"
        self._recording = Recording(source, choices.geometry) if is_kept else None
        self._source, self._on = self._recording or source, on
        self._work = LiveWork(source, choices, on=on, say=self._say)
        self._update = self._work.update
        self._requests: dict[str, Request] = {}
        self._finder = AxisFinder(self.see_axis, lambda text: self._say(Noticed(text)))
        self._events: deque[SourceEvent] = deque(maxlen=MOST_EVENTS)
        self._is_new = self._has_ended = False
        self._fault: BaseException | None = None
        self._changed, self._stop = Condition(), Event()
        self._thread = Thread(target=self._run, name=f"live {source.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, timeout_s: float | None = None) -> LiveUpdate | SourceEvent | None:
        """Return the next event of the source, or the newest images; None if nothing is new.

        After the end, and all before it, `Ended` is returned again and again. A fault is raised.
        """
        with self._changed:
            self._changed.wait_for(self._has_something, timeout_s)
            if self._events:
                return self._events.popleft()
            if self._is_new:
                self._is_new = False
                return self._update
            if self._fault is not None:
                raise self._fault
            return Ended(f"{self._source.name}: ended.") if self._has_ended else None

    @property
    def newest(self) -> LiveUpdate:
        """What was handed over last, or is about to be."""
        with self._changed:
            return self._update

    def place(self, planes: Sequence[Plane]) -> None:
        """Put the slices elsewhere, others or more of them, with the next images."""
        self._ask("planes", lambda slices: slices.place(planes))

    def see_axis(self, column: float) -> None:
        """Take the axis to be seen at a column, from 0."""
        self._ask("axis", lambda slices: slices.see_axis(column))

    def find_axis(self) -> None:
        """Look for the axis in the views that are held, beside the slices, and take it."""
        self._ask("find axis", lambda slices: self._finder.begin(slices.held_views()))

    def roll(self, degrees: float) -> None:
        """Take the detector to be turned in its plane, beyond what the geometry says [°]."""
        self._ask("roll", lambda slices: slices.roll(degrees))

    def filter(self, settings: FilterSettings) -> None:
        """Filter all views in another way."""
        self._ask("filter", lambda slices: slices.filter(settings))

    def close(self) -> None:
        """Stop; images and scan stay as they are then."""
        self._stop.set()
        self._thread.join()

    def scan(self) -> Projections:
        """Return the scan of a growing one as it came, for an ordinary run; after `close`.

        Raises
        ------
        DataError
            where there is none
        """
        if self._recording is None:
            raise DataError("sliding views are not kept; follow a scan that grows to keep it.")
        geometry = self._recording.geometry_of_scan
        if geometry is None:
            raise DataError("the geometry of the scan never came, so there is no scan to keep.")
        return self._recording.scan(geometry)

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan as measured, once it is known."""
        return self._work.geometry

    @property
    def device(self) -> str:
        """What makes the slices."""
        return self._on.name

    @property
    def steps(self) -> tuple[str, ...]:
        """Kinds of the steps that views go through; others of a protocol need the whole scan."""
        return self._work.steps

    @property
    def frames_sha256(self) -> str | None:
        """Digest of the frames of a growing scan, after `close`; None: they are not kept."""
        return None if self._recording is None else self._recording.sha256

    def _ask(self, what: str, request: Request) -> None:
        with self._changed:
            self._requests.pop(what, None)  # the newest wish counts, in the order they came
            self._requests[what] = request

    def _asked(self) -> list[Request]:
        with self._changed:
            if not self._work.is_ready:
                return []
            requests = list(self._requests.values())
            self._requests.clear()
        return requests

    def _has_something(self) -> bool:
        return bool(self._events or self._is_new or self._fault is not None or self._has_ended)

    def _say(self, event: SourceEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def _hand_over(self) -> None:
        update = self._work.update
        with self._changed:
            self._update, self._is_new = update, True
            self._changed.notify_all()

    def _run(self) -> None:
        fault: BaseException | None = None
        try:
            if not self._on.is_cuda:
                SliceSums.compile()  # or the first views would wait for it
            with Arrivals(self._source) as arrivals:
                self._follow_and_keep(arrivals)
            self._work.wait()
            if self._finds_axis and not self._stop.is_set():
                self._see_axis_found()
            self._hand_over()
            if self._stays and not self._stop.is_set():
                self._say(Ended(f"{self._source.name}: ended."))
                self._answer_on()
            self._finder.wait()
        except BaseException as e:  # noqa: BLE001  handed to whoever looks, who raises it
            fault = e
        with self._changed:
            self._fault, self._has_ended = fault, True
            self._changed.notify_all()

    def _see_axis_found(self) -> None:
        """Look for the axis in all views, and make the slices anew with it."""
        self.find_axis()
        self._work.answer(self._asked())
        self._finder.wait()
        self._work.answer(self._asked())
        self._work.refresh(settled=True, is_late=False)

    def _follow_and_keep(self, arrivals: Arrivals) -> None:
        """Follow to the end; where slices fail for a reason of ours, a scan is kept to its end."""
        try:
            self._follow(arrivals)
        except EngineError:
            raise
        except Exception as e:
            if self._recording is not None:
                self._say(
                    Noticed(
                        f"{self._source.name}: the slices have failed ({type(e).__name__}: {e}); "
                        "no more are made, the scan is kept to its end."
                    )
                )
                self._keep_on(arrivals)
            raise

    def _keep_on(self, arrivals: Arrivals) -> None:
        """Take what comes; the frames are kept before they come here."""
        while not self._stop.is_set():
            arrived = batch_of(arrivals, LEAST_S)
            for each in arrived:
                if not isinstance(each, Frame | Ended):
                    self._say(each)
            if any(isinstance(each, Ended) for each in arrived):
                return

    def _answer_on(self) -> None:
        """Do what is asked for, without a source."""
        while not self._stop.wait(ANSWER_S):
            asked = self._asked()
            if asked:
                self._work.answer(asked)
                self._work.refresh(settled=True, is_late=False)
                self._hand_over()

    def _follow(self, arrivals: Arrivals) -> None:
        work = self._work
        came_s = shown_s = 0.0
        is_settled, has_ended = True, False
        while not (self._stop.is_set() or has_ended):
            arrived = batch_of(arrivals, max(LEAST_S - (monotonic() - shown_s), 0))
            has_ended = any(isinstance(each, Ended) for each in arrived)
            n_new = work.take_up(arrived)
            asked = self._asked()
            work.answer(asked)
            if n_new:
                came_s, is_settled = monotonic(), False
            settles = has_ended or monotonic() - came_s >= SETTLED_S
            if self._recording is not None and settles and not is_settled:
                while work.catch_up(self._recording) and not self._stop.is_set():
                    pass
            if n_new or asked or (settles and not is_settled):
                work.refresh(settled=settles, is_late=arrivals.waiting > 0)
                shown_s, is_settled = monotonic(), settles
                self._hand_over()
            elif arrived:
                self._hand_over()
