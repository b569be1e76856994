"""Filtered back projection: cone (FDK), fan and parallel beams, in one step.

x = Σ_views 1/τ² · ramp( step · weight · density · y )

Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612; the factors are explained in
`engine.recon.filtering.projections`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.core.arrays import Array
from engine.core.errors import SettingsError
from engine.recon.algorithms.base import Algorithm, Iterate, WorkingMemory
from engine.recon.filtering.settings import FilterSettings

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


class Fdk(FilterSettings, Algorithm):
    """Direct reconstruction. The initial image is not used."""

    title: ClassVar[str] = "Filtered back projection (FDK)"
    direct: ClassVar[bool] = True
    passes: ClassVar[int] = 1
    memory: ClassVar[WorkingMemory] = WorkingMemory(1, 3, 12)
    kind: Literal["fdk"] = "fdk"

    @property
    def n_passes(self) -> int:
        return self.passes

    @property
    def filter(self) -> FilterSettings:
        return self

    def run(self, model: LinearModel, x: Array) -> Iterator[Iterate]:
        # Direct inversion needs an orbit; arbitrary rays only have iterative solutions.
        if model.inverse is None:
            raise SettingsError(
                f"{self.title}: this geometry has no direct inversion; choose an "
                "iterative algorithm."
            )
        yield Iterate(model.inverse(model.y, self))

    def describe(self) -> str:
        """Return the settings as text."""
        return f"{self.title}, {FilterSettings.describe(self)}"
