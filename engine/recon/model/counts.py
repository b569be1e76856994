"""Base class of models of counts: E[y] = A x + b, the EM update and its loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from engine.core.arrays import Array, as_supported, module_of, to_host
from engine.operators.base import LinearOperator
from engine.operators.lower_bound import MIN_EXPECTED, min_update_factor
from engine.operators.planes import by_planes
from engine.recon.model.base import Model
from engine.recon.model.total import likeliest_scale

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws
    from engine.recon.model.subset_objective import SubsetObjective

ROWS_AT_ONCE = 1 << 22
"""Rows whose logarithms are computed in one step."""
MIN_POSITIVE = 1e-30
"""Least activity of a positive image, so that its products with float32 keep all digits."""
MIN_SHARE = 1e-6
"""Least activity relative to the maximum, if shares of counts are rounded to integers."""


@dataclass(frozen=True)
class EmStep:
    """Result of one pass over the data or a subset.

    Attributes
    ----------
    numerator : (n_z, n_y, n_x) x · Aᵀ(y / (A x + b)): expected emissions of each voxel
    log_sum : Σ y log(A x + b)
    n_skipped : rows with counts but no expected counts, which are left out
    """

    numerator: Array
    log_sum: float
    n_skipped: int


@dataclass(frozen=True)
class RatioStep:
    """Back projection of measured over expected counts, for one pass over the data or a subset.

    Attributes
    ----------
    image : (n_z, n_y, n_x) Aᵀ(y / (A x + b))
    log_sum : Σ y log(A x + b)
    n_skipped : rows with counts but no expected counts, which are left out
    """

    image: Array
    log_sum: float
    n_skipped: int


class EmLoop(Protocol):
    """State of an EM reconstruction on any device."""

    def update(self, k: int) -> None:
        """Update the image with subset k; see `engine.recon.algorithms.osem`.

        A GPU only queues the work.
        """

    def snapshot(self) -> Callable[[], Array]:
        """Return a getter of the current image (n_z, n_y, n_x), valid until the next update."""

    def smooth(self, change: Callable[[Any], Any]) -> None:
        """Replace the image.

        Parameters
        ----------
        change
            called with the image on its device, returns the new one
        """

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        """Return log-likelihood and skipped rows since the last call.

        Parameters
        ----------
        before
            sums of earlier updates, which are added
        """

    @property
    def is_finite(self) -> bool:
        """True if all values of the image are finite."""


@dataclass(frozen=True)
class SystemModel(Model):
    """Model E[y] = A x + background of measured counts y.

    Attributes
    ----------
    A : operator from images to rows of data
    background : (n_rows,) expected additive counts, or () the same in all rows
    sensitivity : (n_z, n_y, n_x)
    counts : (n_rows,) measured counts, or one value for all rows
    """

    remedy: ClassVar[str] = "Check the corrections, or use fewer subsets."

    A: LinearOperator
    background: Array
    sensitivity: Array
    counts: Array | float

    def __post_init__(self) -> None:
        # arrays of other libraries become NumPy or CuPy arrays; the dataclass is frozen
        for name in ("background", "sensitivity", "counts", "factors"):
            values = getattr(self, name, None)
            if hasattr(values, "__dlpack__"):
                object.__setattr__(self, name, as_supported(values))

    @property
    def is_penalised(self) -> bool:
        """True if the image maximises a penalised likelihood."""
        return False

    @property
    def has_event_subsets(self) -> bool:
        """True if each subset is a fair sample of all events, with their total."""
        return False

    @property
    def sorted_subsets(self) -> int | None:
        """Number of subsets by which the rows are sorted; None if any number is possible."""
        return None

    @property
    def n_counts(self) -> float:
        """Number of measured counts, Σ y."""
        # List mode has no counts array: every row is one event.
        if isinstance(self.counts, float | int):
            return float(self.counts) * self.A.out_shape[0]
        return float(np.sum(self.counts, dtype=np.float64))

    def expected(self, x: Array) -> Array:
        """Return A x on the host, (n_rows,): expected counts of an image in each row."""
        return to_host(self.A(x))

    def expected_of_image(self, x: Array) -> float:
        """Return Σ s x: expected counts of an image, without the background."""
        return float(np.sum(to_host(self.sensitivity) * x, dtype=np.float64))

    def likeliest_scale(self, x: Array, *, sure_counts: float) -> float:
        # A penalised image is not the maximum of the likelihood, so its total must not be changed.
        if self.is_penalised or (self.has_event_subsets and self.n_counts >= sure_counts):
            return 1.0
        rows = self.expected(x), self.counts, self.background
        return likeliest_scale(*rows, self.expected_of_image(x))

    @abstractmethod
    def em_step(self, x: Array) -> EmStep:
        """Compute the expected emissions of each voxel.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image on the host
        """

    def ratio_step(self, x: Array) -> RatioStep:
        """Return the back projection of measured over expected counts.

        Unlike the numerator of `em_step`, it is also known where the image is 0.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image on the host, not negative
        """
        # From the numerator of an image that is positive everywhere.
        raised = raised_to(x, self.min_activity(x), self.A)
        step = self.em_step(raised)
        return RatioStep(quotient(step.numerator, raised, self.A), step.log_sum, step.n_skipped)

    def ratio_image(self, x: Array) -> Array:
        """Return the image of `ratio_step` alone; some models then compute no logarithms.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image on the host, not negative

        Returns
        -------
        (n_z, n_y, n_x), which the caller can change
        """
        return self.ratio_step(x).image

    def min_activity(self, x: Array) -> float:
        """Return the activity to which smaller voxels are raised before a projection.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image on the host
        """
        return MIN_SHARE * float(x.max(initial=0))

    def objective(self, n_subsets: int) -> SubsetObjective:
        from engine.recon.model.counts_objective import CountsObjective

        return CountsObjective(self, n_subsets)

    @property
    def shares_rays(self) -> bool:
        """True if `em_numerators` traces a ray once for all replicates."""
        return False

    def em_numerators(self, images: Array, draws: Draws) -> Array:
        """Return the expected emissions of each voxel in several bootstrap replicates.

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) image of each replicate, on the host; on the device too, if the
            model shares rays
        draws
            counts of the rows in each replicate

        Returns
        -------
        (n, n_z, n_y, n_x), where the images are
        """
        steps = (self.resampled(draws, c).em_step(image) for c, image in enumerate(images))
        return np.stack([step.numerator for step in steps])

    def resampled(self, draws: Draws, replicate: int) -> SystemModel:
        """Return the model of a bootstrap replicate, with Poisson numbers around the counts.

        Parameters
        ----------
        draws
            counts of the rows in each replicate
        replicate
            number of the replicate, from 0
        """
        from engine.operators.event_weights import weights_of  # few runs have replicates

        n_rows = self.A.out_shape[0]
        counts = weights_of(draws, replicate, n_rows, np.broadcast_to(self.counts, (n_rows,)))
        return replace(self, counts=counts)

    def noise_of_replicates(self, inverse: Array, draws: Draws) -> Array:
        """Return Aᵀ((y_c − y) / q): the gradients of bootstrap replicates where that of y is 0.

        Parameters
        ----------
        inverse
            (n_rows,) 1 / q, q = A x + background; 0 for rows that are left out
        draws
            counts y_c of the rows in each replicate

        Returns
        -------
        (n, n_z, n_y, n_x)
        """
        from engine.operators.event_weights import weights_of  # few runs have replicates

        n_rows = self.A.out_shape[0]
        # List mode has one count for all rows.
        counts = np.broadcast_to(self.counts, (n_rows,))
        changes = (weights_of(draws, c, n_rows, counts) - counts for c in range(draws.n))
        values = ((change * inverse).astype(inverse.dtype) for change in changes)
        return np.stack([self._back_of_counted(each) for each in values])

    def _back_of_counted(self, values: Array) -> Array:
        """Return Aᵀ of values that are 0 in rows without counts, (n_z, n_y, n_x)."""
        return to_host(self.A.T(values))

    def draws_of_subset(self, draws: Draws, k: int, of: int) -> Draws:
        """Return the counts of the rows of a subset in the same replicates.

        Parameters
        ----------
        draws
            counts of all rows in each replicate
        k
            number of the subset
        of
            number of subsets
        """
        return draws.of_rows(k, of)

    def curvature_times(self, images: Array, weights: Array) -> Array:
        """Return Aᵀ(w · A v_c) of several images v_c.

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x)
        weights
            (n_rows,) w

        Returns
        -------
        (n, n_z, n_y, n_x)
        """
        return np.stack([to_host(self.A.T(weights * self.expected(each))) for each in images])

    @abstractmethod
    def subset(self, k: int, of: int) -> SystemModel:
        """Return the model of rows k, k + of, ..., with their sensitivity.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """

    def balanced_subset(self, k: int, of: int) -> SystemModel:
        """Return a subset with a Hessian as near as possible to its share of the whole.

        Algorithms that compare gradients of subsets use it. Rows at regular distances are balanced.

        Parameters
        ----------
        k
            number of the subset
        of
            number of subsets
        """
        return self.subset(k, of)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        """Return a loop of expectation maximisation.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) initial image
        n_subsets
            number of subsets
        """
        return HostLoop(self, x, n_subsets)

    def log_likelihood(self, x: Array) -> tuple[float, int]:
        """Return the Poisson log-likelihood, up to a constant of the data, and the skipped rows.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """
        log_sum, n_skipped = log_sum_of(self.expected(x) + self.background, self.counts)
        return log_sum - self.expected_of_image(x), n_skipped


class HostLoop:
    """Loop over `em_step`, with the image in host memory."""

    def __init__(self, model: SystemModel, x: Array, n_subsets: int) -> None:
        self._A, self._on = model.A, model.A.on
        # Prepared once: a subset of list mode copies its background.
        self._parts = [self._stored(model.subset(k, n_subsets)) for k in range(n_subsets)]
        self._x, self._seen = x, np.zeros(x.shape, bool)
        for k in range(n_subsets):
            # Voxels outside of all subsets have no data and are set to 0 in the first update.
            self._seen |= self._part(k).sensitivity > 0
        self._min_factor = min_update_factor(n_subsets)
        self._figures: list[tuple[float, int]] = []

    def _stored(self, part: SystemModel) -> SystemModel:
        return part

    def _part(self, k: int) -> SystemModel:
        return self._parts[k]

    def update(self, k: int) -> None:
        part = self._part(k)
        step = part.em_step(self._x)
        # The likelihood of the image before this update: its projection is needed anyway.
        log_likelihood = step.log_sum - self._expected_sum(part.sensitivity)
        self._figures.append((log_likelihood, step.n_skipped))
        self._x = self._updated(step.numerator, part.sensitivity)

    def _expected_sum(self, sensitivity: Array) -> float:
        """Return Σ s x: expected counts of the image."""
        sums = np.zeros(len(self._x))

        def add(planes: slice) -> None:
            products = sensitivity[planes] * self._x[planes]
            # one sum for each plane: the last bit does not depend on the number of threads
            sums[planes] = products.sum(axis=tuple(range(1, products.ndim)), dtype=np.float64)

        by_planes(add, self._x.shape, self._on)
        return float(sums.sum())

    def _updated(self, shared: Array, sensitivity: Array) -> Array:
        return em_updated(self._x, shared, sensitivity, self._seen, self._min_factor, self._A)

    def snapshot(self) -> Callable[[], Array]:
        x = self._x
        return lambda: x

    def smooth(self, change: Callable[[Any], Any]) -> None:
        self._x = change(self._x)

    def figures(self, before: tuple[float, int] = (0.0, 0)) -> tuple[float, int]:
        log_sum, n_skipped = before
        for part, skipped in self._figures:  # in order: the last bit does not depend on the calls
            log_sum, n_skipped = log_sum + part, n_skipped + skipped
        self._figures = []
        return log_sum, n_skipped

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self._x).all())


def em_updated(
    x: Array,
    shared: Array,
    sensitivity: Array,
    seen: Array,
    least: np.float32 | float,
    A: LinearOperator,
) -> Array:
    """Return an image after expected emissions are divided by the sensitivity.

    All arrays are on the host, or all on the same device. The bits are the same.

    Parameters
    ----------
    x
        (n_z, n_y, n_x) image before the update
    shared
        (n_z, n_y, n_x) expected emissions
    sensitivity
        (n_z, n_y, n_x) of the subset; voxels with 0 keep their value
    seen
        (n_z, n_y, n_x) bool, voxels with data in any subset
    least
        lower bound ρ of an update relative to the value before
    A
        operator with the number of threads
    """
    if module_of(x) is not np:
        return _updated_on_device(x, shared, sensitivity, seen, least)
    updated = np.empty(shared.shape, shared.dtype)

    def change(planes: slice) -> None:
        s, found = sensitivity[planes], updated[planes]
        has_data = s > 0
        if has_data.all():  # as in most planes: the same bits without a mask, in 60 % of the time
            lowest = x[planes].astype(found.dtype, copy=False) * least if least else 0
            np.divide(shared[planes], s, out=found)
        else:
            np.multiply(x[planes], seen[planes], out=found, casting="same_kind")
            lowest = found * least if least else 0
            # Where s is 0, `found` still contains the old value, so these voxels do not change.
            np.divide(shared[planes], s, out=found, where=has_data)
        np.maximum(found, lowest, out=found)

    by_planes(change, updated.shape, A.on)
    return updated


def _updated_on_device(
    x: Array, shared: Array, sensitivity: Array, seen: Array, least: np.float32 | float
) -> Array:
    xp, has_data = module_of(x), sensitivity > 0
    found = x * seen
    lowest = found * least if least else 0
    # CuPy cannot leave out elements, so they are divided by 1 and then replaced.
    quotient = shared / xp.where(has_data, sensitivity, sensitivity.dtype.type(1))
    return xp.maximum(xp.where(has_data, quotient, found), lowest)


def raised_to(x: Array, least: float, A: LinearOperator) -> Array:
    """Return a copy of an image that is positive everywhere.

    Parameters
    ----------
    x
        (n_z, n_y, n_x) image on the host
    least
        activity to which smaller voxels are raised
    A
        operator with the number of threads
    """
    # Above the limits of float32, so that numerator and quotient keep all digits.
    floor, raised = x.dtype.type(max(least, MIN_POSITIVE)), np.empty_like(x)
    by_planes(lambda planes: np.maximum(x[planes], floor, out=raised[planes]), x.shape, A.on)
    return raised


def quotient(numerator: Array, image: Array, A: LinearOperator) -> Array:
    """Divide by an image in place, and return it.

    Parameters
    ----------
    numerator
        (n_z, n_y, n_x)
    image
        (n_z, n_y, n_x), which is written
    A
        operator with the number of threads
    """

    def divide(planes: slice) -> None:
        np.divide(numerator[planes], image[planes], out=image[planes])

    by_planes(divide, image.shape, A.on)
    return image


def log_sum_of(expected: Array, counts: Array | float) -> tuple[float, int]:
    """Return Σ y log ȳ, and the number of rows with counts that expect none.

    Parameters
    ----------
    expected
        (n_rows,) ȳ
    counts
        (n_rows,) y, or one value for all rows
    """
    log_sum, n_skipped = 0.0, 0
    for start in range(0, len(expected), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        part, measured = expected[rows], np.broadcast_to(counts, expected.shape)[rows]
        seen = part > MIN_EXPECTED
        # float64 logarithms: millions of terms would lose digits in float32.
        logs = np.log(part, where=seen, out=np.zeros(part.shape, np.float64))
        log_sum += float(np.sum(measured * logs))
        n_skipped += int(np.count_nonzero(~seen & (measured > 0)))
    return log_sum, n_skipped


@dataclass(frozen=True)
class ReadyModel(SystemModel):
    """Model with a loop that is ready for its first update.

    Attributes
    ----------
    model : the model without the loop
    n_subsets : number of subsets of the loop
    loop : loop with an image and the subsets
    """

    model: SystemModel
    n_subsets: int
    loop: EmLoop

    @classmethod
    def of(cls, model: SystemModel, x: Array, n_subsets: int) -> ReadyModel:
        """Prepare the loop of a model.

        Parameters
        ----------
        model
            model of the counts
        x
            (n_z, n_y, n_x) initial image
        n_subsets
            number of subsets
        """
        loop = model.em_loop(x, n_subsets)
        return cls(
            model.A, model.background, model.sensitivity, model.counts, model, n_subsets, loop
        )

    def em_step(self, x: Array) -> EmStep:
        return self.model.em_step(x)

    def ratio_step(self, x: Array) -> RatioStep:
        return self.model.ratio_step(x)

    def ratio_image(self, x: Array) -> Array:
        return self.model.ratio_image(x)

    def subset(self, k: int, of: int) -> SystemModel:
        return self.model.subset(k, of)

    def balanced_subset(self, k: int, of: int) -> SystemModel:
        return self.model.balanced_subset(k, of)

    @property
    def is_penalised(self) -> bool:
        return self.model.is_penalised

    @property
    def sorted_subsets(self) -> int | None:
        return self.model.sorted_subsets

    def expected(self, x: Array) -> Array:
        return self.model.expected(x)

    def expected_of_image(self, x: Array) -> float:
        return self.model.expected_of_image(x)

    def em_loop(self, x: Array, n_subsets: int) -> EmLoop:
        """Return the prepared loop with another image.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) initial image
        n_subsets
            another number than prepared makes a new loop
        """
        if n_subsets != self.n_subsets:
            return self.model.em_loop(x, n_subsets)
        self.loop.smooth(lambda _: x)
        self.loop.figures()  # discards figures of an earlier run
        return self.loop

    @property
    def shares_rays(self) -> bool:
        return self.model.shares_rays

    def em_numerators(self, images: Array, draws: Draws) -> Array:
        return self.model.em_numerators(images, draws)

    def resampled(self, draws: Draws, replicate: int) -> SystemModel:
        return self.model.resampled(draws, replicate)

    def draws_of_subset(self, draws: Draws, k: int, of: int) -> Draws:
        return self.model.draws_of_subset(draws, k, of)
