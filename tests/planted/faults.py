"""The mistakes, as data: what is changed, which family must notice, and which tests besides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from engine.errors import DeviceError
from engine.kernels.compiled import Kernels, Layout
from engine.selftest.cone_back import CONE_BACK
from engine.selftest.dual_head import DUAL_HEAD
from engine.selftest.em_loop import EM_LOOP
from engine.selftest.joseph import JOSEPH
from engine.selftest.known import Family
from engine.selftest.list_mode import LIST_MODE
from engine.selftest.probes import GRAPHS, MEMORY, STREAMS, TEXTURES
from engine.selftest.slices import SLICES
from engine.selftest.smoothing import SMOOTHING
from tests.emulator.gpu import EmulatedGpu
from tests.emulator.textures import EmulatedTexture

Plant = Callable[[pytest.MonkeyPatch], None]
RAYS, EM = "tests/engine/operators/test_rays_on_gpu.py", "tests/engine/algorithms/test_em_on_gpu.py"
XRAY, TWINS = (
    "tests/engine/operators/test_xray_on_gpu.py",
    "tests/engine/kernels/test_cuda_twins.py",
)
MATRIX = "tests/engine/kernels/test_matrix_cuda.py"
GAUSSIAN = "tests/engine/kernels/test_gaussian_cuda.py"
PATCHES = "tests/engine/operators/test_patches.py"
CONE = "tests/engine/kernels/test_cone_back_cuda.py"
TEXTURE_TESTS = "tests/engine/kernels/test_textures.py"
IN_PTX = "tests/engine/kernels/test_ptx_twins.py::test_images"


@dataclass(frozen=True)
class Mistake:
    """A mistake.

    Attributes
    ----------
    plant : makes it
    family : of the self-test, which must notice
    tests : file of the suite, of which one test must fail
    options : of the emulated card that shows it
    """

    plant: Plant
    family: Family
    tests: str
    options: tuple[str, ...] = ()

    @property
    def is_of_text(self) -> bool:
        """Whether it stands in the text of a kernel, which is compiled anew."""
        return self.plant.__qualname__.startswith(text.__name__)


def text(*changes: tuple[str, str]) -> Plant:
    """Change the text of kernels; a text without the first of the changes is left as it is."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        compiled = EmulatedGpu._compiled

        def planted(gpu: EmulatedGpu, source: str, options: tuple[str, ...]) -> Any:
            if changes[0][0] in source:
                for old, new in changes:
                    source = source.replace(old, new)
            return compiled(gpu, source, options)

        patch.setattr(EmulatedGpu, "_compiled", planted)

    return plant


def _last_block(patch: pytest.MonkeyPatch) -> None:
    def images(kernels: Kernels, name: str, n: int, *arguments: Any) -> None:
        function, block = kernels._functions[name]
        function(n // block, block, *arguments)

    patch.setattr(Kernels, "_images", images)


def _swapped_sizes(patch: pytest.MonkeyPatch) -> None:
    sizes = Layout.sizes.fget
    patch.setattr(
        Layout, "sizes", property(lambda layout: sizes(layout)[1::-1] + sizes(layout)[2:])
    )


def _swapped_extents(patch: pytest.MonkeyPatch) -> None:
    update = EmulatedTexture.update

    def swapped(texture: EmulatedTexture, values: Any, first: int = 0) -> None:
        n, n_rows, n_columns = values.shape
        turned = values.reshape(n, n_columns, n_rows).swapaxes(1, 2)
        update(texture, turned.copy(), first)

    patch.setattr(EmulatedTexture, "update", swapped)


def _first_picture(patch: pytest.MonkeyPatch) -> None:
    update = EmulatedTexture.update

    def always_first(texture: EmulatedTexture, values: Any, first: int = 0) -> None:
        update(texture, values, 0)

    patch.setattr(EmulatedTexture, "update", always_first)


def _no_wait(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(EmulatedGpu, "wait_for", lambda gpu, stamp: None)


def _half_a_constant(patch: pytest.MonkeyPatch) -> None:
    copy = EmulatedGpu.copy

    def half(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        n = len(values) // 2 if out.dtype == "uint8" else len(values)
        copy(gpu, values[:n], out[:n])

    patch.setattr(EmulatedGpu, "copy", half)


def _stale_constants(patch: pytest.MonkeyPatch) -> None:
    copy, seen = EmulatedGpu.copy, set[int]()

    def once(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        if out.dtype != "uint8" or out.ctypes.data not in seen:
            seen.add(out.ctypes.data)
            copy(gpu, values, out)

    patch.setattr(EmulatedGpu, "copy", once)


def _no_zero(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(EmulatedGpu, "zero", lambda gpu, values: None)


def _unrecorded_copies(patch: pytest.MonkeyPatch) -> None:
    copy = EmulatedGpu.copy

    def unless_recording(gpu: EmulatedGpu, values: Any, out: Any) -> None:
        if not gpu.is_recording:
            copy(gpu, values, out)

    patch.setattr(EmulatedGpu, "copy", unless_recording)


def _unknown_memory_error(patch: pytest.MonkeyPatch) -> None:
    from tests.emulator import memory

    patch.setattr(memory, "DeviceMemoryError", DeviceError)


def _wide_argument(patch: pytest.MonkeyPatch) -> None:
    rays = Kernels.rays

    def wide(kernels: Kernels, name: str, n_rows: int, *arguments: Any) -> None:
        as_float = [a.astype("float32") if a.dtype == "float64" and not a.shape else a
                    for a in arguments]  # fmt: skip
        rays(kernels, name, n_rows, *as_float)

    patch.setattr(Kernels, "rays", wide)


LOOP = "for (int half = BLOCK / 2; half; half >>= 1) {"
MISTAKES = {
    "a missing bounds check": Mistake(
        text(("if (i < n) image[i] = packed[", "image[i] = packed[")), EM_LOOP, IN_PTX
    ),
    "the last block left out": Mistake(_last_block, LIST_MODE, RAYS),
    "swapped sizes": Mistake(_swapped_sizes, LIST_MODE, RAYS),
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
    "a dropped wait for an event": Mistake(_no_wait, STREAMS, EM, ("late",)),
    "swapped extents of a copy": Mistake(_swapped_extents, TEXTURES, XRAY),
    "pictures copied to the wrong place": Mistake(_first_picture, TEXTURES, TEXTURE_TESTS),
    "half of the constants": Mistake(_half_a_constant, CONE_BACK, XRAY),
    "stale constants": Mistake(_stale_constants, SLICES, XRAY),
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
    "an argument of another width": Mistake(_wide_argument, LIST_MODE, RAYS),
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
    "sums that do not begin at zero": Mistake(_no_zero, LIST_MODE, RAYS),
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
    "a copy that a graph forgets": Mistake(_unrecorded_copies, GRAPHS, PATCHES),
    "memory that is used up without its own error": Mistake(_unknown_memory_error, MEMORY, EM),
}
