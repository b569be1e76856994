"""What a search is asked for: known without loading a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.tools.tuning.choices import STRATEGIES, check_choices

if TYPE_CHECKING:
    from engine.tools.tuning.problem import TuningProblem, Values


@dataclass(frozen=True)
class SearchRequest:
    """What a search is asked for.

    Attributes
    ----------
    target : kind of scan, see `engine.tools.tuning.choices`
    device : "auto", "cpu" or "cuda"
    threads : of the CPU, None: all
    study : as JSON, in whose size; empty: in the standard size
    budget_s : time it may take
    strategy, seed : of Kernel Tuner
    crashed : forms that took an earlier process with them
    problem : makes what is tuned, in the process that tunes it; None: by the other attributes
    """

    target: str
    device: str = "auto"
    threads: int | None = None
    study: str = ""
    budget_s: float = 60.0
    strategy: str = STRATEGIES[0]
    seed: int = 1
    crashed: tuple[Values, ...] = ()
    problem: Callable[[SearchRequest], TuningProblem] | None = None

    def __post_init__(self) -> None:
        check_choices(self.strategy, self.budget_s)
