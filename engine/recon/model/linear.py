"""Line integrals, y = A x + noise, as of X-ray CT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.json_types import Plain
from engine.operators.base import LinearOperator
from engine.recon.model.base import Model

if TYPE_CHECKING:
    from engine.recon.filtering.settings import FilterSettings

Inverse = Callable[[Array, "FilterSettings"], Array]
"""Line integrals, and how to filter them, to the image that they are of."""
T = TypeVar("T")


@dataclass(frozen=True)
class LinearModel(Model):
    """y = A x + noise: line integrals, as of X-ray CT.

    Attributes
    ----------
    A : the projector
    y : (of A.out_shape) measured line integrals [1]
    spacing_mm : voxel spacing along each axis; None: 1 along all
    inverse : solves for x in one step; None where nobody knows how

    Examples
    --------
    >>> import numpy as np, engine
    >>> rays = engine.Rays(np.array([[-9.0, 0, 0], [9.0, 0, 0]]), np.array([[0, 1]], np.int32))
    >>> grid = engine.ImageGrid(shape=(1, 1, 2), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
    >>> model = engine.LinearModel(A, y=np.array([2.0], np.float32))
    >>> model.residual(np.ones(grid.shape, np.float32))
    0.0
    """

    remedy: ClassVar[str] = "check the projections for bad pixels"

    A: LinearOperator
    y: Array
    spacing_mm: tuple[float, ...] | None = None
    inverse: Inverse | None = None
    _cached: Plain = field(default_factory=dict, repr=False, compare=False)

    def next_to_data(self, x: Array) -> Array:
        """Return an image where y lies, in the host's memory or a GPU's."""
        on_backend: Array = module_of(self.y).asarray(x)
        return on_backend

    def residual(self, x: Array) -> float:
        """‖A x − y‖ / ‖y‖."""
        squares = [_square(self.A(x) - self.y), _square(self.y)]
        return float(np.sqrt(squares[0] / (squares[1] or 1.0)))

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Return what depends on the model alone; it is computed once and kept under a name."""
        if name not in self._cached:
            self._cached[name] = compute()
        cached: T = self._cached[name]
        return cached

    def subset(self, k: int, of: int) -> LinearModel:
        """Rows k, k + of, ..."""
        if of == 1:
            return self
        return LinearModel(self.A.subset(k, of), self.y[k::of], self.spacing_mm)


def _square(a: Array) -> float:
    """‖a‖², summed in double precision."""
    return float(module_of(a).sum(a * a, dtype=np.float64))
