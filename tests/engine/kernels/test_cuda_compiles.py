"""The CUDA kernels of rays and images compile for known GPUs without register spills.

By default, the tests compile enough forms to contain all pairs of settings; the slow tests
compile every form. After a change of a kernel, record the registers again. Recording refuses
kernels that spill.
"""

import json
from dataclasses import asdict
from itertools import combinations

import pytest

from engine.kernels.compiled import EM_KERNELS, RAY_KERNELS
from engine.kernels.cone.cone_variants import back_variants
from engine.kernels.cone.joseph_variants import gather_variants, joseph_variants
from engine.kernels.scatter.device_scatter import THREADS
from engine.kernels.variants import BLOCKS, EM_BLOCK, REPLICATES_BLOCK, RayVariant, variants
from tests.emulator import nvrtc
from tests.emulator.registers import (
    ARCHITECTURES,
    RECORD,
    any_two,
    cards_for,
    digests,
    form_of_replicates,
    image_forms,
    image_kernels,
    lines,
    ray_kernels,
    replicates_forms,
    replicates_kernel,
    scatter_kernels,
)

REGISTERS_OF_A_BLOCK = 65536
SHARED_BYTES_OF_A_BLOCK = 48 << 10
SCATTER_KERNELS = ("trace", "blur", "pairs")
OF_IMAGES = ("order", "sums", "real")
"""Settings that the image kernels depend on."""

with_nvrtc = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)

GREEDY = """
extern "C" __global__ void __launch_bounds__(1024) greedy(float* values, int n) {
  float kept[200];
  #pragma unroll
  for (int i = 0; i < 200; ++i) kept[i] = values[i * n + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 200; ++i) values[i * n + threadIdx.x] = kept[199 - i] * kept[(7 * i) % 200];
}
"""


def assert_fits(uses, names, block):
    assert sorted(uses) == sorted(names)
    for name, use in uses.items():
        assert not use.spills, f"{name} spills: {use}"
        assert use.stack_bytes == 0, f"{name} uses stack memory: {use}"
        assert use.registers * block <= REGISTERS_OF_A_BLOCK, name
        assert use.shared_bytes <= SHARED_BYTES_OF_A_BLOCK, name


@with_nvrtc
def test_all_pairs_of_settings_of_the_ray_kernels_compile_without_spills():
    for variant in any_two(variants(BLOCKS)):
        for arch in cards_for(variant):
            assert_fits(ray_kernels(variant, arch), RAY_KERNELS, variant.block)


@with_nvrtc
@pytest.mark.slow
@pytest.mark.parametrize("mapping", ["thread", "warp", "block"])
def test_every_form_of_the_ray_kernels_compiles_without_spills(mapping):
    for variant in variants():
        if variant.mapping == mapping:
            for arch in cards_for(variant):
                assert_fits(ray_kernels(variant, arch), RAY_KERNELS, variant.block)


def test_selected_forms_contain_all_pairs_of_settings():
    def pairs(forms):
        return {pair for form in forms for pair in combinations(asdict(form).items(), 2)}

    few = any_two(variants(BLOCKS))

    assert pairs(few) == pairs(variants(BLOCKS))
    assert 10 * len(few) < len(list(variants(BLOCKS)))


def test_every_architecture_is_used_by_some_form():
    forms = [*any_two(variants(BLOCKS)), *image_forms(), *back_variants()]
    assert {arch for form in forms for arch in cards_for(form)} == set(ARCHITECTURES)


@with_nvrtc
@pytest.mark.slow
@pytest.mark.parametrize("mapping", ["thread", "warp", "block"])
def test_every_block_size_compiles_without_spills(mapping):
    for block in BLOCKS:
        variant = RayVariant(mapping, "tiles", "fixed", "constant", "float", block)
        assert_fits(ray_kernels(variant, 90), RAY_KERNELS, block)


@with_nvrtc
def test_every_form_of_the_image_kernels_compiles_without_spills():
    for variant in image_forms():
        for arch in cards_for(variant):
            assert_fits(image_kernels(variant, arch), EM_KERNELS, EM_BLOCK)


@with_nvrtc
def test_every_form_of_the_replicate_kernel_compiles_without_spills():
    for variant in replicates_forms():
        for arch in cards_for(form_of_replicates(variant)):
            assert_fits(replicates_kernel(variant, arch), ("replicates",), REPLICATES_BLOCK)


@with_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_scatter_kernels_compile_without_spills(arch):
    assert_fits(scatter_kernels(arch), SCATTER_KERNELS, THREADS)


@with_nvrtc
def test_kernel_that_spills_is_detected():
    use = nvrtc.compile_for(GREEDY, 90).kernels["greedy"]

    assert use.spills
    assert use.registers <= 64
    assert nvrtc.compile_for(GREEDY, 90).kernels["greedy"] == use, (
        "the second compilation must come from the cache"
    )


@with_nvrtc
def test_kernel_that_spills_is_not_recorded():
    uses = dict.fromkeys(ARCHITECTURES, nvrtc.compile_for(GREEDY, 90).kernels)

    with pytest.raises(ValueError, match=r"greedy\.cu: greedy of .* spills on sm_75"):
        list(lines("greedy.cu", {}, uses))


@with_nvrtc
def test_shared_and_constant_memory_are_counted():
    source = """
    extern "C" __global__ void keep(const float* values, float* out) {
      __shared__ float part[96];
      part[threadIdx.x] = values[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = part[95 - threadIdx.x];
    }"""

    compiled = nvrtc.compile_for(source, 75)

    assert compiled.cubin.startswith(b"\x7fELF")
    assert compiled.kernels["keep"].shared_bytes == 384
    assert compiled.kernels["keep"].constant_bytes >= 16


@with_nvrtc
def test_compiler_error_is_raised_with_its_line():
    with pytest.raises(nvrtc.NvrtcError, match=r'kernel\.cu\(2\).*"nothing" is undefined'):
        nvrtc.compile_for('extern "C" __global__ void bad(float* a) {\n *a = nothing; }', 90)


def test_recorded_registers_belong_to_these_kernels():
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))

    assert recorded["sources"] == digests(), (
        "the kernels changed; run python -m tests.emulator.record_registers"
    )
    forms = {
        "rays.cu": (RAY_KERNELS, [asdict(v) for v in variants()]),
        "em.cu": (EM_KERNELS, [{k: getattr(v, k) for k in OF_IMAGES} for v in image_forms()]),
        "cone_back.cu": (("back", "gather"), [asdict(v) for v in back_variants()]),
        "joseph.cu": (("forward", "back", "collect"), [asdict(v) for v in joseph_variants()]),
        "joseph_gather.cu": (("weigh", "gather"), [asdict(v) for v in gather_variants()]),
        "scatter.cu": (SCATTER_KERNELS, [{"block": THREADS}]),
        "replicates.cu": (("replicates",), [form_of_replicates(v) for v in replicates_forms()]),
    }
    expected = [
        {"source": source, "kernel": name} | json.loads(json.dumps(form))
        for source, (names, some) in forms.items()
        for form in some
        for name in sorted(names)
    ]
    found = []
    for row in recorded["kernels"]:
        assert all(row.pop(f"sm_{arch}") > 0 for arch in ARCHITECTURES)
        assert row.pop("shared_bytes") >= 0
        found.append(row)
    assert found == expected
