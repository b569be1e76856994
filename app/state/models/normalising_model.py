"""State of a new normalisation: counting, fit steps and result."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import count, sentence_case

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import Counted, MeasuredNormalisation


class MeasuringPhase(Enum):
    """Stage of a measurement."""

    IDLE = "idle"
    STARTING = "starting"
    COUNTING = "counting"
    STEPPING = "stepping"
    DONE = "done"
    STOPPED = "stopped"
    REFUSED = "refused"

    @property
    def is_active(self) -> bool:
        """True while a measurement runs."""
        return self in (
            MeasuringPhase.STARTING,
            MeasuringPhase.COUNTING,
            MeasuringPhase.STEPPING,
        )


IDLE_WORDS = tr(
    "There is no normalisation yet. Choose the scans, specify the source and press Start."
)


class NormalisingModel(QObject):
    """State of a measurement.

    Attributes
    ----------
    phase : current stage
    is_paused, is_ending : True if it is paused; True if a stop was requested
    changes : largest change in each step of the fit, in standard errors
    made : the result; None until it exists
    part : share of the scan that has been counted, 0 to 1
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.phase = MeasuringPhase.IDLE
        self.is_paused = self.is_ending = self._pause_requested = False
        self.changes: list[float] = []
        self.made: MeasuredNormalisation | None = None
        self.part = 0.0
        self._scan, self._counted, self._refusal = "", "", ""

    def begin(self) -> None:
        """Clear the last measurement and start a new one."""
        self._reset()
        self.phase = MeasuringPhase.STARTING
        self.changed.emit()

    def ask_to_stop(self) -> None:
        """Store that the user has requested a stop."""
        # Nothing to stop before the start: a stale flag would stop the next measurement.
        self.is_ending = self.phase.is_active
        self.changed.emit()

    def request_pause(self, pauses: bool) -> None:
        """Store that the user has requested a pause or its end.

        Parameters
        ----------
        pauses
            True to pause, False to continue
        """
        self._pause_requested = pauses
        self.changed.emit()

    @property
    def is_pause_requested(self) -> bool:
        """True if the last request was to pause."""
        return self._pause_requested

    def refuse(self, text: str) -> None:
        """Store why there is no normalisation.

        Parameters
        ----------
        text
            sentence for the user
        """
        self.phase, self._refusal = MeasuringPhase.REFUSED, text
        self.changed.emit()

    def end(self) -> None:
        """Mark the measurement as ended, whatever its result."""
        # The worker process also ends here if it crashed. No result was reported then.
        if self.phase.is_active:
            self.phase = MeasuringPhase.STOPPED
        self.is_paused = self.is_ending = self._pause_requested = False
        self.changed.emit()

    def take(self, event: object) -> None:
        """Update the model from an event of the measurement.

        Parameters
        ----------
        event
            an event of `engine.tools.normalisation_scan`
        """
        # Imported late to keep the start of the window fast.
        from engine.tools.normalisation_scan import (
            Counted,
            MeasuredNormalisation,
            Paused,
            ReadingScan,
            Refused,
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
                self._counted = _counted_text(event)
            case Stepped():
                self.phase = MeasuringPhase.STEPPING
                self.changes.append(event.change)
            case Paused():
                self.is_paused = event.is_paused
            case MeasuredNormalisation():
                self.phase, self.made = MeasuringPhase.DONE, event
            case Stopped():
                self.phase = MeasuringPhase.STOPPED
            case Refused():
                self.refuse(event.text)
                return
        self.changed.emit()

    @property
    def state_text(self) -> str:
        """Progress in one or two sentences."""
        # Requests come before the stage: the worker only reacts after the current step.
        if self.phase.is_active and self.is_ending:
            return tr("Stopping.")
        if self.phase.is_active and self.is_paused:
            return tr("Paused. Continue when the computer is free again.")
        words = self._phase_text()
        if self.phase.is_active and self._pause_requested:
            return f"{words} {tr('The measurement will pause after this step.')}"
        return words

    def _phase_text(self) -> str:
        match self.phase:
            case MeasuringPhase.IDLE:
                return IDLE_WORDS
            case MeasuringPhase.STARTING:
                return tr("Starting the measurement.")
            case MeasuringPhase.COUNTING:
                return self._scan
            case MeasuringPhase.STEPPING:
                return self._step_text()
            case MeasuringPhase.DONE:
                return self._done_text()
            case MeasuringPhase.STOPPED:
                return tr("Stopped. Nothing was saved.")
            case MeasuringPhase.REFUSED:
                # A text with ": " begins with a file name, which keeps its case.
                return sentence_case(self._refusal) if ": " not in self._refusal else self._refusal

    @property
    def counted_text(self) -> str:
        """Counts so far and the error of the efficiencies they allow; empty before counting."""
        return self._counted if self.phase.is_active else ""

    def _step_text(self) -> str:
        from engine.tools.normalisation_scan import SMALL

        return tr(
            "Step {n_changes}: the largest change is {changes:.2g} standard errors. "
            "Convergence is reached at {SMALL:g}.",
            n_changes=len(self.changes),
            changes=self.changes[-1],
            SMALL=SMALL,
        )

    def _done_text(self) -> str:
        # Cannot happen after DONE, but the type allows it.
        if self.made is None:
            return ""
        found = self.made.found
        return tr(
            "The normalisation of {name} was computed from {count} counts in {steps} steps. Save "
            "it to use it.",
            count=count(found.counts),
            steps=found.steps,
            name=self.made.scanner.name,
        )


def _counted_text(event: Counted) -> str:
    if event.counts <= 0:
        return tr("No counts on lines through the source yet.")
    return tr(
        "{count} counts on lines through the source. The crystal efficiencies have a "
        "median error of {crystal_error:.2g} %.",
        count=count(event.counts),
        crystal_error=100 * event.crystal_error,
    )
