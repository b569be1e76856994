"""What an algorithm is: settings with a generator of images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from engine.settings import Settings

Between = Callable[[NDArray[Any]], NDArray[Any]]
Figures = tuple[float, int]
"""Log-likelihood, and rows that are skipped because nothing is expected on them."""
NO_FIGURES: Figures = (0.0, 0)


@dataclass(frozen=True)
class Iterate:
    """The image after one update.

    Attributes
    ----------
    fetch : gives the image; it may be gone once the next iterate is drawn
    update : updates done so far, from 1
    iteration, subset : one-based
    log_likelihood : of the image the iteration started from; only on its last subset
    n_skipped : events without any expected count in this iteration; only on its last subset
    measure : gives the residual of this image; it may cost a projection
    so_far : gives the figures of the updates of the iteration at work, until the next is drawn
    ends : why the run ends with this image, although iterations are left; empty if it does not
    """

    fetch: Callable[[], NDArray[Any]]
    update: int
    iteration: int
    subset: int
    log_likelihood: float | None = None
    n_skipped: int = 0
    measure: Callable[[], float] | None = None
    so_far: Callable[[], Figures] | None = None
    ends: str = ""

    @cached_property
    def image(self) -> NDArray[Any]:
        """(n_z, n_y, n_x), copied from the device if it lives there."""
        return self.fetch()

    @cached_property
    def residual(self) -> float | None:
        """‖A x − y‖ / ‖y‖ of this image; None where the algorithm has another measure."""
        return None if self.measure is None else self.measure()


class Algorithm(Settings):
    """Settings of an iterative algorithm; `run` is the mathematics.

    `solves` says which model it takes: "counts", E[y] = A x + b, or "linear", y = A x + noise.
    """

    title: ClassVar[str]
    solves: ClassVar[Literal["counts", "linear"]] = "counts"
    passes: ClassVar[int] = 2
    """Over the rows of an update: forward and back."""
    kind: Any

    @property
    @abstractmethod
    def n_iterations(self) -> int:
        """Passes over all the data."""

    @property
    def n_subsets(self) -> int:
        """Updates in each pass."""
        return 1

    @abstractmethod
    def run(
        self,
        model: Any,
        x: NDArray[Any],
        *,
        done: int = 0,
        so_far: Figures = NO_FIGURES,
        between: Between | None = None,
    ) -> Iterator[Iterate]:
        """Yield the image after each update, from `x` with `done` updates behind it.

        `model` is a `SystemModel` or a `LinearModel`, as `solves` says.
        `so_far` are the figures of those that belong to the iteration at work. `between` filters
        the image after each iteration.
        """

    def describe(self) -> str:
        """Plain words."""
        subsets = f" × {self.n_subsets} subsets" if self.n_subsets > 1 else ""
        iterations = f"{self.n_iterations} iteration{'s' if self.n_iterations > 1 else ''}"
        return f"{self.title}, {iterations}{subsets}"
