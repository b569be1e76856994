"""Poisson histograms of dual-head scanners, exact in the model of the engine.

The expected counts of line (i, j) are n_ij (A f)_ij + r_ij. A is the stored response, and f is the
phantom's activity times `decays_per_activity`. Randoms r_ij ∝ S_i S_j depend on the singles of both
crystals, approximated by all coincidences of a crystal. As in Chou et al., PLoS ONE 7 (2012)
e50540, the phantom is on the grid of the image.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.checked import checked
from engine.core.errors import SettingsError
from engine.data.histogram import Histogram, total
from engine.data.layered_response import StoredResponse
from engine.geometry.panel_sums import crystal_sums, line_products
from engine.operators.crystal_edges import edge_efficiencies
from engine.operators.matrix.layered import projector
from engine.simulate.lines import OnProgress
from engine.simulate.phantom import Phantom

CHUNK = 4_000_000
"""Lines per call of the generator, which limits the memory."""
_MAX_COUNTS = 1e12


@checked()
def simulate_histogram(
    phantom: Phantom,
    response: StoredResponse,
    *,
    n_prompts: float,
    seed: int,
    on: Backend,
    randoms_fraction: float = 0.0,
    efficiencies: Array | None = None,
    duration_s: float = 60.0,
    on_progress: OnProgress | None = None,
) -> Histogram:
    """Simulate one frame.

    Parameters
    ----------
    phantom
        phantom without attenuation
    response
        response of the scanner, of one layer of crystals or of each pair of layers
    n_prompts
        expected number of prompts; the actual number is Poisson distributed
    seed
        the same seed gives the same scan
    on
        device
    randoms_fraction
        randoms fraction of the expected prompts; there are then as many delayeds on average
    efficiencies
        (n_crystals,) detection efficiency of each crystal; None: the efficiencies at block edges
        if the response includes crystal scatter, otherwise 1
    duration_s
        length of the frame [s]
    on_progress
        called with work done and total work; may raise to stop

    Returns
    -------
    scan
        `info` has the seed, the expected counts, and `decays_per_activity`, the factor from the
        phantom's activity to the image [decays per voxel]

    Examples
    --------
    >>> import engine
    >>> from engine.modalities.dual_head_pet.response.building import build_analytic
    >>> from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
    >>> from engine.simulate import point
    >>> panels = engine.read_scanner("test-panels")
    >>> response = build_analytic(panels, AnalyticResponse(n_points=256), threads=1)
    >>> data = engine.simulate_histogram(
    ...     point(), response, n_prompts=1000, seed=1, on=engine.cpu()
    ... )
    >>> data.info["phantom"]
    'point source'
    """
    if not 1 <= n_prompts <= _MAX_COUNTS or not 0 <= randoms_fraction < 1:
        raise SettingsError(
            f"simulate: n_prompts is {n_prompts:g} and randoms_fraction is {randoms_fraction:g}, "
            f"expected 1 to {_MAX_COUNTS:g} prompts and a fraction of at least 0 and less than 1."
        )
    scanner, rng = response.scanner, np.random.default_rng(seed)
    A = projector(response, on=on, on_progress=on_progress)
    mean = np.array(on.to_host(A(on.to_device(phantom.rasterise(scanner.grid).values))))
    counting = efficiencies
    if efficiencies is None and response.knows_scatter:
        counting = edge_efficiencies(scanner, threads=on.threads)
    if counting is not None:
        mean *= line_products(scanner, np.asarray(counting))
    # The scale turns relative activity into the requested number of prompts.
    seen = total(mean)
    if seen <= 0:
        raise SettingsError(
            f"simulate: the phantom {phantom.name!r} is outside the field of view of "
            f"{scanner.name!r}; move the phantom."
        )
    n_randoms = randoms_fraction * n_prompts
    scale = (n_prompts - n_randoms) / seen
    mean *= np.float32(scale)
    delayeds = None
    # Randoms are added before prompts are drawn; delayeds are an independent sample of the same
    # mean.
    if n_randoms:
        randoms = line_products(scanner, crystal_sums(scanner, mean))
        randoms *= np.float32(n_randoms / total(randoms))
        mean += randoms
        delayeds = _drawn(randoms, rng)
    prompts = _drawn(mean, rng)
    return Histogram(
        scanner,
        prompts,
        delayeds,
        efficiencies=None if efficiencies is None else np.asarray(efficiencies, np.float32),
        duration_s=duration_s,
        info={
            "source": "simulated",
            "phantom": phantom.name,
            "seed": seed,
            "decays_per_activity": scale,
            "expected_prompts": n_prompts,
            "expected_randoms": n_randoms,
        },
    )


def _drawn(mean: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return Poisson counts with the means (n_lines,)."""
    counts = np.empty_like(mean)
    for start in range(0, len(mean), CHUNK):
        rows = slice(start, start + CHUNK)
        counts[rows] = rng.poisson(mean[rows])
    return counts
