"""Model of counts with what a penalised reconstruction needs besides: voxel spacing and start."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array
from engine.recon.model.counts import EmLoop, EmStep, RatioStep, SystemModel

START_SUBSETS = 12
"""Subsets of the pass of OSEM, whatever those of the algorithm; more would add noise."""


@dataclass(frozen=True)
class MapModel(SystemModel):
    """Model of counts for `engine.recon.algorithms.map_algorithms`.

    A penalised algorithm derives its prior from an image after one pass of OSEM. The start image is
    part of the model, so that a resumed run derives the same prior.

    Attributes
    ----------
    model : model of the counts
    spacing_mm : (z, y, x) voxel spacing
    start : (n_z, n_y, n_x) uniform image that explains the number of counts
    threads : CPU threads of the prior
    start_subsets : subsets of the pass of OSEM
    """

    model: SystemModel
    spacing_mm: tuple[float, ...]
    start: Array
    threads: int = 1
    start_subsets: int = START_SUBSETS

    @classmethod
    def of(
        cls,
        model: SystemModel,
        spacing_mm: tuple[float, ...],
        start: Array,
        threads: int = 1,
        start_subsets: int = START_SUBSETS,
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
        start_subsets
            subsets of the pass of OSEM
        """
        parts = model.A, model.background, model.sensitivity, model.counts
        return cls(*parts, model, spacing_mm, start, threads, start_subsets)

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

    def subset(self, k: int, of: int) -> SystemModel:
        return self.model.subset(k, of)

    def expected(self, x: Array) -> Array:
        return self.model.expected(x)

    def expected_of_image(self, x: Array) -> float:
        return self.model.expected_of_image(x)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        return self.model.em_loop(x, n_subsets)
