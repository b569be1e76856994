"""Joseph's adjoint by gathering, run as text on the CPU, equals its twin and the transpose."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cuda
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.kernels.cone import device_joseph_gather
from engine.kernels.cone.device_joseph_gather import JosephGather, fitting, rows_of_voxels
from engine.kernels.cone.joseph_variants import GatherVariant, gather_variants
from engine.operators.xray.scene import Scene
from tests.emulator import nvrtc
from tests.emulator.registers import any_two, cards_for
from tests.emulator.sanitizer import assert_runs_sanitized
from tests.engine.kernels.test_joseph_compiles import assert_compiles
from tests.engine.kernels.test_joseph_cuda import (
    PLAIN,
    SCENES,
    Device,
    assert_close,
    rays_of,
    twin,
)
from tests.tolerances import FLOAT64_SUMS

UPRIGHT = ("cone", "helical", "parallel", "diagonal", "one row", "far source")
FORMS = [GatherVariant(5, 1, 2, 3), GatherVariant(6, 3, 8, 64)]


def gathered(scene, form, shape=None, corner=(0, 0, 0), **options):
    """Return the adjoint of the scene's values on the emulated GPU."""
    device = Device(PLAIN, *SCENES[scene], **options)
    kernels = JosephGather(device.gpu, form, Profiler(cuda(device.gpu)))
    out = device.gpu.upload(np.full(shape or device.grid.shape, np.nan, np.float32))
    kernels.transposed(device.gpu.upload(twin(scene)[1]), device.lines, out, corner=corner)
    return device.gpu.download(out)


@pytest.mark.parametrize("reverse", [False, True], ids=["", "reverse"])
@pytest.mark.parametrize("form", FORMS, ids=["one voxel", "three voxels"])
@pytest.mark.parametrize("scene", UPRIGHT)
def test_every_gather_kernel_equals_its_twin_in_both_orders_of_threads(scene, form, reverse):
    assert_close(gathered(scene, form, reverse=reverse), twin(scene)[3])


@pytest.mark.parametrize("scene", ["cone", "diagonal", "parallel"])
def test_gathered_adjoint_is_the_transpose_of_the_integrals_from_memory(scene):
    x, y, *_ = twin(scene)
    forward = Device(PLAIN, *SCENES[scene]).forward(x).astype("f8")

    one, other = np.vdot(forward, y), np.vdot(x, gathered(scene, FORMS[0]).astype("f8"))

    assert one == pytest.approx(other, abs=1e-6 * np.vdot(forward, np.abs(y)))


def test_boxes_are_parts_of_the_whole_bit_by_bit():
    whole = gathered("cone", FORMS[0])
    part = gathered("cone", FORMS[0], (5, 9, 8), (3, 6, 11))

    np.testing.assert_array_equal(part, whole[3:8, 6:15, 11:])


def test_views_can_be_processed_in_parts_and_launches(monkeypatch):
    _, y, _, back = twin("cone")
    device = Device(PLAIN, *SCENES["cone"])
    kernels = JosephGather(device.gpu, FORMS[1], Profiler(cuda(device.gpu)))
    monkeypatch.setattr(device_joseph_gather, "UPDATES_PER_LAUNCH", 2 * back.size)
    values, out = device.gpu.upload(y), device.gpu.upload(np.full(back.shape, np.nan, "f4"))
    for start, stop in ((0, 3), (3, 8)):
        some = device.lines.part(start, stop)
        kernels.transposed(values[start:stop], some, out, accumulate=start > 0)

    assert_close(device.gpu.download(out), back)
    # Launches weight the pixels of two views and then gather them, for parts of three and of five
    # views.
    assert device.gpu.n_launches == 2 * (2 + 3)


def scan(**options):
    known = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "shape": (50, 18)}
    return circular_cone(circle(8), **{**known, "pixel_mm": 2.0, **options})


TALL = ImageGrid((40, 9, 8), (1.5, 1.4, 1.3))
REFUSED = {
    "tilted": (scan(tilt_rad=(0.1, 0.0)), TALL),
    "steep": (scan(source_axis_mm=20.0, source_detector_mm=40.0), TALL),
    "few slices": (scan(), replace(TALL, shape=(23, 9, 8))),
    "wide pixels": (scan(pixel_mm=5.0, shape=(20, 8)), TALL),
    "narrow pixels": (scan(pixel_mm=0.5, shape=(180, 60)), TALL),
    "a source inside": (
        scan(source_axis_mm=5.0, source_detector_mm=300.0, pixel_mm=3.0),
        TALL,
    ),
}


def form_of(geometry, grid):
    return fitting(Scene(geometry, grid).rays, geometry.shape, grid.shape)


@pytest.mark.parametrize("name", REFUSED)
def test_gathering_is_not_used_if_adding_by_rays_is_faster(name):
    assert form_of(scan(), TALL) == GatherVariant(3, 2)
    assert form_of(*REFUSED[name]) is None


def test_projected_height_of_a_voxel_is_bounded():
    geometry = circular_cone(
        [0.0], source_axis_mm=100.0, source_detector_mm=150.0, shape=(50, 18), pixel_mm=2.0
    )
    rays = rays_of(geometry, TALL)
    # The farthest and nearest faces of 8 voxels of 1.5 mm.
    expected = [1.3 * 150 / (100 + side * 6.0) / 2.0 for side in (1, -1)]
    np.testing.assert_allclose(rows_of_voxels(rays, TALL.shape), expected, rtol=FLOAT64_SUMS)
    flat = parallel([0.3], shape=(50, 18), pixel_mm=1.2)
    np.testing.assert_allclose(rows_of_voxels(rays_of(flat, TALL), TALL.shape), 1.3 / 1.2)


@pytest.mark.parametrize(("n_slices", "voxels"), [(24, 1), (64, 2), (96, 3), (100, 4), (512, 4)])
def test_number_of_voxels_per_thread_leaves_few_lanes_idle(n_slices, voxels):
    form = form_of(scan(shape=(50, 18)), replace(TALL, shape=(n_slices, 9, 8), voxel_mm=(1.4,) * 3))
    if n_slices <= 64:  # rays through taller volumes are too steep
        assert form.voxels_per_thread == voxels
    assert device_joseph_gather._voxels_of_thread(n_slices) == voxels


needs_nvrtc = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)


@needs_nvrtc
def test_all_pairs_of_settings_compile_without_spills():
    for variant in any_two(gather_variants()):
        for arch in cards_for(variant):
            assert_compiles(variant, arch)


@needs_nvrtc
@pytest.mark.slow
def test_every_form_compiles_without_spills():
    for variant in gather_variants():
        for arch in cards_for(variant):
            assert_compiles(variant, arch)


@needs_nvrtc
@pytest.mark.parametrize("arch", [75, 90, 120])
def test_compiled_kernel_equals_its_twin(arch):
    assert_close(gathered("cone", FORMS[0], ptx=arch), twin("cone")[3])


def test_kernels_stay_within_their_arrays():
    """Run both forms once under AddressSanitizer, in a process that loads it at the start."""
    code = """
from tests.engine.kernels.test_joseph_gather_cuda import FORMS, gathered
for scene in ("cone", "one row", "helical"):
    for form in FORMS:
        gathered(scene, form, sanitize=True)
"""
    assert_runs_sanitized(code)
