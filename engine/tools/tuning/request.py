"""Request for a search, known without loading a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.tools.tuning.choices import STRATEGIES, check_choices

if TYPE_CHECKING:
    from engine.tools.tuning.problem import TuningProblem, Values


@dataclass(frozen=True)
class SearchRequest:
    """Request for a search.

    Attributes
    ----------
    target : kind of scan, see `engine.tools.tuning.choices`
    device : "auto", "cpu" or "cuda"
    threads : CPU threads, None for all
    study : study as JSON that gives the problem size; empty for the standard size
    budget_s : search time [s]
    strategy, seed : strategy of Kernel Tuner, and its random seed
    crashed : variants that crashed an earlier process
    problem : makes the tuning problem in the search process; None: from the other attributes
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
        # In the caller: an error in the search process would come late
        check_choices(self.strategy, self.budget_s)
