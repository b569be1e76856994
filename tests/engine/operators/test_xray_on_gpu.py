"""X-ray projectors on a GPU: the values of the CPU, from any array, whole or in parts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.linalg import cg, lsqr

from engine.core.backend import cpu, cuda
from engine.core.backend.cupy_ring import MIN_BYTES
from engine.core.errors import DeviceError, DeviceMemoryError, ResourceError
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.cone.device_joseph_gather import JosephGather
from engine.operators.xray import device as xray_device
from engine.operators.xray.device import views_of_chunk
from engine.operators.xray.parts import pieces
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.scene import Scene
from engine.operators.xray.transform import XrayTransform
from tests.emulator import EmulatedGpu
from tests.engine.core.test_arrays import Foreign

GRID = ImageGrid((5, 7, 6), (1.5, 1.4, 1.3), (0.5, 1.0, -1.0))
CONE = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "shape": (6, 9), "pixel_mm": 2.0}
SCANS = {
    "upright cone": circular_cone(circle(5), **CONE),
    "tilted cone": circular_cone(circle(5), tilt_rad=(0.1, 0.2), **CONE),
    "parallel": parallel(circle(5), shape=(6, 9), pixel_mm=1.3),
}
FRACTIONS = 1 / 200
"""Effect of 8-bit fractions relative to the largest value: half of 1/256 along two axes."""


@pytest.fixture(params=["emulated", "reversed", pytest.param("card", marks=pytest.mark.gpu)])
def on(request):
    """Return emulated GPUs with exact fractions and both orders of threads, and a real GPU."""
    if request.param == "card":
        return cuda()
    return cuda(EmulatedGpu(exact_textures=True, reverse=request.param == "reversed"))


def tolerance(on):
    return 1e-5 if isinstance(on.gpu, EmulatedGpu) else FRACTIONS


def fields(rng, A):
    return rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)


def agree(got, want, most):
    np.testing.assert_allclose(got, want, rtol=0, atol=most * np.abs(want).max())


@pytest.mark.parametrize("name", SCANS)
def test_all_methods_give_the_values_of_the_cpu(rng, on, name):
    on_host, on_device = (XrayTransform(SCANS[name], GRID, on=device) for device in (cpu(2), on))
    x, y = fields(rng, on_host)
    for actual, expected, most in (
        (on_device(on.to_device(x)), on_host(x), 1e-5),
        (on_device.T(on.to_device(y)), on_host.T(y), 1e-5),
        *(
            (A.back_project(y, weighting=w), B.back_project(y, weighting=w), tolerance(on))
            for A, B, w in ((on_device, on_host, "fdk"), (on_device, on_host, "adjoint"))
        ),
    ):
        assert type(actual) is type(on.to_device(x))
        agree(on.to_host(actual), expected, most)
    for actual, expected in ((on_device(x), on_host(x)), (on_device.T(y), on_host.T(y))):
        assert type(actual) is np.ndarray
        agree(actual, expected, 1e-5)


def test_gathered_adjoint_of_many_slices_is_the_same_whole_or_in_parts(rng, on, monkeypatch):
    tall = replace(GRID, shape=(26, 7, 6))
    geometry = circular_cone(circle(5), **CONE | {"shape": (32, 9)})
    on_host = XrayTransform(geometry, tall, on=cpu(2))
    _, y = fields(rng, on_host)
    expected = on_host.T(y)
    whole = XrayTransform(geometry, tall, on=on, streams=False)
    agree(on.to_host(whole.T(y)), expected, 1e-5)
    assert isinstance(whole._projector._transposing(), JosephGather)
    # The weighted data take 5 views of 9 columns and 36 rows; then slabs and chunks.
    monkeypatch.setattr(xray_device, "USABLE", 9_000 / on.gpu.free_bytes())
    parted = XrayTransform(geometry, tall, on=on, streams=True)
    agree(parted.T(y), expected, 1e-5)


def test_faster_adjoint_reads_textures(rng, on):
    on_host, on_device = (
        XrayTransform(SCANS["upright cone"], GRID, on=device, adjoint="voxel")
        for device in (cpu(2), on)
    )
    x, y = fields(rng, on_host)
    agree(on.to_host(on_device(x)), on_host(x), tolerance(on))
    agree(on.to_host(on_device.T(y)), on_host.T(y), tolerance(on))


@pytest.mark.parametrize("name", SCANS)
def test_weights_of_the_adjoint_are_the_slants_of_the_rays(on, name):
    geometry = SCANS[name]
    views = range(1, 4)
    found = on.to_host(Scene(geometry, GRID).adjoint_weights(views, on.xp))
    for view, weights in zip(views, found, strict=True):
        ray = geometry.source_mm[view]
        if geometry.beam == "cone":
            ray = geometry.pixel_mm(view) - ray
        slant = np.linalg.norm(ray, axis=-1) / np.abs(ray @ geometry.normal[view])
        area = np.linalg.norm(np.cross(geometry.u_mm[view], geometry.v_mm[view]))
        expected = slant * np.prod(GRID.voxel_mm) / area
        np.testing.assert_allclose(weights, np.broadcast_to(expected, weights.shape), rtol=1e-6)


def test_arrays_can_be_on_host_or_device(rng, on):
    A = XrayTransform(SCANS["upright cone"], GRID, on=on)
    x, y = fields(rng, A)

    def back(values):
        return A.back_project(values, weighting="fdk")

    for operator, values in ((A, x), (back, y), (A.T, y)):
        expected = on.to_host(operator(on.to_device(values)))
        # Views of arrays are arrays as well.
        doubled = on.to_device(np.repeat(values.astype("f8"), 2, axis=0))[::2]
        for same in (values, Foreign(values), doubled):
            agree(on.to_host(operator(same)), expected, 1e-6 if operator is not back else 0)


@pytest.mark.parametrize("name", ["upright cone", "tilted cone"])
def test_box_of_the_volume_has_its_bits(rng, on, name):
    A = XrayTransform(SCANS[name], GRID, on=on)
    y = on.to_device(fields(rng, A)[1])
    volume = on.to_host(A.back_project(y, weighting="fdk"))
    for box in (np.s_[2:3, :, :], np.s_[:, 3:4, :], np.s_[1:4, 2:, 1:-1]):
        part = on.to_host(A.back_project(y, weighting="fdk", region=box))
        np.testing.assert_array_equal(part, volume[box])


@pytest.mark.parametrize(
    "variant",
    [
        BackVariant("pitched", "upright"),
        BackVariant("memory", "columns", (32, 4), projections="vcr"),
    ],
    ids=lambda variant: variant.texture,
)
def test_fastest_measured_variant_is_used(rng, on, variant, monkeypatch):
    monkeypatch.setattr(xray_device, "tuned_back", lambda *_: variant)
    on_host, on_device = (
        XrayTransform(SCANS["upright cone"], GRID, on=device) for device in (cpu(2), on)
    )
    _, y = fields(rng, on_host)
    whole = on.to_host(on_device.back_project(y, weighting="fdk"))
    agree(whole, on_host.back_project(y, weighting="fdk"), tolerance(on))
    box = np.s_[2:3, 1:, :]
    part = on.to_host(on_device.back_project(y, weighting="fdk", region=box))
    np.testing.assert_array_equal(part, whole[box])


def test_resident_projections_are_back_projected_repeatedly(rng, on):
    geometry = SCANS["upright cone"]
    A, resident = XrayTransform(geometry, GRID, on=on), ResidentProjections(geometry, GRID, on=on)
    one, other = (fields(rng, A)[1] for _ in range(2))
    box = np.s_[2:3, 1:5, :]
    resident.update(one)
    out = resident.back_project(box)
    agree(on.to_host(out), on.to_host(A.back_project(one, weighting="fdk", region=box)), 1e-5)

    graph = on.gpu.record(lambda: resident.back_project(box, out))
    resident.update(on.to_device(other[:2]), first=3)
    graph.launch()
    mixed = np.concatenate([one[:3], other[:2]])
    agree(on.to_host(out), on.to_host(A.back_project(mixed, weighting="fdk", region=box)), 1e-5)


def test_resident_projections_need_a_gpu():
    with pytest.raises(ResourceError, match="no textures"):
        ResidentProjections(SCANS["parallel"], GRID, on=cpu(1))


def test_subsets_are_rows_and_share_compiled_kernels(rng, on):
    A = XrayTransform(SCANS["upright cone"], GRID, on=on)
    x, y = fields(rng, A)
    whole = on.to_host(A(x))
    parts = [A.subset(k, 2) for k in range(2)]
    assert A.subset(1, 2) is parts[1]
    for k, part in enumerate(parts):
        np.testing.assert_array_equal(on.to_host(part(x)), whole[k::2])
    total = sum(on.to_host(part.T(on.to_device(y)[k::2])) for k, part in enumerate(parts))
    agree(total, on.to_host(A.T(y)), 1e-5)
    assert parts[0]._tools is A._tools


@pytest.mark.parametrize("adjoint", ["matched", "voxel"])
def test_parts_on_the_host_equal_the_whole(rng, on, adjoint, monkeypatch):
    resident = XrayTransform(SCANS["tilted cone"], GRID, on=on, adjoint=adjoint, streams=False)
    streamed = XrayTransform(SCANS["tilted cone"], GRID, on=on, adjoint=adjoint, streams=True)
    x, y = fields(rng, resident)
    expected = [on.to_host(resident(x)), on.to_host(resident.T(y))]
    expected += [on.to_host(resident.back_project(y, weighting="fdk"))]
    # A slab has two slices at most, and a chunk two views.
    monkeypatch.setattr(xray_device, "USABLE", 1500 / on.gpu.free_bytes())
    streamed = XrayTransform(SCANS["tilted cone"], GRID, on=on, adjoint=adjoint, streams=True)
    n_parts = []
    monkeypatch.setattr(xray_device, "parts_for", lambda *a: n_parts.append(cut(*a)) or n_parts[-1])
    actual = [streamed(x), streamed.T(y), streamed.back_project(y, weighting="fdk")]
    for one, other in zip(actual, expected, strict=True):
        assert type(one) is np.ndarray
        agree(one, other, 1e-5)
    assert all(len(parts.slabs) > 1 and len(parts.views) > 1 for parts in n_parts)


cut = xray_device.parts_for


def test_lack_of_memory_leads_to_smaller_parts(rng):
    gpu = EmulatedGpu(exact_textures=True)
    grid = ImageGrid((12, 20, 20), (1.0, 1.0, 1.0))
    on_host, on_device = (
        XrayTransform(SCANS["upright cone"], grid, on=on, **options)
        for on, options in ((cpu(2), {}), (cuda(gpu), {"streams": True}))
    )
    x, y = fields(rng, on_host)
    expected = on_host(x), on_host.T(y), on_host.back_project(y, weighting="fdk")
    on_device(x)  # compiles, and uploads the geometry
    on_device.back_project(y, weighting="fdk")
    gpu.memory_limit = gpu.memory.used_bytes + 8_000  # the volume needs 19,200
    on_device._projector._share = 2.0  # as if other programs had just used the free memory
    for actual, whole in zip(
        (on_device(x), on_device.T(y), on_device.back_project(y, weighting="fdk")),
        expected,
        strict=True,
    ):
        agree(actual, whole, 1e-5)
    assert on_device._projector._share < 1


def test_too_little_memory_gives_one_sentence(rng):
    gpu = EmulatedGpu()
    A = XrayTransform(SCANS["upright cone"], GRID, on=cuda(gpu), streams=True)
    B = XrayTransform(SCANS["upright cone"], GRID, on=cuda(gpu), streams=False)
    x, _ = fields(rng, A)
    A(x)
    gpu.memory_limit = gpu.memory.used_bytes + 100
    for operator in (A, B):
        with pytest.raises(DeviceMemoryError, match=r"does not fit.*larger voxels.*use the CPU"):
            operator(x)


def test_large_volumes_are_streamed_automatically():
    gpu = EmulatedGpu(memory_limit=4_000)
    assert XrayTransform(SCANS["upright cone"], GRID, on=cuda(gpu)).streams
    gpu.memory_limit = 100_000
    assert not XrayTransform(SCANS["upright cone"], GRID, on=cuda(gpu)).streams
    assert not XrayTransform(SCANS["upright cone"], GRID, on=cpu(1), streams=True).streams


def test_failed_launch_is_reported(rng):
    gpu = EmulatedGpu(fail_at_launch=2)
    A = XrayTransform(SCANS["upright cone"], GRID, on=cuda(gpu))
    x, _ = fields(rng, A)
    with pytest.raises(DeviceError, match="launch failure"):
        A.T(A(x))


def test_scipy_solvers_work_with_it(rng, on):
    A = XrayTransform(circular_cone(circle(12), **CONE), GRID, on=on)
    x, _ = fields(rng, A)
    flat = A.as_scipy("float64")
    y = flat @ x.ravel()
    found = lsqr(flat, y, iter_lim=60)[0].reshape(GRID.shape)
    agree(on.to_host(A(found.astype("f4"))).ravel(), y, 1e-2)
    normal, _ = cg(flat.T @ flat, flat.T @ y, maxiter=30)
    assert type(normal) is np.ndarray
    agree(flat @ normal, y, 1e-2)


@pytest.mark.gpu
def test_cupy_solvers_work_with_it(rng):
    from cupyx.scipy.sparse.linalg import lsmr

    on = cuda()
    A = XrayTransform(circular_cone(circle(12), **CONE), GRID, on=on)
    x, _ = fields(rng, A)
    flat = A.as_cupyx()
    y = flat @ on.to_device(x).ravel()
    found = lsmr(flat, y, maxiter=60)[0]
    agree(on.to_host(flat @ found), on.to_host(y), 5e-3)


def test_progress_and_amounts_are_reported(rng, on, monkeypatch):
    message, profiler = [], Profiler(on)
    monkeypatch.setattr(xray_device, "UPDATES_PER_CHUNK", 2 * GRID.n_voxels)
    A = XrayTransform(
        SCANS["upright cone"],
        GRID,
        on=on,
        profiler=profiler,
        on_progress=lambda *now: message.append(now),
    )
    _, y = fields(rng, A)
    A.back_project(y, weighting="fdk")
    assert message[-1] == (5, 5) and len(message) == 3
    back, upload = (profiler.snapshot().stage(key) for key in ("back", "upload"))
    assert (back.events, back.unit) == (5 * GRID.n_voxels, "voxel updates")
    assert (upload.events, upload.unit, upload.bytes) == (y.size, "pixels", y.nbytes)
    A(on.to_device(np.zeros(GRID.shape, "f4")))
    forward = profiler.snapshot().stage("forward")
    assert (forward.events, forward.unit) == (y.size, "rays")


@pytest.mark.parametrize("n_views", [96, 129, 191, 360, 2000])
@pytest.mark.parametrize("edge", [64, 256, 1024])
def test_views_from_the_host_arrive_in_page_locked_chunks(n_views, edge):
    view_bytes = 4 * edge**2
    chunks = pieces(n_views, views_of_chunk(n_views, 1.0, arriving_bytes=view_bytes))
    assert len(chunks) == 1 or min(map(len, chunks)) * view_bytes >= MIN_BYTES
