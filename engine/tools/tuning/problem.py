"""A tuning problem: one kernel on one device with one problem size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.kernels.stored_variants import Slot

Value = int | str
Values = dict[str, Value]
"""A variant in the search: a value of each parameter."""


class TuningProblem(ABC):
    """A kernel with variants.

    Attributes
    ----------
    title : short title
    on : device
    slot : kernel and shape for which the variant is stored
    work : measured problem as text
    parameters : possible values of each parameter
    shipped : the default variant, one of these
    restrictions : valid combinations in the syntax of Kernel Tuner: "rows == 0 or rows > 9"
    """

    title: str
    on: Backend
    slot: Slot
    work: str
    parameters: dict[str, Sequence[Value]]
    shipped: Values
    restrictions: tuple[str, ...] = ()

    @abstractmethod
    def prepare(self) -> None:
        """Make the data, and the reference for every result."""

    @abstractmethod
    def form(self, values: Values) -> Plain:
        """Return the stored form of a variant.

        Parameters
        ----------
        values
            parameters of the variant

        Raises
        ------
        ValueError
            if the values do not form a variant
        """

    @abstractmethod
    def result(self, values: Values) -> Array:
        """Run a variant once, and return its result on the host.

        Parameters
        ----------
        values
            parameters of the variant; it may not have been compiled before
        """

    @abstractmethod
    def seconds(self, values: Values) -> float:
        """Run a variant that has run before, and return its time [s]."""

    @abstractmethod
    def fault_of(self, result: Array) -> str:
        """Return the fault of a result as text; empty if it is correct.

        Parameters
        ----------
        result
            result of `result`
        """

    def has(self, values: object) -> bool:
        """Return True if values of any origin are a variant.

        Parameters
        ----------
        values
            any values, for example from a file
        """
        return (
            isinstance(values, dict)
            and values.keys() == self.parameters.keys()
            and all(values[name] in some for name, some in self.parameters.items())
            and self.is_form(values)
        )

    def is_form(self, values: Values) -> bool:
        """Return True if values form a variant."""
        try:
            self.form(values)
        except ValueError:
            return False
        return True


def worst(result: Array, reference: Array, allowed: Array | float) -> str:
    """Return where a result differs from the reference by more than allowed; empty if nowhere.

    Parameters
    ----------
    result, reference
        arrays
    allowed
        largest difference, for all values or for each
    """
    if result.shape != reference.shape or result.dtype != reference.dtype:
        return (
            f"wrong results ({result.dtype} {result.shape} instead of "
            f"{reference.dtype} {reference.shape})"
        )
    # float64, so that the difference itself has no rounding error
    beyond = np.abs(result.astype(np.float64) - reference) - allowed
    # NaN compares as false, and counts as wrong here
    wrong = ~(beyond <= 0)
    if not wrong.any():
        return ""
    at = int(np.argmax(np.where(wrong, np.nan_to_num(beyond, nan=np.inf), -np.inf)))
    found, wanted = result.ravel()[at], reference.ravel()[at]
    n_wrong = int(wrong.sum())
    return f"wrong results ({n_wrong:,} values, at worst {found:.7g} instead of {wanted:.7g})"
