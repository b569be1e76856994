"""Texts and numbers in a header of `key := value` lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError


@dataclass(frozen=True)
class HeaderValues:
    """Values of a header by their keys.

    If several keys are given, they are spellings of one key, and the first that is stated counts.

    Attributes
    ----------
    path : the header
    values : normalised key -> value as text
    """

    path: Path
    values: dict[str, str]

    def text(self, *keys: str) -> str | None:
        """Return the value of a key; None if it is missing or empty."""
        return next((self.values[key] for key in keys if self.values.get(key)), None)

    def number(self, *keys: str) -> float | None:
        """Return the value of a key as a number.

        Returns
        -------
        number
            None if the key is missing or empty

        Raises
        ------
        FileFormatError
            if the value is not a finite number
        """
        text = self.text(*keys)
        if not text:
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise FileFormatError(
                f"{self.path.name}: {keys[0]!r} is {text[:40]!r}, expected a number; correct the "
                "header."
            )
        return number

    def whole(self, *keys: str) -> int | None:
        """Return the value of a key as an integer.

        Returns
        -------
        number
            None if the key is missing or empty

        Raises
        ------
        FileFormatError
            if the value is not an integer
        """
        number = self.number(*keys)
        if number is None:
            return None
        if not number.is_integer():
            raise FileFormatError(
                f"{self.path.name}: {keys[0]!r} is {number}, expected a whole number; correct the "
                "header."
            )
        return int(number)

    def required(self, *keys: str) -> int:
        """Return the value of a key as an integer; raise `FileFormatError` if it is missing."""
        value = self.whole(*keys)
        if value is None:
            raise FileFormatError(
                f"{self.path.name}: {keys[0]!r} is missing; add it to the header."
            )
        return value
