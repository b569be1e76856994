"""Poisson list-mode scans of phantoms, exact in the model of the engine.

The expected counts of line i are n_i a_i ∫ f dl + r_i + s_i, with n_i = ε1 ε2 w_i, the geometric
factor w_i and a_i = exp(−∫ μ dl). f is the activity times `counts_per_mm`. Randoms r_i ∝ S1 S2 and
a smooth scatter-like background s_i are both uniform in time of flight. Lines are thin and run from
crystal to crystal; no voxels are involved.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import usable_cores
from engine.core.checked import checked
from engine.core.errors import SettingsError
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins
from engine.simulate.camera import Camera
from engine.simulate.candidate_lines import all_lines, lines_near
from engine.simulate.lines import OnProgress, draw_lines
from engine.simulate.phantom import BUNDLE, Phantom

# An event takes 19 bytes in the columns of a `ListMode`, so this many need about 40 GB.
_MAX_PROMPTS = 2e9


@checked()
def simulate_listmode(
    phantom: Phantom,
    scanner: Scanner,
    *,
    n_prompts: float,
    seed: int,
    randoms_fraction: float = 0.2,
    scatter_fraction: float = 0.0,
    attenuation: bool = True,
    delayeds: bool = True,
    efficiencies: Array | None = None,
    singles: Array | None = None,
    duration_s: float = 60.0,
    on_progress: OnProgress | None = None,
) -> ListMode:
    """Simulate one frame.

    Parameters
    ----------
    phantom
        object of the scan
    scanner
        scanner, with or without time of flight
    n_prompts
        expected number of prompts; the actual number is Poisson distributed, and prompts outside
        the time bins of the scanner are lost
    seed
        the same seed gives the same scan
    randoms_fraction, scatter_fraction
        fractions of the expected prompts; scatter fills the column `additive`
    attenuation
        True if the object attenuates photons
    delayeds
        True to add delayed coincidences, as many as randoms on average
    efficiencies
        (n_crystals,) detection efficiency of each crystal; None: all 1; gaps never count
    singles
        (n_crystals,) relative rates of single photons; None: as the efficiencies
    duration_s
        length of the frame [s]
    on_progress
        called with work done and total work; may raise to stop

    Returns
    -------
    scan
        events in order of time, with μ-map and efficiencies; `info` has the seed, the expected
        and drawn counts of each kind, and `counts_per_mm`, the factor from the phantom's activity
        to the image [counts/mm]

    Examples
    --------
    >>> import engine
    >>> from engine.simulate import point
    >>> ring = engine.read_scanner("demo-ring")
    >>> engine.simulate_listmode(point(), ring, n_prompts=1000, seed=1).info["phantom"]
    'point source'
    """
    _check(n_prompts, randoms_fraction, scatter_fraction, duration_s)
    camera = Camera.of(
        phantom, scanner, attenuation=attenuation, efficiencies=efficiencies, singles=singles
    )
    rng = np.random.default_rng(seed)
    expected = {
        "trues": n_prompts * (1 - randoms_fraction - scatter_fraction),
        "scatter": n_prompts * scatter_fraction,
        "randoms": n_prompts * randoms_fraction,
        "delayeds": n_prompts * randoms_fraction * delayeds,
    }
    # The number of each kind is drawn first, then its lines: together this is a Poisson process
    # over all lines.
    drawn = {kind: int(rng.poisson(mean)) for kind, mean in expected.items()}
    everywhere = all_lines(scanner)
    trues = draw_lines(
        lines_near(phantom, scanner), camera.true_rate, drawn["trues"], rng, on_progress
    )
    scatter = draw_lines(everywhere, camera.scatter_rate, drawn["scatter"], rng)
    # Randoms and delayeds have the same distribution, so they are drawn together and then split.
    n_flat = drawn["randoms"] + drawn["delayeds"]
    flat = draw_lines(everywhere, camera.random_rate, n_flat, rng)
    crystals = np.concatenate([trues.crystals, scatter.crystals, flat.crystals])
    delayed = np.zeros(len(crystals), bool)
    delayed[rng.choice(n_flat, drawn["delayeds"], replace=False) + len(crystals) - n_flat] = True
    bins = _tof_bins(camera, trues.crystals, len(crystals), rng)
    # The events are drawn by kind and sorted by line. The permutation makes their order in time
    # random.
    order = rng.permutation(len(crystals))
    order = order if bins is None else order[bins[order] >= 0]
    # The activity is constant over the frame, so times are uniform.
    time_ms = np.sort(rng.integers(round(1000 * duration_s), size=len(order), dtype=np.uint32))
    return ListMode(
        scanner=scanner,
        crystals=crystals[order],
        delayed=delayed[order] if delayeds and randoms_fraction else None,
        tof_bins=None if bins is None else bins[order],
        time_ms=time_ms,
        additive=_additive(camera, crystals[order], expected["scatter"], scatter.total_rate),
        duration_s=duration_s,
        mu_map=camera.mu_map(),
        efficiencies=None if efficiencies is None else camera.efficiencies.astype(np.float32),
        info={
            "source": "simulated",
            "phantom": phantom.name,
            "seed": seed,
            "counts_per_mm": expected["trues"] / trues.total_rate,
            "expected": expected,
            "drawn": drawn,
        },
    )


def _tof_bins(
    camera: Camera, trues: NDArray[np.int32], n_events: int, rng: np.random.Generator
) -> NDArray[np.int16] | None:
    """Return the time bins of all events, trues first; −1 is outside the scanner's bins."""
    tof = camera.scanner.tof
    if tof is None:
        return None
    flat = rng.integers(tof.n_bins, size=n_events - len(trues))
    parts = [slice(start, start + BUNDLE) for start in range(0, len(trues), BUNDLE)]

    def work(part: slice, rng: np.random.Generator) -> NDArray[np.int64]:
        return _true_bins(camera, trues[part], tof, rng)

    with ThreadPoolExecutor(usable_cores()) as pool:
        # One generator per bundle: the result does not depend on the order of the threads.
        found = list(pool.map(work, parts, rng.spawn(len(parts))))
    return np.concatenate([*found, flat]).astype(np.int16)


