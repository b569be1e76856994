"""Expectation maximisation, whole (MLEM) or by ordered subsets (OSEM).

x ← x / s_k · A_kᵀ( y_k / (A_k x + b_k) )

What a subset does not see, s_k = 0, stays as it is; what none sees is 0.

Shepp & Vardi, IEEE TMI 1 (1982) 113; Hudson & Larkin, IEEE TMI 13 (1994) 601.
The rows of subset k are k, k + B, k + 2B, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from numpy.typing import NDArray

from engine.algorithms.base import NO_FIGURES, Algorithm, Between, Figures, Iterate
from engine.errors import NumericalError
from engine.settings import setting

if TYPE_CHECKING:
    from engine.model import EmLoop, SystemModel


class Osem(Algorithm):
    """Ordered-subsets expectation maximisation."""

    title: ClassVar[str] = "OSEM"
    kind: Literal["osem"] = "osem"
    iterations: int = setting(3, "Passes over all the data", label="Iterations", ge=1, le=1000)
    subsets: int = setting(8, "Updates in each pass", label="Subsets", ge=1, le=1000)

    @property
    def n_iterations(self) -> int:
        return self.iterations

    @property
    def n_subsets(self) -> int:
        return self.subsets

    def run(
        self,
        model: SystemModel,
        x: NDArray[Any],
        *,
        done: int = 0,
        so_far: Figures = NO_FIGURES,
        between: Between | None = None,
    ) -> Iterator[Iterate]:
        n_subsets = self.n_subsets
        loop = model.em_loop(x, n_subsets)
        figures = _Figures(loop, so_far)
        for update in range(done, self.n_iterations * n_subsets):
            iteration, k = divmod(update, n_subsets)
            loop.update(k)
            last = k == n_subsets - 1
            log_likelihood, n_skipped = figures.of_iteration() if last else (None, 0)
            if last and between is not None:
                loop.smooth(between)
            fetch = partial(_checked, loop, loop.snapshot(), iteration + 1, k + 1)
            yield Iterate(
                fetch,
                update + 1,
                iteration + 1,
                k + 1,
                log_likelihood,
                n_skipped,
                so_far=figures.so_far,
            )


class Mlem(Osem):
    """Maximum-likelihood expectation maximisation: OSEM with a single subset."""

    title: ClassVar[str] = "MLEM"
    kind: Literal["mlem"] = "mlem"  # type: ignore[assignment]
    iterations: int = setting(20, "Passes over all the data", label="Iterations", ge=1, le=1000)
    subsets: Literal[1] = setting(1, "One: all data in each update", label="Subsets")


class _Figures:
    """Figures of the iteration at work, summed in the order of its updates, whoever asks when."""

    def __init__(self, loop: EmLoop, before: Figures) -> None:
        self._loop, self._sums = loop, before

    def so_far(self) -> Figures:
        self._sums = self._loop.figures(self._sums)
        return self._sums

    def of_iteration(self) -> Figures:
        found, self._sums = self.so_far(), NO_FIGURES
        return found


def _checked(
    loop: EmLoop, fetch: Callable[[], NDArray[Any]], iteration: int, subset: int
) -> NDArray[Any]:
    """Return the image, unless it has ceased to be one."""
    if not loop.is_finite:
        raise NumericalError(
            f"iteration {iteration}, subset {subset}: the image holds values that are not numbers; "
            "the last good image is kept; check the corrections, or use fewer subsets."
        )
    return fetch()
