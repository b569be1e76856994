"""Projections filtered on a GPU equal those of the CPU and stay in GPU memory."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DataError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.recon.filtering import design, projections, truncation
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.orbit import orbit_of
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
def test_rows_equal_those_of_the_cpu(on_gpu, name, soften, monkeypatch):
    monkeypatch.setattr(projections, "_GPU_CHUNK_BYTES", 4 * 6 * 80 * 4)  # four views at a time
    geometry = SCANS[name]
    data = integrals(geometry, [ball(60.0, (5.0, 3.0, 0.0))])  # wider than the detector
    settings = FilterSettings(window="hann", soften_rows=soften)
    plan, rows = planned(data, geometry, settings), slice(1, 5)
    assert any(plan.continued)
    expected = filtered(data, plan, settings, rows=rows, on=cpu(2))

    there = on_gpu.to_device(data)
    again = planned(there, geometry, settings)
    assert (again.continued, again.messages) == (plan.continued, plan.messages)
    actual = filtered(there, plan, settings, rows=rows, on=on_gpu)
    assert type(actual) is type(there)
    # A GPU rounds differently in its transforms, relative to the input rows. The ramp reduces their
    # values to a tenth. Largest measured error: 2.8e-6.
    rtol = 2e-6 if isinstance(on_gpu.gpu, EmulatedGpu) else 5e-6
    np.testing.assert_allclose(on_gpu.to_host(actual), expected, atol=rtol * np.abs(expected).max())

    of_host = filtered(data, plan, settings, rows=rows, on=on_gpu)
    assert type(of_host) is np.ndarray
    np.testing.assert_array_equal(of_host, on_gpu.to_host(actual))


def test_faulty_projections_are_refused_on_the_gpu(on_gpu):
    data = np.zeros((9, 6, 40), np.float32)
    data[3, 4, 5] = np.inf
    with pytest.raises(DataError, match="1 of 2160"):
        planned(on_gpu.to_device(data), SCANS["cone"], FilterSettings())


@pytest.mark.parametrize("memory", [1 << 30, 26_000])
def test_fdk_in_one_call_equals_that_of_the_cpu(memory):
    geometry, grid = SCANS["half fan"], ImageGrid((6, 12, 12), (4.0, 4.0, 4.0))
    data, region = integrals(geometry, [ball(20.0)]), np.s_[2:5, :, 3:]
    expected = fdk(data, geometry, grid, on=cpu(2), region=region)
    on = cuda(EmulatedGpu(exact_textures=True, memory_limit=memory))
    actual = fdk(data, geometry, grid, on=on, region=region)
    assert (type(actual) is np.ndarray) == (memory < 1 << 30)  # large volumes are streamed
    np.testing.assert_allclose(on.to_host(actual), expected, rtol=0, atol=1e-5 * expected.max())


def test_edges_of_a_scan_are_copied_once(on_gpu, monkeypatch):
    copies, to_host = [], truncation.to_host
    monkeypatch.setattr(truncation, "to_host", lambda x: copies.append(x.shape) or to_host(x))
    data = integrals(SCANS["cone"], [ball(60.0)])
    cut = truncation.cut_sides(on_gpu.to_device(data))
    assert copies == [(5,)]
    assert cut == truncation.cut_sides(data) == (True, True)


def test_gpu_inspects_values_while_the_geometry_is_examined(on_gpu, monkeypatch):
    order: list[str] = []

    def noted(module, name):
        true = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: order.append(name) or true(*given))

    for module, name in (
        *((truncation, "edge_levels"), (truncation, "are_cut")),
        *((design, "orbit_of"), (design, "edges")),
    ):
        noted(module, name)
    planned(on_gpu.to_device(np.ones((9, 6, 40))), SCANS["cone"], FilterSettings())
    assert order == ["edge_levels", "orbit_of", "edges", "are_cut"]


@pytest.mark.parametrize("name", SCANS)
def test_density_of_lines_is_computed_on_the_device(on_gpu, name):
    orbit = orbit_of(SCANS[name])
    there = projections.density(orbit, 2, on_gpu.xp)
    assert type(there) is type(on_gpu.to_device(np.ones(1)))
    expected = projections.density(orbit, 2)
    np.testing.assert_allclose(on_gpu.to_host(there), expected, rtol=1e-14)


def test_rows_on_a_gpu_are_as_long_as_their_transform(on_gpu, monkeypatch):
    lengths, filter_rows = [], projections.filter_rows

    def noted(rows, factors, length):
        lengths.append((rows.shape[-1], length))
        return filter_rows(rows, factors, length)

    monkeypatch.setattr(projections, "filter_rows", noted)
    geometry, settings = SCANS["half fan"], FilterSettings()
    data = on_gpu.to_device(integrals(geometry, [ball(60.0)]))
    filtered(data, planned(data, geometry, settings), settings, on=on_gpu)
    assert lengths and all(n == length for n, length in lengths)
