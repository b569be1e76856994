"""The expected background of a frame: its shares of the randoms and of the scatter of the scan."""

import numpy as np

from engine.data.listmode import ListMode
from engine.data.timing.time_division import FrameShares, TimeDivision
from engine.data.timing.time_frames import TimeFrame
from engine.geometry.ring import RingScanner, RingSettings
from engine.modalities.listmode_pet.dynamic import FramedScan
from engine.recon.algorithms import Mlem

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=2, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=6,
        max_ring_difference=1, n_tangential=16, fov_mm=(60, 12),
    )
)  # fmt: skip


def test_frame_has_its_delayeds_and_its_trues(rng: np.random.Generator) -> None:
    """Two frames of a bolus: 3 and 1 of the delayeds, 20 and 80 of the trues."""
    # Prompts and delayeds by hand: 23 and 3 before 100 ms, 81 and 1 after.
    times = np.repeat(np.array([50, 150, 50, 150], np.uint32), (23, 81, 3, 1))
    delayed = np.arange(len(times)) >= 104
    lors = RING.lors(rng.integers(0, RING.n_lors, len(times))).astype(np.int32)
    data = ListMode(RING, lors, delayed=delayed, time_ms=times, duration_s=0.2)
    division = TimeDivision.of((TimeFrame(0, 100), TimeFrame(100, 200)))
    shares = FrameShares.of(data, division)

    prompts = data.prompts
    randoms = rng.uniform(0.1, 1.0, prompts.n_events).astype(np.float32)
    scatter = rng.uniform(1.0, 2.0, prompts.n_events).astype(np.float32)
    whole = ListMode(
        RING,
        prompts.crystals,
        time_ms=prompts.time_ms,
        duration_s=0.2,
        background=randoms + scatter,
    )
    scan = FramedScan(whole, randoms, division, shares, (Mlem(), Mlem()))

    for k, (of_randoms, of_scatter) in enumerate(((0.75, 0.2), (0.25, 0.8))):
        in_frame = (np.asarray(prompts.time_ms) >= 100) == bool(k)
        expected = of_randoms * randoms[in_frame] + of_scatter * scatter[in_frame]
        found = scan.part(k).background
        assert found is not None
        np.testing.assert_allclose(found, expected, rtol=1e-5)  # values are float32
