"""Model with resolution: the image is blurred by the point spread before projection.

E[y] = A K x + b,    x ← x / Kᵀs · Kᵀ Aᵀ( y / (A K x + b) )

K shares each voxel out over its neighbours (rows of Kᵀ sum to 1), A and s are those of the model
within. Its update gives z · Aᵀ(y / (A z + b)) for z = K x, the counts that each voxel of z is held
to have sent: divided by z and blurred back they are those of x.
Reader & Zaidi, PET Clin 2 (2007) 173.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.core.arrays import Array, to_host
from engine.operators.base import LinearOperator
from engine.recon.model.counts import EmStep, SystemModel


@dataclass(frozen=True)
class BlurredModel(SystemModel):
    """A system model with a blur of its image.

    Attributes
    ----------
    A : A K
    background, sensitivity, counts : see `SystemModel`; the sensitivity is Kᵀ s
    within : the model of the blurred image
    blur : K
    """

    within: SystemModel
    blur: LinearOperator
    _last: list[tuple[Array, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, within: SystemModel, blur: LinearOperator) -> BlurredModel:
        """Put a blur before a model."""
        sensitivity = to_host(blur.T(within.sensitivity))
        parts = (within.A @ blur, within.background, sensitivity, within.counts)
        return cls(*parts, within, blur)

    @property
    def has_event_subsets(self) -> bool:
        return self.within.has_event_subsets

    def em_step(self, x: Array) -> EmStep:
        z = to_host(self.blur(self._beside(x)))
        step = self.within.em_step(z)
        ratio = np.divide(step.numerator, z, out=np.zeros_like(z), where=z > 0)
        back = to_host(self.blur.T(self._beside(ratio)))
        return EmStep(x * back, step.log_sum, step.n_skipped)

    def expected(self, x: Array) -> Array:
        return self.within.expected(to_host(self.blur(self._beside(x))))

    def subset(self, k: int, of: int) -> BlurredModel:
        if of == 1:
            return self
        within = self.within.subset(k, of)
        parts = (within.A @ self.blur, within.background, self._blurred(within.sensitivity))
        return BlurredModel(*parts, within.counts, within, self.blur)

    def _blurred(self, sensitivity: Array) -> Array:
        """Return Kᵀ s. Subsets of list mode share s: it is blurred and held once for all."""
        if not (self._last and self._last[0][0] is sensitivity):
            self._last[:] = [(sensitivity, to_host(self.blur.T(sensitivity)))]
        return self._last[0][1]

    def _beside(self, image: Array) -> Array:
        """Return an image where the projector works, so that it is blurred there too."""
        on = self.within.A.on
        return image if on is None else on.to_device(image)