def _true_bins(
    camera: Camera, crystals: NDArray[np.int32], tof: TofBins, rng: np.random.Generator
) -> NDArray[np.int64]:
    first, second = camera.ends(crystals)
    place = camera.phantom.emission_places(first, second, rng)
    # Time bins count from the middle of the line; a place counts from its first end.
    at_mm = (place - 0.5) * np.linalg.norm(second - first, axis=1)
    at_mm += tof.sigma_mm * rng.standard_normal(len(at_mm))
    bins = np.floor((at_mm - tof.edges_mm[0]) / tof.bin_mm)
    return np.where((bins >= 0) & (bins < tof.n_bins), bins, -1).astype(np.int64)


def _additive(
    camera: Camera, crystals: NDArray[np.int32], expected: float, total_rate: float
) -> NDArray[np.float32] | None:
    """Return the expected scatter in line and time bin of each event; None without scatter."""
    if not expected:
        return None
    n_bins = camera.scanner.tof.n_bins if camera.scanner.tof else 1
    scale = expected / total_rate / n_bins
    return (scale * camera.scatter_rate(crystals)).astype(np.float32)


def _check(
    n_prompts: float, randoms_fraction: float, scatter_fraction: float, duration_s: float
) -> None:
    if not 1 <= n_prompts <= _MAX_PROMPTS:
        raise SettingsError(
            f"simulate: n_prompts is {n_prompts:g}, expected 1 to {_MAX_PROMPTS:,.0f}."
        )
    background = randoms_fraction + scatter_fraction
    if not (randoms_fraction >= 0 and scatter_fraction >= 0 and background < 1):
        raise SettingsError(
            f"simulate: the fractions of randoms ({randoms_fraction:g}) and scatter "
            f"({scatter_fraction:g}) must be at least 0 and add up to less than 1; correct "
            "randoms_fraction or scatter_fraction."
        )
    if not 0.001 <= duration_s <= 1e6:
        raise SettingsError(
            f"simulate: duration_s is {duration_s:g}, expected 0.001 to 1,000,000 s."
        )
