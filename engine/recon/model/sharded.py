"""List-mode model whose updates are computed by several workers.

x · Aᵀ(1 / q) is summed in integers of 2⁻ᵘ, round(2ᵘ x_n A_jn / q_j). The result does not depend on
the number of workers or on the order of their answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.core.arrays import Array
from engine.recon.model.counts import EmStep, SystemModel
from engine.recon.model.listmode import ListModeModel


@dataclass(frozen=True)
class ShardedModel(SystemModel):
    """Model of all events; subsets are only numbers, and workers hold their rows.

    Attributes
    ----------
    A, background, counts : of all events, for any subset
    sensitivity : (n_z, n_y, n_x) sensitivity of the subset
    share : called with an image, k and B for subset k of B; returns numerator, Σ log q and the
        number of rows that expect no counts
    part : k, B
    """

    share: Callable[[Array, int, int], tuple[Array, float, int]]
    part: tuple[int, int] = (0, 1)

    @classmethod
    def of(
        cls,
        model: ListModeModel,
        share: Callable[[Array, int, int], tuple[Array, float, int]],
    ) -> ShardedModel:
        """Return a model whose updates are computed by workers.

        Parameters
        ----------
        model
            model of all events
        share
            see `ShardedModel`
        """
        return cls(model.A, model.background, model.sensitivity, model.counts, share)

    @property
    def has_event_subsets(self) -> bool:
        return True

    def em_step(self, x: Array) -> EmStep:
        return EmStep(*self.share(x, *self.part))

    def subset(self, k: int, of: int) -> ShardedModel:
        # Only numbers change: the workers select the rows themselves.
        return replace(self, part=(k, of), sensitivity=self.sensitivity / of)
