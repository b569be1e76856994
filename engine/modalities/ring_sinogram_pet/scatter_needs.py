"""Memory and time that the scatter estimate of sinograms needs."""

from __future__ import annotations

from engine.core.backend.devices import DeviceInfo
from engine.corrections.sinogram import BinAttenuation, BinScatter
from engine.data.sinogram import Sinogram
from engine.modalities.ring_scatter.effort import part_bins, updates_of
from engine.modalities.ring_scatter.needs import ScatterAmounts, ScatterNeeds, needs_of
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol

PASSES = 3
"""Passes of an update over its bins: forward, back, and once more for its sensitivity."""


def scatter_needs(
    protocol: RingSinogramProtocol,
    scan: Sinogram,
    n_bins: int,
    n_timed: int,
    *,
    on: DeviceInfo,
    slabs_per_second: float,
) -> ScatterNeeds | None:
    """Return memory and time of the scatter estimate; None if scatter is not simulated.

    Parameters
    ----------
    protocol
        protocol of the run
    scan
        counts in all of their bins or in one, with the μ-map
    n_bins
        number of bins of the scan
    n_timed
        number of timed counts
    on
        device of the coarse images and the simulation
    slabs_per_second
        speed of the projector, in voxel slabs crossed by rays
    """
    settings, mu_map = protocol.corrections.of(BinScatter), scan.mu_map
    # The same conditions as in the run, so that the estimate does not include a skipped stage.
    if mu_map is None or not _simulates(protocol, scan):
        return None
    part = part_bins(n_bins, scan.n_prompts)
    updates = sum(updates_of(number).n_iterations for number in range(settings.rounds))
    return needs_of(
        settings,
        scan.scanner,
        mu_map,
        ScatterAmounts(n_bins + n_timed, part, n_bins, 0, PASSES * part * updates, row_bytes=0),
        is_timed=n_timed > 0,
        on=on,
        slabs_per_second=slabs_per_second,
    )


def _simulates(protocol: RingSinogramProtocol, scan: Sinogram) -> bool:
    scatter = protocol.corrections.of(BinScatter)
    attenuation = protocol.corrections.of(BinAttenuation)
    if "off" in (scatter.use, attenuation.use):
        return False
    return scatter.simulates(scan) and not (scatter.obstacle(scan) or attenuation.obstacle(scan))
