"""Maximum-likelihood components of a normalisation by fixed-point iterations.

Counts of line i are Poisson distributed with mean λ_i = S_i w_i ε1 ε2 g m, with the activity S
along the line and the closed form w of its geometry. The likelihood is largest if the measured and
the expected counts of every crystal and class k agree, D_k = Λ_k:

    ε ← ε √(D / Λ),    g ← g D / Λ,    m ← m D / Λ

with a square root because both ends of a line have an ε. Steps are accelerated by squared
extrapolation of the logarithms (SQUAREM: Varadhan & Roland, Scand J Stat 35 (2008) 335), because
neighbours in a narrow fan correct each other slowly. After Hogg, Thielemans, Mustafovic & Spinks,
IEEE NSS 2002, 1391.

Factors that can move from one component to another are fixed by means: ε has mean 1 at each
position in a block, m has mean 1 at each |t|, and g has mean 1 over the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.components import Components
from engine.kernels.rays.line_sums import LineTables
from engine.tools.normalisation_scan.convergence import MAX_STEPS, SMALL
from engine.tools.normalisation_scan.line_tally import LineTally

MIN_COUNTS = 100
"""Least mean counts of a crystal, for a standard error of 10 %."""
FARTHEST = 2.0
"""Largest change of a logarithm in an extrapolated step."""

OnStep = Callable[[int, float], object]


@dataclass(frozen=True)
class MeasuredComponents:
    """Components with their uncertainty.

    Attributes
    ----------
    components : factors of crystals and classes; geometric ones multiply the closed form
    errors : relative standard errors, NaN without counts
    counts : trues on the used lines
    steps : number of fixed-point steps
    change : largest change in the last step, in standard errors
    """

    components: Components
    errors: Components
    counts: float
    steps: int
    change: float


def likeliest(
    tally: LineTally,
    *,
    on: Backend,
    interference: bool = True,
    on_step: OnStep | None = None,
) -> MeasuredComponents:
    """Return the maximum-likelihood components of counted lines.

    Parameters
    ----------
    tally
        counts, scanner and source
    on
        CPU
    interference
        True to separate the positions in a block; ignored if a ring is not a whole number of blocks
    on_step
        called after each step with its number and the largest change in standard errors; may raise
        to stop

    Returns
    -------
    measured
        components with errors

    Raises
    ------
    DataError
        if there are too few counts, or the components do not converge
    """
    _refuse_few(tally)
    s = tally.scanner.settings
    # Without a whole number of blocks, crystals have no position in a block
    interference &= s.block_places > 1 and s.n_crystals_per_ring % s.block_places == 0
    step = _FixedPoint(tally, interference, on, on_step)
    logs, change = step.start(), np.inf
    while change > SMALL and step.done < MAX_STEPS:
        first = step(logs)
        second = step(first)
        # A plain step follows, which corrects an extrapolation that went too far
        logs = step(_extrapolated(logs, first, second))
        change = max(step.change(first, second), step.last_change)
    # A change above the noise means that the model does not describe the counts
    if change > 1:
        raise DataError(
            f"the normalisation components have not converged: after {step.done} steps they still "
            f"change by {change:.1f} standard errors; check the position of the source."
        )
    return _measured(step, logs, change)


def _refuse_few(tally: LineTally) -> None:
    alive = tally.scanner.alive
    mean = float(tally.counts.crystals[alive].mean())
    # Fewer counts give components that are mostly noise
    if mean < MIN_COUNTS:
        raise DataError(
            f"each crystal has only {max(mean, 0):,.0f} counts on average on lines through the "
            f"source, expected at least {MIN_COUNTS} (standard error of 10 %); measure longer, "
            "or check the radius and position of the source."
        )


class _FixedPoint:
    """One step from the logarithms of all factors, in one vector, to the next."""

    def __init__(
        self, tally: LineTally, interference: bool, on: Backend, on_step: OnStep | None
    ) -> None:
        self.tally, self.interference, self.on = tally, interference, on
        self.on_step, self.done = on_step, 0
        counts, empty = tally.counts, tally.empty()
        # Positions at which the vector is divided into crystals, geometry and interference
        self.edges = np.cumsum([table.size for table in empty])[:-1]
        self.shapes = [table.shape for table in empty]
        self.measured = np.concatenate([table.ravel() for table in counts]) > 0
        if not interference:
            self.measured[self.edges[1] :] = False
        squares = np.concatenate([table.ravel() for table in tally.squares])
        sums = np.concatenate([table.ravel() for table in counts])
        self.errors = np.full(len(sums), np.nan)
        self.errors[self.measured] = np.sqrt(squares[self.measured]) / sums[self.measured]
        self.closed = tally.scanner.geometry_of_classes.astype(np.float64)
        self.last_change = np.inf

    def start(self) -> Array:
        """Return factors of 1, as logarithms."""
        return np.zeros(len(self.measured))

    def tables(self, logs: Array) -> LineTables:
        """Return factors by component: 0 for crystals without counts, 1 for classes without."""
        values = np.where(self.measured, np.exp(logs), 1.0)
        parts = np.split(values, self.edges)
        parts[0] = np.where(self.measured[: self.edges[0]], parts[0], 0.0)
        shaped = zip(parts, self.shapes, strict=True)
        return LineTables(*(part.reshape(shape) for part, shape in shaped))

    def __call__(self, logs: Array) -> Array:
        """Update one component after another."""
        before = logs
        # Crystals last, with the power 1/2: both ends of a line change at once
        for k, power in ((2, 1.0), (1, 1.0), (0, 0.5)):
            if k < 2 or self.interference:
                logs = self._updated(logs, k, power)
        self.last_change = self.change(before, logs)
        self.done += 1
        if self.on_step is not None:
            self.on_step(self.done, self.last_change)
        return logs

    def _updated(self, logs: Array, k: int, power: float) -> Array:
        tables = self.tables(logs)
        # The closed form is part of the model, not of the estimated factors
        seen = tables._replace(geometry=tables.geometry * self.closed)
        expected = self.tally.expected(seen, on=self.on)[k].ravel()
        begin = 0 if k == 0 else int(self.edges[k - 1])
        rows = slice(begin, begin + expected.size)
        counts = self.tally.counts[k].ravel()
        # Without counts a factor cannot be estimated, and stays
        live = self.measured[rows] & (expected > 0)
        logs = logs.copy()
        logs[rows][live] += power * np.log(counts[live] / expected[live])
        return logs

    def change(self, before: Array, after: Array) -> float:
        """Largest change in standard errors.

        Parameters
        ----------
        before, after
            logarithms of all factors
        """
        moved = np.abs(after - before)[self.measured] / self.errors[self.measured]
        return float(moved.max())


def _extrapolated(start: Array, first: Array, second: Array) -> Array:
    """Return the extrapolation of two steps."""
    r, v = first - start, second - 2 * first + start
    size = float(np.linalg.norm(v))
    # The step length of SQUAREM, at least that of the two steps themselves
    alpha = min(-1.0, -float(np.linalg.norm(r)) / size) if size > 0 else -1.0
    far = start - 2 * alpha * r + alpha * alpha * v
    # A longer step would overflow where a crystal has few counts
    return np.clip(far, second - FARTHEST, second + FARTHEST)


def _measured(step: _FixedPoint, logs: Array, change: float) -> MeasuredComponents:
    """Return the components scaled to their means, with their errors."""
    tables, tally = step.tables(logs), step.tally
    crystals, geometry, interference = tables
    if step.interference:
        crystals, interference = _by_places(step, tables)
        # Classes without counts must not pull the means towards 1
        known = step.measured[step.edges[1] :].reshape(interference.shape)
        means = np.array([_mean(m, k) for m, k in zip(interference.T, known.T, strict=True)])
        interference = np.where(known, interference, means)
        interference, geometry = interference / means, geometry * means
    crystals = crystals / _mean(crystals, crystals > 0)
    parts = np.split(step.errors, step.edges)
    errors = [part.reshape(shape) for part, shape in zip(parts, step.shapes, strict=True)]
    geometry = np.where(np.isnan(errors[1]), 1, geometry / _mean(geometry, ~np.isnan(errors[1])))

    def components(values: list[Array]) -> Components:
        arrays = [np.asarray(value, np.float32) for value in values]
        return Components(
            arrays[0], arrays[1], interference=arrays[2] if step.interference else None
        )

    counts = float(tally.counts.geometry.sum())
    found = components([crystals, geometry, interference])
    return MeasuredComponents(found, components(errors), counts, step.done, change)


def _by_places(step: _FixedPoint, tables: LineTables) -> tuple[Array, Array]:
    """Move the common factor of crystals at the same position in a block to the interference."""
    s = step.tally.scanner.settings
    n, block = s.n_crystals_per_ring, s.block_places
    place = np.arange(len(tables.crystals)) % n % block
    means = np.array([
        _mean(tables.crystals[place == p], tables.crystals[place == p] > 0) for p in range(block)
    ])  # fmt: skip
    near, off = np.indices(tables.interference.shape)
    # The other end of a line in view v and bin t is half a ring away
    far = (near - off - n // 2) % block
    return tables.crystals / means[place], tables.interference * means[near] * means[far]


def _mean(values: Array, known: Array) -> float:
    """Return the mean of the known values, 1 without any."""
    return float(values[known].mean()) if known.any() else 1.0
