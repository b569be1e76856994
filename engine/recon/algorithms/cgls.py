"""Conjugate gradients for least squares (CGLS), optionally damped (Tikhonov).

    minimises ‖A x − y‖² + τ‖x‖²
    q = A p,   α = γ / (‖q‖² + τ‖p‖²)
    x ← x + α p,   r ← r − α q,   s = Aᵀ r − τ x
    p ← s + (‖s‖² / γ) p,   γ ← ‖s‖²

Hestenes & Stiefel, J Res NBS 49 (1952) 409; Björck, Numerical Methods for Least Squares Problems
(1996), 7.4. Noise enters late, so stopping early smooths the image. The last iteration is the first
with

    ‖r‖² < m σ²,   m: rays,   σ²: mean variance of the noise found in y

because the true image leaves no smaller residual (discrepancy principle: Morozov, Soviet Math Dokl
7 (1966) 414; for conjugate gradients: Nemirovskii, USSR Comput Math Math Phys 26 (1986) 7). Like
the residual, the noise is summed without weights: all rays count by their variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.core.arrays import Array
from engine.core.settings import setting
from engine.recon.algorithms.base import Algorithm, Iterate, WorkingMemory
from engine.recon.algorithms.fields import Iterations
from engine.recon.algorithms.linear import dot, norm, relative

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


AT_NOISE = "the residual has reached the noise"


class Cgls(Algorithm):
    """Conjugate gradients for least squares.

    A.T must be the matched adjoint; otherwise the residual soon grows. If a step does not reduce
    the cost, the search returns to the image before the step and restarts. The run ends if the
    restart does not reduce it either.

    Images can be negative, because conjugate directions have no bounds. After a filter the search
    restarts from the filtered image. It converges to the same image along a different path.
    """

    title: ClassVar[str] = "CGLS"
    memory: ClassVar[WorkingMemory] = WorkingMemory(6, 5, 2)
    kind: Literal["cgls"] = "cgls"
    iterations: Iterations = 20
    stop_at_noise: bool = setting(
        True,
        "Stop when the residual reaches the noise level, because further iterations would only "
        "fit noise. With noise-free data, all iterations are run",
        label="Stop at noise level",
    )
    damping: float = setting(
        0.0,
        "Weight of the Tikhonov penalty relative to the data term, √τ / ‖A‖; 0: no damping",
        label="Damping",
        expert=True,
        ge=0,
        le=1,
    )

    @property
    def may_end_early(self) -> bool:
        return self.stop_at_noise

    @property
    def n_passes(self) -> int:
        return 2 + self.passes * self.iterations

    @property
    def passes_before(self) -> int:
        return 4 if self.damping else 2

    def run(self, model: LinearModel, x: Array) -> Iterator[Iterate]:
        tau, noise = self._tau(model), self._noise(model)
        # The first direction is the gradient, so a restart forgets all earlier directions.
        search = _Search.begun(model, x, tau)
        while True:
            following = search.advanced()
            # A step that does not reduce the cost means lost conjugacy: restart once by steepest
            # descent.
            if following is None and not search.is_new:
                search = _Search.begun(model, search.x, tau)
                following = search.advanced()
            if following is None:
                return
            search = following
            ends = AT_NOISE if search.is_within(noise) else ""
            yield Iterate(search.x, partial(relative, search.r, model.y), ends)

    def resumed(self, model: LinearModel, x: Array, done: int) -> Iterator[Iterate]:
        """Restart from the image, unless the run had already reached the noise level.

        Parameters
        ----------
        model
            line integrals
        x
            (n_z, n_y, n_x) image of the interrupted run
        done
            number of updates behind `x`
        """
        if self.stop_at_noise and norm(model.y - model.A(x)) ** 2 < self._noise(model):
            return
        yield from self.run(model, x)

    def _noise(self, model: LinearModel) -> float:
        """Return m σ², or 0 if the run must not stop at the noise level."""
        # Zero is never reached by a residual, so it means "no limit".
        if not self.stop_at_noise:
            return 0.0
        from engine.recon.algorithms.strength import noise_of  # only a run needs it

        return model.once("noise", lambda: model.y.size * noise_of(model.y) ** 2)

    def _tau(self, model: LinearModel) -> float:
        """Return damping² times ‖A‖², estimated as ‖A s‖² / ‖s‖² for s = Aᵀ y."""
        if self.damping == 0:
            return 0.0
        # One power iteration from the back projection is close enough for a relative weight.
        s = model.A.T(model.y)
        return (self.damping * norm(model.A(s)) / (norm(s) or 1.0)) ** 2


@dataclass(frozen=True, eq=False)
class _Search:
    """State of the search, with the symbols of the formula; cost = ‖r‖² + τ‖x‖²."""

    model: LinearModel
    tau: float
    x: Array
    r: Array
    p: Array
    gamma: float
    cost: float
    is_new: bool

    @classmethod
    def begun(cls, model: LinearModel, x: Array, tau: float) -> _Search:
        """Start with steepest descent from an image."""
        # The residual is computed exactly here; later steps only update it, which accumulates
        # rounding.
        r = model.y - model.A(x)
        p = model.A.T(r) - tau * x
        cost = dot(r, r) + tau * dot(x, x)
        return cls(model, tau, x, r, p, dot(p, p), cost, is_new=True)

    def is_within(self, noise: float) -> bool:
        """Return True if ‖r‖² is below that of the noise."""
        return dot(self.r, self.r) < noise

    def advanced(self) -> _Search | None:
        """Return the state after one step; None if the cost does not decrease."""
        A, tau, p = self.model.A, self.tau, self.p
        q = A(p)
        curvature = dot(q, q) + tau * dot(p, p)
        # The gradient is zero: the image is already the minimum.
        if curvature == 0:
            return None
        alpha = self.gamma / curvature
        # Both updates count as one stage: they only read and write arrays.
        with A.span("update"):
            x, r = self.x + alpha * p, self.r - alpha * q
            cost = dot(r, r) + tau * dot(x, x)
        # Rounding, or an unmatched adjoint, has destroyed conjugacy.
        if cost >= self.cost:
            return None
        s = A.T(r) - tau * x
        gamma = dot(s, s)
        return replace(
            self,
            x=x,
            r=r,
            p=s + gamma / self.gamma * p,
            gamma=gamma,
            cost=cost,
            is_new=False,
        )
