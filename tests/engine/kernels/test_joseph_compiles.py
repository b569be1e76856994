"""Every form of Joseph's kernels compiles for the cards we know, without spilling registers."""

import pytest

from engine.kernels.joseph_variants import BLOCKS, MOST_VIEWS, JosephVariant, joseph_variants
from tests.emulator import nvrtc
from tests.emulator.registers import cards_for

pytestmark = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a card, is not installed",
)


def forms_to_compile():
    yield from joseph_variants()
    yield JosephVariant(views_per_launch=MOST_VIEWS)


def assert_compiles(variant, arch):
    for name, use in nvrtc.compile_for(variant.source(), arch, variant.options).kernels.items():
        assert not use.spills, f"{name} of {variant} spills: {use}"
        assert use.stack_bytes == 0, f"{name} of {variant} keeps arrays in memory: {use}"
        assert use.registers * variant.n_threads <= 65536, f"{name} of {variant}"


def test_every_form_compiles_without_spills():
    for variant in forms_to_compile():
        for arch in cards_for(variant):
            assert_compiles(variant, arch)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_compiles_without_spills(block):
    for variant in joseph_variants((block,), (4,)):
        assert_compiles(variant, 90)
