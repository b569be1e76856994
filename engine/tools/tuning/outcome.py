"""What a search tells: that it began, each form it tries, and what it came to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.problem import Values


@dataclass(frozen=True)
class Began:
    """The shipped form was run and is right: forms are tried from now on.

    Attributes
    ----------
    shipped_seconds : of one run of it
    seconds_left : of the time that the session was given
    """

    shipped_seconds: float
    seconds_left: float


@dataclass(frozen=True)
class Trying:
    """A form is about to run.

    Attributes
    ----------
    values : of its parameters
    """

    values: Values


@dataclass(frozen=True)
class TriedForm:
    """A form that was tried.

    Attributes
    ----------
    values : of its parameters
    seconds : of one run, None where it did not give what it should
    ratio : of its time and that of the shipped form just then
    fault : why it cannot be used
    seconds_left : of the time that the session was given
    comparison : with the shipped form, where it looked like the best
    is_best : whether it is, so far
    from_file : whether its time is that of an earlier session
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
        """Whether it looks faster, and the machine was too unsteady to tell."""
        return self.comparison is not None and self.comparison.is_unsure


@dataclass
class Outcome:
    """What a session came to.

    Attributes
    ----------
    tried : all forms, in their order
    best : of the forms that are faster than the shipped one; None: the shipped one stays
    comparison : of the best with the shipped one
    shipped_seconds : of the shipped form, the median
    seconds : that the session took
    was_stopped : whether it was asked to stop
    is_lost : whether a form left the device unable to run any other
    """

    tried: list[TriedForm] = field(default_factory=list)
    best: Values | None = None
    comparison: Comparison | None = None
    shipped_seconds: float = 0.0
    seconds: float = 0.0
    was_stopped: bool = False
    is_lost: bool = False

    @property
    def gain(self) -> float:
        """Speed of the best form over that of the shipped one."""
        return 1.0 if self.comparison is None else 1 / self.comparison.ratio


SearchEvent = Began | Trying | TriedForm
OnEvent = Callable[[SearchEvent], None]
