"""Model with resolution: the image is blurred by the point spread before projection.

    E[y] = A K x + b,    x ← x / Kᵀs · Kᵀ Aᵀ( y / (A K x + b) )

K distributes each voxel over its neighbours (rows of Kᵀ sum to 1). A and s are those of the inner
model. Its update gives z · Aᵀ(y / (A z + b)) for z = K x: the expected emissions of each voxel of
z. Divided by z and blurred back, they are those of x.

Reader & Zaidi, PET Clin 2 (2007) 173.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, as_like, divided, module_of, to_host
from engine.operators.base import LinearOperator
from engine.recon.model.counts import EmStep, RatioStep, SystemModel

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws


@dataclass(frozen=True)
class BlurredModel(SystemModel):
    """A system model with a blur of its image.

    Attributes
    ----------
    A : A K
    background, sensitivity, counts : see `SystemModel`; the sensitivity is Kᵀ s
    within : model of the blurred image
    blur : K
    """

    within: SystemModel
    blur: LinearOperator
    _last: list[tuple[Array, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, within: SystemModel, blur: LinearOperator) -> BlurredModel:
        """Return a model with a blur of its image.

        Parameters
        ----------
        within
            model of the blurred image
        blur
            K, from image to image
        """
        # The adjoint of the blur: the sensitivity of a voxel before blurring is a mean of its
        # neighbours. With subsets of bins, each subset computes its own.
        sensitivity = within.sensitivity
        if sensitivity.ndim:
            sensitivity = to_host(blur.T(sensitivity))
        parts = (within.A @ blur, within.background, sensitivity, within.counts)
        return cls(*parts, within, blur)

    @property
    def has_event_subsets(self) -> bool:
        return self.within.has_event_subsets

    @property
    def sorted_subsets(self) -> int | None:
        return self.within.sorted_subsets

    def em_step(self, x: Array) -> EmStep:
        """Compute the expected emissions of each voxel before the blur.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image on the host
        """
        # The inner model expects images on the host.
        z = to_host(self.blur(self._on_device(x)))
        step = self.within.em_step(z)
        # z is 0 only where x and its neighbours are 0; those voxels stay 0.
        back = to_host(self.blur.T(self._on_device(divided(step.numerator, z))))
        return EmStep(x * back, step.log_sum, step.n_skipped)

    @property
    def shares_rays(self) -> bool:
        return self.within.shares_rays

    def em_numerators(self, images: Array, draws: Draws) -> Array:
        blurred = module_of(images).empty_like(images)
        for c, x in enumerate(images):
            blurred[c] = as_like(self.blur(self._on_device(x)), images)
        found = self.within.em_numerators(blurred, draws)
        for c, x in enumerate(images):
            ratio = self._on_device(divided(found[c], blurred[c]))
            found[c] = x * as_like(self.blur.T(ratio), images)
        return found

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        found = self.within.noise_of_replicates(inverse, draws)
        return np.stack([to_host(self.blur.T(self._on_device(each))) for each in found])

    def draws_of_subset(self, draws: Draws, k: int, of: int) -> Draws:
        return self.within.draws_of_subset(draws, k, of)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        blurred = np.stack([to_host(self.blur(self._on_device(each))) for each in images])
        found = self.within.curvature_times(blurred, weights)
        return np.stack([to_host(self.blur.T(self._on_device(each))) for each in found])

    def resampled(self, draws: Draws, replicate: int) -> BlurredModel:
        within = self.within.resampled(draws, replicate)
        parts = within.A @ self.blur, within.background, self.sensitivity, within.counts
        return BlurredModel(*parts, within, self.blur)

    def expected_of_image(self, x: Array) -> float:
        # Without a common sensitivity the inner model projects the image.
        if self.sensitivity.ndim:
            return super().expected_of_image(x)
        return self.within.expected_of_image(to_host(self.blur(self._on_device(x))))

    def ratio_step(self, x: Array) -> RatioStep:
        step = self.within.ratio_step(to_host(self.blur(self._on_device(x))))
        image = to_host(self.blur.T(self._on_device(step.image)))
        return RatioStep(image, step.log_sum, step.n_skipped)

    def ratio_image(self, x: Array) -> Array:
        image = self.within.ratio_image(to_host(self.blur(self._on_device(x))))
        blurred: Array = to_host(self.blur.T(self._on_device(image)))
        return blurred

    def expected(self, x: Array) -> Array:
        return self.within.expected(to_host(self.blur(self._on_device(x))))

    def subset(self, k: int, of: int) -> BlurredModel:
        if of == 1:
            return self
        return self._of_subset(self.within.subset(k, of))

    def balanced_subset(self, k: int, of: int) -> BlurredModel:
        return self if of == 1 else self._of_subset(self.within.balanced_subset(k, of))

    def _of_subset(self, within: SystemModel) -> BlurredModel:
        """Return the blurred model of a subset."""
        parts = (within.A @ self.blur, within.background, self._blurred(within.sensitivity))
        return BlurredModel(*parts, within.counts, within, self.blur)

    def _blurred(self, sensitivity: Array) -> Array:
        """Return Kᵀ s; subsets of list mode share s, so it is blurred once."""
        # Compared by identity: a new array can have the id of a deleted one only if nobody holds
        # it.
        if not (self._last and self._last[0][0] is sensitivity):
            self._last[:] = [(sensitivity, to_host(self.blur.T(sensitivity)))]
        return self._last[0][1]

    def _on_device(self, image: Array) -> Array:
        """Return an image on the projector's device, so that it is blurred there too."""
        on = self.within.A.on
        return image if on is None else on.to_device(image)
