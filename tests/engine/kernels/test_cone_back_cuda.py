"""Every form of the voxel-driven back projection on the GPU, against its Numba twin and by laws."""

import numpy as np
import pytest

from engine.backend import cpu, cuda
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone_variants import back_variants
from engine.kernels.device_cone import ConeBack
from engine.operators.xray import XrayTransform
from engine.profiling import Profiler
from tests.emulator import EmulatedGpu

GRID = ImageGrid((13, 9, 11), (1.5, 1.4, 1.3), (1.0, 2.0, -3.0))
DETECTOR = (17, 15)
"""Too small for the volume: voxels are seen at its edges and beyond."""
N_VIEWS = 7
RTOL = 1e-5  # of the maximum: float32
REVERSED = pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reversed"])


def scan(*, tilt=0.0, beam="cone", n_views=N_VIEWS, source=40.0):
    """Views all around; `tilt` leans the detector's rows from z."""
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


def pictures(n_views=N_VIEWS):
    return np.random.default_rng(5).random((n_views, *DETECTOR), np.float32)


def twin(geometry, y, grid=GRID):
    return XrayTransform(geometry, grid, on=cpu(2)).back_project(y, weighting="fdk")


def geometry_for(variant, **options):
    return scan(tilt=0.2 if variant.path == "general" else 0.0, **options)


class Run:
    """A variant on a card, ready to project one scan back."""

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
        """Back project into a box: (n_z, n_y, n_x) on the host."""
        box = [range(n)[part] for n, part in zip(self.grid.shape, region, strict=True)]
        to_ours = ["zyx".index(axis) for axis in self.variant.volume]
        shape = tuple(len(box[i]) for i in to_ours)
        fill = np.full(shape, np.nan, np.float32)
        if out is not None:
            fill = np.ascontiguousarray(out.transpose(to_ours))
        on_device = self.gpu.upload(fill)
        corner = tuple(r.start for r in box)
        views = options.pop("views", self.views)
        self.cone.back(
            self.projections, views, on_device, corner=corner, accumulate=out is not None, **options
        )
        found = self.gpu.download(on_device)
        return found.transpose([self.variant.volume.index(axis) for axis in "zyx"])


def assert_close(found, wanted, rtol=RTOL):
    np.testing.assert_allclose(found, wanted, 0, rtol * np.abs(wanted).max())


@REVERSED
@pytest.mark.parametrize(
    "variant", list(back_variants()), ids=lambda v: f"{v.path}-{v.texture}-{v.voxels_per_thread}"
)
def test_every_form_equals_its_twin(variant, reverse):
    geometry, y = geometry_for(variant), pictures()
    gpu = EmulatedGpu(reverse=reverse, exact_textures=True)
    assert_close(Run(variant, geometry, y, gpu=gpu)(), twin(geometry, y))
