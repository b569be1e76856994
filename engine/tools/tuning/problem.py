"""What a session tunes: one kernel on one device, and one size of work."""

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
"""A form as the search sees it: a value of each parameter."""


class TuningProblem(ABC):
    """A kernel whose forms can be tried.

    Attributes
    ----------
    title : in a few words
    on : the device
    slot : what the form that is found is for
    work : the very work that is measured, in words
    parameters : values that each parameter may take
    shipped : the form that is shipped, among them
    restrictions : which values go together, as Kernel Tuner writes them: "rows == 0 or rows > 9"
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
        """Make what is worked on, and the reference that every result is held against."""

    @abstractmethod
    def form(self, values: Values) -> Plain:
        """Return what is kept of a form; raises `ValueError` where values make none."""

    @abstractmethod
    def result(self, values: Values) -> Array:
        """Run a form once, from the start; returns what it computed, on the host."""

    @abstractmethod
    def seconds(self, values: Values) -> float:
        """Run a form that has run before; returns how long it took [s]."""

    @abstractmethod
    def fault_of(self, result: Array) -> str:
        """Return what is wrong with a result, nothing if it is right."""

    def has(self, values: object) -> bool:
        """Whether values of any origin are one of the forms."""
        return (
            isinstance(values, dict)
            and values.keys() == self.parameters.keys()
            and all(values[name] in some for name, some in self.parameters.items())
            and self.is_form(values)
        )

    def is_form(self, values: Values) -> bool:
        """Whether values make a form at all."""
        try:
            self.form(values)
        except ValueError:
            return False
        return True


def worst(result: Array, reference: Array, allowed: Array | float) -> str:
    """Return where a result is farther from the reference than allowed; nothing if nowhere.

    allowed : largest difference, of every value or of each
    """
    if result.shape != reference.shape or result.dtype != reference.dtype:
        return (
            f"wrong numbers: {result.dtype} {result.shape} for {reference.dtype} {reference.shape}"
        )
    beyond = np.abs(result.astype(np.float64) - reference) - allowed
    # NaN compares as false: written so that it counts as wrong
    wrong = ~(beyond <= 0)
    if not wrong.any():
        return ""
    at = int(np.argmax(np.where(wrong, np.nan_to_num(beyond, nan=np.inf), -np.inf)))
    found, wanted = result.ravel()[at], reference.ravel()[at]
    return f"wrong numbers: {found:.7g} for {wanted:.7g}, {int(wrong.sum())} values in all"
