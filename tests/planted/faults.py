"""Planted faults as data: the change, the self-test family and the tests that must detect it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.selftest.cone_back import CONE_BACK
from engine.selftest.dual_head import DUAL_HEAD
from engine.selftest.em_loop import EM_LOOP
from engine.selftest.joseph import JOSEPH
from engine.selftest.list_mode import LIST_MODE
from engine.selftest.probes import GRAPHS, MEMORY, STREAMS, TEXTURES
from engine.selftest.reference_answers import Family
from engine.selftest.scatter import SCATTER
from engine.selftest.slices import SLICES
from engine.selftest.smoothing import SMOOTHING
from tests.planted.plants import (
    Plant,
    first_image,
    half_a_constant,
    last_block,
    left_at_once,
    no_wait,
    no_zero,
    stale_constants,
    swapped_extents,
    swapped_sizes,
    text,
    unknown_memory_error,
    unrecorded_copies,
    wide_argument,
)

RAYS, EM = (
    "tests/engine/operators/test_rays_on_gpu.py",
    "tests/engine/recon/algorithms/test_em_on_gpu.py",
)
XRAY, TWINS = (
    "tests/engine/operators/test_xray_on_gpu.py",
    "tests/engine/kernels/test_cuda_twins.py",
)
MATRIX = "tests/engine/kernels/matrix/test_matrix_cuda.py"
GATHERED = "tests/engine/kernels/test_joseph_gather_cuda.py"
GAUSSIAN = "tests/engine/kernels/test_gaussian_cuda.py"
SPREAD = "tests/engine/kernels/test_point_spread_cuda.py"
SCATTERED = "tests/engine/kernels/scatter/test_scatter_cuda.py"
PATCHES = "tests/engine/operators/test_patches.py"
CONE = "tests/engine/kernels/test_cone_back_cuda.py"
TRANSFERS = "tests/engine/operators/test_xray_transfers.py"
TEXTURE_TESTS = "tests/engine/kernels/test_textures.py"
IN_PTX = "tests/engine/kernels/test_ptx_twins.py::test_images"


@dataclass(frozen=True)
class Mistake:
    """A planted mistake.

    Attributes
    ----------
    plant : plants it
    family : family of self-tests that must detect it
    tests : file of the suite with a test that must fail
    options : options of the emulated card that reveals it
    """

    plant: Plant
    family: Family
    tests: str
    options: tuple[str, ...] = ()

    @property
    def is_of_text(self) -> bool:
        """Return True if the fault is in a kernel text, which must be compiled again."""
        return self.plant.__qualname__.startswith(text.__name__)


LOOP = "for (int half = BLOCK / 2; half; half >>= 1) {"
MISTAKES = {
    "a missing bounds check": Mistake(
        text(("if (i < n) image[i] = packed[", "image[i] = packed[")), EM_LOOP, IN_PTX
    ),
    "the last block left out": Mistake(last_block, LIST_MODE, RAYS),
    "swapped sizes": Mistake(swapped_sizes, LIST_MODE, RAYS),
    "a missing barrier in a sum": Mistake(
        text(("threadIdx.x + half];\n    __syncthreads();", "threadIdx.x + half];")), EM_LOOP, EM
    ),
    "a missing barrier behind shared rows": Mistake(
        text(
            ("__syncthreads();\n    for (int i = 0; i < (is_idle", "for (int i = 0; i < (is_idle")
        ),
        DUAL_HEAD,
        MATRIX,
    ),
    "a vector that is not aligned": Mistake(
        text(
            (
                "const float4 a_row = views[3 * view],",
                "const float4 a_row = *(const float4*)((const float*)views + 12 * view + 1),",
            )
        ),
        CONE_BACK,
        CONE,
    ),
    "a dropped wait for an event": Mistake(no_wait, STREAMS, EM, ("late",)),
    "a dropped wait for what leaves": Mistake(left_at_once, JOSEPH, TRANSFERS, ("late",)),
    "swapped extents of a copy": Mistake(swapped_extents, TEXTURES, XRAY),
    "pictures copied to the wrong place": Mistake(first_image, TEXTURES, TEXTURE_TESTS),
    "half of the constants": Mistake(half_a_constant, CONE_BACK, XRAY),
    "stale constants": Mistake(stale_constants, SLICES, XRAY),
    "textures that go on beyond their edge": Mistake(
        text(
            (
                "tex2DLayered<float>(projections, OF_ROWS == 2 ? b : a, OF_ROWS == 2 ? a : b,",
                "tex2DLayered<float>(projections, fminf(fmaxf(a, 0.5f), d.n_columns - 0.5f),"
                " fminf(fmaxf(b, 0.5f), d.n_rows - 0.5f),",
            )
        ),
        CONE_BACK,
        XRAY,
    ),
    "texels counted from their corners": Mistake(
        text(
            ("const float u = ray.u + 0.5f, v = ray.v + 0.5f;", "const float u = ray.u, v = ray.v;")
        ),
        JOSEPH,
        XRAY,
    ),
    "rows gathered on the wrong side": Mistake(
        text(("fabsf(apart + tap * per_height)", "fabsf(apart - tap * per_height)")),
        JOSEPH,
        GATHERED,
    ),
    "swapped axes of a picture": Mistake(
        text(
            (
                "tex2DLayered<float>(projections, OF_ROWS == 2 ? b : a, OF_ROWS == 2 ? a : b,",
                "tex2DLayered<float>(projections, b, a,",
            )
        ),
        CONE_BACK,
        XRAY,
    ),
    "half of a warp left out of a sum": Mistake(
        text(("for (int apart = 16; apart;", "for (int apart = 8; apart;")), LIST_MODE, TWINS
    ),
    "a sum that is overwritten": Mistake(
        text(("atomicAdd(sums + at, share)", "sums[at] = share")), LIST_MODE, RAYS
    ),
    "a sum of half the width": Mistake(
        text(("(unsigned long long)whole);", "(unsigned)whole);")), LIST_MODE, TWINS
    ),
    "truncated offsets": Mistake(
        text(
            (
                "return place(line.main, line.slab + k);",
                "return place(line.main, line.slab + k) & 0x7f;",
            )
        ),
        LIST_MODE,
        RAYS,
    ),
    "an argument of another width": Mistake(wide_argument, LIST_MODE, RAYS),
    "another rounding": Mistake(
        text(
            (
                "return (long long)(value + (real)copysign((real)0.5, value));",
                "return (long long)value;",
            )
        ),
        LIST_MODE,
        TWINS,
    ),
    "sums that do not begin at zero": Mistake(no_zero, LIST_MODE, RAYS),
    "a view left out": Mistake(
        text(("view < n_views; view += SPLIT", "view < n_views - 1; view += SPLIT")),
        CONE_BACK,
        CONE,
    ),
    "a number of half precision read wrongly": Mistake(
        text(("5.192296858534828e33f", "2.596148429267414e33f")), DUAL_HEAD, MATRIX
    ),
    "a swapped symmetry": Mistake(
        text(
            (
                "other = turn & (TURNED ? 2 : 4);\n  const float4 w",
                "other = turn & (TURNED ? 4 : 2);\n  const float4 w",
            )
        ),
        DUAL_HEAD,
        MATRIX,
    ),
    "time bins off by half": Mistake(
        text(
            ("- 0.5 * (scene.n_bins - 1)) * scene.bin_mm", "- 0.5 * scene.n_bins) * scene.bin_mm")
        ),
        LIST_MODE,
        RAYS,
    ),
    "a border that goes on as something else": Mistake(
        text(("i < n ? i : 2 * n - 1 - i;", "i < n ? i : 2 * n - 2 - i;")), SMOOTHING, GAUSSIAN
    ),
    "weights of single precision": Mistake(
        text(("double total = weights[0] *", "double total = (float)weights[0] *")),
        SMOOTHING,
        GAUSSIAN,
    ),
    "pixels blurred in place": Mistake(
        text(("+ i) * n_pixels + column];", "+ i) * n_pixels + pixel];")), SMOOTHING, SPREAD
    ),
    "steps counted from their corners": Mistake(
        text(
            ("total += value(part.near + (k + 0.5) * step)", "total += value(part.near + k * step)")
        ),
        SCATTER,
        SCATTERED,
    ),
    "the scattered photon mistaken for the other": Mistake(
        text(("exp(-growth * mu_b), other = common", "exp(-growth * mu_a), other = common")),
        SCATTER,
        SCATTERED,
    ),
    "a copy that a graph forgets": Mistake(unrecorded_copies, GRAPHS, PATCHES),
    "memory that is used up without its own error": Mistake(unknown_memory_error, MEMORY, EM),
}
