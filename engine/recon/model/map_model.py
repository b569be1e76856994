"""Model of counts for penalised reconstruction, with the voxel spacing and a start image."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.core.arrays import Array
from engine.recon.model.counts import EmLoop, EmStep, RatioStep, SystemModel

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws
    from engine.recon.model.subset_objective import SubsetObjective

MIN_COUNTS = 50
"""Counts of a subset of that pass."""
START_SUBSETS = 12
"""Subsets of the pass of OSEM, independent of the algorithm's; more would add noise."""


@dataclass(frozen=True)
class MapModel(SystemModel):
    """Model of counts for `engine.recon.algorithms.map_algorithms`.

    A penalised algorithm derives its prior from an image after one pass of OSEM. The start image is
    part of the model, so that a resumed run derives the same prior.

    Attributes
    ----------
    model : model of the counts
    spacing_mm : (z, y, x) voxel spacing
    start : (n_z, n_y, n_x) image that explains the number of counts, 0 where none can be
    threads : CPU threads of the prior
    """

    model: SystemModel
    spacing_mm: tuple[float, ...]
    start: Array
    threads: int = 1
    _objectives: dict[int, SubsetObjective] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(
        cls, model: SystemModel, spacing_mm: tuple[float, ...], start: Array, threads: int = 1
    ) -> MapModel:
        """Return the model of a penalised reconstruction.

        Parameters
        ----------
        model
            model of the counts
        spacing_mm
            (z, y, x) voxel spacing
        start
            (n_z, n_y, n_x) start image
        threads
            CPU threads of the prior
        """
        parts = model.A, model.background, model.sensitivity, model.counts
        return cls(*parts, model, spacing_mm, start, threads)

    @property
    def start_subsets(self) -> int:
        """Subsets of the pass of OSEM."""
        if self.model.sorted_subsets is not None:
            return self.model.sorted_subsets
        # A subset with next to no counts would clear most of the image.
        return max(min(START_SUBSETS, int(self.model.n_counts / MIN_COUNTS)), 1)

    @property
    def sorted_subsets(self) -> int | None:
        return self.model.sorted_subsets

    @property
    def is_penalised(self) -> bool:
        return True

    @property
    def has_event_subsets(self) -> bool:
        return self.model.has_event_subsets

    def em_step(self, x: Array) -> EmStep:
        return self.model.em_step(x)

    def ratio_step(self, x: Array) -> RatioStep:
        return self.model.ratio_step(x)

    def ratio_image(self, x: Array) -> Array:
        return self.model.ratio_image(x)

    def subset(self, k: int, of: int) -> SystemModel:
        return self.model.subset(k, of)

    def balanced_subset(self, k: int, of: int) -> SystemModel:
        return self.model.balanced_subset(k, of)

    def objective(self, n_subsets: int) -> SubsetObjective:
        # Stored, because it contains the sensitivity of each subset.
        if n_subsets not in self._objectives:
            self._objectives[n_subsets] = super().objective(n_subsets)
        return self._objectives[n_subsets]

    def resampled(self, draws: Draws, replicate: int) -> MapModel:
        model = self.model.resampled(draws, replicate)
        return MapModel.of(model, self.spacing_mm, self.start, self.threads)

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        return self.model.noise_of_replicates(inverse, draws)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        return self.model.curvature_times(images, weights)

    def sampled_hessian_times(self, x: Array, vector: Array) -> Array:
        """Return an estimate of −L''(x) v from one subset of the pass of OSEM, scaled to all data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        vector
            (n_z, n_y, n_x) v
        """
        from engine.recon.model.counts_objective import hessian_times

        part = self.model.subset(0, self.start_subsets)
        share = part.n_counts / max(self.model.n_counts, 1.0)
        found = hessian_times(part, x, vector)
        found *= found.dtype.type(1 / share if share > 0 else 0)
        return found

    def expected(self, x: Array) -> Array:
        return self.model.expected(x)

    def expected_of_image(self, x: Array) -> float:
        return self.model.expected_of_image(x)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        return self.model.em_loop(x, n_subsets)
