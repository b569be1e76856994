"""The GPU projection with a stored response, run as text on the CPU, equals its twin."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import GeometryError
from engine.kernels.matrix.groups import check_panel
from engine.kernels.matrix.variants import MatrixVariant, PanelShape, matrix_variants, paper_source
from engine.operators.matrix.paper_algorithms import THREADS, PaperProjector
from engine.operators.matrix.projector import MatrixProjector
from tests.emulator import EmulatedGpu, nvrtc
from tests.emulator.registers import any_two, cards_for
from tests.emulator.sanitizer import assert_runs_sanitized
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response

RTOL = 1e-6  # relative to the maximum: the sums have another order
FULL = PanelShape(104, 72, 119, 4, 0)
SCATTERING = PanelShape(24, 16, 30, 3, 9)
TINY = MatrixVariant(threads=32, run=3, staged=40)
SCENES = {
    "two panels": {"n_rows": 6, "n_columns": 4, "n_planes": 5},
    "with a margin": {"n_rows": 4, "n_columns": 6, "n_planes": 4, "beyond": 3},
    "wide margin": {"n_rows": 3, "n_columns": 2, "n_planes": 3, "beyond": 9},
    "odd pitch": {"n_rows": 5, "n_columns": 3, "n_planes": 5, "voxels_per_pitch": 3, "beyond": 1},
    "square": {"n_rows": 3, "n_columns": 3, "n_planes": 4, "voxels_per_pitch": 2},
    "one column": {"n_rows": 7, "n_columns": 1, "n_planes": 3, "beyond": 5},
    "one row": {"n_rows": 1, "n_columns": 5, "n_planes": 2},
    "one crystal": {"n_rows": 1, "n_columns": 1, "n_planes": 1, "voxels_per_pitch": 1},
}


@cache
def response_of(scene, dtype=np.float16):
    options = dict(SCENES[scene])
    beyond = options.pop("beyond", 0)
    return random_response(panels(**options), beyond=beyond, dtype=dtype)


def on_card(response, variant=TINY, **options):
    return MatrixProjector(response, on=cuda(EmulatedGpu(**options)), variant=variant)


@cache
def twin(scene, dtype=np.float16):
    """Return image, values, and their CPU results in double precision."""
    A = MatrixProjector(response_of(scene, dtype), on=cpu(2), dtype=np.float64)
    rng = np.random.default_rng(5)
    x, y = rng.random(A.in_shape, np.float32), rng.standard_normal(A.out_shape).astype(np.float32)
    return x, y, A(x), A.T(y)


def assert_close(found, expected, rtol=RTOL):
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * np.abs(expected).max())


def assert_compiles(source, n_threads):
    for arch in cards_for(source):
        for name, use in nvrtc.compile_for(source, arch, ("-std=c++17",)).kernels.items():
            assert not use.spills, f"{name} spills: {use}"
            assert use.stack_bytes == 0, f"{name} uses stack memory: {use}"
            assert use.registers * n_threads <= 65536, name


@pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
@pytest.mark.parametrize("forms", [any_two, pytest.param(list, marks=pytest.mark.slow)])
def test_every_form_compiles_without_spills(forms):
    for variant in forms(matrix_variants()):
        assert_compiles(variant.source(FULL), variant.threads)
    assert_compiles(MatrixVariant().source(SCATTERING), MatrixVariant().threads)
    for algorithm in (1, 2, 3):
        assert_compiles(paper_source(FULL, algorithm, THREADS), THREADS)


@pytest.mark.parametrize("reverse", [False, True], ids=["", "reverse"])
@pytest.mark.parametrize("scene", SCENES)
def test_response_kernel_equals_its_twin_in_both_orders_of_threads(scene, reverse):
    x, y, forward, back = twin(scene)
    A = on_card(response_of(scene), reverse=reverse)

    assert_close(A(x), forward)
    assert_close(A.T(y), back)


@pytest.mark.parametrize("reverse", [False, True], ids=["", "reverse"])
def test_rows_without_non_zeros_are_skipped(reverse):
    x, y, *_ = twin("two panels")
    whole = response_of("two panels")
    # start of the last row, which is the only one left
    first = whole.starts[-1 - whole.n_planes_stored]
    starts = np.maximum(whole.starts, first) - first
    values, places = whole.values[first:], whole.places[first:]
    response = replace(whole, starts=starts, values=values, places=places)
    host = MatrixProjector(response, on=cpu(1))
    # Threads process seven orientations at a time. The last seven end with empty rows.
    A = on_card(response, replace(TINY, threads=7), reverse=reverse)

    assert_close(A(x), host(x))
    assert_close(A.T(y), host.T(y))


@pytest.mark.parametrize("values", ["half", "float"])
@pytest.mark.parametrize(
    ("threads", "run", "staged"), [(128, 8, 256), (32, 1, 32), (64, 4, 16), (96, 2, 500)]
)
def test_every_form_equals_the_twin(threads, run, staged, values):
    x, y, forward, back = twin("with a margin")
    A = on_card(response_of("with a margin"), MatrixVariant(threads, run, staged, values))

    assert_close(A(x), forward)
    assert_close(A.T(y), back)


def test_single_precision_values_stay_single_by_default():
    x, _, forward, _ = twin("two panels", np.float32)
    response = response_of("two panels", np.float32)

    assert_close(on_card(response, None)(x), forward)
    halves = on_card(response)(x)
    assert_close(halves, forward, 1e-3)
    assert np.abs(halves - forward).max() > 2 * RTOL * forward.max()


def test_half_precision_is_decoded_exactly():
    scene = "one row"
    response = replace(response_of(scene), values=response_of(scene).values.copy())
    tiny = np.array([6e-8, 1e-6, 6.1e-5, 0.0, 1.0, 0.3333], np.float16)
    response.values[:] = np.resize(tiny, len(response.values))
    x = twin(scene)[0]

    expected = MatrixProjector(response, on=cpu(1), dtype=np.float64)(x)

    np.testing.assert_allclose(on_card(response)(x), expected, rtol=RTOL)


def test_bits_are_reproducible_in_every_order():
    x, y, *_ = twin("two panels")
    response = response_of("two panels")
    one, other = on_card(response), on_card(response, reverse=True)

    assert np.array_equal(one(x), other(x))
    assert np.array_equal(one.T(y), other.T(y))
    assert np.array_equal(one.T(y), one.T(y))


def test_short_launches_give_the_same_result(monkeypatch):
    x, y, forward, back = twin("two panels")
    message = []
    for work in (1, 20_000):
        monkeypatch.setattr("engine.kernels.matrix.device_matrix.WORK_PER_LAUNCH", work)
        on = cuda(EmulatedGpu())
        A = MatrixProjector(
            response_of("two panels"),
            on=on,
            variant=TINY,
            on_progress=lambda *done: message.append(done),
        )
        assert_close(A(x), forward)
        n = on.gpu.n_launches
        assert (n == len(A.orientations)) if work == 1 else (1 < n < len(A.orientations))
        assert_close(A.T(y), back)
        assert message[-1] == (len(A.orientations),) * 2


def test_rows_that_do_not_fit_the_gpu_are_sent_in_parts(monkeypatch):
    x, y, forward, back = twin("two panels")
    A = on_card(response_of("two panels"))
    parts = []
    sort = A._stored._uploaded
    monkeypatch.setattr(A._stored, "_uploaded", lambda rows: parts.append(len(rows)) or sort(rows))
    monkeypatch.setattr("engine.operators.matrix.device.USABLE", 4e-7)  # fraction of 8 GiB

    assert_close(A(x), forward)
    assert len(parts) > 2
    assert sum(parts) == len(response_of("two panels").orientations)
    assert_close(A.T(y), back)


def test_rows_are_copied_to_the_gpu_once(monkeypatch):
    x = twin("two panels")[0]
    A = on_card(response_of("two panels"))
    A(x)
    monkeypatch.setattr(A._stored, "_uploaded", None)
    for k in range(3):
        part = A.subset(k, 3)
        part.T(part(x))


def test_subsets_equal_those_of_the_twin():
    scene = "with a margin"
    x, y, *_ = twin(scene)
    A, host = on_card(response_of(scene)), MatrixProjector(response_of(scene), on=cpu(2))
    for k in range(4):
        part, expected = A.subset(k, 4), host.subset(k, 4)
        some = host.lines(y, host.members(k, 4))
        assert_close(part(x), expected(x))
        assert_close(part.T(A.lines(A.on.to_device(y), A.members(k, 4))).get(), expected.T(some))


def test_double_precision_and_large_panels_are_refused():
    with pytest.raises(GeometryError, match="float32, but float64 was requested"):
        MatrixProjector(response_of("square"), on=cuda(EmulatedGpu()), dtype=np.float64)

    check_panel(FULL)
    with pytest.raises(GeometryError, match="at most 238 along each edge"):
        check_panel(replace(SCATTERING, rows=239))


@pytest.mark.parametrize("scene", ["two panels", "odd pitch"])
def test_default_form_equals_its_twin(scene, on_gpu):
    x, y, forward, back = twin(scene)
    A = MatrixProjector(response_of(scene), on=on_gpu)

    assert_close(on_gpu.to_host(A(x)), forward)
    assert_close(on_gpu.to_host(A.T(y)), back)
    assert np.array_equal(on_gpu.to_host(A.T(y)), on_gpu.to_host(A.T(y)))


@pytest.mark.parametrize("reverse", [False, True], ids=["", "reverse"])
@pytest.mark.parametrize("algorithm", [1, 2, 3])
@pytest.mark.parametrize("scene", ["with a margin", "odd pitch", "square"])
def test_algorithms_of_the_paper_equal_the_twin(scene, algorithm, reverse):
    x, y, forward, back = twin(scene)
    host = MatrixProjector(response_of(scene), on=cpu(1))
    A = PaperProjector(host, EmulatedGpu(reverse=reverse), algorithm)

    assert_close(A(x), forward)
    assert_close(A.T(y), back)


@pytest.mark.parametrize("algorithm", [1, 2, 3])
def test_algorithms_of_the_paper_accept_any_orientations(algorithm):
    x, y, *_ = twin("with a margin")
    host = MatrixProjector(response_of("with a margin"), on=cpu(1)).among(np.arange(3, 30, 4))
    A, y = PaperProjector(host, EmulatedGpu(), algorithm), y[: host.out_shape[0]]

    assert_close(A(x), host(x))
    assert_close(A.T(y), host.T(y))


def test_third_algorithm_skips_lines_without_counts():
    x, y, forward, _ = twin("two panels")
    counts = (np.arange(len(y)) % 3 == 0).astype(np.float32)
    host = MatrixProjector(response_of("two panels"), on=cpu(1))
    found = PaperProjector(host, EmulatedGpu(), 3, counts)(x)

    assert_close(found, np.where(counts, forward, 0))
    assert_close(PaperProjector(host, EmulatedGpu(), 2, counts)(x), forward)


def test_panels_too_large_for_the_packed_voxels_of_the_paper_are_refused():
    tall = panels(n_rows=129, n_columns=1, n_planes=1, voxels_per_pitch=16)
    A = MatrixProjector(random_response(tall, beyond=0), on=cpu(1))
    with pytest.raises(GeometryError, match="2064 voxels"):
        PaperProjector(A, EmulatedGpu(), 1)


def test_kernels_stay_within_their_arrays():
    """Run every form once under AddressSanitizer, in a process that loads it at the start."""
    code = """
import numpy as np
from engine.core.backend import cpu
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.matrix.paper_algorithms import PaperProjector
from tests.emulator import EmulatedGpu
from tests.engine.kernels.matrix.test_matrix_cuda import on_card, response_of
response, gpu = response_of("one column"), EmulatedGpu(sanitize=True)
host = MatrixProjector(response, on=cpu(1))
papers = [PaperProjector(host, gpu, algorithm) for algorithm in (1, 2, 3)]
for A in (on_card(response, None, sanitize=True), *papers):
    A.T(A(np.ones(A.in_shape, np.float32)))
"""
    assert_runs_sanitized(code)
