"""Least squares with total variation, by accelerated proximal steps (FISTA-TV).

    minimises ½‖A x − y‖² + λ TV(x)  within the bounds
    x⁺ ← prox_{λ TV / L}( z − Aᵀ(A z − y) / L ),   L ≥ ‖A‖²
    t⁺ = (1 + √(1 + 4t²)) / 2,   z ← x⁺ + (t − 1) / t⁺ (x⁺ − x);   t ← 1 if that leads uphill

Beck & Teboulle, SIAM J Imaging Sci 2 (2009) 183 and IEEE Trans Image Process 18 (2009) 2419;
restart: O'Donoghue & Candès, Found Comput Math 15 (2015) 715. A z is extrapolated from A x⁺ and A
x, so a pass costs one projection and one back projection.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.core.arrays import Array, module_of
from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Iterate, WorkingMemory
from engine.recon.algorithms.fields import Iterations, Largest, NonNegative
from engine.recon.algorithms.linear import clip, dot, relative

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


class FistaTv(Algorithm):
    """FISTA with total variation.

    A run that continues from an image starts without momentum. It converges to the same image along
    a different path.
    """

    title: ClassVar[str] = "FISTA-TV"
    memory: ClassVar[WorkingMemory] = WorkingMemory(19, 6, 2)
    early_text: ClassVar[str] = "One gradient step without the penalty, before iteration 1"
    kind: Literal["fista_tv"] = "fista_tv"
    iterations: Iterations = 100
    smoothing: float = setting(
        1.0,
        "Strength of the total variation penalty, relative to the value estimated from the noise",
        label="Smoothing",
        ge=0,
        le=1000,
    )
    non_negative: NonNegative = True
    largest: Largest = None
    inner: int = setting(
        5,
        "Number of total variation steps in each pass",
        label="Inner steps",
        expert=True,
        ge=1,
        le=100,
    )

    @property
    def n_passes(self) -> int:
        return self.passes_before + self.passes * self.iterations

    @property
    def passes_before(self) -> int:
        return 13  # early image, bound of the norm, strength

    def min_slices(self, n_slices: int) -> int:
        from engine.recon.priors.tv_slabs import margin_of

        # Without a penalty voxels are independent. With it, each inner step couples one more slice.
        return 1 if self.smoothing == 0 else min(1 + 2 * margin_of(self.inner), n_slices)

    def early_image(self, model: LinearModel, x: Array) -> Array | None:
        """Return the image after one step along the gradient, without the penalty.

        The step is the best one along its line, ‖g‖² / ‖A g‖² with g = Aᵀ(A x − y). It needs no
        bound of the norm. Its estimate would take as long as several iterations.

        Parameters
        ----------
        model
            line integrals
        x
            (n_z, n_y, n_x) initial image, on the host or the device of the data

        Returns
        -------
        (n_z, n_y, n_x) within the bounds; None if `x` already fits the data best
        """
        A, x = model.A, model.next_to_data(x)
        gradient = A.T(_projected(model, x) - model.y)
        projected = A(gradient)
        curvature = dot(projected, projected)
        if curvature == 0:
            return None
        step = dot(gradient, gradient) / curvature
        return clip(x - step * gradient, self.non_negative, self.largest)

    def run(self, model: LinearModel, x: Array) -> Iterator[Iterate]:
        # A protocol loads the settings of all algorithms; only a run needs the penalty.
        from engine.recon.algorithms.steps import norm_bound
        from engine.recon.priors.gradient import Gradient
        from engine.recon.priors.tv_slabs import total_variation

        A, y = model.A, model.y
        spacing = model.spacing_mm or (1.0,) * len(A.in_shape)
        # Spacing in mm: with anisotropic voxels the penalty must not depend on the grid.
        tv = total_variation(Gradient(A.in_shape, spacing), y)
        bounds = partial(clip, non_negative=self.non_negative, largest=self.largest)
        strength, L = self._strength(model, spacing), model.once("bound", lambda: norm_bound(model))
        # The dual image continues from pass to pass: few inner steps are then enough.
        flow = tv.no_flow(x)
        z, Ax, t = x, _projected(model, x), 1.0
        # Without momentum z equals x in the first pass.
        Az = Ax
        while True:
            v = z - A.T(Az - y) / L
            with A.span("update"):
                x_next, flow = tv.prox(v, strength / L, bounds=bounds, flow=flow, steps=self.inner)
            Ax_next = A(x_next)
            # Gradient restart: momentum that points uphill is dropped.
            if dot(z - x_next, x_next - x) > 0:
                t = 1.0
            t_next = (1 + sqrt(1 + 4 * t**2)) / 2
            beta = (t - 1) / t_next
            # A is linear, so the extrapolated projection needs no new one.
            z, Az = x_next + beta * (x_next - x), Ax_next + beta * (Ax_next - Ax)
            x, Ax, t = x_next, Ax_next, t_next
            yield Iterate(x, measure=partial(relative, Ax - y, y))

    def _strength(self, model: LinearModel, spacing: tuple[float, ...]) -> float:
        """Weight λ of the total variation."""
        from engine.recon.algorithms.strength import tv_strength

        if self.smoothing == 0:
            return 0.0
        return self.smoothing * model.once("strength", lambda: tv_strength(model, spacing))


def _projected(model: LinearModel, x: Array) -> Array:
    """Return A x, without a projection if x is zero."""
    return model.A(x) if dot(x, x) > 0 else module_of(model.y).zeros(model.y.shape, model.y.dtype)
