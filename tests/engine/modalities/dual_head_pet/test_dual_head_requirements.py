"""Tests of the resource estimates of a dual-head run: real matrix sizes, limits, remedies."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from engine.core.backend import cpu
from engine.core.backend.devices import DeviceInfo, device_of
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.data.histogram import with_settings as on_panels
from engine.io import read_scanner
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.requirements import (
    PACKED_PER_SECOND_PER_THREAD,
    SMALLER,
    build_seconds,
    estimate,
    work,
)
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.requirements import Requirements, refuse_if_too_large
from engine.protocols.study.assignments import with_settings

GIB = 2**30


def requirements(scanner: str, *settings: str, **options: object) -> Requirements:
    protocol = with_settings(DualHeadProtocol(), settings)
    return estimate(protocol, read_scanner(scanner), on=device_of(cpu(2)), **options)


@pytest.mark.parametrize(
    ("n_rows", "rel", "scatter"), [(4, 0.3, False), (12, 0.3, False), (12, 0.45, True)]
)
def test_size_is_near_that_of_a_real_matrix(n_rows: int, rel: float, *, scatter: bool) -> None:
    scanner = on_panels(read_scanner("test-panels"), n_rows=n_rows, block_crystals=8)
    settings = AnalyticResponse(n_points=1 << 14, scatter=scatter)
    matrix = build_analytic(scanner, settings)
    found, table = work(scanner, settings), scanner.orientations
    assert found.n_stored == pytest.approx(matrix.n_nonzero, rel=rel)
    products = sum(
        n * len(matrix.row(int(a), int(b)).values)
        for (a, b), n in zip(table.offsets, table.n_shifts, strict=True)
    )
    assert found.n_products == pytest.approx(products, rel=rel)


def test_full_system_stays_within_its_memory() -> None:
    for columns in (1, 2, 4):
        whole = requirements("dhapet", "algorithm.subsets=72", columns=columns)
        assert 1 * GIB < whole.memory_bytes < 8 * GIB
    uneven = requirements("dhapet", "algorithm.subsets=72", columns=4, factors=True)
    assert whole.memory_bytes < uneven.memory_bytes < 8 * GIB
    assert 1e9 < 4 * work(read_scanner("dhapet"), AnalyticResponse()).n_stored < 2.5e9


def test_more_work_takes_longer() -> None:
    short = requirements("demo-panels")
    assert requirements("demo-panels", "algorithm.iterations=24").seconds > 2 * short.seconds
    assert requirements("demo-panels", left=0.1).seconds < short.seconds
    fresh = requirements("demo-panels", is_stored=False)
    response_s = build_seconds(DualHeadProtocol(), read_scanner("demo-panels"), 2)
    assert fresh.seconds - short.seconds == pytest.approx(response_s) == fresh.once_s
    first_run_note = r"time: \d:\d\d\. Included in the first run only: \d:\d\d \(response\)\."
    assert re.search(first_run_note, fresh.describe())
    assert "first run" not in short.describe() and fresh.times(3).once_s == 3 * fresh.once_s
    coarse = requirements("demo-panels", "grid.voxel_mm=[1.2, 1.0, 1.2]")
    assert coarse.seconds < short.seconds and coarse.memory_bytes < short.memory_bytes


def test_response_time_grows_with_points_and_non_zeros_and_is_divided_by_threads() -> None:
    def seconds(n_points: int, threads: int = 1, scanner: str = "demo-panels") -> float:
        protocol = DualHeadProtocol(response=AnalyticResponse(n_points=n_points))
        return build_seconds(protocol, read_scanner(scanner), threads)

    integrating = seconds(4096) - seconds(2048)
    assert seconds(16384) - seconds(8192) == pytest.approx(4 * integrating)
    packing = seconds(2048) - integrating
    n_stored = work(read_scanner("demo-panels"), AnalyticResponse()).n_stored
    assert packing == pytest.approx(n_stored / PACKED_PER_SECOND_PER_THREAD)
    assert seconds(4096) == pytest.approx(2 * seconds(4096, threads=2))
    assert seconds(4096, scanner="dhapet") > 10 * seconds(4096)


def test_too_little_memory_is_reported_with_the_remedy() -> None:
    scanner = read_scanner("dhapet")
    much = replace(requirements("dhapet"), free_bytes=GIB)
    with pytest.raises(ResourceError, match=r"needs [\d.]+ GiB of memory, .*more subsets"):
        refuse_if_too_large(much, scanner.grid, SMALLER)


def test_small_gpu_streams_the_response_and_a_tiny_one_is_refused() -> None:
    scanner, protocol = read_scanner("dhapet"), DualHeadProtocol()
    card = DeviceInfo("cuda", "card", 80 * GIB, 3 * GIB // 2, 2)
    found = estimate(protocol, scanner, on=card)
    assert found.gpu is not None and found.gpu.fits and found.gpu.streams
    streamed = "Streamed through the remaining GPU memory: response matrix and sensitivities."
    assert streamed in found.describe()
    roomy = estimate(protocol, scanner, on=replace(card, free_bytes=80 * GIB)).gpu
    assert roomy is not None and not roomy.streams
    tiny = estimate(protocol, scanner, on=replace(card, free_bytes=GIB // 8))
    with pytest.raises(DeviceMemoryError, match=r"the run needs at least .* of GPU memory"):
        refuse_if_too_large(tiny, scanner.grid, SMALLER)
