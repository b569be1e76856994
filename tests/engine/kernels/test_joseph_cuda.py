"""Joseph's projector for the GPU, run as text on the CPU, equals its twin and closed forms."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, helical, parallel
from engine.kernels.cone.device_joseph import InMemory, Joseph, Lines
from engine.kernels.cone.joseph_variants import MAX_VIEWS, JosephVariant
from engine.kernels.units import value_unit
from engine.operators.xray.transform import XrayTransform
from tests.emulator import EmulatedGpu
from tests.emulator.sanitizer import assert_runs_sanitized

RTOL = 1e-5  # relative to the maximum: the sums have another order
EIGHT_BITS = 3e-3  # largest error by 8-bit texture fractions
GRID = ImageGrid((13, 17, 19), (1.5, 1.4, 1.3), (1.0, 2.0, -3.0))
PLAIN = JosephVariant("memory", 8, 4, views_per_launch=3)
VARIANTS = [
    PLAIN,
    JosephVariant("memory", 16, 2, rows_per_thread=3, layers_per_launch=7, sums="fixed"),
    JosephVariant("array", 32, 1, rows_per_thread=2, views_per_launch=2),
]


def scan(n_views=8, angles=None, **options):
    """Return a circle of views."""
    known = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "shape": (14, 18), "pixel_mm": 2.0}
    return circular_cone(circle(n_views) if angles is None else angles, **{**known, **options})


CUBES = replace(GRID, voxel_mm=(1.5, 1.5, 1.5), centre_mm=(0.0, 0.0, 0.0))
ONTO_ITS_SIDE = [[1, 0, 0], [0, np.cos(0.8), -np.sin(0.8)], [0, np.sin(0.8), np.cos(0.8)]]
DIAGONAL = np.pi / 4 + np.array([1e-9, -1e-9, 1e-7, -1e-7, np.pi / 2 + 1e-9])
SCENES = {
    "cone": (scan(), GRID),
    "tilted": (scan(roll_rad=0.2, tilt_rad=(0.3, -0.2)), GRID),
    "near": (scan(5, source_axis_mm=18.0, source_detector_mm=30.0, pixel_mm=5.0), GRID),
    "steep": (scan(6).moved(ONTO_ITS_SIDE, (2.0, 0.0, 0.0)), GRID),
    "helical": (
        helical(
            circle(6), pitch_mm=20.0, source_axis_mm=60.0, source_detector_mm=90.0,
            shape=(6, 18), pixel_mm=3.0,
        ),
        GRID,
    ),
    "parallel": (parallel(circle(8), shape=(14, 18), pixel_mm=1.6), CUBES),
    # The shape is even along one axis. Otherwise the layers of both axes would meet the diagonal at
    # the same points.
    "diagonal": (scan(angles=DIAGONAL, shape=(14, 17)), replace(CUBES, shape=(13, 17, 18))),
    "one row": (
        fan(circle(8), source_axis_mm=60.0, source_detector_mm=90.0, n_columns=30, pixel_mm=1.5),
        replace(CUBES, shape=(1, 17, 19)),
    ),
    "far source": (scan(5, source_axis_mm=1e6, source_detector_mm=1e6 + 50, pixel_mm=1.3), GRID),
}  # fmt: skip


class Device:
    """The projector of one scene on the emulated GPU."""

    def __init__(self, variant, geometry, grid, **options):
        self.gpu = EmulatedGpu(**options)
        self.kernels = Joseph(self.gpu, variant, Profiler(cuda(self.gpu)))
        self.grid, self.out_shape = grid, (geometry.n_views, *geometry.shape)
        self.lines = Lines.upload(
            self.gpu, rays_of(geometry, grid), geometry.shape, grid.shape, grid.voxel_mm
        )

    def on_device(self, x):
        if self.kernels.variant.texture == "memory":
            return InMemory.of(self.gpu, self.gpu.upload(x))
        texture = self.gpu.texture("array", x.shape)
        texture.update(self.gpu.upload(x))
        return texture

    def forward(self, x, corner=(0, 0, 0)):
        out = self.gpu.upload(np.full(self.out_shape, np.nan, np.float32))
        self.kernels.forward(self.on_device(x), self.lines, out, corner=corner)
        return self.gpu.download(out)

    def back(self, y, shape=None, corner=(0, 0, 0)):
        shape = shape or self.grid.shape
        sums = self.gpu.empty(shape, self.kernels.variant.sum_dtype)
        self.gpu.zero(sums)
        unit = value_unit(float(np.abs(y).sum()) * 10)
        self.kernels.back(self.gpu.upload(y), self.lines, sums, corner=corner, unit=unit)
        if sums.dtype == np.float32:
            return self.gpu.download(sums)
        out = self.gpu.empty(shape, np.float32)
        self.kernels.collect(sums, unit, out)
        return self.gpu.download(out)


def rays_of(geometry, grid):
    """Return (n_views, 6, 3) start and direction of the ray to pixel (0, 0), and steps [voxels]."""
    voxel, still = np.array(grid.voxel_mm), np.zeros((geometry.n_views, 3))
    u, v = geometry.u_mm / voxel, geometry.v_mm / voxel
    pixel = grid.to_voxels(geometry.corner_mm) + (u + v) / 2
    if geometry.beam == "parallel":
        return np.stack([pixel, u, v, geometry.source_mm / voxel, still, still], axis=1)
    source = grid.to_voxels(geometry.source_mm)
    return np.stack([source, still, still, pixel - source, u, v], axis=1)


def fields(grid, out_shape):
    rng = np.random.default_rng(5)
    return rng.random(grid.shape, np.float32), rng.standard_normal(out_shape).astype(np.float32)


@cache
def twin(scene):
    """Return image, values, and their results on the CPU."""
    geometry, grid = SCENES[scene]
    A = XrayTransform(geometry, grid, on=cpu(2))
    x, y = fields(grid, A.out_shape)
    return x, y, A(x), A.T(y)


def assert_close(found, expected, rtol=RTOL):
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize("reverse", [False, True], ids=["", "reverse"])
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.texture}-{v.sums}")
@pytest.mark.parametrize("scene", SCENES)
def test_every_joseph_kernel_equals_its_twin_in_both_orders_of_threads(scene, variant, reverse):
    x, y, forward, back = twin(scene)
    device = Device(variant, *SCENES[scene], reverse=reverse, exact_textures=True)

    assert_close(device.forward(x), forward)
    assert_close(device.back(y), back)


def test_scenes_contain_rays_along_every_axis():
    for scene, axes in (("cone", {0, 1}), ("steep", {0, 1, 2}), ("near", {0, 1, 2})):
        geometry, grid = SCENES[scene]
        rays = rays_of(geometry, grid)[:, :, None, None]
        rows, columns = (np.arange(n)[:, None] for n in geometry.shape)
        along = rays[:, 3] + rows[:, None] * rays[:, 5] + columns * rays[:, 4]
        main = np.abs(along).argmax(axis=-1)
        assert set(main.flat) == axes


def test_eight_bit_fractions_have_a_small_error():
    x, _, forward, _ = twin("cone")
    found = Device(VARIANTS[2], *SCENES["cone"]).forward(x)

    assert_close(found, forward, EIGHT_BITS)
    assert np.abs(found - forward).max() > RTOL * forward.max()


@pytest.mark.parametrize("texture", ["memory", "array"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_uniform_box_along_an_axis_gives_its_length(axis, texture):
    ray, u, v = np.roll(np.eye(3), -axis, axis=0)
    geometry = replace(
        parallel([0.0], shape=(5, 6), pixel_mm=1.0),
        source_mm=ray[None], detector_mm=50.0 * ray[None], u_mm=u[None], v_mm=v[None],
    )  # fmt: skip
    grid = ImageGrid((12, 10, 11), (1.5, 1.25, 1.75))
    device = Device(replace(PLAIN, texture=texture), geometry, grid)

    values = device.forward(np.full(grid.shape, 2, np.float32))

    np.testing.assert_allclose(values, 2 * grid.size_mm[axis], rtol=1e-6)


@pytest.mark.parametrize("scene", SCENES)
def test_adjoint_is_the_transpose_of_the_integrals_from_memory(scene):
    x, y, *_ = twin(scene)
    y = np.abs(y)
    device = Device(PLAIN, *SCENES[scene])

    one = np.vdot(device.forward(x).astype("f8"), y)
    other = np.vdot(x, device.back(y).astype("f8"))

    assert one == pytest.approx(other, rel=1e-6)


def boxes(shape):
    """Return corner and shape of eight boxes of a volume; some are one slice thin."""
    cuts = [(0, 1, n) if n % 2 else (0, n // 2, n) for n in shape]
    spans = [list(pairwise(c)) for c in cuts]
    for corner in np.ndindex(2, 2, 2):
        each = [spans[axis][i] for axis, i in enumerate(corner)]
        yield tuple(a for a, _ in each), tuple(slice(a, b) for a, b in each)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v.texture}-{v.sums}")
@pytest.mark.parametrize("scene", ["cone", "tilted", "steep"])
def test_boxes_add_up_to_the_whole(scene, variant):
    x, y, forward, back = twin(scene)
    device = Device(variant, *SCENES[scene], exact_textures=True)
    total = device.gpu.empty(device.out_shape, np.float32)
    for i, (corner, part) in enumerate(boxes(x.shape)):
        volume = device.on_device(np.ascontiguousarray(x[part]))
        device.kernels.forward(volume, device.lines, total, corner=corner, accumulate=i > 0)
        assert_close(device.back(y, x[part].shape, corner), back[part], 2 * RTOL)

    assert_close(device.gpu.download(total), forward)


def test_views_can_be_processed_in_parts():
    x, y, forward, back = twin("cone")
    device = Device(PLAIN, *SCENES["cone"])
    out = device.gpu.upload(np.full(device.out_shape, -1, np.float32))
    part, values = device.lines.part(2, 7), device.gpu.upload(y)
    sums = device.gpu.upload(np.ones(device.grid.shape, np.float32))

    device.kernels.forward(device.on_device(x), part, out[2:7])
    for start, stop in ((0, 2), (2, 7), (7, 8)):
        device.kernels.back(values[start:stop], device.lines.part(start, stop), sums)

    found = device.gpu.download(out)
    assert_close(found[2:7], forward[2:7])
    assert (found[[0, 1, 7]] == -1).all()
    assert_close(device.gpu.download(sums) - 1, back)


def test_fixed_sums_have_the_same_bits_for_any_launches():
    _, y, *_ = twin("cone")
    geometry, grid = SCENES["cone"]
    forms = [
        replace(VARIANTS[1], columns=8, rows=8, rows_per_thread=1, layers_per_launch=0),
        replace(VARIANTS[1], views_per_launch=1),
        VARIANTS[1],
    ]
    one, *others = (
        Device(form, geometry, grid, reverse=reverse).back(y)
        for form in forms
        for reverse in (False, True)
    )
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_recorded_projector_sends_its_views_again():
    x, y, forward, back = twin("cone")
    device = Device(PLAIN, *SCENES["cone"])  # three launches with consecutive views
    gpu, lines = device.gpu, device.lines
    volume, values = device.on_device(np.zeros_like(x)), gpu.upload(y)
    out, sums = gpu.empty(device.out_shape, np.float32), gpu.empty(x.shape, np.float32)

    def work():
        gpu.zero(sums)
        device.kernels.forward(volume, lines, out)
        device.kernels.back(values, lines, sums)

    graph = gpu.record(work)
    gpu.upload(x, out=volume.values)
    gpu.upload(np.ascontiguousarray(x.transpose(0, 2, 1)), out=volume.turned)
    graph.launch()
    graph.launch()

    assert_close(gpu.download(out), forward)
    assert_close(gpu.download(sums), back)


def test_launch_size_is_limited_by_work(monkeypatch):
    device = Device(replace(PLAIN, views_per_launch=8), *SCENES["cone"])
    n_samples = 14 * 18 * 19
    for samples, views in ((n_samples * 100, 8), (n_samples * 3, 3), (1, 1)):
        monkeypatch.setattr("engine.kernels.cone.device_joseph.SAMPLES_PER_LAUNCH", samples)
        assert device.kernels.views_per_launch(device.lines, GRID.shape) == views


def test_more_views_than_constant_memory_holds_are_refused():
    JosephVariant(views_per_launch=MAX_VIEWS)
    with pytest.raises(ValueError, match=rf"1 to {MAX_VIEWS}"):
        JosephVariant(views_per_launch=MAX_VIEWS + 1)


def test_kernels_stay_within_their_arrays():
    """Run every form once under AddressSanitizer, in a process that loads it at the start."""
    code = """
from tests.engine.kernels.test_joseph_cuda import SCENES, VARIANTS, Device, fields
for scene in ("near", "one row"):
    for variant in VARIANTS:
        device = Device(variant, *SCENES[scene], sanitize=True)
        x, y = fields(device.grid, device.out_shape)
        device.forward(x)
        device.back(y)
"""
    assert_runs_sanitized(code)
