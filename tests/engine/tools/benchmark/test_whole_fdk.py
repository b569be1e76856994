"""Tests of the modelled time of a complete FDK, and of the queued operations."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.kernels.cone.device_cone import ConeBack
from engine.operators.xray import device as xray_device
from engine.operators.xray.parts import SHARES_LEAVING
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.filtered_chunks import FilteredChunks
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings
from engine.tools.benchmark.cone.whole_fdk import SCANS, Timeline, timeline
from engine.tools.benchmark.counted import CARDS, recorded
from tests.emulator.timed import DOWN, MAIN, UP, TimedGpu

BAR = 1.3
"""Limit as a multiple of the larger of copies and kernels."""
N_VIEWS, SHAPE, N_CHUNKS = 64, (10, 12), 16
GRID = ImageGrid((16, 8, 8), (3.0, 3.0, 3.0))
SCAN = circular_cone(
    circle(N_VIEWS), source_axis_mm=60.0, source_detector_mm=90.0, shape=SHAPE, pixel_mm=6.0
)
PER_BYTE = 1.0
"""Seconds per byte on a slow bus."""
UP_S = 4.0 * N_VIEWS * SHAPE[0] * SHAPE[1] * PER_BYTE
DOWN_S = 4.0 * GRID.n_voxels * PER_BYTE


def in_time(kernels_s, monkeypatch, *, fewest=1, data=None):
    """Reconstruct on an emulated GPU with given kernel times, including copies from and to host."""

    monkeypatch.setattr(xray_device, "MIN_CHUNK_VIEWS", fewest)
    monkeypatch.setattr(xray_device, "MIN_CHUNK_BYTES", 0)
    gpu = TimedGpu(PER_BYTE)
    A = XrayTransform(SCAN, GRID, on=cuda(gpu), streams=True)
    data = np.ones((N_VIEWS, *SHAPE), np.float32) if data is None else data
    settings = FilterSettings()
    chunks = FilteredChunks(data, planned(data, SCAN, settings), settings, on=A.on)
    # one-time work ends before: with few pixels it would dominate
    A.back_project(chunks, weighting="fdk")
    filtering, projecting = chunks.made, ConeBack.back

    def made(values, views):
        gpu.spend(0.2 * kernels_s / N_VIEWS * len(views))
        return filtering(values, views)

    def back(kernels, projections, views, out, **where):
        gpu.spend(0.8 * kernels_s * out.size * len(views) / (GRID.n_voxels * N_VIEWS))
        projecting(kernels, projections, views, out, **where)

    monkeypatch.setattr(chunks, "made", made)
    monkeypatch.setattr(ConeBack, "back", back)
    gpu.start()
    return gpu, A.back_project(chunks, weighting="fdk")


@pytest.mark.parametrize("kernels", [0.3, 0.9, 1.0, 1.2, 3.0])
def test_queued_operations_take_the_modelled_time(kernels, monkeypatch):
    gpu, _ = in_time(kernels * UP_S, monkeypatch)
    larger = max(gpu.busy_s.values())
    assert gpu.busy_s[UP] >= UP_S and gpu.busy_s[DOWN] == DOWN_S
    assert gpu.seconds <= BAR * larger
    model = Timeline(
        [UP_S / N_CHUNKS] * N_CHUNKS, [gpu.busy_s[MAIN] / N_CHUNKS] * N_CHUNKS,
        [DOWN_S / SHARES_LEAVING] * SHARES_LEAVING,
    )  # fmt: skip
    assert gpu.seconds == pytest.approx(model.seconds, rel=0.03)


def test_operations_without_chunks_exceed_the_limit(monkeypatch):
    gpu, _ = in_time(UP_S, monkeypatch, fewest=N_VIEWS)
    assert gpu.seconds > BAR * max(gpu.busy_s.values())


def test_image_equals_that_of_the_cpu(monkeypatch, rng):
    data = rng.random((N_VIEWS, *SHAPE), np.float32)
    _, found = in_time(UP_S, monkeypatch, data=data)
    expected = fdk(data, SCAN, GRID, on=cpu(2))
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
@pytest.mark.parametrize("scan", SCANS, ids=lambda scan: scan.name)
def test_every_gpu_is_within_the_modelled_limit(scan, card):
    (back,) = (one for one in recorded() if one.work == "volume of CT, texture")
    found = timeline(scan, card, back)
    assert found.larger < found.seconds <= BAR * found.larger
    assert found.seconds < found.one_after_another


def test_timeline_of_one_chunk_is_sequential():
    assert Timeline([2.0], [3.0], [1.0]).seconds == 6.0
    # the second copy overlaps the first work, the first share overlaps the second
    assert Timeline([2.0, 2.0], [3.0, 4.0], [1.0, 1.0]).seconds == 2 + 3 + 4 + 1
    # a third copy waits for the first work to release its buffer
    assert Timeline([1.0, 1.0, 1.0], [5.0, 5.0, 5.0], [0.0]).seconds == 16.0
    assert Timeline([5.0, 5.0, 5.0], [1.0, 1.0, 1.0], [0.0]).seconds == 16.0
