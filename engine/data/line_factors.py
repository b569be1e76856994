"""Multiplicative factors of lines of response, n·a, one for each effect.

n_i a_i = Π_k w_k(i)

Each w_k knows its value on any line, so that events, sensitivity and the key under which the
sensitivity is kept all read the same list: what one of them knows the others cannot forget.
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
    replaces_geometry : True if it holds what `GeometricFactor` does
    blinds_lines : True if lines between live crystals may see nothing by it
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
            device for what has to be traced
        reproducible
            True if the factors must have the same bits on every device

        Returns
        -------
        (n,) float32, where `crystals` are; 0 on lines that see nothing
        """

    @abstractmethod
    def fingerprint(self) -> Iterator[bytes]:
        """Yield all that fixes the factor, for the keys of caches."""

    @property
    def crystal_values(self) -> Array | None:
        """Values of crystals, (n_crystals,), whose product is the factor; None: it is no product.

        Factors that are such products cost little, and they are as symmetric as their values.
        """
        return None

    @property
    def is_even(self) -> bool:
        """True if the factor keeps every symmetry of the scanner."""
        return False

    def on_device(self, on: Backend) -> Self:
        """Return the factor with its tables where `on` computes."""
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
            # no two devices round an exponential alike
            return on.to_device(scanner.geometric_factor(on.to_host(crystals)))
        return scanner.geometric_factor(crystals)

    def fingerprint(self) -> Iterator[bytes]:
        yield b"2"  # the scanner's own is in every key

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
    """Return the lines on which the product of all factors may be above 0, and that product.

    Products of crystals come first and take dead lines out, as the others may have to be traced.

    Returns
    -------
    crystals : (m, 2), those of the lines that are left
    weights : (m,) float32
    """
    weights = module_of(crystals).ones(len(crystals), np.float32)
    for factor in sorted(factors, key=lambda factor: factor.crystal_values is None):
        values = factor.of_lines(crystals, scanner, on=on, reproducible=reproducible)
        weights = weights * values
        if factor.crystal_values is not None:
            live = weights > 0
            crystals, weights = crystals[live], weights[live]
    return crystals, weights


def crystal_product(factors: Iterable[LineFactor], scanner: Scanner) -> Array | None:
    """Return the (n_crystals,) values whose products the factors together are; None: they are not.

    Without any factor, crystals count as they are alive.
    """
    product: Array = scanner.alive
    for factor in factors:
        if factor.is_even:
            continue
        if factor.crystal_values is None:
            return None
        product = product * factor.crystal_values
    return product


def fingerprint(factors: Iterable[LineFactor]) -> Iterator[bytes]:
    """Yield all that fixes a list of factors, for the keys of caches."""
    for factor in factors:
        kind = type(factor)
        for part in (f"{kind.__module__}.{kind.__qualname__}".encode(), *factor.fingerprint()):
            # its length first, so that parts of one list never read as other parts of another
            yield len(part).to_bytes(8, "little")
            yield part
