"""Simultaneous iterative reconstruction (SIRT), whole or by ordered subsets (OS-SIRT).

x ← P( x + λ C A_bᵀ R_b (y_b − A_b x) )
R_b = 1 / (A_b 1),   C = 1 / max_b (A_bᵀ 1),   0 where a sum is ~ 0;   P clips to the bounds

Gilbert, J Theor Biol 36 (1972) 105; Andersen & Kak, Ultrasonic Imaging 6 (1984) 81. It converges
to the least squares of the residual weighted by R: Gregor & Benson, IEEE TMI 27 (2008) 918. With
one C for all subsets, the smallest of theirs, no step is longer than theirs and one volume is
kept instead of B. Views of subset b are b, b + B, ...; the next subset is the one farthest in
angle from those of the pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.algorithms.base import NO_FIGURES, Algorithm, Between, Figures, Iterate
from engine.algorithms.fields import Iterations, Largest, NonNegative
from engine.algorithms.linear import Misfit, clip, inverted, iterate, start
from engine.arrays import module_of
from engine.errors import SettingsError
from engine.settings import setting

if TYPE_CHECKING:
    from engine.model import LinearModel

Array = NDArray[Any]


class Sirt(Algorithm):
    """SIRT; by ordered subsets if there is more than one."""

    title: ClassVar[str] = "SIRT"
    solves: ClassVar[Literal["counts", "linear"]] = "linear"
    kind: Literal["sirt"] = "sirt"
    iterations: Iterations = 5
    subsets: int = setting(
        20, "Updates in each pass; 1 is plain SIRT", label="Subsets", ge=1, le=1000
    )
    relaxation: float = setting(
        1.0,
        "Length of a step; less than 1 is slower and smoother",
        label="Relaxation",
        expert=True,
        gt=0,
        lt=2,
    )
    non_negative: NonNegative = True
    largest: Largest = None

    @property
    def n_iterations(self) -> int:
        return self.iterations

    @property
    def n_subsets(self) -> int:
        return self.subsets

    def run(
        self,
        model: LinearModel,
        x: Array,
        *,
        done: int = 0,
        so_far: Figures = NO_FIGURES,
        between: Between | None = None,
    ) -> Iterator[Iterate]:
        n_subsets = self.n_subsets
        _check(n_subsets, len(model.y))
        x = start(model, x)
        parts = [model.subset(k, n_subsets) for k in range(n_subsets)]
        R, C = _weights(model, parts, x)
        order = farthest_first(n_subsets)
        now = Misfit(model, x)
        for update in range(done, self.n_iterations * n_subsets):
            k = order[update % n_subsets]
            part = parts[k]
            residual = now.rays if n_subsets == 1 else part.y - part.A(x)
            step = part.A.T(R[k::n_subsets] * residual)
            with model.A.span("update"):
                x = clip(x + self.relaxation * (C * step), self.non_negative, self.largest)
            if between is not None and (update + 1) % n_subsets == 0:
                x = between(x)
            now = Misfit(model, x)
            yield iterate(x, update, n_subsets, measure=now.relative)

    def describe(self) -> str:
        """Plain words."""
        return super().describe() if self.subsets == 1 else f"OS-{super().describe()}"


def farthest_first(n: int) -> list[int]:
    """Order 0 ... n − 1 on a circle, each far from those before; bits reversed where n = 2ᵐ."""
    places = np.arange(n)
    nearest, order = np.full(n, n), [0]
    while len(order) < n:
        ahead = np.abs(places - order[-1])
        from_last = np.minimum(ahead, n - ahead)
        nearest = np.minimum(nearest, from_last)  # 0 for those taken
        order.append(int(np.argmax(nearest * n + from_last)))
    return order


def _weights(model: LinearModel, parts: list[LinearModel], x: Array) -> tuple[Array, Array]:
    """R, of the shape of y, and C, of the shape of the image."""
    xp = module_of(model.y)
    columns = (part.A.T(xp.ones_like(part.y)) for part in parts)
    return inverted(model.A(xp.ones_like(x))), inverted(reduce(xp.maximum, columns))


def _check(n_subsets: int, n_views: int) -> None:
    if n_subsets > n_views:
        raise SettingsError(
            f"subsets: {n_subsets}, but the scan has {n_views} views; choose at most {n_views}."
        )
