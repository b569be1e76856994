"""Filtered projections on a GPU: the numbers of the CPU, lying where the measured ones lie."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DataError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.recon.filtering import projections
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings
from tests.emulator import EmulatedGpu
from tests.engine.recon.filtering.ellipsoids import ball, integrals

CONE = {"source_axis_mm": 500.0, "source_detector_mm": 750.0, "shape": (6, 40), "pixel_mm": 2.0}
SCANS = {
    "cone": circular_cone(circle(9), **CONE),
    "half fan": circular_cone(circle(9), axis_column=12.0, **CONE),
    "short scan": circular_cone(np.radians(np.arange(0, 220, 20.0)), **CONE),
    "moving detector": circular_cone(circle(9), **CONE).shifted(columns=np.sin(np.arange(9.0))),
    "parallel": parallel(np.radians(np.arange(0, 180, 20.0)), shape=(6, 40), pixel_mm=2.0),
}


@pytest.mark.parametrize("soften", [False, True])
@pytest.mark.parametrize("name", SCANS)
def test_rows_are_those_of_the_cpu(on_gpu, name, soften, monkeypatch):
    monkeypatch.setattr(projections, "_GPU_CHUNK_BYTES", 4 * 6 * 80 * 4)  # four views at a time
    geometry = SCANS[name]
    data = integrals(geometry, [ball(60.0, (5.0, 3.0, 0.0))])  # wider than the detector
    settings = FilterSettings(window="hann", soften_rows=soften)
    plan, rows = planned(data, geometry, settings), slice(1, 5)
    assert any(plan.continued)
    want = filtered(data, plan, settings, rows=rows, on=cpu(2))

    there = on_gpu.to_device(data)
    again = planned(there, geometry, settings)
    assert (again.continued, again.messages) == (plan.continued, plan.messages)
    got = filtered(there, plan, settings, rows=rows, on=on_gpu)
    assert type(got) is type(there)
    # a card's transforms round otherwise, by the rows that go in, of which the ramp leaves a tenth:
    # 2.8e-6 was seen
    rtol = 2e-6 if isinstance(on_gpu.gpu, EmulatedGpu) else 5e-6
    np.testing.assert_allclose(on_gpu.to_host(got), want, atol=rtol * np.abs(want).max())

    of_host = filtered(data, plan, settings, rows=rows, on=on_gpu)
    assert type(of_host) is np.ndarray
    np.testing.assert_array_equal(of_host, on_gpu.to_host(got))


def test_faulty_projections_are_refused_there_too(on_gpu):
    data = np.zeros((9, 6, 40), np.float32)
    data[3, 4, 5] = np.inf
    with pytest.raises(DataError, match="1 of 2160"):
        planned(on_gpu.to_device(data), SCANS["cone"], FilterSettings())


@pytest.mark.parametrize("memory", [1 << 30, 26_000])
def test_fdk_in_one_call_is_that_of_the_cpu(memory):
    geometry, grid = SCANS["half fan"], ImageGrid((6, 12, 12), (4.0, 4.0, 4.0))
    data, region = integrals(geometry, [ball(20.0)]), np.s_[2:5, :, 3:]
    want = fdk(data, geometry, grid, on=cpu(2), region=region)
    on = cuda(EmulatedGpu(exact_textures=True, memory_limit=memory))
    got = fdk(data, geometry, grid, on=on, region=region)
    assert (type(got) is np.ndarray) == (memory < 1 << 30)  # what is large streams
    np.testing.assert_allclose(on.to_host(got), want, rtol=0, atol=1e-5 * want.max())
