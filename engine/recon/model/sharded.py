"""List-mode model whose updates are computed by several workers.

x · Aᵀ(1 / q) is summed in integers of 2⁻ᵘ, round(2ᵘ x_n A_jn / q_j), so that it does not hang on
how many there are, nor on the order in which they answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.core.arrays import Array
from engine.recon.model.counts import EmStep, SystemModel
from engine.recon.model.listmode import ListModeModel


@dataclass(frozen=True)
class ShardedModel(SystemModel):
    """Model of all events. Subsets are only numbered, and workers hold their rows.

    Attributes
    ----------
    A, background, counts : of all events, whatever the subset
    sensitivity : (n_z, n_y, n_x) of the subset
    share : called with an image, and k and B of subset k of B; returns numerator, Σ log q and the
        rows that expect nothing
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
        """Have others compute the updates of a model."""
        return cls(model.A, model.background, model.sensitivity, model.counts, share)

    @property
    def has_event_subsets(self) -> bool:
        return True

    def em_step(self, x: Array) -> EmStep:
        return EmStep(*self.share(x, *self.part))

    def subset(self, k: int, of: int) -> ShardedModel:
        return replace(self, part=(k, of), sensitivity=self.sensitivity / of)
