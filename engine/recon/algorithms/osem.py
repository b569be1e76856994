"""Expectation maximisation with all data (MLEM) or with ordered subsets (OSEM).

    x ← max( x / s_k · A_kᵀ( y_k / (A_k x + b_k) ), ρ x )

Rows k, k + B, k + 2B, ... are subset k of B. A voxel with s_k = 0 is outside of subset k and keeps
its value. A voxel outside of all subsets is 0. The lower bound ρ (`engine.operators.lower_bound`)
acts if no count of a subset reaches a voxel. Without it, the voxel would stay 0 and the events on
its line would be lost. MLEM has ρ = 0.

At the end the image is scaled to the total that is most likely for all counts
(`engine.recon.model.total`): α x with α Σ s x = Σ y α A x / (α A x + b). Without a background, the
sum of image times sensitivity is then the number of counts. Two kinds of images are not scaled: the
maximum of a penalised likelihood, and images of event subsets with `SURE_COUNTS` or more, which
have this total to 0.3 % anyway. Subsets of bins do not, because each has its own views and
sensitivity.

If the settings contain no subsets, they follow from the counts (`engine.recon.algorithms.subsets`).

Shepp & Vardi, IEEE TMI 1 (1982) 113; Hudson & Larkin, IEEE TMI 13 (1994) 601.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from engine.core.arrays import Array
from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Change, Figures, Iterate
from engine.recon.algorithms.subsets import CountDemand, even_updates, passes_for, subsets_for

if TYPE_CHECKING:
    from engine.recon.model import EmLoop, Model, SystemModel

DEFAULT_UPDATES, DEFAULT_SUBSETS = 24, 8
"""Updates if neither user nor scan set them; subsets if the user sets only the passes."""
SURE_COUNTS = 100_000
"""Counts of a subset whose total has a standard deviation of 0.3 %."""


class ExpectationMaximisation(Algorithm):
    """Base of OSEM and MLEM."""

    @property
    def n_passes(self) -> int:
        return self.passes * self.n_iterations  # the likelihood comes with the updates

    def run(self, model: SystemModel, x: Array) -> Iterator[Iterate]:
        return self.resumed(model, x, 0)

    def resumed(self, model: SystemModel, x: Array, done: int) -> Iterator[Iterate]:
        """Continue with the next subset in order.

        Parameters
        ----------
        model
            model of the counts
        x
            (n_z, n_y, n_x) image after `done` updates
        done
            number of updates behind `x`
        """
        # One loop for the whole run: on a GPU it holds the image, the subsets and recorded graphs.
        loop = model.em_loop(x, self.n_subsets)
        # The subset follows from the number of updates, so a resumed run continues in the same
        # order.
        for update in count(done):
            loop.update(update % self.n_subsets)
            # A snapshot is only a function: the image is not copied from a GPU unless someone shows
            # it.
            yield EmIterate(loop.snapshot(), loop=loop)

    def completed(self, model: Model, x: Array) -> tuple[Array, float]:
        scale = model.likeliest_scale(x, sure_counts=SURE_COUNTS * self.n_subsets)
        return (x if scale == 1 else x * np.float32(scale)), scale


class Osem(ExpectationMaximisation):
    """Ordered-subsets expectation maximisation."""

    title: ClassVar[str] = "OSEM"
    kind: Literal["osem"] = "osem"
    iterations: int | None = setting(
        None,
        "Number of passes over all data; if empty, it is calculated from the number of updates",
        label="Iterations",
        ge=1,
        le=1000,
    )
    subsets: int | None = setting(
        None,
        "Number of updates in each pass (1 is MLEM); if empty, it depends on the number of counts",
        label="Subsets",
        ge=1,
        le=1000,
    )
    updates: int | None = setting(
        None,
        "Total number of updates (iterations × subsets), used if iterations or subsets are empty. "
        "It is rounded up to a multiple of the number of subsets. If empty, the automatic "
        "settings choose it for the scan; without them, it is 24",
        label="Updates",
        ge=1,
        le=10_000,
    )

    @property
    def n_subsets(self) -> int:
        """Subsets as set; otherwise those of a scan with enough counts."""
        if self.subsets is not None:
            return self.subsets
        return DEFAULT_SUBSETS if self.iterations is not None else subsets_for(self._n_updates)

    @property
    def n_iterations(self) -> int:
        if self.iterations is not None:
            return self.iterations
        return passes_for(self._n_updates, self.n_subsets)

    @property
    def updates_between_filters(self) -> int:
        """Updates of a pass, or of a pass with the usual subsets if the counts allow fewer."""
        # With few counts, passes replace subsets; filters must still act after as many updates.
        is_fitted = self.updates and self.n_iterations * self.n_subsets == self._n_updates
        return max(self.n_subsets, subsets_for(self._n_updates)) if is_fitted else self.n_subsets

    @property
    def _n_updates(self) -> int:
        return even_updates(self.updates or DEFAULT_UPDATES)

    def scaled(self, factor: float) -> Self:
        """Return the algorithm with a multiple of its iterations or updates, at least one.

        Parameters
        ----------
        factor
            factor of the iterations if they are set, else of the updates
        """
        if self.iterations is not None:
            return super().scaled(factor)
        return self.model_copy(update={"updates": max(1, round(self._n_updates * factor))})

    def for_counts(self, demand: CountDemand, *, n_updates: int | None = None) -> Osem:
        """Return the algorithm with subsets and iterations; the user's own numbers do not change.

        Parameters
        ----------
        demand
            counts of the data, and counts that a subset needs
        n_updates
            updates that suit the scan, used if the user has set none
        """
        # The user has set both numbers, which the scan must not change.
        if self.iterations is not None and self.subsets is not None:
            return self
        # The user's number of updates comes before that of the scan.
        aim = self.model_copy(update={"updates": self.updates or n_updates})
        subsets = self.subsets
        if subsets is None and self.iterations is not None:
            subsets = max(min(DEFAULT_SUBSETS, demand.max_subsets), 1)
        elif subsets is None:
            subsets = subsets_for(aim._n_updates, demand)
        found = aim.model_copy(update={"subsets": subsets})
        return found.model_copy(update={"iterations": found.n_iterations})


class Mlem(ExpectationMaximisation):
    """Maximum-likelihood expectation maximisation: OSEM with a single subset."""

    title: ClassVar[str] = "MLEM"
    kind: Literal["mlem"] = "mlem"
    iterations: int = setting(
        20, "Number of passes over all data", label="Iterations", ge=1, le=1000
    )
    subsets: Literal[1] = setting(1, "Always 1, because each update uses all data", label="Subsets")


@dataclass(frozen=True, eq=False)
class EmIterate(Iterate):
    """Image in a loop of expectation maximisation.

    Attributes
    ----------
    x : returns the image, until the next update
    loop : continues from it, and sums the likelihood
    """

    x: Callable[[], Array]
    loop: EmLoop = field(kw_only=True)

    is_reused: ClassVar[bool] = True

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
