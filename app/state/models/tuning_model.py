"""A search for the fastest forms as the window shows it: what was tried, the best, time left."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import clock, sentence_case
from app.views.plots.tuning_plot import FormTimes

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.tuning import SearchEnded, TriedForm

KEEPS = tr("Later runs with images of this size use it and record it in their provenance.")
STAYS = tr("Later runs do not change.")


class Phase(Enum):
    """How far a search is."""

    IDLE = "idle"
    PREPARING = "preparing"
    SEARCHING = "searching"
    STOPPING = "stopping"
    ENDED = "ended"
    REFUSED = "refused"

    @property
    def is_active(self) -> bool:
        """Whether a search is at work."""
        return self in (Phase.PREPARING, Phase.SEARCHING, Phase.STOPPING)


class TuningModel(QObject):
    """What is known of a search.

    Attributes
    ----------
    phase : where it is
    tried : forms, in their order
    best : of them, None as long as the shipped one is
    shipped_seconds : of the shipped form, 0 before it was run
    work : what is measured, in words
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.phase, self.work = Phase.IDLE, ""
        self.tried: list[TriedForm] = []
        self.best: TriedForm | None = None
        self.shipped_seconds = 0.0
        self._until, self._last_words = 0.0, ""
        self._best_ms: list[float] = []

    def begin(self, budget_s: float) -> None:
        """Begin anew."""
        self._reset()
        self.phase, self._until = Phase.PREPARING, monotonic() + budget_s
        self.changed.emit()

    def ask_to_stop(self) -> None:
        """Note that the end is wanted."""
        if self.phase.is_active:
            self.phase = Phase.STOPPING
            self.changed.emit()

    def refuse(self, text: str) -> None:
        """Note why there is no search, or no more."""
        self.phase, self._last_words = Phase.REFUSED, _sentence(text)
        self.changed.emit()

    def take(self, event: object) -> None:
        """Take what the search tells."""
        from engine.tools.tuning import Began, Refused, SearchEnded, SearchPrepared, TriedForm

        match event:
            case SearchPrepared():
                self.work = tr(
                    "{title} on {device}: {work}.",
                    title=sentence_case(event.title),
                    device=event.device,
                    work=event.work,
                )
            case Began():
                self.shipped_seconds = event.shipped_seconds
                self._until = monotonic() + event.seconds_left
                if self.phase is Phase.PREPARING:
                    self.phase = Phase.SEARCHING
            case TriedForm():
                self._add(event)
            case SearchEnded():
                self.phase, self._last_words = Phase.ENDED, _end_words(event)
            case Refused():
                self.refuse(event.text)
                return
            case _:
                return  # a form that runs now: nothing is known of it yet
        self.changed.emit()

    def _add(self, tried: TriedForm) -> None:
        if tried.is_best:
            self.best = tried
        places = [k for k, one in enumerate(self.tried) if one.values == tried.values]
        if places:  # known from an earlier search, and run again
            self.tried[places[0]] = tried
            self._best_ms[-1:] = [self._best_now()]
            return
        self.tried.append(tried)
        self._best_ms.append(self._best_now())

    def _best_now(self) -> float:
        compared = self.best.comparison if self.best is not None else None
        return 1e3 * self.shipped_seconds * (compared.ratio if compared is not None else 1.0)

    @property
    def seconds_left(self) -> float:
        """Time left of the budget."""
        return max(0.0, self._until - monotonic())

    @property
    def times(self) -> FormTimes:
        """What the plot shows."""
        timed = [(n, one) for n, one in enumerate(self.tried, 1) if one.seconds is not None]
        return FormTimes(
            tried=tuple((n, 1e3 * (one.seconds or 0)) for n, one in timed if not one.from_file),
            known=tuple((n, 1e3 * (one.seconds or 0)) for n, one in timed if one.from_file),
            faulty=tuple(n for n, one in enumerate(self.tried, 1) if one.seconds is None),
            best=tuple(self._best_ms),
            shipped=1e3 * self.shipped_seconds if self.shipped_seconds else None,
        )

    @property
    def state_words(self) -> str:
        """How far the search is, one line."""
        match self.phase:
            case Phase.IDLE:
                return tr(
                    "Run nothing else in the meantime, because it would distort the comparison."
                )
            case Phase.PREPARING:
                return tr("Preparing the test data; compiling and running the default variant.")
            case Phase.SEARCHING:
                left = tr("{clock} left.", clock=clock(self.seconds_left))
                return f"{self._count_words()} {left}"
            case Phase.STOPPING:
                return f"{self._count_words()} {tr('Stopping.')}"
            case Phase.ENDED | Phase.REFUSED:
                return self._last_words

    @property
    def has_won(self) -> bool:
        """Whether a form was found that is faster than the shipped one."""
        return self.phase is Phase.ENDED and self.best is not None

    @property
    def best_words(self) -> str:
        """What is best so far, one line; empty where the words of the end say it."""
        if self.phase not in (Phase.SEARCHING, Phase.STOPPING) or not self.shipped_seconds:
            return ""
        from engine.tools.tuning import form_words, gain_words

        if self.best is None or self.best.comparison is None:
            return tr("No variant is measurably faster than the default yet.")
        return tr(
            "Best so far: {form_words}, {gain_words}.",
            form_words=form_words(self.best.values),
            gain_words=gain_words(self.best.comparison),
        )

    def _count_words(self) -> str:
        n, faults = len(self.tried), len([one for one in self.tried if one.seconds is None])
        tried = tr("1 variant tried.") if n == 1 else tr("{n} variants tried.", n=n)
        bad = tr("{faults} failed or gave wrong results.", faults=faults) if faults else ""
        return f"{tried} {bad}".strip()


def _sentence(text: str) -> str:
    """Return a sentence that begins with a capital, unless it begins with the name of a file."""
    return text if "." in text.partition(" ")[0] else sentence_case(text)


def _end_words(ended: SearchEnded) -> str:
    stopped = f"{tr('Stopped.')} " if ended.was_stopped else ""
    return f"{stopped}{ended.verdict} {KEEPS if ended.best is not None else STAYS}"
