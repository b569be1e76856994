from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import cpu
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.simulate.integrals import line_integrals
from engine.simulate.xray_phantoms import shepp_logan
from engine.tools.benchmark import report
from engine.tools.benchmark.cone import images as cone_images
from engine.tools.benchmark.cone import rtk, suite
from engine.tools.benchmark.cone.suite import BACK, FDK, FORWARD, MATCHED, OURS, ConeWork

SMALL = ConeWork(size=24, n_views=60, pixels=32)


def has_rtk() -> bool:
    try:
        return bool(version("itk-rtk"))
    except PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def figures() -> dict:
    return suite.run(
        cpu(2), sizes=(16, 24), n_views=60, pixels=32, repeats=2, with_peer=False, log=[].append
    )


@pytest.fixture(scope="module")
def part(figures):
    return figures["parts"]["cone"]


def test_every_size_has_every_case(part):
    cases = [(row["size"], row["case"]) for row in part["rows"]]

    assert cases == [(n, name) for n in (16, 24) for name in (BACK, FORWARD, MATCHED, FDK)]
    assert all(row["best_seconds"] <= row["seconds"] for row in part["rows"])


def test_rates_equal_work_over_seconds(part):
    # rays that leave through a side cross fewer layers than the cube has
    steps = {n: suite.ConeWork(n, 60, 32).n_steps for n in (16, 24)}
    for row in part["rows"]:
        n, per_s = row["size"], 1 / row["seconds"]
        if row["case"] in (BACK, FDK):
            assert row["gups"] == pytest.approx(n**3 * 60 * per_s / 1e9)
            assert row["mrays_per_s"] is row["gsteps_per_s"] is None
        else:
            assert row["mrays_per_s"] == pytest.approx(60 * 32**2 * per_s / 1e6)
            assert row["gsteps_per_s"] == pytest.approx(steps[n] * per_s / 1e9)
            assert row["gups"] is None


def test_fdk_and_forward_projection_are_close_to_the_truth(part):
    image = part["images"][-1]
    assert (image["size"], image["first"], image["second"]) == (24, OURS, "truth")
    assert abs(image["mean_relative"]) < 0.01
    assert image["rmse_per_mm"] < 0.02

    errors = [row["error_relative"] for row in part["integrals"]]
    assert errors[1] < errors[0] < 0.2


def test_without_a_peer_there_are_no_ratios(part):
    assert part["ratios"] == []
    assert {row["by"] for row in part["rows"]} == {OURS}
    assert part["peer"] == "not asked for"


def test_ratios_are_medians_over_neighbouring_times():
    # in the second run, both programs were twice as slow
    times = {
        (FDK, OURS): [(1.0, 2.0), (2.0, 2.0), (1.0, 2.0)],
        (FDK, "RTK"): [(3.0, 5.0), (6.0, 6.0), (4.0, 7.0)],
    }

    (ratio,) = suite._ratios(times)

    assert (ratio["seconds_ratio"], ratio["cpu_s_ratio"]) == (3.0, 3.0)
    assert (ratio["case"], ratio["by"]) == (FDK, "RTK")


def rows(*, gups=1.2, mrays=5.0, seconds=7.0):
    ours = {"by": OURS, "gups": gups, "mrays_per_s": mrays, "seconds": seconds}
    theirs = {"by": "RTK", "case": FDK, "seconds": 99.0}
    return [theirs, *(ours | {"case": name} for name in (BACK, FORWARD, FDK))]


@pytest.mark.parametrize(
    ("slow", "missed"),
    [
        ({}, []),
        ({"gups": 1.0}, [BACK]),
        ({"mrays": 4.0}, [FORWARD]),
        ({"seconds": 8.1}, ["whole FDK"]),
    ],
)
def test_slow_cases_miss_their_speed_limits(slow, missed):
    bars = suite._speed_bars(ConeWork(256), cpu(2), rows(**slow))

    assert [bar.name.split(",")[0] for bar in bars if not bar.passed] == missed
    assert len(bars) == 3


@pytest.mark.parametrize(
    ("work", "threads"),
    [
        (ConeWork(128), 2),
        (ConeWork(256, n_views=90), 2),
        (ConeWork(256, pixels=128), 2),
        (ConeWork(256), 1),
    ],
)
def test_speed_limits_apply_to_their_work_only(work, threads):
    assert suite._speed_bars(work, cpu(threads), rows()) == []


def agreement(mean=1e-4, rmse=1e-3, error=0.01):
    pair = {"first": OURS, "mean_relative": mean, "rmse_per_mm": rmse}
    images = [pair | {"second": "RTK", "mean_relative": 9.0}, pair | {"second": "truth"}]
    return images, [{"by": "RTK", "error_relative": 9.0}, {"by": OURS, "error_relative": error}]


