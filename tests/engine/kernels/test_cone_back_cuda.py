"""Every form of the voxel-driven GPU back projection equals its Numba twin and closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone import device_cone
from engine.kernels.cone.cone_variants import (
    MAX_SHARED_BYTES,
    MAX_VIEWS,
    BackVariant,
    back_variants,
    fitted,
)
from engine.kernels.cone.device_cone import ConeBack
from engine.kernels.tuning import UNMEASURED_BACK
from engine.operators.xray.transform import XrayTransform
from tests.emulator import EmulatedGpu, nvrtc
from tests.emulator.registers import cards_for
from tests.emulator.sanitizer import assert_runs_sanitized

GRID = ImageGrid((13, 9, 11), (1.5, 1.4, 1.3), (1.0, 2.0, -3.0))
DETECTOR = (17, 15)
"""The detector is too small for the volume: voxels project to its edges and beyond."""
N_VIEWS = 7
RTOL = 1e-5  # relative to the maximum: float32
REGISTERS_OF_A_BLOCK = 65536

with_nvrtc = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
REGISTERS_OF_A_BLOCK = 65536

with_nvrtc = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
REVERSED = pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reversed"])


def scan(*, tilt=0.0, beam="cone", n_views=N_VIEWS, source=40.0):
    """Return a circle of views; `tilt` is the angle between detector rows and z."""
    angle = 0.1 + np.arange(n_views) * 2 * np.pi / n_views
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(n_views)
    out, up = np.stack([c, s, o], axis=1), np.stack([o, o, o + 1], axis=1)
    return XrayGeometry(
        beam=beam,
        source_mm=source * out if beam == "cone" else -out,
        detector_mm=-20.0 * out + 0.3 * up,
        u_mm=1.6 * np.stack([-s, c, o], axis=1),
        v_mm=1.8 * (np.cos(tilt) * up + np.sin(tilt) * out),
        shape=DETECTOR,
    )


def images(n_views=N_VIEWS):
    return np.random.default_rng(5).random((n_views, *DETECTOR), np.float32)


def twin(geometry, y, grid=GRID):
    return XrayTransform(geometry, grid, on=cpu(2)).back_project(y, weighting="fdk")


def geometry_for(variant, **options):
    return scan(tilt=0.2 if variant.path == "general" else 0.0, **options)


class Run:
    """A variant on a GPU, ready to back-project one scan."""

    def __init__(self, variant, geometry, y, *, gpu=None, grid=GRID):
        self.gpu = gpu or EmulatedGpu(exact_textures=True)
        self.variant = variant
        self.cone = ConeBack(self.gpu, variant, Profiler(cuda(self.gpu)))
        self.views = self.cone.views(geometry.in_voxels(grid), grid.shape, geometry.shape)
        values = np.ascontiguousarray(y.transpose(["vrc".index(a) for a in variant.projections]))
        self.projections = self.gpu.upload(values)
        if variant.texture != "memory":
            on_device = self.projections
            self.projections = self.gpu.texture(variant.texture, values.shape)
            self.projections.update(on_device)
        self.grid = grid

    def __call__(self, *, region=(slice(None),) * 3, out=None, **options):
        """Back-project into a box; return (n_z, n_y, n_x) on the host."""
        box = [range(n)[part] for n, part in zip(self.grid.shape, region, strict=True)]
        order = ["zyx".index(axis) for axis in self.variant.volume]
        shape = tuple(len(box[i]) for i in order)
        fill = np.full(shape, np.nan, np.float32)
        if out is not None:
            fill = np.ascontiguousarray(out.transpose(order))
        on_device = self.gpu.upload(fill)
        corner = tuple(r.start for r in box)
        views = options.pop("views", self.views)
        self.cone.back(
            self.projections, views, on_device, corner=corner, accumulate=out is not None, **options
        )
        found = self.gpu.download(on_device)
        return found.transpose([self.variant.volume.index(axis) for axis in "zyx"])


def assert_close(found, expected, rtol=RTOL):
    np.testing.assert_allclose(found, expected, 0, rtol * np.abs(expected).max())


def with_rows(geometry, n_rows, height_mm):
    """Return the scan with this number and height of rows."""
    v = geometry.v_mm * (height_mm / np.linalg.norm(geometry.v_mm, axis=1, keepdims=True))
    return replace(geometry, v_mm=v, shape=(n_rows, geometry.shape[1]))


def weights(geometry):
    """Return Σ 1/τ² over all views for every voxel (n_z, n_y, n_x)."""
    middle = [np.arange(n) + 0.5 for n in GRID.shape]
    z, y, x = np.meshgrid(*middle, indexing="ij")
    rows = geometry.in_voxels(GRID)[:, 2]
    tau = np.einsum("vk,kzyx->vzyx", rows, np.stack([x, y, z, np.ones_like(x)]))
    return (1 / tau**2).sum(axis=0)


def named(variant):
    parts = (variant.path, variant.texture, variant.voxels_per_thread, variant.split)
    return "-".join(map(str, parts))


GENERAL = BackVariant(block=(4, 4), voxels_per_thread=3, views_per_launch=3)
UPRIGHT = replace(GENERAL, path="upright")
COLUMNS = BackVariant("memory", "columns", (32, 4), 2, views_per_launch=3, projections="vcr")
PATHS = pytest.mark.parametrize("variant", [GENERAL, UPRIGHT, COLUMNS], ids=lambda v: v.path)
ORDERS = [
    BackVariant("array", "general", (8, 4), 2, run="z", volume="yxz", projections="rvc"),
    BackVariant("array", "upright", (4, 8), 5, run="z", volume="xzy", projections="cvr"),
    BackVariant("array", "general", (8, 2), 1, run="x", volume="zyx", projections="crv"),
    BackVariant("array", "general", (2, 8), 4, run="y", volume="xyz", projections="rcv"),
    BackVariant("array", "general", (4, 4), 3, run="x", volume="zxy", projections="vcr"),
    BackVariant("layered", "general", (4, 4), 3, run="y", volume="yzx", projections="vcr"),
    BackVariant("pitched", "upright", (4, 4), 3, projections="vcr"),
    BackVariant("memory", "general", (4, 4), 3, run="y", projections="rcv"),
    BackVariant("memory", "columns", (32, 2), 1, volume="yxz", projections="rvc"),
]
TALL = ImageGrid((75, 5, 6), (1.5, 1.4, 0.25), (1.0, 2.0, -3.0))
"""Several runs of "columns"; the last run is incomplete."""
N_MULTIPROCESSORS = 132
LARGE = (400, 256, 256)


@with_nvrtc
def test_every_form_compiles_without_spills():
    wide = replace(UNMEASURED_BACK, path="upright", views_per_launch=MAX_VIEWS)
    columns = [BackVariant("memory", "columns", (32, n), run) for n, run in ((16, 4), (8, 16))]
    forms = [*back_variants(), UNMEASURED_BACK, wide, *columns, *ORDERS]
    for variant, arch in ((form, arch) for form in forms for arch in cards_for(form)):
        uses = nvrtc.compile_for(variant.source(), arch, variant.options).kernels
        assert sorted(uses) == ["back", "gather"]
        for use in uses.values():
            assert not use.spills and use.stack_bytes == 0, variant
            assert use.shared_bytes <= MAX_SHARED_BYTES, variant
        assert uses["back"].registers * variant.n_threads <= REGISTERS_OF_A_BLOCK, variant


@REVERSED
@pytest.mark.parametrize("variant", list(back_variants()), ids=named)
def test_every_form_equals_its_twin(variant, reverse):
    geometry, y = geometry_for(variant), images()
    gpu = EmulatedGpu(reverse=reverse, exact_textures=True)
    assert_close(Run(variant, geometry, y, gpu=gpu)(), twin(geometry, y))


@REVERSED
@pytest.mark.parametrize("variant", ORDERS, ids=lambda v: f"{v.volume}-{v.run}-{v.projections}")
def test_arrays_of_any_order_need_no_transpose(variant, reverse):
    geometry, y = geometry_for(variant), images()
    gpu = EmulatedGpu(reverse=reverse, exact_textures=True)
    assert_close(Run(variant, geometry, y, gpu=gpu)(), twin(geometry, y))


@PATHS
def test_parallel_beams_equal_the_twin(variant):
    geometry, y = geometry_for(variant, beam="parallel"), images()
    assert_close(Run(variant, geometry, y)(), twin(geometry, y))


@PATHS
def test_voxels_behind_the_source_are_zero(variant):
    geometry, y = geometry_for(variant, source=4.0), images()
    found, expected = Run(variant, geometry, y)(), twin(geometry, y)
    # Close to the source, weights grow without bound, and so do errors of the depth.
    np.testing.assert_allclose(found, expected, 1e-3, RTOL * np.quantile(expected, 0.9))


@REVERSED
@pytest.mark.parametrize("rows", [16, 17], ids=["four rows at a time", "row by row"])
@pytest.mark.parametrize("height_mm", [0.9, 0.1], ids=["low", "beyond shared memory"])
def test_tall_columns_equal_the_twin(rows, height_mm, reverse):
    geometry = with_rows(scan(), rows, height_mm)
    y = np.random.default_rng(6).random((N_VIEWS, *geometry.shape), np.float32)
    gpu = EmulatedGpu(reverse=reverse, exact_textures=True)
    found = Run(COLUMNS, geometry, y, gpu=gpu, grid=TALL)()
    assert_close(found, twin(geometry, y, TALL))
    assert np.count_nonzero(found)


@PATHS
@pytest.mark.parametrize("grid", [GRID, TALL], ids=["cube", "tall"])
def test_box_of_the_volume_has_its_bits(rng, variant, grid):
    run = Run(variant, geometry_for(variant), images(), grid=grid)
    whole = run()
    for _ in range(6):
        ends = [sorted(rng.choice(n + 1, 2, replace=False)) for n in grid.shape]
        region = tuple(slice(*pair) for pair in ends)
        np.testing.assert_array_equal(run(region=region), whole[region])


@PATHS
def test_several_launches_have_the_same_bits(monkeypatch, variant):
    run = Run(variant, geometry_for(variant), images(), grid=TALL)
    whole = run()
    before = run.gpu.n_launches
    monkeypatch.setattr(device_cone, "UPDATES_PER_LAUNCH", 2000)
    np.testing.assert_array_equal(run(), whole)
    assert run.gpu.n_launches > 2 * before


@PATHS
def test_views_can_have_any_order_and_number_per_launch(variant):
    geometry, y = geometry_for(variant), images()
    expected = Run(variant, geometry, y)()
    order = np.random.default_rng(3).permutation(N_VIEWS)
    assert_close(Run(variant, geometry.select(order), y[order])(), expected)
    assert_close(Run(replace(variant, views_per_launch=32), geometry, y)(), expected)


@PATHS
def test_views_in_two_calls_add_up_to_all(variant):
    run = Run(variant, geometry_for(variant), images())
    some = run(views=run.views[:4])
    assert_close(run(out=some, views=run.views[4:], first=4), run())
    assert_close(run(out=some, views=run.views[:0]), some)
    assert not run(views=run.views[:0]).any()


def test_more_views_than_constant_memory_holds_are_projected():
    n_views, grid = MAX_VIEWS + 40, ImageGrid((2, 3, 4), (3.0, 3.0, 3.0))
    geometry = scan(n_views=n_views, tilt=0.2)
    y = np.random.default_rng(5).random((n_views, *DETECTOR), np.float32)
    variant = replace(GENERAL, views_per_launch=MAX_VIEWS)
    assert_close(Run(variant, geometry, y, grid=grid)(), twin(geometry, y, grid))


def test_textures_of_every_kind_give_the_same_result():
    geometry, y = scan(tilt=0.2), images()
    one, *others = (
        Run(replace(GENERAL, texture=kind), geometry, y)()
        for kind in ("array", "layered", "list", "pitched", "memory")
    )
    for other in others:
        assert_close(other, one, 1e-6)


@pytest.mark.parametrize("path", ["general", "upright"])
def test_eight_bit_fractions_have_a_bounded_error(path):
    variant = replace(GENERAL, path=path)
    geometry, y = geometry_for(variant), images()
    error = np.abs(Run(variant, geometry, y, gpu=EmulatedGpu())() - twin(geometry, y))
    # Each fraction has an error of at most 1/512, and neighbours differ by at most 1, along both
    # axes.
    assert (error <= 2 / 512 * weights(geometry)).all()
    assert error.max() > 1e-4


def test_blocks_that_share_views_add_in_order():
    geometry, y = scan(tilt=0.2, n_views=20), images(20)
    runs = [Run(replace(GENERAL, split=n, views_per_launch=9), geometry, y) for n in (1, 4)]
    whole, shared = (run() for run in runs)
    assert_close(shared, whole)
    np.testing.assert_array_equal(runs[1](), shared)
    backwards = EmulatedGpu(reverse=True, exact_textures=True)
    np.testing.assert_array_equal(Run(runs[1].variant, geometry, y, gpu=backwards)(), shared)
    assert_close(runs[1](out=whole), 2 * whole)


def test_graph_back_projects_new_projections():
    variant = replace(GENERAL, split=2)
    geometry, y = scan(tilt=0.2), images()
    run = Run(variant, geometry, y)
    out = run.gpu.empty(GRID.shape, np.float32)
    run.cone.back(run.projections, run.views, out)
    first = run.gpu.download(out)
    graph = run.gpu.record(lambda: run.cone.back(run.projections, run.views, out))
    run.projections.update(run.gpu.upload(2 * y))
    graph.launch()
    np.testing.assert_array_equal(run.gpu.download(out), 2 * first)


def test_large_slices_use_all_views_at_once():
    actual = fitted(UNMEASURED_BACK, (1, 1024, 1024), 400, N_MULTIPROCESSORS)
    assert (actual.views_per_launch, actual.split, actual.voxels_per_thread) == (MAX_VIEWS, 1, 2)


@pytest.mark.parametrize(
    ("volume", "run", "axes"),
    [("zyx", "z", "xyz"), ("yxz", "z", "xyz"), ("xyz", "z", "yxz"), ("zyx", "x", "yzx")],
)
def test_threads_along_x_follow_the_fastest_axis(volume, run, axes):
    assert "".join(BackVariant(volume=volume, run=run).axes) == axes


def test_kernels_stay_within_their_arrays():
    """Run under AddressSanitizer, in a process that loads it at the start."""
    forms = [replace(GENERAL, texture="memory", split=2), COLUMNS]
    code = f"""
