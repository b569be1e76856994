"""Images of bootstrap replicates: the algorithm of a run, applied to resampled counts.

    y_c ~ Poisson(y),    x_c = algorithm(y_c),    c = 1 ... n

The spread of x_c around their mean estimates the noise of the image, with all effects of the
algorithm, its early end and its filters. OSEM on shared rays updates all replicates together: a ray
is traced once for all of them. If the memory of a GPU is exhausted, fewer replicates are updated
together. SVRG starts at the replicates of the linearised problem
(`engine.recon.algorithms.linear_errors`), because the image is near an optimum. They share rays,
too. One cycle with the counts of a replicate removes the error of linearisation. All replicates
have the prior of the run. Other algorithms and models run once for each replicate.

Efron & Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993; for list mode: Dahlbom,
IEEE TNS 49 (2002) 2062.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, to_host
from engine.core.backend import cpu
from engine.core.errors import DeviceMemoryError
from engine.modalities.error_maps.needs import SMALLEST_BATCH
from engine.operators.event_weights import Draws
from engine.recon.algorithms.base import Algorithm, Change
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.map_algorithms import Svrg
from engine.recon.algorithms.osem import ExpectationMaximisation
from engine.recon.model import MapModel, Model, ReplicateLoop, SystemModel

if TYPE_CHECKING:
    from engine.recon.algorithms.map_algorithms import Prepared
    from engine.recon.model import LinearisedCounts

LATEST_CYCLE = 2
"""Latest number of the cycle of a replicate: steps of later cycles are too short to move it."""


def replicate_images(
    algorithm: Algorithm,
    model: SystemModel,
    start: Array,
    draws: Draws,
    *,
    n_updates: int,
    batch: int,
    near: NearOptimum | None = None,
    between: Change | None = None,
    n_known: int = 0,
) -> Iterator[NDArray[np.float32]]:
    """Yield the image of each replicate.

    Parameters
    ----------
    algorithm
        algorithm of the run
    model
        model of the measured counts
    start
        (n_z, n_y, n_x) start image of the run
    draws
        counts of the rows in all replicates
    n_updates
        updates of the run
    batch
        replicates that are in memory together, if they share rays; even
    near
        penalised likelihood near the image of the run, where replicates of SVRG begin; None: they
        begin at the start image
    between
        filter between iterations; None for none
    n_known
        number of replicates that an interrupted run has finished; they are omitted

    Yields
    ------
    (n_z, n_y, n_x), on the host

    Raises
    ------
    DeviceMemoryError
        if a GPU has too little memory for two replicates that share their rays
    """
    if isinstance(algorithm, Svrg) and near is not None:
        yield from _continued(algorithm, model, near, draws, n_updates, batch, n_known)
        return
    shares = isinstance(algorithm, ExpectationMaximisation) and model.shares_rays
    first = n_known // batch * batch
    while first < draws.n:
        part = draws.replicates(first, min(batch, draws.n - first))
        images: Iterable[Array | None] = repeat(None, part.n)
        if shares:
            found = _fitting(algorithm, model, start, part, n_updates, between)
            if found is None:
                batch = max(part.n // (2 * SMALLEST_BATCH), 1) * SMALLEST_BATCH
                continue
            images = found
        for c, image in enumerate(images):
            if first + c < n_known:
                continue
            replicate = model.resampled(part, c)
            if image is None:
                image = _single_replicate(algorithm, replicate, start, n_updates, between)
            yield algorithm.completed(replicate, image)[0]
        first += part.n


def _single_replicate(
    algorithm: Algorithm,
    model: SystemModel,
    start: Array,
    n_updates: int,
    between: Change | None,
) -> Array:
    """Return the image of one replicate after the same updates as the run."""
    last = None
    for step in islice(solve(algorithm, model, start, between=between), n_updates):
        last = step
    return start if last is None else last.image


def _fitting(
    algorithm: Algorithm,
    model: SystemModel,
    start: Array,
    draws: Draws,
    n_updates: int,
    between: Change | None,
) -> NDArray[np.float32] | None:
    """Return the images of several replicates on the host; None if a GPU has no memory for them."""
    on = model.A.on or cpu(1)
    try:
        with on.faults("computing replicates"):
            images = _batch_images(algorithm, model, start, draws, n_updates, between)
            host: NDArray[np.float32] = to_host(images)
            return host
    except DeviceMemoryError:
        if draws.n <= SMALLEST_BATCH:
            raise
    # Only here: the exception holds the arrays of the attempt.
    if on.gpu is not None:
        on.gpu.release()
    return None


def _batch_images(
    algorithm: Algorithm,
    model: SystemModel,
    start: Array,
    draws: Draws,
    n_updates: int,
    between: Change | None,
) -> Array:
    """Return the images of replicates that share their rays, (n, n_z, n_y, n_x) on the device."""
    loop = ReplicateLoop(model, start, draws, algorithm.n_subsets)
    for done in range(1, n_updates + 1):
        loop.update((done - 1) % algorithm.n_subsets)
        if between is not None and done % algorithm.updates_between_filters == 0:
            for c, image in enumerate(loop.images):
                loop.images[c] = between(image)
    return loop.images


def _continued(
    algorithm: Svrg,
    model: SystemModel,
    near: NearOptimum,
    draws: Draws,
    n_updates: int,
    batch: int,
    n_known: int,
) -> Iterator[NDArray[np.float32]]:
    """Yield the image of each replicate of SVRG, from that of the Hessian and one more cycle."""
    from engine.recon.algorithms.svrg_cycle import run_cycle

    # Replicates of a batch share iterations of the Hessian, so a batch is repeated as a whole.
    first = n_known // batch * batch
    for c, x in enumerate(hessian_images(near, draws, batch=batch, first=first), first):
        if c < n_known:
            continue
        objective = model.resampled(draws, c).objective(algorithm.n_parts)
        of = replace(near.ready.likelihood, objective=objective)
        yield run_cycle(of, of.anchor(x), min(n_updates, LATEST_CYCLE)).after.x


@dataclass(frozen=True, eq=False)
class NearOptimum:
    """Penalised likelihood of a run near its image.

    Attributes
    ----------
    image : (n_z, n_y, n_x) image of the run
    ready : penalised likelihood, and its typical activity
    data : log-likelihood of the counts near the image
    """

    image: NDArray[np.float32]
    ready: Prepared
    data: LinearisedCounts

    @classmethod
    def of(cls, algorithm: Algorithm, model: Model, image: NDArray[np.float32]) -> NearOptimum:
        """Derive the prior of a run again, and project its image.

        Parameters
        ----------
        algorithm
            algorithm of the run, which is penalised
        model
            model of the measured counts
        image
            (n_z, n_y, n_x) image of the run
        """
        from engine.recon.algorithms.map_algorithms import Penalised
        from engine.recon.model.counts_objective import CountsObjective

        ready = cast(Penalised, algorithm).prepared(cast(MapModel, model), algorithm.n_parts)
        objective = cast(CountsObjective, ready.likelihood.objective)
        return cls(image, ready, objective.linearised(image))

    def response(self, added: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the change of the image if a weak object is added, (n_z, n_y, n_x).

        Parameters
        ----------
        added
            (n_z, n_y, n_x) activity of the object
        """
        from engine.recon.algorithms.linear_errors import local_response

        ready = self.ready
        return local_response(ready.likelihood, self.data, self.image, added, ready.activity)


def hessian_images(
    near: NearOptimum, draws: Draws, *, batch: int, first: int = 0
) -> Iterator[NDArray[np.float32]]:
    """Yield the image of each replicate of the linearised problem.

    Parameters
    ----------
    near
        penalised likelihood near the image of the run
    draws
        counts of the rows in all replicates
    batch
        replicates that are in memory together; even
    first
        first replicate, a multiple of the batch

    Yields
    ------
    (n_z, n_y, n_x), on the host
    """
    from engine.recon.algorithms.linear_errors import linear_replicates

    ready, data = near.ready, near.data
    for begin in range(first, draws.n, batch):
        noise = data.noise(draws.replicates(begin, min(batch, draws.n - begin)))
        yield from linear_replicates(ready.likelihood, data, near.image, noise, ready.activity)
