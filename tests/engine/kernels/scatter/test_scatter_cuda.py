"""GPU single scatter, run as text on the CPU, compared with its twin and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core import backend
from engine.core.backend import cpu
from engine.core.errors import DeviceMemoryError
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import simulate_scatter
from engine.data.volume import Volume
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.kernels.scatter import device_scatter
from engine.kernels.scatter.device_scatter import batch_bytes, table_bytes
from tests.emulator import EmulatedGpu

RTOL = 1e-5
"""Relative to the maximum: paths are in single precision, sums have the same order."""
WINDOW = EnergyWindow(425.0, 650.0, 0.11)
RING = RingScanner(
    RingSettings(
        name="ring", n_rings=3, n_crystals_per_ring=48, radius_mm=150, ring_pitch_mm=15,
        max_ring_difference=2, n_tangential=24, fov_mm=(160, 45),
        tof=TofSettings(fwhm_ps=500, bin_ps=400, n_bins=7),
    )
)  # fmt: skip
GRID = ImageGrid((3, 9, 8), (16.0, 17.0, 15.0), (2.0, -3.0, 1.0))
SAMPLES = replace(DetectorSamples.of(RING, 3), n_angles=16, nearest=3)
N_POINTS, SEED = 50, 3
BOTH = pytest.mark.parametrize("reverse", [False, True], ids=["ascending", "descending"])
TIMES = pytest.mark.parametrize("with_tof", [False, True], ids=["no times", "times"])


def volumes() -> tuple[Volume, Volume]:
    """Return activity off the axis in a body that extends to the border of the grid."""
    rng = np.random.default_rng(2)
    source = rng.random(GRID.shape, np.float32) * 10
    source[:, :4] = 0
    mu = np.where(rng.random(GRID.shape) < 0.7, 0.0096, 0).astype(np.float32)
    return Volume(source, GRID, "counts/mm"), Volume(mu, GRID, "1/mm")


def simulated(
    on: backend.Backend, *, with_tof: bool, batches: list[int] | None = None
) -> np.ndarray:
    tick = None if batches is None else lambda done, _: batches.append(done)
    return simulate_scatter(
        *volumes(), RING, WINDOW, with_tof=with_tof, n_points=N_POINTS, seed=SEED, on=on,
        samples=SAMPLES, on_progress=tick,
    ).values  # fmt: skip


@TIMES
@BOTH
def test_scatter_kernel_equals_its_twin_in_both_orders_of_threads(
    with_tof: bool, reverse: bool
) -> None:
    expected = simulated(cpu(2), with_tof=with_tof)
    reported: list[int] = []
    gpu = EmulatedGpu(reverse=reverse)
    found = simulated(backend.cuda(gpu), with_tof=with_tof, batches=reported)
    assert expected.max() > 0
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=RTOL * expected.max())
    assert reported == sorted(reported) and len(reported) > 1


def test_smaller_batches_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """If memory is short, batches are halved until they fit."""
    n = len(SAMPLES.places_mm)
    wide = EmulatedGpu()
    whole = simulated(backend.cuda(wide), with_tof=True)
    memory = table_bytes(n, 7) + 5 * batch_bytes(n, 60) + (1 << 16)
    narrow = EmulatedGpu(memory_limit=memory)
    found = simulated(backend.cuda(narrow), with_tof=True)
    np.testing.assert_array_equal(found, whole)
    assert narrow.n_launches > 2 * wide.n_launches


def test_lack_of_memory_is_reported_with_its_size() -> None:
    narrow = EmulatedGpu(memory_limit=1 << 14)
    with pytest.raises(DeviceMemoryError, match=r"32 detector samples.*continue on the CPU"):
        simulated(backend.cuda(narrow), with_tof=True)


def test_one_source_serves_every_scanner() -> None:
    assert "{{" not in device_scatter.source()
