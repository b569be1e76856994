"""What an algorithm is: settings with a generator of images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from engine.settings import Settings

if TYPE_CHECKING:  # settings must not import the kernels
    from engine.model import SystemModel

Between = Callable[[NDArray[Any]], NDArray[Any]]


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
    """

    fetch: Callable[[], NDArray[Any]]
    update: int
    iteration: int
    subset: int
    log_likelihood: float | None
    n_skipped: int

    @cached_property
    def image(self) -> NDArray[Any]:
        """(n_z, n_y, n_x), copied from the device if it lives there."""
        return self.fetch()


class Algorithm(Settings):
    """Settings of an iterative algorithm; `run` is the mathematics."""

    title: ClassVar[str]
    kind: Any

    @property
    @abstractmethod
    def n_iterations(self) -> int:
        """Passes over all the data."""

    @property
    @abstractmethod
    def n_subsets(self) -> int:
        """Updates in each pass."""

    @abstractmethod
    def run(
        self,
        model: SystemModel,
        x: NDArray[Any],
        *,
        done: int = 0,
        between: Between | None = None,
    ) -> Iterator[Iterate]:
        """Yield the image after each update, from `x` with `done` updates behind it.

        `between` filters the image after each iteration.
        """

    def describe(self) -> str:
        """Plain words."""
        subsets = f" × {self.n_subsets} subsets" if self.n_subsets > 1 else ""
        return f"{self.title}, {self.n_iterations} iterations{subsets}"
