"""Differences between neighbouring voxels along each axis, per mm.

(∇x)_d = (x_{i + e_d} − x_i) / h_d,   0 at the last voxel of each axis
"""

from __future__ import annotations

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.operators.base import LinearOperator


@checked_class(
    positive=(
        "spacing_mm",
        "shape",
    )
)
class Gradient(LinearOperator):
    """∇: from an image (n_z, n_y, n_x), with any number of axes, to an image per axis (3, ...).

    Parameters
    ----------
    shape : shape of the image
    spacing_mm : voxel spacing along each axis
    """

    def __init__(self, shape: tuple[int, ...], spacing_mm: tuple[float, ...]) -> None:
        self.spacing_mm = spacing_mm
        self.in_shape, self.out_shape = shape, (len(shape), *shape)

    @property
    def norm_bound(self) -> float:
        """Upper bound of ‖∇‖²: 4 Σ 1 / h² over the axes with neighbours."""
        steps = zip(self.in_shape, self.spacing_mm, strict=True)
        return sum(4 / h**2 for n, h in steps if n > 1)

    def forward(self, x: Array) -> Array:
        """Return the differences to the next voxel along each axis."""
        xp = module_of(x)
        out = xp.zeros(self.out_shape, x.dtype)
        for axis, h in enumerate(self.spacing_mm):
            here, following = _neighbours(axis)
            steps = out[axis][here]
            # Written in place: the gradient has three times the size of the image.
            xp.subtract(x[following], x[here], out=steps)
            steps *= 1 / h
        return out

    def adjoint(self, y: Array) -> Array:
        """Return minus the divergence."""
        out = module_of(y).zeros(self.in_shape, y.dtype)
        for axis, h in enumerate(self.spacing_mm):
            here, following = _neighbours(axis)
            flow = y[axis][here] * (1 / h)
            out[here] -= flow
            out[following] += flow
        return out


def _neighbours(axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return slices of all but the last, and all but the first voxel along an axis."""
    before = (slice(None),) * axis
    return (*before, slice(None, -1)), (*before, slice(1, None))
