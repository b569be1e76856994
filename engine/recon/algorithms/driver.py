"""Driver of all algorithms: convert their images into the steps of a run.

It continues interrupted runs, filters the image between iterations, sums the figures of each
iteration, and ends the run early on request. An algorithm is therefore only its mathematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from engine.core.arrays import Array, Back, accepted
from engine.core.checked import checked
from engine.core.errors import GeometryError, NumericalError
from engine.recon.algorithms.base import NO_FIGURES, Algorithm, Change, Figures, Iterate

if TYPE_CHECKING:
    from engine.recon.algorithms.optimality import Optimality
    from engine.recon.model import Model


@dataclass(frozen=True, eq=False)
class Step:
    """Image after one update of a run, with its figures.

    Attributes
    ----------
    fetch : returns the image; valid until the next step is requested
    update : number of updates so far, from 1
    iteration, subset : from 1
    log_likelihood : only on the last subset of an iteration: of its initial image, or of
        this image if the algorithm does not sum it; None for line integrals
    n_skipped : rows without expected counts in this iteration; only on its last subset
    measure : returns the residual of this image, at the cost of a projection if the algorithm
        does not know it; with subsets it can refer to the image before each update
    so_far : returns the figures of the current iteration, until the next step is requested
    ends : reason if the run ends with this image before its last iteration; else empty
    optimality : how near the image is to a penalised optimum; None for other algorithms
    """

    fetch: Callable[[], Array]
    update: int
    iteration: int
    subset: int
    log_likelihood: float | None = None
    n_skipped: int = 0
    measure: Callable[[], float | None] = lambda: None
    so_far: Callable[[], Figures] = lambda: NO_FIGURES
    ends: str = ""
    optimality: Optimality | None = None

    @cached_property
    def image(self) -> Array:
        """Image (n_z, n_y, n_x), in the type and on the device of the initial image."""
        return self.fetch()

    @cached_property
    def residual(self) -> float | None:
        """‖A x − y‖ / ‖y‖ of this image; None for counts."""
        return self.measure()


@checked()
def solve(
    algorithm: Algorithm,
    model: Model,
    x: Array,
    *,
    done: int = 0,
    so_far: Figures = NO_FIGURES,
    between: Change | None = None,
    finish_early: Callable[[], bool] | None = None,
) -> Iterator[Step]:
    """Yield the image after each update of an algorithm.

    Parameters
    ----------
    algorithm
        algorithm to run
    model
        model of the data
    x
        (n_z, n_y, n_x) initial image, an array of any library; images of the steps have its type
        and device. A tensor must not require a gradient
    done
        number of updates behind `x`
    so_far
        figures of the updates that belong to the current iteration
    between
        filter for the image after each iteration, or after `algorithm.updates_between_filters`; an
        algorithm that does not hold the image itself restarts from the filtered one
    finish_early
        called after each iteration; True ends the run

    Yields
    ------
    steps in order

    Raises
    ------
    NumericalError
        if the image of a step has values that are not finite, when it is fetched
    """
    wanted = getattr(getattr(model, "A", None), "in_shape", None)
    if wanted is not None and tuple(x.shape) != tuple(wanted):
        raise GeometryError(
            f"solve: x has the shape {tuple(x.shape)}, but the projector takes {tuple(wanted)}; "
            "use the image grid of the projector."
        )
    n_updates = algorithm.n_iterations * algorithm.n_subsets
    values, convert = accepted(x)
    # JAX assumes that nobody changes its arrays, but algorithms reuse their memory
    is_foreign = values is not x and hasattr(x, "__dlpack__")
    back: Back = (lambda image: convert(image.copy())) if is_foreign else convert
    account, x = _Account(model, so_far), model.next_to_data(values)
    iterates = algorithm.resumed(model, x, done) if done else algorithm.run(model, x)
    while done < n_updates:
        iterate = next(iterates, None)
        if iterate is None:  # the algorithm has ended
            return
        done += 1
        # After the last update an end is expected and needs no reason.
        is_end, ends = done % algorithm.n_subsets == 0, iterate.ends if done < n_updates else ""
        if between is not None and done % algorithm.updates_between_filters == 0:
            # The filter works on the device of the image.
            iterate = iterate.changed(between)
            if not iterate.is_reused:
                iterates = algorithm.resumed(model, iterate.x, done)
        yield _step(algorithm, model, iterate, done, account, ends, back)
        # Only complete iterations end early: each part of the data then has the same weight.
        if ends or (is_end and finish_early is not None and finish_early()):
            return


def _step(
    algorithm: Algorithm,
    model: Model,
    iterate: Iterate,
    done: int,
    account: _Account,
    ends: str,
    back: Back,
) -> Step:
    """Return the step for an iterate with `done` updates behind it."""
    iteration, subset = divmod(done - 1, algorithm.n_subsets)
    account.take(iterate)
    is_end = subset == algorithm.n_subsets - 1
    sums = account.of_iteration() if is_end else None
    # For line integrals the sums are squared residuals, for counts a log-likelihood.
    residual = None if sums is None else iterate.residual_of(sums)
    log_likelihood, n_skipped = sums if sums is not None and residual is None else (None, 0)
    where = f"iteration {iteration + 1}"
    # An error names the subset, so that the user can check its data.
    where += f", subset {subset + 1}" if algorithm.n_subsets > 1 else ""
    return Step(
        lambda: back(_checked(iterate, where, model.remedy)),
        done,
        iteration + 1,
        subset + 1,
        log_likelihood,
        n_skipped,
        _measure(algorithm, model, iterate) if residual is None else partial(float, residual),
        account.so_far,
        ends,
        iterate.optimality,
    )


def _measure(algorithm: Algorithm, model: Model, iterate: Iterate) -> Callable[[], float | None]:
    """Return the function that computes the residual of an iterate; None for direct images."""
    if algorithm.direct:
        return lambda: None
    # Nothing is computed here: a residual can cost a projection, and only some callers ask for it.
    return iterate.measure or partial(model.residual, iterate.x)


class _Account:
    """Figures of the current iteration, summed in the order of its updates."""

    def __init__(self, model: Model, before: Figures) -> None:
        self._model, self._sums = model, before
        self._latest: Iterate | None = None

    def take(self, iterate: Iterate) -> None:
        """Store the latest iterate; its figures are read on request, because a GPU can be busy."""
        self._latest = iterate

    def so_far(self) -> Figures:
        """Return the sums of the current iteration."""
        found = None if self._latest is None else self._latest.figures(self._sums)
        self._sums = self._sums if found is None else found
        return self._sums

    def of_iteration(self) -> Figures | None:
        """Return the sums of a complete iteration, if any, and reset them."""
        latest, before = self._latest, self._sums
        self._sums = NO_FIGURES
        if latest is None:
            return None
        found = latest.figures(before)
        return self._model.log_likelihood(latest.x) if found is None else found


def _checked(iterate: Iterate, where: str, remedy: str) -> Array:
    """Return the image on the host after a check that its values are finite."""
    if not iterate.is_finite:
        raise NumericalError(
            f"{where}: the image has infinite or NaN values, so the run stopped at the last valid "
            f"image. {remedy}"
        )
    return iterate.image
