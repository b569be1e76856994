"""Test of the live PET image: an update with some of the events explains all counts."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.live.pet.live_image import LiveImage
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from tests.engine.live.pet.running_events import PROTOCOL, ring, scan


def test_update_with_a_part_preserves_the_counts_of_all_events() -> None:
    """Without background, EM preserves the counts: Σ s x = N (facts: EM invariants)."""
    on, events = cpu(2), prepare(scan(randoms=0.0).prompts, on=cpu(2)).data
    grid = PROTOCOL.grid.grid_for(ring())
    sensitivity = compute_sensitivity(events, grid, PROTOCOL.sensitivity, on=on)
    tof = events.scanner.tof if events.tof_bins is not None else None
    image = LiveImage(grid, sensitivity, tof, (24, 8), on=on)
    n, part = events.n_events, events.select(slice(0, None, 5))

    image.grow(n)
    image.take(part, None, stand_for=part.n_events)

    total = float(np.sum(sensitivity.image * image.values, dtype=np.float64))
    assert total == pytest.approx(n, rel=0.01)
