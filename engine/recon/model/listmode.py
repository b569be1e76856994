"""Model of list mode: each event is a row of A with y = 1.

Barrett, White & Parra, JOSA A 14 (1997) 2914; Parra & Barrett, IEEE TMI 17 (1998) 228.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, as_like
from engine.core.checked import checked_class
from engine.operators.rays import RayProjector
from engine.recon.model.counts import (
    EmLoop,
    EmStep,
    SystemModel,
    log_sum_of,
    quotient,
    raised_to,
)

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws


@checked_class()
@dataclass(frozen=True)
class ListModeModel(SystemModel):
    """Model whose rows are events; s comes from all possible lines, divided by the subsets.

    Attributes
    ----------
    A : the projector, one row for each event
    background : (n_events,) expected additive counts / factor of the event's line
    sensitivity : (n_z, n_y, n_x) sensitivity image of all lines of response [mm]
    counts : counts of every event, 1

    Examples
    --------
    >>> import numpy as np, engine
    >>> rays = engine.Rays(np.array([[-9.0, 0, 0], [9.0, 0, 0]]), np.array([[0, 1]], np.int32))
    >>> grid = engine.ImageGrid(shape=(1, 1, 2), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
    >>> sensitivity, none = np.full(grid.shape, 4, np.float32), np.zeros(1, np.float32)
    >>> step = engine.ListModeModel(A, none, sensitivity).em_step(np.ones(grid.shape, np.float32))
    >>> step.numerator.tolist()
    [[[0.5, 0.5]]]
    """

    A: RayProjector
    counts: float = 1.0  # of every event
    _shares: dict[int, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def has_event_subsets(self) -> bool:
        return True

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        # The GPU loop keeps events, image and sums on the device between updates.
        if self.A.on.is_cuda:
            return self.A.em_loop(x, self.background, self.sensitivity, n_subsets)
        return super().em_loop(x, n_subsets)

    def em_step(self, x: Array) -> EmStep:
        on = self.A.on
        numerator, expected = map(on.to_host, self.A.em_numerator(x, self.background))
        log_sum, skipped = log_sum_of(expected, 1.0)
        return EmStep(numerator, log_sum, skipped)

    @property
    def shares_rays(self) -> bool:
        return self.A.shares_rays

    def em_numerators(self, images: Array, draws: Draws) -> Array:
        if not self.shares_rays:
            return super().em_numerators(images, draws)
        return as_like(self.A.em_numerators(images, self.background, None, draws), images)

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        if not self.A.projects_batches:
            return super().noise_of_replicates(inverse, draws)
        return self.A.noise_of_replicates(None, inverse, draws)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        if not self.A.projects_batches:
            return super().curvature_times(images, weights)
        return self.A.curvature_times(images, weights)

    def resampled(self, draws: Draws, replicate: int) -> ResampledEvents:
        return ResampledEvents.of(self, draws, replicate)

    def ratio_image(self, x: Array) -> Array:
        raised = raised_to(x, self.min_activity(x), self.A)
        numerator, _ = self.A.em_numerator(raised, self.background)
        return quotient(self.A.on.to_host(numerator), raised, self.A)

    def min_activity(self, x: Array) -> float:
        # Integer sums of a tiny activity would be 0, floating-point sums keep all digits.
        return super().min_activity(x) if self.A.reproducible else 0.0

    def subset(self, k: int, of: int) -> ListModeModel:
        if of == 1:
            return self
        # Contiguous: a strided view would read every cache line B times.
        background = self.A.storage.in_memory(self.background[k::of])
        return ListModeModel(self.A.subset(k, of), background, self._share(of))

    def _share(self, of: int) -> Array:
        """Return the sensitivity of each of `of` subsets: one image for all of them."""
        if of not in self._shares:
            self._shares[of] = self.sensitivity / of
        return self._shares[of]


@dataclass(frozen=True)
class ResampledEvents(ListModeModel):
    """List mode of a bootstrap replicate: an event with weight w is in the list w times.

    The subsets are those of the measured events, so that all of them stay fair samples.

    Attributes
    ----------
    A, background, sensitivity, counts : see `ListModeModel`
    measured : model of the measured events
    draws : weights of the measured events
    replicate : number of the replicate
    """

    measured: ListModeModel = field(kw_only=True)
    draws: Draws = field(kw_only=True)
    replicate: int = field(kw_only=True)

    @classmethod
    def of(cls, measured: ListModeModel, draws: Draws, replicate: int) -> ResampledEvents:
        """Return the model of a replicate.

        Parameters
        ----------
        measured
            model of the measured events
        draws
            weights of these events
        replicate
            number of the replicate, from 0
        """
        from engine.operators.event_weights import weights_of  # few runs have replicates

        weights = weights_of(draws, replicate, measured.A.out_shape[0]).astype(np.int64)
        rows = np.repeat(np.arange(len(weights)), weights)
        return cls(
            measured.A.selected(rows),
            measured.background[rows],
            measured.sensitivity,
            measured=measured,
            draws=draws,
            replicate=replicate,
        )

    @property
    def shares_rays(self) -> bool:
        return False

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        # The GPU loop divides the list by its rows, which would divide the repeated events.
        return SystemModel.em_loop(self, x, n_subsets)

    def subset(self, k: int, of: int) -> ListModeModel:
        if of == 1:
            return self
        return self.measured.subset(k, of).resampled(self.draws.of_rows(k, of), self.replicate)
