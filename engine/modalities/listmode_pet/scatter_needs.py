"""Memory and time that the scatter estimate of list mode needs."""

from __future__ import annotations

from engine.core.backend.devices import DeviceInfo
from engine.corrections.attenuation import Attenuation
from engine.corrections.scatter import Scatter
from engine.data.listmode import ListMode
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.ring_scatter.effort import EXACT_BELOW, part_step, updates_of
from engine.modalities.ring_scatter.needs import ScatterAmounts, ScatterNeeds, needs_of

BYTES_PER_EVENT = 30
"""Memory of an event while its scatter is read from the table [bytes]."""


def scatter_needs(
    protocol: ListModeProtocol,
    scan: ListMode,
    n_events: int,
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
        all events or a few, with the μ-map
    n_events
        number of events of the whole scan
    on
        device of the coarse images and the simulation
    slabs_per_second
        speed of the projector, in voxel slabs crossed by rays
    """
    settings, mu_map = protocol.corrections.of(Scatter), scan.mu_map
    # The same conditions as in the run, so that the estimate does not include a skipped stage.
    if mu_map is None or not _simulates(protocol, scan):
        return None
    part = -(-n_events // part_step(n_events))
    lines = min(scan.scanner.n_lors, EXACT_BELOW)
    updates = sum(updates_of(number).n_iterations for number in range(settings.rounds))
    return needs_of(
        settings,
        scan.scanner,
        mu_map,
        ScatterAmounts(
            n_events,
            part,
            scan.scanner.n_lors,
            lines,
            lines + part * updates,
            row_bytes=BYTES_PER_EVENT,
        ),
        is_timed=protocol.time_of_flight and scan.tof_bins is not None,
        on=on,
        slabs_per_second=slabs_per_second,
    )


def _simulates(protocol: ListModeProtocol, scan: ListMode) -> bool:
    scatter = protocol.corrections.of(Scatter)
    attenuation = protocol.corrections.of(Attenuation)
    if "off" in (scatter.use, attenuation.use):
        return False
    return scatter.simulates(scan) and not (scatter.obstacle(scan) or attenuation.obstacle(scan))
