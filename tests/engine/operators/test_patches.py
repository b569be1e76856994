"""Patches are boxes of the volume, on the CPU and with replayed graphs."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.kernels.cone.cone_variants import BackVariant
from engine.operators.xray.patches import Patches
from engine.operators.xray.transform import XrayTransform
from tests.emulator import EmulatedGpu

N_VIEWS = 40  # so many that blocks share them
CONE = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "shape": (6, 9), "pixel_mm": 2.0}
SCANS = {
    "upright": circular_cone(circle(N_VIEWS), **CONE),
    "tilted": circular_cone(circle(N_VIEWS), tilt_rad=(0.1, 0.2), **CONE),
    "parallel": parallel(circle(N_VIEWS), shape=(6, 9), pixel_mm=1.3),
}
GRIDS = {
    "thick": ImageGrid((10, 7, 6), (1.5, 1.4, 0.8), (0.5, 1.0, -1.0)),
    "thin": ImageGrid((3, 7, 6), (1.5, 1.4, 1.3)),
}


@pytest.fixture(params=["emulated", "reversed", pytest.param("card", marks=pytest.mark.gpu)])
def on(request):
    """Return emulated GPUs with exact fractions and both orders of threads, and a real GPU."""
    if request.param == "card":
        return cuda()
    return cuda(EmulatedGpu(exact_textures=True, reverse=request.param == "reversed"))


def data(rng, A):
    return 0.5 + rng.random(A.out_shape, np.float32)


def part(volume, corner, shape):
    return volume[tuple(slice(at, at + n) for at, n in zip(corner, shape, strict=True))]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("scan", SCANS)
def test_patch_on_the_cpu_is_a_box_of_the_volume(rng, scan, grid):
    A = XrayTransform(SCANS[scan], GRIDS[grid], on=cpu(2))
    patches, y = Patches(A, (2, 4, 3)), data(rng, A)
    patches.update(y)
    volume = A.back_project(y, weighting="fdk")
    most = 0 if grid == "thick" else 1e-6  # thin volumes use vector instructions along x
    for corner in ((0, 0, 0), (1, 3, 2), (0, 1, 3)):
        expected = part(volume, corner, (2, 4, 3))
        np.testing.assert_allclose(patches.at(corner), expected, rtol=most, atol=0)


@pytest.mark.parametrize("shape", [(2, 4, 3), (1, 5, 5), (4, 1, 3)])
@pytest.mark.parametrize("scan", SCANS)
def test_patch_on_a_gpu_is_a_box_of_the_volume(rng, on, scan, shape):
    A = XrayTransform(SCANS[scan], GRIDS["thick"], on=cpu(2))
    patches, y = Patches(XrayTransform(SCANS[scan], GRIDS["thick"], on=on), shape), data(rng, A)
    patches.update(y)
    volume = A.back_project(y, weighting="fdk")
    most = 1e-5 if isinstance(on.gpu, EmulatedGpu) else 1 / 200  # 8-bit fractions
    for corner in ((0, 0, 0), (3, 2, 1), (6, 1, 0), (3, 2, 1)):
        actual = on.to_host(patches.at(corner))
        np.testing.assert_allclose(
            actual, part(volume, corner, shape), rtol=0, atol=most * volume.max()
        )


@pytest.mark.parametrize("texture", ["layered", "array", "list", "pitched"])
def test_replayed_graph_uses_new_projections(rng, on_gpu, texture):
    A = XrayTransform(SCANS["upright"], GRIDS["thick"], on=on_gpu)
    variant = BackVariant(texture, "upright", (8, 4), 2)
    patches, again = (Patches(A, (2, 4, 3), variant=variant) for _ in range(2))
    corner, y = (3, 2, 1), on_gpu.to_device(data(rng, A))
    patches.update(y)
    first = on_gpu.to_host(patches.at(corner)).copy()

    patches.update(2 * y[7:], first=7)
    replayed = on_gpu.to_host(patches.at(corner))

    again.update(y)
    again.update(2 * y[7:], first=7)
    np.testing.assert_array_equal(replayed, on_gpu.to_host(again.at(corner)))
    assert (replayed > 1.5 * first).all()


def test_patch_is_one_launch_of_a_graph(rng):
    on = cuda(EmulatedGpu())
    A = XrayTransform(SCANS["upright"], GRIDS["thick"], on=on)
    patches = Patches(A, (1, 2, 2))
    patches.update(data(rng, A))
    patches.at((0, 0, 0))
    before = on.gpu.n_launches
    patches.at((1, 3, 2))
    # all views, then the sum over the blocks that share them
    assert on.gpu.n_launches - before == 2


def test_views_can_be_replaced_on_the_cpu(rng):
    A = XrayTransform(SCANS["tilted"], GRIDS["thin"], on=cpu(1))
    patches, y = Patches(A, (3, 2, 2)), data(rng, A)
    patches.update(y)
    patches.update(3 * y[4:6], first=4)
    y[4:6] *= 3
    expected = A.back_project(y, weighting="fdk", region=np.s_[0:3, 2:4, 1:3])
    np.testing.assert_array_equal(patches.at((0, 2, 1)), expected)


@pytest.mark.parametrize("corner", [(9, 0, 0), (0, 0, 4), (-1, 0, 0)])
def test_patch_beyond_the_volume_is_refused(corner):
    A = XrayTransform(SCANS["upright"], GRIDS["thick"], on=cpu(1))
    with pytest.raises(GeometryError, match=r"does not fit into the volume of \(10, 7, 6\)"):
        Patches(A, (2, 4, 3)).at(corner)
