"""Filtered back projection: cone (FDK), fan and parallel beams, in one step.

x = Σ_views 1/τ² · ramp( step · weight · density · y )

Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612; the factors are told of in
`engine.filtering.projections`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from numpy.typing import NDArray

from engine.algorithms.base import NO_FIGURES, Algorithm, Between, Figures, Iterate
from engine.arrays import to_host
from engine.filtering.settings import FilterSettings

if TYPE_CHECKING:
    from engine.model import LinearModel

Array = NDArray[Any]


class Fdk(FilterSettings, Algorithm):
    """Direct reconstruction; what it starts from is left out of account."""

    title: ClassVar[str] = "Filtered back projection (FDK)"
    solves: ClassVar[Literal["counts", "linear"]] = "linear"
    passes: ClassVar[int] = 1
    kind: Literal["fdk"] = "fdk"

    @property
    def n_iterations(self) -> int:
        return 1

    def run(
        self,
        model: LinearModel,
        x: Array,
        *,
        done: int = 0,
        so_far: Figures = NO_FIGURES,
        between: Between | None = None,
    ) -> Iterator[Iterate]:
        from engine.filtering.projections import filtered, planned  # heavy: scipy

        if done:
            return
        A: Any = model.A  # an XrayTransform
        plan = planned(model.y, A.geometry, self)
        with A.span("filter", events=model.y.size, unit="pixels"):
            rows = filtered(model.y, plan, self, on=A.on)
        x = A.with_geometry(plan.geometry).back_project(rows, weighting="fdk")
        if between is not None:
            x = between(x)
        yield Iterate(lambda: to_host(x), 1, 1, 1)

    def describe(self) -> str:
        """Plain words."""
        cutoff = f", cut off at {self.cutoff:.0%} of Nyquist" if self.cutoff < 1 else ""
        return f"{self.title}, {self.window} window{cutoff}"
