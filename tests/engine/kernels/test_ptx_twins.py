"""The kernels as compiled by NVRTC equal their Numba twins: the same tests as for the text.

All pairs of settings run here. Each form runs for one architecture, selected by a hash, and all
three architectures occur. `python -m tests.emulator.ptx` runs every form for each of them.
"""

from zlib import crc32

import pytest

from engine.kernels.cone.cone_variants import back_variants
from engine.kernels.variants import variants
from tests.emulator import nvrtc
from tests.emulator.registers import any_two
from tests.engine.kernels import test_cone_back_cuda as cone
from tests.engine.kernels import test_cuda_twins as rays
from tests.engine.kernels import test_joseph_cuda as joseph
from tests.engine.kernels import test_replicates_cuda as replicates
from tests.engine.kernels.matrix import test_matrix_cuda as matrix
from tests.engine.kernels.scatter import test_scatter_cuda as scatter

pytestmark = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
ARCHITECTURES = (75, 90, 120)
RAYS = any_two(variants())
CONE = any_two(back_variants())
REVERSED = pytest.mark.parametrize("reverse", [False, True], ids=["ascending", "descending"])


def arch_of(form):
    return ARCHITECTURES[crc32(repr(form).encode()) % len(ARCHITECTURES)]


@pytest.fixture(autouse=True)
def in_ptx(monkeypatch, request):
    """Run PTX on the emulated GPU, for an architecture selected by the test's parameters."""
    monkeypatch.setenv("ISOCENTER_PTX", str(arch_of(request.node.name)))


def test_every_architecture_is_selected(request):
    names = [item.name for item in request.session.items if item.path == request.node.path]
    if len(names) < 20:
        pytest.skip("only some of the tests were selected")
    assert {arch_of(name) for name in names} == set(ARCHITECTURES)


@pytest.mark.parametrize("variant", RAYS, ids=rays.named)
def test_rays(variant):
    rays.test_every_ray_kernel_equals_its_twin_in_both_orders_of_threads(variant)


@pytest.mark.parametrize("variant", any_two(rays.IMAGE_FORMS), ids=rays.named)
def test_images(variant):
    rays.test_device_loop_equals_updates_by_hand(variant)


@pytest.mark.parametrize("variant", any_two(replicates.FORMS), ids=rays.named)
def test_replicates(variant):
    replicates.test_every_replicate_kernel_equals_its_twin_in_both_orders_of_threads(variant)


@REVERSED
@pytest.mark.parametrize("variant", CONE, ids=cone.named)
def test_cone_beams(variant, reverse):
    cone.test_every_form_equals_its_twin(variant, reverse)


@REVERSED
@pytest.mark.parametrize("variant", joseph.VARIANTS, ids=lambda v: f"{v.texture}-{v.sums}")
def test_joseph(variant, reverse):
    joseph.test_every_joseph_kernel_equals_its_twin_in_both_orders_of_threads(
        "cone", variant, reverse
    )


@REVERSED
@pytest.mark.parametrize("scene", matrix.SCENES)
def test_matrices(scene, reverse):
    matrix.test_response_kernel_equals_its_twin_in_both_orders_of_threads(scene, reverse)


@REVERSED
@pytest.mark.parametrize("algorithm", [1, 2, 3])
def test_algorithms_of_the_paper(algorithm, reverse):
    matrix.test_algorithms_of_the_paper_equal_the_twin("square", algorithm, reverse)


@REVERSED
@scatter.TIMES
def test_scatter(with_tof, reverse):
    scatter.test_scatter_kernel_equals_its_twin_in_both_orders_of_threads(with_tof, reverse)
