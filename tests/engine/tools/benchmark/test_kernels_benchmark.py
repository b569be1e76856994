from __future__ import annotations

from dataclasses import replace

import pytest

from engine.core.backend import Backend, cuda
from engine.kernels.variants import BLOCKS, RayVariant
from engine.tools.benchmark import kernels
from tests.emulator import EmulatedGpu


@pytest.fixture
def gpu() -> Backend:
    return cuda(EmulatedGpu())


FORMS = (RayVariant("thread"), RayVariant("thread", sums="fixed"))


def tried(block: int, speed: float | None, sums: str = "float") -> kernels.TriedVariant:
    return kernels.TriedVariant(128, RayVariant(sums=sums, block=block), speed)


def test_exhausted_budget_skips_forms_and_reports_their_number(gpu):
    result = kernels.run(gpu, n_events=40, sizes=(6,), repeats=1, budget_s=0.0, forms=FORMS)

    # at least one form of each queue is measured
    assert [row["block"] for row in result["rows"]] == [128, 64]
    assert result["n_left_out"] == len(FORMS) - 1 + len(BLOCKS) - 2


def test_best_form_is_the_fastest_of_its_group(gpu):
    result = kernels.run(gpu, n_events=40, sizes=(6,), repeats=1, forms=FORMS, blocks=(64,))

    assert result["n_left_out"] == 0
    assert [row["block"] for row in result["rows"]] == [128, 128, 64, 64]
    assert [best["sums"] for best in result["best"]] == ["float", "fixed"]
    for best in result["best"]:
        group = [row for row in result["rows"] if row["sums"] == best["sums"]]
        assert best["events_per_s"] == max(row["events_per_s"] for row in group)


def test_all_forms_are_every_combination():
    assert len(set(kernels.FORMS)) == len(kernels.FORMS) == 3 * 2 * 2 * 3
    assert {form.block for form in kernels.FORMS} == {128}


def test_failed_form_is_recorded_with_its_fault(gpu):
    gpu.gpu.fail_at_launch = 1
    test = kernels._Test(gpu, 6, 10, 1)

    failed = test.time(RayVariant("thread"))

    assert failed.events_per_s is None
    assert failed.fault


def test_limits_cover_speed_and_the_cost_of_reproducible_sums():
    best = kernels._best([tried(64, 90e6), tried(128, 120e6), tried(128, 60e6, "fixed")])

    speed, ratio = kernels._bars(best)

    assert (speed.value, speed.passed) == (120e6, True)
    assert (ratio.value, ratio.passed) == (2.0, False)


def test_stored_record_of_a_gpu_names_its_choice(gpu):
    result = {
        "workload": "w",
        "n_events": {"512": 1},
        "rows": [],
        "best": [replace(tried(256, 1e6), size=512).as_row()],
    }

    retained = kernels.tuning(result, gpu)

    (choice,) = retained["choices"]
    assert retained["compute_capability"] == 90
    assert (choice["image"], choice["timed"], choice["sums"]) == ("large", False, "float")
    assert RayVariant(**choice["variant"]) == RayVariant(block=256)
