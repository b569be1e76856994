"""Final image of a growing scan: the iterations of a normal run over all events.

It starts from the uniform image, with the subsets, iterations and filters of the protocol and the
corrections that are possible during the scan. Apart from the other corrections, it is the image of
a normal reconstruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.corrections.randoms import Randoms
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.auto_settings import fitted
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.recon.algorithms.driver import solve
from engine.recon.postprocess import Filter


@dataclass(frozen=True, eq=False)
class FinalUpdate:
    """Image after an update.

    Attributes
    ----------
    values : (n_z, n_y, n_x) counts/mm, not filtered
    finishing : filters for the finished image
    done, of : number of this update, and of all updates
    """

    values: NDArray[np.float32]
    finishing: tuple[Filter, ...]
    done: int
    of: int


def settling(
    scan: ListMode,
    protocol: ListModeProtocol,
    grid: ImageGrid,
    sensitivity: Sensitivity,
    *,
    randoms: Randoms | None,
    on: Backend,
) -> Iterator[FinalUpdate]:
    """Yield the image after each update.

    Parameters
    ----------
    scan
        all events with the factors of their lines
    protocol
        protocol of the run
    grid, sensitivity
        grid and sensitivity of the image
    randoms
        estimation of randoms, None without
    on
        device and threads
    """
    # Now with all delayeds, so more precise than the estimate during the scan
    if randoms is not None and randoms.obstacle(scan) is None:
        scan = randoms.apply(scan, on=on)
    # Automatic settings depend on the counts, which are known only now
    protocol, _ = fitted(protocol, scan, sharpened=False)
    algorithm = protocol.algorithm
    prepared = listmode_pet.prepare(scan, on=on)
    # A scan that was stopped early may have fewer events than subsets
    listmode_pet.refuse_empty_subsets(prepared.data, algorithm.n_subsets)
    model = listmode_pet.build(prepared.data, grid, sensitivity, on=on)
    start = listmode_pet.uniform_start(model)

    def between(image: Array) -> Array:
        for each in protocol.between:
            image = each.apply(image, grid.voxel_mm)
        return image

    n_updates = algorithm.n_iterations * algorithm.n_subsets
    steps = solve(algorithm, model, start, between=between if protocol.between else None)
    for step in steps:
        values = np.asarray(step.image, np.float32)
        # The factor for the total count belongs to the last image only
        if step.update == n_updates:
            values, _ = algorithm.completed(model, values)
        yield FinalUpdate(values, protocol.finishing, step.update, n_updates)
