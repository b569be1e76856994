"""Simultaneous iterative reconstruction (SIRT), with all data or with ordered subsets (OS-SIRT).

    x ← P( x + λ C A_bᵀ R_b (y_b − A_b x) )
    R_b = 1 / (A_b 1),   C = 1 / max_b (A_bᵀ 1),   0 where a sum is ~ 0;   P clips to the bounds

Gilbert, J Theor Biol 36 (1972) 105; Andersen & Kak, Ultrasonic Imaging 6 (1984) 81. SIRT converges
to the least squares of the residual weighted by R: Gregor & Benson, IEEE TMI 27 (2008) 918. One C
serves all subsets, the smallest of theirs, so no step is too long and one volume is stored instead
of B. Views of subset b are b, b + B, ...; the next subset is the one farthest in angle from the
previous ones.

The residual after a pass costs nothing: √(Σ_b ‖y_b − A_b x_b‖²) / ‖y‖, where x_b is the image
before the update with subset b. With one subset it is the residual of the image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from math import sqrt
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.errors import SettingsError
from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Figures, Iterate, WorkingMemory
from engine.recon.algorithms.fields import Iterations, Largest, NonNegative
from engine.recon.algorithms.linear import Misfit, clip, dot, inverted, norm

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


class Sirt(Algorithm):
    """SIRT, with ordered subsets if there is more than one."""

    title: ClassVar[str] = "SIRT"
    memory: ClassVar[WorkingMemory] = WorkingMemory(8, 6, 2)
    kind: Literal["sirt"] = "sirt"
    iterations: Iterations = 5
    subsets: int = setting(
        20, "Number of updates in each pass; 1 is plain SIRT", label="Subsets", ge=1, le=1000
    )
    relaxation: float = setting(
        1.0,
        "Step length; with values below 1, images converge more slowly and are smoother",
        label="Relaxation",
        expert=True,
        gt=0,
        lt=2,
    )
    non_negative: NonNegative = True
    largest: Largest = None

    @property
    def n_passes(self) -> int:
        last = 1 if self.n_subsets == 1 else 0  # the next update would begin with its residual
        return 2 + self.passes * self.iterations + last

    @property
    def passes_before(self) -> int:
        return 1 + self.n_subsets  # R, and C from each subset

    def run(self, model: LinearModel, x: Array) -> Iterator[Iterate]:
        return self.resumed(model, x, 0)

    def resumed(self, model: LinearModel, x: Array, done: int) -> Iterator[Iterate]:
        """Continue with the next subset in order.

        Parameters
        ----------
        model
            line integrals
        x
            (n_z, n_y, n_x) image after `done` updates
        done
            number of updates behind `x`

        Raises
        ------
        SettingsError
            if there are more subsets than views
        """
        n_subsets = self.n_subsets
        _check(n_subsets, len(model.y))
        parts = [model.subset(k, n_subsets) for k in range(n_subsets)]
        R, C = model.once(f"weights of {n_subsets} subsets", lambda: _weights(model, parts, x))
        # Neighbouring views are nearly redundant; distant ones reduce the error faster.
        order = farthest_first(n_subsets)
        now, squares, size = Misfit(model, x), SquaredResiduals(), norm(model.y)
        for update in count(done):
            k = order[update % n_subsets]
            part = parts[k]
            # With one subset the residual of the last measurement is reused.
            residual = now.rays if n_subsets == 1 else part.y - part.A(x)
            # The weights of a subset are rows of those of all data.
            step = part.A.T(R[k::n_subsets] * residual)
            with model.A.span("update"):
                x = clip(x + self.relaxation * (C * step), self.non_negative, self.largest)
            now = Misfit(model, x)
            if n_subsets == 1:
                yield Iterate(x, measure=now.relative)
            else:
                # The sum is read later, because reading from a GPU would wait for the update.
                squares.add(residual)
                yield SubsetIterate(x, now.relative, squares=squares, norm=size)

    def describe(self) -> str:
        """Return the settings as text."""
        return super().describe() if self.subsets == 1 else f"OS-{super().describe()}"


class SquaredResiduals:
    """Squared residuals of the updates, computed on request."""

    def __init__(self) -> None:
        self._sum = 0.0

    def add(self, residual: Array) -> None:
        """Add ‖y_b − A_b x_b‖²."""
        self._sum += dot(residual, residual)

    def take_sum(self) -> float:
        """Return the sum since the last call, and reset it."""
        found, self._sum = self._sum, 0.0
        return found


@dataclass(frozen=True, eq=False)
class SubsetIterate(Iterate):
    """Image after an update of one subset, with the residuals of its pass.

    Attributes
    ----------
    squares : squares that are not yet in the figures
    norm : ‖y‖
    """

    squares: SquaredResiduals = field(default_factory=SquaredResiduals)
    norm: float = 1.0

    def figures(self, before: Figures) -> Figures:
        return before[0] + self.squares.take_sum(), before[1]

    def residual_of(self, figures: Figures) -> float:
        return sqrt(figures[0]) / (self.norm or 1.0)


def farthest_first(n: int) -> list[int]:
    """Return 0 ... n − 1 in an order with each far from the previous ones, on a circle.

    For n = 2ᵐ this is bit reversal.

    Parameters
    ----------
    n
        number of subsets
    """
    places = np.arange(n)
    nearest, order = np.full(n, n), [0]
    while len(order) < n:
        ahead = np.abs(places - order[-1])
        from_last = np.minimum(ahead, n - ahead)
        nearest = np.minimum(nearest, from_last)  # 0 for used ones
        # Farthest from all used ones first; among equals, farthest from the last one.
        order.append(int(np.argmax(nearest * n + from_last)))
    return order


def _weights(model: LinearModel, parts: list[LinearModel], x: Array) -> tuple[Array, Array]:
    """Return R, with the shape of y, and C, with the shape of the image."""
    xp = module_of(model.y)
    # A generator: only one column sum is in memory next to the maximum.
    columns = (part.A.T(xp.ones_like(part.y)) for part in parts)
    return inverted(model.A(xp.ones_like(x))), inverted(reduce(xp.maximum, columns))


def _check(n_subsets: int, n_views: int) -> None:
    if n_subsets > n_views:
        raise SettingsError(
            f"subsets is {n_subsets}, but the scan has only {n_views} views; choose at most "
            f"{n_views} subsets."
        )
