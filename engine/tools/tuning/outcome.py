"""Events of a search: its start, each tried variant, and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.problem import Values


@dataclass(frozen=True)
class Began:
    """The default variant gives correct results; the search starts.

    Attributes
    ----------
    shipped_seconds : time of one run of the default
    seconds_left : remaining time
    """

    shipped_seconds: float
    seconds_left: float


@dataclass(frozen=True)
class Trying:
    """A variant will run next.

    Attributes
    ----------
    values : its parameters
    """

    values: Values


@dataclass(frozen=True)
class TriedVariant:
    """A variant that was tried.

    Attributes
    ----------
    values : its parameters
    seconds : time of one run, None if the result was wrong
    ratio : its time relative to the default's at that moment
    fault : reason why it cannot be used
    seconds_left : remaining time
    comparison : paired comparison with the default, if it seemed to be the best
    is_best : True if it is the best so far
    from_file : True if its time is from an earlier session
    """

    values: Values
    seconds: float | None
    ratio: float | None
    fault: str
    seconds_left: float
    comparison: Comparison | None = None
    is_best: bool = False
    from_file: bool = False

    @property
    def is_unsure(self) -> bool:
        """True if it seems faster, but the machine was too unsteady."""
        return self.comparison is not None and self.comparison.is_unsure


@dataclass
class Outcome:
    """Outcome of a session.

    Attributes
    ----------
    tried : all variants in order
    best : best variant that is faster than the default; None if there is none
    comparison : comparison of the best with the default
    shipped_seconds : median time of the default
    seconds : duration of the session
    was_stopped : True if it was stopped
    is_lost : True if a variant left the device unable to run any other
    """

    tried: list[TriedVariant] = field(default_factory=list)
    best: Values | None = None
    comparison: Comparison | None = None
    shipped_seconds: float = 0.0
    seconds: float = 0.0
    was_stopped: bool = False
    is_lost: bool = False

    @property
    def gain(self) -> float:
        """Speed of the best variant relative to the default."""
        # Without a better variant the default runs, as before
        return 1.0 if self.comparison is None else 1 / self.comparison.ratio


SearchEvent = Began | Trying | TriedVariant
OnEvent = Callable[[SearchEvent], None]
