"""A normalisation while it is measured: what is counted, how far the steps are, what it came to."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import count, sentence_case

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import Counted, MeasuredNormalisation


class MeasuringPhase(Enum):
    """How far a measurement is."""

    IDLE = "idle"
    STARTING = "starting"
    COUNTING = "counting"
    STEPPING = "stepping"
    DONE = "done"
    STOPPED = "stopped"
    REFUSED = "refused"

    @property
    def is_active(self) -> bool:
        """Whether a measurement is at work."""
        return self in (
            MeasuringPhase.STARTING,
            MeasuringPhase.COUNTING,
            MeasuringPhase.STEPPING,
        )


IDLE_WORDS = tr(
    "Nothing has been measured yet. Choose scans, specify the source in the scanner, then "
    "press Start."
)


class NormalisingModel(QObject):
    """What is known of a measurement.

    Attributes
    ----------
    phase : where it is
    rests, is_ending : whether it rests, and whether its end is asked for
    changes : the largest change of each step, in standard errors
    made : what it came to
    part : of the scan that was counted, 0 to 1
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.phase = MeasuringPhase.IDLE
        self.rests = self.is_ending = self._wants_rest = False
        self.changes: list[float] = []
        self.made: MeasuredNormalisation | None = None
        self.part = 0.0
        self._scan, self._counted, self._refusal = "", "", ""

    def begin(self) -> None:
        """Begin anew."""
        self._reset()
        self.phase = MeasuringPhase.STARTING
        self.changed.emit()

    def ask_to_stop(self) -> None:
        """Note that the end is wanted."""
        self.is_ending = self.phase.is_active
        self.changed.emit()

    def ask_to_rest(self, rests: bool) -> None:
        """Note that a rest, or its end, is wanted."""
        self._wants_rest = rests
        self.changed.emit()

    @property
    def wants_rest(self) -> bool:
        """Whether a rest was asked for last."""
        return self._wants_rest

    def refuse(self, text: str) -> None:
        """Note why there is no normalisation."""
        self.phase, self._refusal = MeasuringPhase.REFUSED, text
        self.changed.emit()

    def end(self) -> None:
        """Note that nothing is at work any more."""
        if self.phase.is_active:
            self.phase = MeasuringPhase.STOPPED
        self.rests = self.is_ending = self._wants_rest = False
        self.changed.emit()

    def take(self, event: object) -> None:
        """Take what the measurement tells."""
        from engine.tools.normalisation_scan import (
            Counted,
            MeasuredNormalisation,
            ReadingScan,
            Refused,
            Resting,
            Stepped,
            Stopped,
        )

        match event:
            case ReadingScan():
                self.phase, self.part = MeasuringPhase.COUNTING, 0.0
                self._scan = (
                    tr(
                        "Counting the events of {name} ({number} of {n_scans}).",
                        name=event.name,
                        number=event.number,
                        n_scans=event.n_scans,
                    )
                    if event.n_scans > 1
                    else tr("Counting the events of {name}.", name=event.name)
                )
            case Counted():
                self.part = event.done / max(event.total, 1)
                self._counted = _counted_words(event)
            case Stepped():
                self.phase = MeasuringPhase.STEPPING
                self.changes.append(event.change)
            case Resting():
                self.rests = event.rests
            case MeasuredNormalisation():
                self.phase, self.made = MeasuringPhase.DONE, event
            case Stopped():
                self.phase = MeasuringPhase.STOPPED
            case Refused():
                self.refuse(event.text)
                return
        self.changed.emit()

    @property
    def state_words(self) -> str:
        """How far it is, a sentence or two."""
        if self.phase.is_active and self.is_ending:
            return tr("Stopping.")
        if self.phase.is_active and self.rests:
            return tr("Paused. Continue when the computer is free again.")
        words = self._phase_words()
        if self.phase.is_active and self._wants_rest:
            return f"{words} {tr('It will pause after this step.')}"
        return words

    def _phase_words(self) -> str:
        match self.phase:
            case MeasuringPhase.IDLE:
                return IDLE_WORDS
            case MeasuringPhase.STARTING:
                return tr("Starting a separate process.")
            case MeasuringPhase.COUNTING:
                return self._scan
            case MeasuringPhase.STEPPING:
                return self._step_words()
            case MeasuringPhase.DONE:
                return self._done_words()
            case MeasuringPhase.STOPPED:
                return tr("Stopped. Nothing was saved.")
            case MeasuringPhase.REFUSED:
                return sentence_case(self._refusal) if ": " not in self._refusal else self._refusal

    @property
    def counted_words(self) -> str:
        """What is counted so far, and how well that tells the crystals; empty before."""
        return self._counted if self.phase.is_active else ""

    def _step_words(self) -> str:
        from engine.tools.normalisation_scan import SMALL

        return tr(
            "Step {n_changes}: the components change by {changes:.2g} of their standard errors. "
            "Convergence is reached at {SMALL:g}.",
            n_changes=len(self.changes),
            changes=self.changes[-1],
            SMALL=SMALL,
        )

    def _done_words(self) -> str:
        if self.made is None:
            return ""
        found = self.made.found
        return tr(
            "Measured from {count} counts in {steps} steps on {name}. Save the "
            "normalisation to use it.",
            count=count(found.counts),
            steps=found.steps,
            name=self.made.scanner.name,
        )


def _counted_words(event: Counted) -> str:
    if event.counts <= 0:
        return tr("No counts on lines through the source yet.")
    return tr(
        "{count} counts on lines through the source. The median crystal efficiency has an error "
        "of {crystal_error:.2g} %.",
        count=count(event.counts),
        crystal_error=100 * event.crystal_error,
    )