from dataclasses import replace
from engine.kernels.cone.cone_variants import BackVariant
from tests.emulator import EmulatedGpu
from tests.engine.kernels.test_cone_back_cuda import *
for variant in {forms!r}:
    for rows, height_mm in (16, 0.9), (17, 0.9), (16, 0.1):
        geometry = with_rows(scan(), rows, height_mm)
        run = Run(variant, geometry, np.ones((N_VIEWS, *geometry.shape), np.float32),
                  gpu=EmulatedGpu(sanitize=True), grid=TALL)
        run()
        run(region=(slice(3, 70), slice(1, 2), slice(2, 5)))
"""
    assert_runs_sanitized(code)


@pytest.mark.parametrize("path", ["upright", "columns"])
@pytest.mark.parametrize("shape", [(1, 20, 20), (20, 1, 20), (20, 20, 1), (40, 4, 4), LARGE])
def test_slices_and_patches_use_a_fitting_form(path, shape):
    columns = replace(COLUMNS, views_per_launch=32)
    variant = columns if path == "columns" else replace(UNMEASURED_BACK, path=path)
    actual = fitted(variant, shape, 720, N_MULTIPROCESSORS)
    n_z, n_y, n_x = shape
    deep = {"x": n_x, "y": n_y, "z": n_z}[actual.run]
    lanes = 32 if actual.path == "columns" else 1
    assert (actual.voxels_per_thread - 1) * lanes < deep
    assert actual.path == path or min(shape) < 32
    assert (actual.split > 1) == (actual.views_per_launch > 32) == (shape != LARGE)
    grid = ImageGrid(shape, (0.7, 0.7, 0.7))
    if np.prod(shape) < 1000:
        geometry, y = scan(), images()
        assert_close(Run(actual, geometry, y, grid=grid)(), twin(geometry, y, grid))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"views_per_launch": 1366}, "must be 1 to 1365"),
        ({"block": (64, 32)}, "1024 threads"),
        ({"projections": "rvc"}, "v must come first"),
        ({"volume": "zyy"}, "each of x, y and z"),
        ({"voxels_per_thread": 0}, "must be at least 1"),
        ({"path": "columns"}, "needs the texture 'memory'"),
        ({"texture": "memory", "path": "columns", "block": (32, 32), "voxels_per_thread": 8},
         "49152 bytes"),
        ({"texture": "linear"}, "texture must be one of"),
    ],
)  # fmt: skip
def test_impossible_forms_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        replace(UNMEASURED_BACK, **wrong)


def test_projections_that_do_not_fit_are_refused():
    run = Run(GENERAL, scan(), images())
    with pytest.raises(ValueError, match=r"expected kind .* with at least"):
        run(first=1)
    run.projections = run.gpu.upload(images())
    with pytest.raises(ValueError, match="kind 'memory'"):
        run()
