"""Operators as acquisition models with the methods of SIRF.

SIRF's classes work on its own compiled objects, so this class derives from none of them: algorithms
of SIRF and CIL call it by its methods. Ovtchinnikov et al., Computer Physics Communications
249 (2020) 107087.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.operators.adaptors.containers import filled, values_of

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator


class AdaptedAcquisitionModel:
    """Linear acquisition model y = A x.

    Parameters
    ----------
    operator : A
    image : template of x, a container with `as_array`, `fill` and `clone`
    data : template of y
    """

    def __init__(self, operator: LinearOperator, image: Any, data: Any) -> None:
        self.operator = operator
        self.set_up(data, image)

    def set_up(self, data: Any, image: Any) -> None:
        """Replace the templates.

        Parameters
        ----------
        data
            template of acquisition data
        image
            template of images

        Raises
        ------
        GeometryError
            if a template does not fit the operator
        """
        A = self.operator
        values_of(data, A.out_shape, A.name)
        values_of(image, A.in_shape, A.name)
        self._data, self._image = data, image

    def forward(self, image: Any, out: Any = None) -> Any:
        """Return A x.

        Parameters
        ----------
        image
            container of an image
        out
            container for the result; None: a new one
        """
        A = self.operator
        return filled(A(values_of(image, A.in_shape, A.name)), out, self._data.clone)

    def backward(self, data: Any, out: Any = None) -> Any:
        """Return Aᵀ y.

        Parameters
        ----------
        data
            container of acquisition data
        out
            container for the result; None: a new one
        """
        A = self.operator
        return filled(A.T(values_of(data, A.out_shape, A.name)), out, self._image.clone)

    direct, adjoint = forward, backward

    def norm(self) -> float:
        """Return ‖A‖."""
        return self.operator.norm()

    def is_linear(self) -> bool:
        """Return True: there is no background term."""
        return True

    is_affine = is_linear

    def get_linear_acquisition_model(self) -> AdaptedAcquisitionModel:
        """Return the model without a background, which is this one."""
        return self

    def domain_geometry(self) -> Any:
        """Return the template of images."""
        return self._image

    def range_geometry(self) -> Any:
        """Return the template of acquisition data."""
        return self._data
