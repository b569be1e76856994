"""A search as text, for the command line and the window."""

from __future__ import annotations

from dataclasses import dataclass

from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.problem import Values


@dataclass(frozen=True)
class SearchEnded:
    """Summary of a search, and the stored variant.

    Attributes
    ----------
    n_tried : number of variants
    seconds : duration
    best : best variant that is faster than the default, None without one
    comparison : comparison of the best with the default
    was_stored, is_stored : True if a variant was stored before, and is stored now
    was_stopped : True if it was stopped
    n_unsure : variants that seemed faster while the machine was too unsteady
    is_lost : True if a variant left the device unable to run any other
    """

    n_tried: int
    seconds: float
    best: Values | None
    comparison: Comparison | None
    was_stored: bool
    is_stored: bool
    was_stopped: bool
    n_unsure: int = 0
    is_lost: bool = False

    @property
    def verdict(self) -> str:
        """Outcome as text."""
        tried = f"Variants tried: {self.n_tried}, in {self.seconds:.0f} s."
        if self.best is None or self.comparison is None:
            text = f"{tried} None is measurably faster than the default."
            if self.was_stored:
                stored_text = "The stored variant remains in use, but was not tried again."
                text += f" {stored_text if self.is_stored else 'The stored variant was deleted.'}"
            return f"{text} {self._doubt}".rstrip()
        return (
            f"{tried} The fastest is stored: {form_text(self.best)}. Its speed relative to the "
            f"default: {gain_text(self.comparison)}."
        )

    @property
    def _doubt(self) -> str:
        """Advice if other work on the machine may have hidden a faster variant."""
        if not self.n_unsure:
            return ""
        return (
            f"Variants that seemed faster while the machine was busy: {self.n_unsure}. Tune again "
            "when it is idle."
        )


def form_text(values: Values) -> str:
    """Return a variant as text.

    Parameters
    ----------
    values
        its parameters
    """
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())


def gain_text(comparison: Comparison) -> str:
    """Return the speed of a variant relative to the default, with its interval.

    Parameters
    ----------
    comparison
        comparison with the default
    """
    # Speed is the inverse of time, so the limits change places
    least, most = 1 / comparison.high, 1 / comparison.low
    return f"{1 / comparison.ratio:.2f} ({least:.2f} to {most:.2f})"
