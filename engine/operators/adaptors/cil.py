"""Operators for the algorithms of CIL, the Core Imaging Library.

CIL calls `direct` and `adjoint` with containers of its geometries. Jørgensen et al., Phil. Trans.
R. Soc. A 379 (2021) 20200192.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cil.optimisation.operators import LinearOperator as CilOperator

from engine.operators.adaptors.containers import filled, values_of

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator


class AdaptedOperator(CilOperator):
    """Operator between two geometries of CIL.

    Parameters
    ----------
    operator : A
    domain : geometry of x, such as an ImageGeometry with the axes z, y, x
    codomain : geometry of A x, such as an AcquisitionGeometry with the axes view, row, column
    """

    def __init__(self, operator: LinearOperator, domain: Any, codomain: Any) -> None:
        super().__init__(domain_geometry=domain, range_geometry=codomain)
        self.operator = operator

    def direct(self, x: Any, out: Any = None) -> Any:
        """Return A x.

        Parameters
        ----------
        x
            container of the domain
        out
            container for the result; None: a new one
        """
        A = self.operator
        y = A(values_of(x, A.in_shape, A.name))
        return filled(y, out, lambda: self.range_geometry().allocate(0))

    def adjoint(self, x: Any, out: Any = None) -> Any:
        """Return Aᵀ x.

        Parameters
        ----------
        x
            container of the range
        out
            container for the result; None: a new one
        """
        A = self.operator
        image = A.T(values_of(x, A.out_shape, A.name))
        return filled(image, out, lambda: self.domain_geometry().allocate(0))

    def calculate_norm(self, **options: Any) -> float:
        """Return ‖A‖.

        Parameters
        ----------
        options
            of CIL's power method, which is not used
        """
        return self.operator.norm()
