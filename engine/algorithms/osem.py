"""Expectation maximisation, whole (MLEM) or by ordered subsets (OSEM).

x ← x / s_k · A_kᵀ( y_k / (A_k x + b_k) )

What a subset does not see, s_k = 0, stays as it is; what none sees is 0.

Shepp & Vardi, IEEE TMI 1 (1982) 113; Hudson & Larkin, IEEE TMI 13 (1994) 601.
The rows of subset k are k, k + B, k + 2B, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.algorithms.base import Algorithm, Change, Figures, Iterate
from engine.arrays import Array
from engine.settings import setting

if TYPE_CHECKING:
    from engine.model import EmLoop, SystemModel

USUAL_ITERATIONS = 3
"""Passes where neither the user nor the scan says how many."""


class Osem(Algorithm):
    """Ordered-subsets expectation maximisation."""

    title: ClassVar[str] = "OSEM"
    kind: Literal["osem"] = "osem"
    iterations: int | None = setting(
        None,
        "Passes over all the data; 3 if left out, or as many as the scan needs where that is known",
        label="Iterations",
        ge=1,
        le=1000,
    )
    subsets: int = setting(
        8,
        "Updates in each pass; 1 is MLEM; very many counts have more, where passes are left out",
        label="Subsets",
        ge=1,
        le=1000,
    )

    @property
    def n_iterations(self) -> int:
        return USUAL_ITERATIONS if self.iterations is None else self.iterations

    @property
    def n_passes(self) -> int:
        return self.passes * self.n_iterations  # the likelihood comes with the updates

    def run(self, model: SystemModel, x: Array) -> Iterator[Iterate]:
        return self.resumed(model, x, 0)

    def resumed(self, model: SystemModel, x: Array, done: int) -> Iterator[Iterate]:
        """Go on with the subset whose turn it is."""
        loop = model.em_loop(x, self.n_subsets)
        for update in count(done):
            loop.update(update % self.n_subsets)
            yield EmIterate(loop.snapshot(), loop=loop)


class Mlem(Osem):
    """Maximum-likelihood expectation maximisation: OSEM with a single subset."""

    title: ClassVar[str] = "MLEM"
    kind: Literal["mlem"] = "mlem"  # type: ignore[assignment]
    iterations: int = setting(20, "Passes over all the data", label="Iterations", ge=1, le=1000)
    subsets: Literal[1] = setting(1, "One: all data in each update", label="Subsets")


@dataclass(frozen=True, eq=False)
class EmIterate(Iterate):
    """An image that lives in a loop.

    Attributes
    ----------
    x : fetches it, until the next update
    loop : goes on from it, and keeps account of the likelihood
    """

    x: Callable[[], Array]
    loop: EmLoop = field(kw_only=True)

    is_held: ClassVar[bool] = True

    @property
    def image(self) -> Array:
        return self.x()

    @property
    def is_finite(self) -> bool:
        return self.loop.is_finite

    def figures(self, before: Figures) -> Figures:
        return self.loop.figures(before)

    def changed(self, change: Change) -> EmIterate:
        self.loop.smooth(change)
        return EmIterate(self.loop.snapshot(), loop=self.loop)
