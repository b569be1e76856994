"""Joseph's kernels compile for known GPUs without register spills.

By default, the tests compile all pairs of settings; the slow tests compile every form.
"""

import pytest

from engine.kernels.cone.joseph_variants import BLOCKS, MAX_VIEWS, JosephVariant, joseph_variants
from tests.emulator import nvrtc
from tests.emulator.registers import any_two, cards_for

pytestmark = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)


def assert_compiles(variant, arch):
    for name, use in nvrtc.compile_for(variant.source(), arch, variant.options).kernels.items():
        assert not use.spills, f"{name} of {variant} spills: {use}"
        assert use.stack_bytes == 0, f"{name} of {variant} uses stack memory: {use}"
        assert use.registers * variant.n_threads <= 65536, f"{name} of {variant}"


def test_all_pairs_of_settings_compile_without_spills():
    for variant in (*any_two(joseph_variants(BLOCKS)), JosephVariant(views_per_launch=MAX_VIEWS)):
        for arch in cards_for(variant):
            assert_compiles(variant, arch)


@pytest.mark.slow
def test_every_form_compiles_without_spills():
    for variant in joseph_variants():
        for arch in cards_for(variant):
            assert_compiles(variant, arch)


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_size_compiles_without_spills(block):
    for variant in joseph_variants((block,), (4,)):
        assert_compiles(variant, 90)
