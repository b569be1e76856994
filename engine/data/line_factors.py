"""Multiplicative factors of lines of response, n·a, one for each effect.

    n_i a_i = Π_k w_k(i)

Each w_k is defined on any line. Events, the sensitivity image and its cache key use the same list,
so they cannot disagree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from engine.core.arrays import Array, module_of
from engine.geometry.scanner import Scanner, pair_product

if TYPE_CHECKING:
    from engine.core.backend import Backend


class LineFactor(ABC):
    """One effect on the probability that a pair of photons on a line is counted.

    Attributes
    ----------
    replaces_geometry : True if it includes the effect of `GeometricFactor`
    blinds_lines : True if it can be 0 on lines between live crystals
    """

    replaces_geometry: bool = False
    blinds_lines: bool = False

    @abstractmethod
    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        """Return the factor of each line.

        Parameters
        ----------
        crystals
            (n, 2) crystals of the lines, in the memory of the host or of the device `on`
        scanner
            scanner with the crystal positions
        on
            device that traces rays
        reproducible
            True if the factors must have the same bits on every device

        Returns
        -------
        (n,) float32, where `crystals` are; 0 on lines that see nothing
        """

    @abstractmethod
    def fingerprint(self) -> Iterator[bytes]:
        """Yield all bytes that define the factor, for cache keys."""

    @property
    def crystal_values(self) -> Array | None:
        """Values of crystals (n_crystals,); None if the factor is not the product of two of them.

        Such factors are cheap, and have the same symmetries as their values.
        """
        return None

    @property
    def is_even(self) -> bool:
        """True if the factor has all symmetries of the scanner."""
        return False

    def on_device(self, on: Backend) -> Self:
        """Return the factor with its tables on a device.

        Parameters
        ----------
        on
            device that computes
        """
        return self


@dataclass(frozen=True, eq=False)
class CrystalFactor(LineFactor):
    """Product of one value of each crystal, ε1 ε2.

    Attributes
    ----------
    values : (n_crystals,) float32, 0 in gaps and dead crystals
    """

    values: Array

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        return pair_product(module_of(crystals).asarray(self.values), crystals)

    def fingerprint(self) -> Iterator[bytes]:
        yield self.values.tobytes()

    @property
    def crystal_values(self) -> Array:
        return self.values

    def on_device(self, on: Backend) -> Self:
        return replace(self, values=on.to_device(self.values))


@dataclass(frozen=True)
class ConstantFactor(LineFactor):
    """The same factor on every line: live time, branching, decay.

    Attributes
    ----------
    value : the factor
    """

    value: float

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        return module_of(crystals).full(len(crystals), self.value, np.float32)

    def fingerprint(self) -> Iterator[bytes]:
        yield np.float64(self.value).tobytes()

    @property
    def is_even(self) -> bool:
        return True


@dataclass(frozen=True)
class GeometricFactor(LineFactor):
    """Geometric efficiency of a line, computed by the scanner."""

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        if reproducible and on.is_cuda and module_of(crystals) is not np:
            # exponentials round differently on each device
            return on.to_device(scanner.geometric_factor(on.to_host(crystals)))
        return scanner.geometric_factor(crystals)

    def fingerprint(self) -> Iterator[bytes]:
        yield b"2"  # version of the formula; the scanner itself is part of every key

    @property
    def is_even(self) -> bool:
        return True


def live_lines(
    factors: Sequence[LineFactor],
    crystals: Array,
    scanner: Scanner,
    *,
    on: Backend,
    reproducible: bool = True,
) -> tuple[Array, Array]:
    """Return the lines with a positive product of all factors, and that product.

    Products of crystal values come first and remove dead lines, because other factors can need ray
    tracing.

    Parameters
    ----------
    factors
        the effects
    crystals
        (n, 2) crystals of the lines
    scanner
        scanner with the crystal positions
    on
        device that computes
    reproducible
        True if the factors must have the same bits on every device

    Returns
    -------
    crystals (m, 2) and weights (m,) float32 of the remaining lines
    """
    weights = module_of(crystals).ones(len(crystals), np.float32)
    # Sorting is stable: factors of one kind keep their order, and with it the rounding.
    for factor in sorted(factors, key=lambda factor: factor.crystal_values is None):
        values = factor.of_lines(crystals, scanner, on=on, reproducible=reproducible)
        weights = weights * values
        if factor.crystal_values is not None:
            # Removing dead lines early saves their ray tracing in the factors that follow.
            live = weights > 0
            crystals, weights = crystals[live], weights[live]
    return crystals, weights


def crystal_product(factors: Iterable[LineFactor], scanner: Scanner) -> Array | None:
    """Return the values (n_crystals,) whose products are the factors, or None if they are not.

    Parameters
    ----------
    factors
        the effects; even ones are constant under the symmetries and do not count
    scanner
        scanner; without any factor its `alive` is returned
    """
    product: Array = scanner.alive
    for factor in factors:
        # Even factors keep every symmetry, so they do not matter for the callers, which test
        # symmetries.
        if factor.is_even:
            continue
        if factor.crystal_values is None:
            return None
        product = product * factor.crystal_values
    return product


def fingerprint(factors: Iterable[LineFactor]) -> Iterator[bytes]:
    """Yield all bytes that define a list of factors, for cache keys."""
    for factor in factors:
        # The class is part of the key: two effects can have equal values.
        kind = type(factor)
        for part in (f"{kind.__module__}.{kind.__qualname__}".encode(), *factor.fingerprint()):
            # the length first, so that two lists with shifted boundaries have different keys
            yield len(part).to_bytes(8, "little")
            yield part
