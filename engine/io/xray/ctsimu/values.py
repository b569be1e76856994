"""Convert quantities of a CTSimU scenario, with units and drifts, to one number for each view.

quantity in view k = value + Σ drifts at k,   drifts spread evenly from the first view to the last

After format version 1 of the scenarios of the CTSimU project, "General structures". Drifts and
deviations that a scenario marks as unknown to the reconstruction are not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import open_adjacent

Array = NDArray[np.float64]
LENGTH_MM: Mapping[str, float] = {
    **{"nm": 1e-6, "um": 1e-3, "mm": 1.0, "cm": 10.0, "dm": 100.0, "m": 1000.0},
}
ANGLE_RAD: Mapping[str, float] = {"deg": math.pi / 180, "rad": 1.0}
VOLTAGE_KV: Mapping[str, float] = {"V": 1e-3, "kV": 1.0, "MV": 1e3}
CURRENT_UA: Mapping[str, float] = {"uA": 1.0, "mA": 1e3, "A": 1e6}
TIME_MS: Mapping[str, float] = {"ms": 1.0, "s": 1e3, "min": 6e4, "h": 3.6e6}
PIXELS: Mapping[str, float] = {"px": 1.0}
PURE: Mapping[str, float] = {}
"""Quantities without unit: components of directions, and grey values."""
TYPES = ("uint8", "int8", "uint16", "int16", "float32", "float64")
"""Types of raw images."""
ORDERS: Mapping[str, Literal["<", ">"]] = {"little": "<", "big": ">"}
MAX_BYTES = 10_000_000
MAX_ITEMS = 1_000
"""Largest number of drifts of a quantity, and of deviations of a part."""


@dataclass(frozen=True)
class Quantities:
    """Converter of the quantities of one scenario to numbers.

    Attributes
    ----------
    path : path of the scenario
    n_views : number of views
    hidden : quantities that the scenario hides from the reconstruction, collected during reading
    assumed : lengths without a unit, read as mm, collected during reading
    """

    path: Path
    n_views: int
    hidden: dict[str, None] = field(default_factory=dict)
    assumed: dict[str, None] = field(default_factory=dict)

    def of_views(self, stated: object, units: Mapping[str, float], name: str) -> Array:
        """Return a quantity in each view.

        Parameters
        ----------
        stated
            number, or object with value, unit and drifts
        units
            allowed units -> factor to the base unit
        name
            place of the quantity in the file, for messages

        Returns
        -------
        values
            (n_views,) in the base unit

        Raises
        ------
        FileFormatError
            if the value is not a number, or its unit is not allowed
        """
        value = self.number(stated, units, name)
        return np.full(self.n_views, value) + self.drift(stated, units, name)

    def number(self, stated: object, units: Mapping[str, float], name: str) -> float:
        """Return the value of a quantity without drifts; parameters as in `of_views`."""
        value = stated.get("value") if isinstance(stated, dict) else stated
        return self._real(value, name) * self._unit(_unit_of(stated), units, name, value)

    def optional(self, stated: object, units: Mapping[str, float], name: str) -> float | None:
        """Return the value of a quantity, None if it is not stated.

        Parameters
        ----------
        stated
            number, object with value and unit, or None
        units
            allowed units -> factor to the base unit
        name
            place of the quantity in the file, for messages
        """
        value = stated.get("value") if isinstance(stated, dict) else stated
        return None if value is None else self.number(stated, units, name)

    def fact(self, stated: object, units: Mapping[str, float], name: str) -> float | None:
        """Return a value that is only shown to the user; None if it is not a number.

        Parameters
        ----------
        stated
            any JSON value
        units
            allowed units -> factor to the base unit
        name
            place of the quantity in the file
        """
        try:
            return self.optional(stated, units, name)
        except FileFormatError:
            return None

    def drift(self, stated: object, units: Mapping[str, float], name: str) -> Array:
        """Return the sum of the drifts of a quantity that are known to the reconstruction.

        Parameters
        ----------
        stated
            number, or object with value, unit and drifts
        units
            allowed units -> factor to the base unit
        name
            place of the quantity in the file; unknown drifts are added to `hidden` under it

        Returns
        -------
        drift
            (n_views,) in the base unit
        """
        total = np.zeros(self.n_views)
        for each in self._drifts(stated, name):
            values = self._drift_values(each, name)
            # A drift without unit has that of its quantity.
            unit = each.get("unit") or _unit_of(stated)
            values *= self._unit(unit, units, name, values.any() or None)
            if not values.any():
                continue
            if not known(each):
                self.hidden[name] = None
                continue
            # A drift can have more or fewer values than views, so interpolate linearly.
            place = np.linspace(0, len(values) - 1, self.n_views)
            total += np.interp(place, np.arange(len(values)), values)
        return total

    def refuse(self, what: str) -> NoReturn:
        """Raise a `FileFormatError` with a whole sentence about the problem."""
        raise FileFormatError(f"{self.path.name}: {what}. Correct the scenario.")

    def _drifts(self, stated: object, name: str) -> list[Plain]:
        drifts = stated.get("drifts") if isinstance(stated, dict) else None
        found = [drifts] if isinstance(drifts, dict) else drifts or []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            self.refuse(f"'{name}.drifts' is not a list")
        if len(found) > MAX_ITEMS:
            self.refuse(
                f"the length of '{name}.drifts' is {len(found):,}, expected at most {MAX_ITEMS:,}"
            )
        return found

    def _drift_values(self, drift: Plain, name: str) -> Array:
        values = drift.get("value")
        file = drift.get("file")
        if values is None and isinstance(file, str):
            values = self._column(file, name)
        listed = values if isinstance(values, list) else [0.0 if values is None else values]
        return np.array([self._real(each, f"{name}.drifts") for each in listed or [0.0]])

    def _column(self, file_name: str, name: str) -> list[float]:
        """Return the numbers of a text file with one column in the folder of the scenario."""
        with open_adjacent(self.path, file_name) as file:
            lines = file.text(MAX_BYTES).splitlines()
        # Files of drifts can have comments and further columns; the first column counts.
        fields = (line.partition("#")[0].replace(",", " ").split() for line in lines)
        try:
            return [float(each[0]) for each in fields if each]
        except ValueError as e:
            raise FileFormatError(
                f"{file_name}: the drifts of {name!r} are not numbers ({e}); write one number per "
                "line."
            ) from e

    def _real(self, value: object, name: str) -> float:
        # bool is a subclass of int in Python.
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(f"{name!r} is {str(value)[:40]!r}, expected a number")
        try:
            number = float(value)
        # JSON integers can be longer than any float.
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(f"{name!r} is {number}, expected a number")
        return number

    def _unit(
        self, unit: object, units: Mapping[str, float], name: str, value: object | None
    ) -> float:
        # Zero needs no unit.
        if units is PURE or value in (None, 0):
            return 1.0
        if unit in (None, "") and units is LENGTH_MM:
            self.assumed[name] = None
            return 1.0
        if unit in (None, "") and units is PIXELS:
            return 1.0
        if not isinstance(unit, str) or unit not in units:
            self.refuse(
                f"the unit of {name!r} is {str(unit)[:20]!r}, expected one of {', '.join(units)}"
            )
        return units[unit]


def known(stated: Plain) -> bool:
    """Return True if a drift or deviation is known to the reconstruction, which is the default."""
    return stated.get("known_to_reconstruction") is not False


def _unit_of(stated: object) -> object:
    return stated.get("unit") if isinstance(stated, dict) else None
