"""Base class of models of counts: E[y] = A x + b, the EM update and its loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from engine.core.arrays import Array, to_host
from engine.operators.base import LinearOperator
from engine.operators.lower_bound import LEAST_EXPECTED, least_factor
from engine.operators.planes import by_planes
from engine.recon.model.base import Model
from engine.recon.model.total import likeliest_scale

ROWS_AT_ONCE = 1 << 22
"""Rows whose logarithms are taken together."""


@dataclass(frozen=True)
class EmStep:
    """One pass over (a subset of) the data.

    Attributes
    ----------
    numerator : (n_z, n_y, n_x) x · Aᵀ(y / (A x + b)): the counts each voxel is held to have sent
    log_sum : Σ y log(A x + b)
    n_skipped : rows with counts but none expected; they are left out
    """

    numerator: Array
    log_sum: float
    n_skipped: int


class EmLoop(Protocol):
    """State of an EM reconstruction, on any backend."""

    def update(self, k: int) -> None:
        """Update the image with subset k, as `engine.recon.algorithms.osem` says; may not wait."""

    def snapshot(self) -> Callable[[], Array]:
        """Return what fetches the present image (n_z, n_y, n_x), until the next update."""

    def smooth(self, change: Callable[[Any], Any]) -> None:
        """Replace the image by `change` of it, an array where the image lives."""

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        """Log-likelihood and rows skipped since the last call, on top of those `before`."""

    @property
    def is_finite(self) -> bool:
        """True if the image holds numbers only."""


@dataclass(frozen=True)
class SystemModel(Model):
    """E[y] = A x + background, with the measured y and the sensitivity image.

    Attributes
    ----------
    A : rows of data from images
    background : (n_rows,) expected additive counts, or () the same in all rows
    sensitivity : (n_z, n_y, n_x)
    counts : (n_rows,) what was measured, or one value for all rows
    """

    remedy: ClassVar[str] = "check the corrections, or use fewer subsets"

    A: LinearOperator
    background: Array
    sensitivity: Array
    counts: Array | float

    @property
    def is_penalised(self) -> bool:
        """True if the image maximises something else than the likelihood alone."""
        return False

    @property
    def has_event_subsets(self) -> bool:
        """True if each subset is a fair sample of all events, so that its total is that of all."""
        return False

    @property
    def n_counts(self) -> float:
        """Σ y: the counts that were measured."""
        if isinstance(self.counts, float | int):
            return float(self.counts) * self.A.out_shape[0]
        return float(np.sum(self.counts, dtype=np.float64))

    def expected(self, x: Array) -> Array:
        """Return A x on the host, (n_rows,): the counts expected of an image in each row."""
        return to_host(self.A(x))

    def expected_of_image(self, x: Array) -> float:
        """Return Σ s x: the counts that are expected of an image, without the background."""
        return float(np.sum(to_host(self.sensitivity) * x, dtype=np.float64))

    def likeliest_scale(self, x: Array, *, sure_counts: float) -> float:
        if self.is_penalised or (self.has_event_subsets and self.n_counts >= sure_counts):
            return 1.0
        rows = self.expected(x), self.counts, self.background
        return likeliest_scale(*rows, self.expected_of_image(x))

    @abstractmethod
    def em_step(self, x: Array) -> EmStep:
        """Share the counts out over the voxels of the image `x`."""

    @abstractmethod
    def subset(self, k: int, of: int) -> SystemModel:
        """Rows k, k + of, ... with the sensitivity that belongs to them."""

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        """Expectation maximisation from the image `x`, in so many subsets."""
        return HostLoop(self, x, n_subsets)

    def log_likelihood(self, x: Array) -> tuple[float, int]:
        """Poisson log-likelihood of `x`, up to a constant of the data, and rows skipped."""
        log_sum, n_skipped = log_sum_of(self.expected(x) + self.background, self.counts)
        return log_sum - self.expected_of_image(x), n_skipped


class HostLoop:
    """Loop over `em_step`, with the image in host memory."""

    def __init__(self, model: SystemModel, x: Array, n_subsets: int) -> None:
        self._on = model.A.on
        self._parts = [self._kept(model.subset(k, n_subsets)) for k in range(n_subsets)]
        self._x, self._seen = x, np.zeros(x.shape, bool)
        for k in range(n_subsets):
            self._seen |= self._part(k).sensitivity > 0
        self._least = least_factor(n_subsets)
        self._figures: list[tuple[float, int]] = []

    def _kept(self, part: SystemModel) -> SystemModel:
        return part

    def _part(self, k: int) -> SystemModel:
        return self._parts[k]

    def update(self, k: int) -> None:
        part = self._part(k)
        step = part.em_step(self._x)
        log_likelihood = step.log_sum - self._expected_sum(part.sensitivity)
        self._figures.append((log_likelihood, step.n_skipped))
        self._x = self._updated(step.numerator, part.sensitivity)

    def _expected_sum(self, sensitivity: Array) -> float:
        """Return Σ s x: how many counts are expected of the image."""
        sums = np.zeros(len(self._x))

        def add(planes: slice) -> None:
            products = sensitivity[planes] * self._x[planes]
            # a sum for each plane, whoever makes it: no last bit depends on the threads
            sums[planes] = products.sum(axis=tuple(range(1, products.ndim)), dtype=np.float64)

        by_planes(add, self._x.shape, self._on)
        return float(sums.sum())

    def _updated(self, shared: Array, sensitivity: Array) -> Array:
        """Return the image after counts were shared out over its voxels."""
        updated = np.empty(shared.shape, shared.dtype)

        def change(planes: slice) -> None:
            s, found = sensitivity[planes], updated[planes]
            np.multiply(self._x[planes], self._seen[planes], out=found, casting="same_kind")
            least = found * self._least if self._least else 0
            np.divide(shared[planes], s, out=found, where=s > 0)
            np.maximum(found, least, out=found)

        by_planes(change, updated.shape, self._on)
        return updated

    def snapshot(self) -> Callable[[], Array]:
        x = self._x
        return lambda: x

    def smooth(self, change: Callable[[Any], Any]) -> None:
        self._x = change(self._x)

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        log_sum, n_skipped = before
        for part, skipped in self._figures:  # in order, so that no last bit depends on who asks
            log_sum, n_skipped = log_sum + part, n_skipped + skipped
        self._figures = []
        return log_sum, n_skipped

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self._x).all())


def log_sum_of(expected: Array, counts: Array | float) -> tuple[float, int]:
    """Return Σ y log ȳ over the rows where something is expected, and the number of the others."""
    log_sum, n_skipped = 0.0, 0
    for start in range(0, len(expected), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        part, measured = expected[rows], np.broadcast_to(counts, expected.shape)[rows]
        seen = part > LEAST_EXPECTED
        logs = np.log(part, where=seen, out=np.zeros(part.shape, np.float64))
        log_sum += float(np.sum(measured * logs))
        n_skipped += int(np.count_nonzero(~seen & (measured > 0)))
    return log_sum, n_skipped


@dataclass(frozen=True)
class ReadyModel(SystemModel):
    """A model with everything that expectation maximisation needs before its first update.

    Attributes
    ----------
    model : the same, without the loop
    n_subsets : number of subsets of the loop
    loop : holds an image and the subsets
    """

    model: SystemModel
    n_subsets: int
    loop: EmLoop

    @classmethod
    def of(cls, model: SystemModel, x: Array, n_subsets: int) -> ReadyModel:
        """Prepare the loop of so many subsets for the image `x`."""
        loop = model.em_loop(x, n_subsets)
        return cls(
            model.A, model.background, model.sensitivity, model.counts, model, n_subsets, loop
        )

    def em_step(self, x: Array) -> EmStep:
        return self.model.em_step(x)

    def subset(self, k: int, of: int) -> SystemModel:
        return self.model.subset(k, of)

    @property
    def is_penalised(self) -> bool:
        return self.model.is_penalised

    def expected(self, x: Array) -> Array:
        return self.model.expected(x)

    def expected_of_image(self, x: Array) -> float:
        return self.model.expected_of_image(x)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        """Return the loop that was made, with the image `x` in it."""
        if n_subsets != self.n_subsets:
            return self.model.em_loop(x, n_subsets)
        self.loop.smooth(lambda _: x)
        self.loop.figures()  # those of another run, if any
        return self.loop
