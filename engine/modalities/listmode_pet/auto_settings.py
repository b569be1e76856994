"""Automatic settings of list-mode PET: filter width and iterations, from the scan.

The noise of a part of the image of width w, in a uniform object of volume V with N counts, is

    (σ / mean)² = k · V / (N w³) · D / w,    D = min(object, 1.5 · width of the timing)

Each of the N w³ / V counts of the part is smeared over D along its line, into D / w parts (after
Budinger, J Nucl Med 24 (1983) 73; with time of flight, the timing limits D). The filter is just
wide enough for the noise `NOISE`, but not narrower than the resolution of the scanner. For
time frames, N is the number of counts of the median frame. All frames have one width, because a
region over time would otherwise change with the filter.

With the resolution in the model, k is smaller (`SHARPENED_TIMED`). If the filter is as wide as the
resolution of the scanner, edges overshoot by less than 5 % (tracked photons,
`tests/physics/edge_profile.py`).

Updates: cold regions between warm ones converge slowly; time of flight separates them from their
neighbours at once. The resolution in the model slows convergence, mostly at edges. Older protocols
may have the filter in the model (`engine.modalities.listmode_pet.sieve`), which slows it further.
They keep their number of updates; for few counts it decreases as √N, to half at least (`ENOUGH`).

Subsets (`engine.recon.algorithms.subsets`): an update makes the same progress with few or many
counts. Very many counts are therefore passed less often, in more subsets. Test with 16 million
simulated counts, no filter, 48 updates in 6, 2 or 1 passes: regions with 3 times and no activity,
and 12 mm spheres with 3 times, agree within 0.2, 0.1 and 0.3 % of the warm region for 2 passes
(0.2, 0.1 and 0.8 % for 1). Noise increases by a factor of 1.06 (1.17), because the last subsets
have more weight. Hence at least 2 passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.corrections.resolution import Resolution
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.point_spread import width_on_axis
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.modalities.count_demand import ring_demand
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.recon.algorithms import Algorithm
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.postprocess import Filter, Gaussian

NOISE = 0.10
"""Standard deviation of a part as wide as the filter, relative to its mean."""
AMPLIFICATION = 0.03
"""k for discs of 10 mm in the NEMA NU 2 body: about 15 % at 1.6 million counts.

Far below 1, because iterations end long before the image follows the noise of each event.
"""
SHARPENED_TIMED, SHARPENED_UNTIMED = 0.02, 0.012
"""k with the resolution in the model, with and without time of flight.

Discs of 10 mm in the NEMA body then vary as much as earlier with the filter in the model: 16 % with
time of flight and 17 % without, at 800,000 counts in 40 mm.
"""
SMEARED = 1.5
"""Number of timing widths (FWHM) over which a count is smeared along its line."""
WIDEST_MM = 12.0
SEEN_FROM_PER_MM = 0.005
"""Attenuation above which a voxel belongs to the object: half of that of water."""
UPDATES_TIMED, UPDATES_UNTIMED = 24, 48
"""Updates with and without time of flight; more do not reduce the lung of the NEMA body further."""
SHARPER_TIMED, SHARPER_UNTIMED = 48, 72
"""Updates with the resolution in the model.