@pytest.mark.parametrize(
    ("size", "wrong", "passed"),
    [
        (256, {}, [True, True, True]),
        (256, {"mean": -2e-3}, [False, True, True]),
        (256, {"rmse": 2e-3}, [True, False, True]),
        (256, {"error": 0.02}, [True, True, False]),
        (128, {}, [True, True]),
        (64, {}, []),
    ],
)
def test_wrong_images_miss_their_limits(size, wrong, passed):
    bars = suite._image_bars(ConeWork(size), *agreement(**wrong))

    assert [bar.passed for bar in bars] == passed


def test_errors_equal_the_added_deviations(rng):
    exact = rng.random((3, 4, 5)).astype("f4")
    assert cone_images.error(1.25 * exact, exact) == pytest.approx(0.25)

    truth = shepp_logan().rasterise(SMALL.grid, "mu").values[11:13]
    (row,) = cone_images.compared({OURS: truth + np.float32(0.25)}, SMALL.grid)
    assert row["rmse_per_mm"] == pytest.approx(0.25)
    assert row["first_mean_per_mm"] - row["second_mean_per_mm"] == pytest.approx(0.25)


def test_middle_consists_of_the_two_slices_around_zero():
    image = np.arange(6)[:, None, None] * np.ones((6, 2, 2))

    assert cone_images.middle(image)[:, 0, 0].tolist() == [2, 3]


def test_report_renders_stored_figures(figures, tmp_path, capsys):
    path, folder = tmp_path / "run.json", tmp_path / "report"
    peer = [{"size": 16, "case": FDK, "by": "RTK", "seconds_ratio": 3.04, "cpu_s_ratio": 2.04}]
    part = figures["parts"]["cone"] | {"ratios": peer}
    path.write_text(json.dumps(figures | {"parts": {"cone": part}}))

    assert main(["bench", "report", str(path), "-o", str(folder)]) == DONE

    output = capsys.readouterr().out
    assert "### Cone beam, 60 views of 32 × 32 pixels" in output
    assert "| 16³    | FDK  | RTK  | 3.0             | 2.0            |" in output
    assert (folder / "cone.png").read_bytes().startswith(b"\x89PNG")
    assert "16³, matched back" in (folder / "cone.svg").read_text()
    assert report.read(path)["parts"]["cone"]["n_views"] == 60


def test_command_measures_and_writes_figures(tmp_path, capsys):
    out = tmp_path / "figures.json"
    size = ["--sizes", "16", "--views", "20", "--pixels", "16", "--repeats", "1"]

    assert main(["bench", "cone", "--threads", "2", *size, "--no-peer", "--json", str(out)]) == DONE

    stored = report.read(out)
    assert stored["format"] == "isocenter bench cone"
    assert stored["devices"]["cpu"]["threads"] == 2
    assert [row["size"] for row in stored["parts"]["cone"]["rows"]] == [16] * 4
    assert "FDK" in capsys.readouterr().out


def test_gpu_measures_the_same_cases(device):
    result = suite.run(
        device, sizes=(16,), n_views=6, pixels=8, repeats=1, with_peer=False, log=[].append
    )
    part = result["parts"]["cone"]
    assert [row["case"] for row in part["rows"]] == [BACK, FORWARD, MATCHED, FDK]
    assert {row["device"] for row in part["rows"]} == {"cuda"}
    assert result["devices"]["cuda"]["name"] == device.label


@pytest.mark.skipif(has_rtk(), reason="RTK is installed")
def test_missing_rtk_is_reported():
    assert "not installed" in rtk.note()
    assert rtk.cases(SMALL.geometry, SMALL.grid, *suite.head_and_scan(SMALL), threads=1) == {}


@pytest.mark.skipif(not has_rtk(), reason="RTK is not installed")
@pytest.mark.filterwarnings("ignore:builtin type:DeprecationWarning")
def test_rtk_uses_the_same_scan_and_volume():
    # detector, orbit and phantom are asymmetric
    geometry = replace(SMALL.geometry.shifted(columns=1.5, rows=-2.0), shape=(30, 32))
    grid = replace(SMALL.grid, shape=(20, 22, 24))
    head = shepp_logan().rasterise(grid, "mu").values
    scan = line_integrals(shepp_logan(), geometry)
    A = XrayTransform(geometry, grid, on=cpu(2))
    theirs = rtk.cases(geometry, grid, head, scan, threads=2)

    assert cone_images.error(theirs[FORWARD](), A.forward(head)) < 1e-4
    # outside, programs treat the edges of the detector differently
    inside = np.hypot(grid.centres_mm(0), grid.centres_mm(1)[:, None]) < 100
    ours = fdk(scan, geometry, grid, on=cpu(2))
    assert cone_images.error(theirs[FDK]()[:, inside], ours[:, inside]) < 1e-4
    assert theirs[BACK]().shape == grid.shape
