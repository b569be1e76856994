"""Model of line integrals, y = A x + noise, as in X-ray CT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from engine.core.arrays import Array, as_supported, module_of
from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.operators.base import LinearOperator
from engine.recon.model.base import Model

if TYPE_CHECKING:
    from engine.recon.filtering.settings import FilterSettings
    from engine.recon.model.subset_objective import SubsetObjective

Inverse = Callable[[Array, "FilterSettings"], Array]
"""Direct inversion: called with line integrals and filter settings, returns the image."""
T = TypeVar("T")


@checked_class()
@dataclass(frozen=True)
class LinearModel(Model):
    """Model y = A x + noise: line integrals, as in X-ray CT.

    Attributes
    ----------
    A : the projector
    y : measured line integrals [1], with the shape A.out_shape; an array of any library becomes a
        NumPy or CuPy array on the same memory
    spacing_mm : voxel spacing along each axis; None: 1 along all
    inverse : direct inversion; None if there is none

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

    remedy: ClassVar[str] = "Check the projections for bad pixels."

    A: LinearOperator
    y: Array
    spacing_mm: tuple[float, ...] | None = None
    inverse: Inverse | None = None
    _cached: Plain = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        # an array of any library; the dataclass is frozen
        object.__setattr__(self, "y", as_supported(self.y))
        if tuple(self.y.shape) != tuple(self.A.out_shape):
            raise GeometryError(
                f"LinearModel: y has the shape {tuple(self.y.shape)}, but the projector gives "
                f"{tuple(self.A.out_shape)}; use data and geometry that belong together."
            )

    def next_to_data(self, x: Array) -> Array:
        """Return an image on the device of y."""
        on_backend: Array = module_of(self.y).asarray(x)
        return on_backend

    def residual(self, x: Array) -> float:
        """Return ‖A x − y‖ / ‖y‖."""
        squares = [_square(self.A(x) - self.y), _square(self.y)]
        return float(np.sqrt(squares[0] / (squares[1] or 1.0)))

    def objective(self, n_subsets: int) -> SubsetObjective:
        from engine.recon.model.squares_objective import SquaresObjective

        return SquaresObjective(self, n_subsets)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Return a value that depends only on the model, computed on first use.

        Parameters
        ----------
        name
            key of the value
        compute
            computes it
        """
        # A restart after a filter runs the algorithm again; step lengths and weights stay valid.
        if name not in self._cached:
            self._cached[name] = compute()
        cached: T = self._cached[name]
        return cached

    def subset(self, k: int, of: int) -> LinearModel:
        """Return the model of rows k, k + of, ...

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        if of == 1:
            return self
        return LinearModel(self.A.subset(k, of), self.y[k::of], self.spacing_mm)


def _square(a: Array) -> float:
    """Return ‖a‖², summed in double precision."""
    return float(module_of(a).sum(a * a, dtype=np.float64))