With 24 updates and time of flight an edge overshoots by 6 %, with 48 by 3 %.
"""
SIEVED_TIMED, SIEVED_UNTIMED = 48, 208
"""Updates with resolution and filter in the model, with and without time of flight."""
ENOUGH = 7e6
"""Counts of the NEMA body from which the full number of these updates is useful."""


@dataclass(frozen=True)
class AutoSettings:
    """Settings that fit a scan, with a reason.

    Attributes
    ----------
    fwhm_mm : width of a Gaussian without a width [mm]; None if no μ-map shows the object
    n_updates : total number of subsets that are processed
    n_counts : number of counts of the scan, or of the median frame
    words : end of a sentence that explains the choice
    """

    fwhm_mm: float | None
    n_updates: int
    n_counts: int
    words: str


def auto_settings_of(
    data: ListMode, *, sharpened: bool, sieved: bool = False, of_frame: int | None = None
) -> AutoSettings:
    """Return the settings that fit a scan: its counts, timing, scanner and object.

    Parameters
    ----------
    data
        prompts and delayeds, with the μ-map if there is one
    sharpened
        True if the resolution is part of the model
    sieved
        True if the final filter is part of the model, too
    of_frame
        counts of the median time frame; None for a scan without frames
    """
    # At least 1, because the noise formula divides by it.
    n_counts = _n_counts(data, of_frame)
    is_timed = _is_timed(data)
    n_updates = _updates(n_counts, is_timed=is_timed, sharpened=sharpened, sieved=sieved)
    words = f"{n_counts:,} counts {'' if of_frame is None else 'of the median frame '}"
    words += f"{'with' if is_timed else 'without'} time of flight"
    size = _object(data.mu_map)
    if size is None:
        return AutoSettings(None, n_updates, n_counts, words)
    volume_mm3, across_mm = size
    # The tangential width on the axis: the best resolution that the scanner reaches.
    resolution = width_on_axis(data.scanner)
    smeared = across_mm
    if is_timed and data.scanner.tof is not None:
        timing_mm = FWHM_PER_SIGMA * data.scanner.tof.sigma_mm
        smeared = min(across_mm, SMEARED * timing_mm)
    amplification = AMPLIFICATION
    if sharpened and not sieved:
        amplification = SHARPENED_TIMED if is_timed else SHARPENED_UNTIMED
    # The formula above, solved for w.
    by_noise = (amplification * smeared * volume_mm3 / (n_counts * NOISE**2)) ** 0.25
    # Tenths of a millimetre: more digits would pretend an accuracy that the rule lacks.
    width = round(min(max(resolution, by_noise), WIDEST_MM), 1)
    words += f", object of {volume_mm3 / 1000000.0:.2g} L, resolution {resolution:.1f} mm"
    return AutoSettings(width, n_updates, n_counts, words)


def fitted(
    protocol: ListModeProtocol, data: ListMode, *, sharpened: bool, of_frame: int | None = None
) -> tuple[ListModeProtocol, str]:
    """Return a protocol with the settings that it left open, and their description.

    Parameters
    ----------
    protocol
        protocol of the run
    data
        scan with its μ-map
    sharpened
        True if the resolution is part of the model
    of_frame
        counts of the median time frame; None for a scan without frames

    Returns
    -------
    fitted
        the description is empty if nothing was open
    """
    # Older protocols choose only the subsets, as they always did.
    if not protocol.fit_to_scan:
        demand = demand_of(protocol, data, _n_counts(data, of_frame))
        algorithm = protocol.algorithm.for_counts(demand)
        return protocol.model_copy(update={"algorithm": algorithm}), ""
    sieved = sharpened and protocol.corrections.of(Resolution).with_filter
    automatic = auto_settings_of(data, sharpened=sharpened, sieved=sieved, of_frame=of_frame)
    # A prior limits the noise, so the width does not depend on it.
    width_mm = None if protocol.algorithm.is_penalised else automatic.fwhm_mm
    # Both places can hold a Gaussian without a width, and both get the same one.
    filters = {
        name: _with_width(getattr(protocol, name), width_mm) for name in ("finishing", "between")
    }
    demand = demand_of(protocol, data, automatic.n_counts)
    algorithm = protocol.algorithm.for_counts(demand, n_updates=automatic.n_updates)
    parts = []
    if algorithm != protocol.algorithm:
        parts.append(algorithm.describe())
    if any(filters[name] != getattr(protocol, name) for name in filters):
        parts.append(f"a Gaussian of {automatic.fwhm_mm:g} mm")
    words = f"{' and '.join(parts)}, based on {automatic.words}" if parts else ""
    return protocol.model_copy(update={**filters, "algorithm": algorithm}), words


def algorithm_of(protocol: ListModeProtocol, data: ListMode, n_counts: int) -> Algorithm:
    """Return the algorithm of a run, with its subsets and iterations.

    Parameters
    ----------
    protocol
        protocol of the run
    data
        scan, for timing and scanner
    n_counts
        number of counts of the run
    """
    demand, algorithm = demand_of(protocol, data, n_counts), protocol.algorithm
    if not protocol.fit_to_scan:
        return algorithm.for_counts(demand)
    resolution = protocol.corrections.of(Resolution)
    sharpened = resolution.use != "off"
    n_updates = _updates(
        n_counts,
        # Time of flight counts only if it is recorded and not switched off.
        is_timed=protocol.time_of_flight and _is_timed(data),
        sharpened=sharpened,
        sieved=sharpened and resolution.with_filter,
    )
    return algorithm.for_counts(demand, n_updates=n_updates)


def passes_of(protocol: ListModeProtocol, data: ListMode, n_counts: int) -> int:
    """Return the number of passes of a run over its data.

    Parameters
    ----------
    protocol
        protocol of the run
    data
        scan, for timing and scanner
    n_counts
        number of counts of the run
    """
    return algorithm_of(protocol, data, n_counts).n_passes


def demand_of(protocol: ListModeProtocol, data: ListMode, n_counts: float) -> CountDemand:
    """Return the counts of a scan or a frame, and the counts that subsets need.

    Parameters
    ----------
    protocol
        protocol of the run
    data
        scan, for timing and scanner
    n_counts
        number of counts
    """
    tof = data.scanner.tof if protocol.time_of_flight and _is_timed(data) else None
    return ring_demand(n_counts, protocol.grid.grid_for(data.scanner), tof)


def _n_counts(data: ListMode, of_frame: int | None) -> int:
    # Delayeds estimate the randoms among the prompts, which contribute nothing to the image.
    return max(data.n_prompts - data.n_delayed if of_frame is None else of_frame, 1)


def _is_timed(data: ListMode) -> bool:
    return data.tof_bins is not None and data.scanner.tof is not None


def _updates(n_counts: int, *, is_timed: bool, sharpened: bool, sieved: bool) -> int:
    if sieved:
        # Fewer updates for few counts: with the filter in the model, noise grows slowly.
        share = min(max(math.sqrt(n_counts / ENOUGH), 0.5), 1.0)
        return round(share * (SIEVED_TIMED if is_timed else SIEVED_UNTIMED))
    if sharpened:
        return SHARPER_TIMED if is_timed else SHARPER_UNTIMED
    return UPDATES_TIMED if is_timed else UPDATES_UNTIMED


def _with_width(filters: tuple[Filter, ...], fwhm_mm: float | None) -> tuple[Filter, ...]:
    """Return the filters, with this width for those that have none."""
    return tuple(
        each.model_copy(update={"fwhm_mm": fwhm_mm})
        if isinstance(each, Gaussian) and each.fwhm_mm is None
        else each
        for each in filters
    )


def _object(mu_map: Volume | None) -> tuple[float, float] | None:
    """Return volume [mm³] and width [mm] of the attenuating object; None if it is unknown."""
    if mu_map is None:
        return None
    # Beds and headrests attenuate less than this threshold.
    inside = mu_map.values > SEEN_FROM_PER_MM
    n_planes = int(np.count_nonzero(inside.any(axis=(1, 2))))
    if not n_planes:
        return None
    volume = float(np.count_nonzero(inside) * np.prod(mu_map.grid.voxel_mm))
    length = n_planes * mu_map.grid.voxel_mm[2]
    # Diameter of a cylinder with the same volume and length.
    return volume, float(2 * np.sqrt(volume / length / np.pi))
