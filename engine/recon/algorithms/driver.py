"""Driver of every algorithm: turn its images into events of a run.

It goes on where a run was interrupted, filters the image between iterations, keeps account of the
figures of each iteration, and ends where no more is wanted, so that an algorithm is its mathematics
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from engine.core.arrays import Array
from engine.core.errors import NumericalError
from engine.recon.algorithms.base import NO_FIGURES, Algorithm, Change, Figures, Iterate

if TYPE_CHECKING:
    from engine.recon.model import Model


@dataclass(frozen=True, eq=False)
class Step:
    """Image after one update of a run, with its figures.

    Attributes
    ----------
    fetch : gives the image; it may be gone once the next step is drawn
    update : updates done so far, from 1
    iteration, subset : one-based
    log_likelihood : only on the last subset of an iteration: of the image it started from, or of
        this image where the algorithm keeps no account of it; None of line integrals
    n_skipped : rows without any expected count in this iteration; only on its last subset
    measure : gives the residual of this image, at the cost of a projection where the algorithm does
        not know it; of a pass over subsets it may be that of the images they came upon
    so_far : gives the figures of the updates of the iteration at work, until the next is drawn
    ends : why the run ends with this image, although iterations are left; empty if it does not
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

    @cached_property
    def image(self) -> Array:
        """(n_z, n_y, n_x), copied from the device if it lives there."""
        return self.fetch()

    @cached_property
    def residual(self) -> float | None:
        """‖A x − y‖ / ‖y‖ of this image; None of counts."""
        return self.measure()


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
        (n_z, n_y, n_x) image to start from
    done
        updates behind `x`
    so_far
        figures of those of them that belong to the iteration at work
    between
        filters the image after each iteration, or after `algorithm.updates_between_filters`; an
        algorithm that does not hold the image itself begins anew from the filtered one
    finish_early
        is asked after each iteration whether it was the last

    Raises
    ------
    NumericalError
        if the image of a step has ceased to be one, when it is fetched
    """
    n_updates = algorithm.n_iterations * algorithm.n_subsets
    account, x = _Account(model, so_far), model.next_to_data(x)
    iterates = algorithm.resumed(model, x, done) if done else algorithm.run(model, x)
    while done < n_updates:
        iterate = next(iterates, None)
        if iterate is None:  # the algorithm knows no better image
            return
        done += 1
        is_end, ends = done % algorithm.n_subsets == 0, iterate.ends if done < n_updates else ""
        if between is not None and done % algorithm.updates_between_filters == 0:
            iterate = iterate.changed(between)
            if not iterate.is_reused:
                iterates = algorithm.resumed(model, iterate.x, done)
        yield _step(algorithm, model, iterate, done, account, ends)
        if ends or (is_end and finish_early is not None and finish_early()):
            return


def _step(
    algorithm: Algorithm, model: Model, iterate: Iterate, done: int, account: _Account, ends: str
) -> Step:
    """Tell of an iterate with `done` updates behind it."""
    iteration, subset = divmod(done - 1, algorithm.n_subsets)
    account.take(iterate)
    is_end = subset == algorithm.n_subsets - 1
    sums = account.of_iteration() if is_end else None
    residual = None if sums is None else iterate.residual_of(sums)
    log_likelihood, n_skipped = sums if sums is not None and residual is None else (None, 0)
    where = f"iteration {iteration + 1}"
    where += f", subset {subset + 1}" if algorithm.n_subsets > 1 else ""
    return Step(
        partial(_checked, iterate, where, model.remedy),
        done,
        iteration + 1,
        subset + 1,
        log_likelihood,
        n_skipped,
        _measure(algorithm, model, iterate) if residual is None else partial(float, residual),
        account.so_far,
        ends,
    )


def _measure(algorithm: Algorithm, model: Model, iterate: Iterate) -> Callable[[], float | None]:
    """Return what gives the residual of an iterate; nobody asks for that of a direct image."""
    if algorithm.direct:
        return lambda: None
    return iterate.measure or partial(model.residual, iterate.x)


class _Account:
    """Figures of the current iteration, summed in the order of its updates."""

    def __init__(self, model: Model, before: Figures) -> None:
        self._model, self._sums = model, before
        self._latest: Iterate | None = None

    def take(self, iterate: Iterate) -> None:
        """Know the latest iterate; what its updates told is read when someone asks."""
        self._latest = iterate

    def so_far(self) -> Figures:
        """Return the sums of the iteration at work."""
        found = None if self._latest is None else self._latest.figures(self._sums)
        self._sums = self._sums if found is None else found
        return self._sums

    def of_iteration(self) -> Figures | None:
        """Return what an iteration that is over has told, if anything, and begin another."""
        latest, before = self._latest, self._sums
        self._sums = NO_FIGURES
        if latest is None:
            return None
        found = latest.figures(before)
        return self._model.log_likelihood(latest.x) if found is None else found


def _checked(iterate: Iterate, where: str, remedy: str) -> Array:
    """Return the image on the host, unless it has ceased to be one."""
    if not iterate.is_finite:
        raise NumericalError(
            f"{where}: the image has values that are not numbers, and the last good "
            f"image is kept; {remedy}."
        )
    return iterate.image
