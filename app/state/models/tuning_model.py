"""State of a search for the fastest kernel variants: variants tried, the best one, time left."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import clock, sentence_case

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from app.views.plots.tuning_view import FormTimes
    from engine.tools.tuning import SearchEnded, TriedVariant

KEEPS = tr(
    "Later runs with images of this size will use this variant and record it in their provenance."
)
STAYS = tr("Later runs will still use the default variant.")


class Phase(Enum):
    """Stage of a search."""

    IDLE = "idle"
    PREPARING = "preparing"
    SEARCHING = "searching"
    STOPPING = "stopping"
    ENDED = "ended"
    REFUSED = "refused"

    @property
    def is_active(self) -> bool:
        """True while a search runs."""
        return self in (Phase.PREPARING, Phase.SEARCHING, Phase.STOPPING)


class TuningModel(QObject):
    """State of a search.

    Attributes
    ----------
    phase : current stage
    tried : variants in the order they were tried
    best : the fastest variant; None while the default is the fastest
    shipped_seconds : time of the default variant [s]; 0 before it was run
    work : description of the test that is measured
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.phase, self.work = Phase.IDLE, ""
        self.tried: list[TriedVariant] = []
        self.best: TriedVariant | None = None
        self.shipped_seconds = 0.0
        self._until, self._last_text = 0.0, ""
        self._best_ms: list[float] = []

    def begin(self, budget_s: float) -> None:
        """Clear the last search and start a new one.

        Parameters
        ----------
        budget_s
            time limit of the search [s]
        """
        self._reset()
        # A monotonic clock, since the system time may be corrected during a long search.
        self.phase, self._until = Phase.PREPARING, monotonic() + budget_s
        self.changed.emit()

    def ask_to_stop(self) -> None:
        """Store that the user has requested a stop."""
        if self.phase.is_active:
            self.phase = Phase.STOPPING
            self.changed.emit()

    def refuse(self, text: str) -> None:
        """Store why the search could not start or ended early.

        Parameters
        ----------
        text
            sentence for the user
        """
        self.phase, self._last_text = Phase.REFUSED, _sentence(text)
        self.changed.emit()

    def take(self, event: object) -> None:
        """Update the model from an event of the search.

        Parameters
        ----------
        event
            an event of `engine.tools.tuning`
        """
        from engine.tools.tuning import Began, Refused, SearchEnded, SearchPrepared, TriedVariant

        match event:
            case SearchPrepared():
                self.work = tr(
                    "{title}. Device: {device}. Work: {work}.",
                    title=sentence_case(event.title),
                    device=event.device,
                    work=event.work,
                )
            case Began():
                self.shipped_seconds = event.shipped_seconds
                # The budget starts now: preparing and compiling do not count.
                self._until = monotonic() + event.seconds_left
                if self.phase is Phase.PREPARING:
                    self.phase = Phase.SEARCHING
            case TriedVariant():
                self._add(event)
            case SearchEnded():
                self.phase, self._last_text = Phase.ENDED, _end_text(event)
            case Refused():
                self.refuse(event.text)
                return
            case _:
                return  # a variant that is running; it has no result yet
        self.changed.emit()

    def _add(self, tried: TriedVariant) -> None:
        if tried.is_best:
            self.best = tried
        # Only a variant from an earlier search can appear twice.
        places = [k for k, one in enumerate(self.tried) if one.values == tried.values]
        if places:  # known from an earlier search, and run again
            self.tried[places[0]] = tried
            self._best_ms[-1:] = [self._best_ms_now()]
            return
        self.tried.append(tried)
        self._best_ms.append(self._best_ms_now())

    def _best_ms_now(self) -> float:
        # Ratios come from runs in turn with the default, so they are less noisy than single times.
        compared = self.best.comparison if self.best is not None else None
        return 1e3 * self.shipped_seconds * (compared.ratio if compared is not None else 1.0)

    @property
    def seconds_left(self) -> float:
        """Time left of the budget [s]."""
        return max(0.0, self._until - monotonic())

    @property
    def times(self) -> FormTimes:
        """Values for the plot."""
        from app.views.plots.tuning_view import FormTimes

        timed = [(n, one) for n, one in enumerate(self.tried, 1) if one.seconds is not None]
        return FormTimes(
            tried=tuple((n, 1e3 * (one.seconds or 0)) for n, one in timed if not one.from_file),
            known=tuple((n, 1e3 * (one.seconds or 0)) for n, one in timed if one.from_file),
            faulty=tuple(n for n, one in enumerate(self.tried, 1) if one.seconds is None),
            best=tuple(self._best_ms),
            shipped=1e3 * self.shipped_seconds if self.shipped_seconds else None,
        )

    @property
    def state_text(self) -> str:
        """Progress of the search in one line."""
        match self.phase:
            case Phase.IDLE:
                return tr(
                    "Do not run other programs during the search; they would distort the "
                    "comparison."
                )
            case Phase.PREPARING:
                return tr("Preparing the test data; compiling and running the default variant.")
            case Phase.SEARCHING:
                left = tr("{clock} left.", clock=clock(self.seconds_left))
                return f"{self._count_text()} {left}"
            case Phase.STOPPING:
                return f"{self._count_text()} {tr('Stopping.')}"
            case Phase.ENDED | Phase.REFUSED:
                return self._last_text

    @property
    def is_faster(self) -> bool:
        """True if a variant is faster than the default."""
        return self.phase is Phase.ENDED and self.best is not None

    @property
    def best_text(self) -> str:
        """The best variant so far, in one line; empty if the final message names it."""
        if self.phase not in (Phase.SEARCHING, Phase.STOPPING) or not self.shipped_seconds:
            return ""
        from engine.tools.tuning import form_text, gain_text

        if self.best is None or self.best.comparison is None:
            return tr("No variant is measurably faster than the default yet.")
        return tr(
            "Best so far: {form_text}. Speed relative to the default: {gain_text}.",
            form_text=form_text(self.best.values),
            gain_text=gain_text(self.best.comparison),
        )

    def _count_text(self) -> str:
        n, faults = len(self.tried), len([one for one in self.tried if one.seconds is None])
        tried = tr("1 variant tried.") if n == 1 else tr("{n} variants tried.", n=n)
        bad = tr("{faults} failed or gave wrong results.", faults=faults) if faults else ""
        return f"{tried} {bad}".strip()


def _sentence(text: str) -> str:
    """Capitalise a sentence unless it begins with a file name."""
    return text if "." in text.partition(" ")[0] else sentence_case(text)


def _end_text(ended: SearchEnded) -> str:
    stopped = f"{tr('Stopped.')} " if ended.was_stopped else ""
    return f"{stopped}{ended.verdict} {KEEPS if ended.best is not None else STAYS}"
