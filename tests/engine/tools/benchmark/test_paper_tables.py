from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.simulate import simulate_listmode, uniform_cylinder
from engine.tools.benchmark import published, table2, table3
from engine.tools.benchmark.reconstructing import rmse
from engine.tools.benchmark.scans import BODY_GRID, body

pytestmark = pytest.mark.slow

TOF = {"fwhm_ps": 385.0, "bin_ps": 200.0, "n_bins": 11}
RING = RingSettings(
    name="tiny",
    n_rings=4,
    n_crystals_per_ring=40,
    radius_mm=150,
    ring_pitch_mm=8,
    max_ring_difference=3,
    n_tangential=30,
    fov_mm=(128, 32),
    tof=TOF,
)
GRID = ImageGrid((4, 10, 12), (12.0, 12.0, 8.0))


@pytest.fixture
def scan():
    phantom = uniform_cylinder(diameter_mm=80, length_mm=24)
    return simulate_listmode(phantom, RingScanner(RING), n_prompts=400, seed=5, randoms_fraction=0)


def test_rmse_of_an_image_with_itself_is_zero(rng):
    image = rng.random((3, 4, 5)).astype("f4")

    assert rmse(image, image) == {"rmse_counts_per_mm": 0.0, "rmse_relative": 0.0}


def test_rmse_is_the_root_of_the_mean_square(rng):
    image = np.full((3, 4, 5), 2.0, "f4")

    # 0.5 everywhere, a quarter of the image
    assert rmse(image, image + np.float32(0.5)) == pytest.approx(
        {"rmse_counts_per_mm": 0.5, "rmse_relative": 0.25}
    )


def test_table_2_has_both_programs_at_every_size_with_equal_images():
    result = table2.run([cpu(2)], n_events=800, sizes=(8, 16), iterations=3)

    rows = result["rows"]
    assert [(r["size"], r["case"]) for r in rows] == [
        (size, case) for size in (8, 16) for case in ("basic", "optimised")
    ]
    assert {r["threads"] for r in rows if r["case"] == "basic"} == {1}
    assert [r["sort_s"] > 1e-5 for r in rows] == [False, True] * 2
    assert len(result["images"]) == 2
    assert all(bar["passed"] for bar in result["bars"])


def test_seconds_are_the_sum_of_the_steps_and_determine_speeds():
    result = table2.run([cpu(2)], n_events=800, sizes=(8,), iterations=3)

    for row in result["rows"]:
        steps = sum(row[key] for key in ("correct_s", "sort_s", "prepare_s", "iterate_s"))
        assert row["seconds"] == pytest.approx(steps, abs=1e-6)
        speed = row["n_events"] * 3 / row["iterate_s"]
        assert row["events_per_s"] == pytest.approx(speed)


def test_table_2_compares_devices_on_the_same_events(both: list[Backend]):
    result = table2.run(both, n_events=300, sizes=(8,), iterations=2)

    pairs = {(pair["first"], pair["second"]) for pair in result["images"]}
    assert ("optimised, cpu", "optimised, cuda") in pairs
    assert len({row["n_events"] for row in result["rows"]}) == 1
    assert all(bar["passed"] for bar in result["bars"])


def test_table_3_has_the_published_rows_and_every_extension_changes_the_image(scan):
    result = table3.of_scan(scan, GRID, [cpu(2)], iterations=2, repeats=2)

    assert [row["case"] for row in result["rows"]] == list(published.TABLE3_CASES)
    assert {row["repeats"] for row in result["rows"]} == {2}
    assert all(row["best_seconds"] <= row["seconds"] for row in result["rows"])
    by_case = {row["case"]: row for row in result["rows"]}
    ratio = by_case["OSEM with all"]["seconds"] / by_case["OSEM"]["seconds"]
    assert result["osem_with_all_to_osem"] == {"cpu": pytest.approx(ratio)}
    assert result["bars"] == []  # of a GPU


def test_table_3_compares_every_row_between_devices(scan, both: list[Backend]):
    few = scan.select(slice(120))
    result = table3.of_scan(few, GRID, both, iterations=1, repeats=1)

    assert [pair["case"] for pair in result["images"]] == list(published.TABLE3_CASES)
    agree = [bar for bar in result["bars"] if "RMSE" in bar["name"]]
    assert len(agree) == 7
    assert all(bar["passed"] for bar in agree)


def test_body_fits_into_the_published_image():
    assert BODY_GRID.shape == (580, 86, 133)
    margin = 1.0
    for shape in body().shapes:
        centre, half = np.array(shape.centre_mm), np.array(shape.half_mm)
        turned = half[[1, 0, 2]] if getattr(shape, "turn_deg", 0) else half
        reach = np.maximum(half, turned)
        assert (np.abs(centre) + reach < BODY_GRID.size_mm / 2 - margin).all(), shape


def test_published_rows_equal_those_of_the_paper():
    assert len(published.table2()) == 15
    assert len(published.table3()) == 19  # the paper omits two rows for the CPU
    assert max(row["seconds"] for row in published.table2()) == 2455.42
