"""Tests of the comparison with other programs: results and ratios."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.backend.processor import usable_cores
from engine.core.errors import FileFormatError
from engine.tools.benchmark import report, tables
from engine.tools.benchmark.cone import suite as cone
from engine.tools.benchmark.peers import cases, gridrec, leap, suite
from engine.tools.benchmark.peers.cases import PeerCase
from engine.tools.benchmark.peers.peer_run import PeerRun, returning
from engine.tools.benchmark.peers.suite import PeerWork

TINY = ("--events", "2000", "--cone", "16x8", "--slices", "2x16x8", "--repeats", "1")


def spin(n: int):
    return lambda: np.array([sum(i * i for i in range(n))])


def _peer_run(theirs, ours):
    return PeerCase("squares", "another", ours, theirs)


def test_ratio_is_the_peers_time_over_ours():
    row = cases.row(_peer_run(lambda: PeerRun("here", spin(160_000)), spin(40_000)), 5)
    assert row["ratio"] == pytest.approx(row["peer_cpu_s"] / row["ours_cpu_s"], rel=0.5)
    assert 2 < row["ratio"] < 8
    assert (row["build"], row["agreement"]) == ("here", None)


@pytest.mark.parametrize(("values", "is_refused"), [([2, 4, 6, 8], False), ([1, -1, 1, -1], True)])
def test_peer_with_a_different_result_is_not_measured(values, is_refused):
    peer = PeerRun("another 1.0", spin(100), lambda: np.array(values))
    row = cases.row(PeerCase("ramp", "another", lambda: np.arange(4), lambda: peer, "sums"), 1)
    assert (row["ratio"] is None) == is_refused
    assert row["why_not"].startswith(
        "another 1.0, sums: the correlation with the result of Isocenter is" * is_refused
    )


def test_returned_array_of_a_run_is_compared():
    arrays = iter([[0, 2, 3, 5], [1, 2, 3, 4], [9, 9, 9, 8]])
    row = cases.row(
        PeerCase(
            "ramp", "another", lambda: np.arange(4.0),
            lambda: returning("1.0", lambda: np.array(next(arrays))), "sums",
        ), 1,
    )  # fmt: skip
    # from the first run, which is not timed
    assert (row["agreement"]["mean_peer"], row["agreement"]["of"]) == (2.5, "sums")
    assert row["agreement"]["correlation"] == pytest.approx(8 / 65**0.5)


def stand_in_for_rtk(monkeypatch, changed):
    """Replace RTK by our functions, with changed results."""
    scan = cone.ConeWork(16, 8, 16)

    def make_cases(geometry, grid, head, views, threads):
        ours = cone.our_cases(scan, cpu(1), head, views)
        return {name: lambda case=case: changed(np.asarray(case())) for name, case in ours.items()}

    for name, value in (
        ("is_there", lambda: True),
        ("note", lambda: "RTK 0"),
        ("cases", make_cases),
    ):
        monkeypatch.setattr(suite.rtk, name, value)
    return [cases.row(case, 1) for case in suite._cone(cpu(1), PeerWork(cone=(16, 8)))[:3]]


def test_rtk_volumes_and_sums_are_compared(monkeypatch):
    rows = stand_in_for_rtk(monkeypatch, lambda result: 2 * result)
    assert [row["agreement"]["of"] for row in rows] == ["volumes", "forward sums", "volumes"]
    for row in rows:
        agreement = row["agreement"]
        assert agreement["mean_peer"] == pytest.approx(2 * agreement["mean_ours"])
        assert agreement["correlation"] == pytest.approx(1)


def test_rtk_with_displaced_results_is_not_measured(monkeypatch):
    for row in stand_in_for_rtk(monkeypatch, lambda result: np.roll(result, 8, axis=1)):
        assert row["ratio"] is None
        assert "the correlation with the result of Isocenter" in row["why_not"]


class StandInForLeap:
    """Stub of LEAP's functions that records arguments and copies an array."""

    def __init__(self, refused: str = "") -> None:
        self.given, self._refused = {}, refused

    def __getattr__(self, name):
        def called(*arguments):
            self.given[name] = arguments
            if name in ("project_cpu", "FBP_cpu"):
                out = arguments[0] if name == "project_cpu" else arguments[1]
                out[:] = self.results[name]
            return name != self._refused

        return called


def with_leap(monkeypatch, library):
    scan = cone.ConeWork(16, 8, 16)
    threads = usable_cores()
    ours = cone.our_cases(scan, cpu(threads), *cone.head_and_scan(scan))
    names = {"project_cpu": cone.FORWARD, "FBP_cpu": cone.FDK}
    library.results = {name: np.asarray(ours[case]()) for name, case in names.items()}
    monkeypatch.setenv(leap.VARIABLE, "/somewhere/libleapct.so")
    monkeypatch.setattr(leap, "_library", lambda: library)
    return suite._cone(cpu(threads), PeerWork(cone=(16, 8)))[3:]


def test_leap_gets_the_same_scan(monkeypatch):
    library = StandInForLeap()
    rows = [cases.row(case, 1) for case in with_leap(monkeypatch, library)]
    assert [row["agreement"]["of"] for row in rows] == ["forward sums", "volumes"]
    assert [row["build"] for row in rows] == ["LEAP, CPU, libleapct.so"] * 2
    assert all(row["agreement"]["correlation"] == pytest.approx(1) for row in rows)
    n_views, n_rows, n_columns, height, width, *middle, angles, sod, sdd = library.given[
        "set_conebeam"
    ][:10]
    assert (n_views, n_rows, n_columns, sod, sdd) == (8, 16, 16, 1000.0, 1500.0)
    assert (height, width, middle) == (24.0, 24.0, [7.5, 7.5])
    np.testing.assert_allclose(angles, 90 + 45 * np.arange(8))
    assert library.given["set_volume"] == (16, 16, 16, 16.0, 16.0, 0.0, 0.0, 0.0)


def test_leap_error_costs_only_its_rows(monkeypatch):
    message = "LEAP's function set_volume failed; try another version of its library."
    for case in with_leap(monkeypatch, StandInForLeap("set_volume")):
        row = cases.row(case, 1)
        assert row["why_not"] == message
        assert row["ratio"] is None and row["ours_s"] > 0


def test_leap_requires_as_many_threads_as_processors(monkeypatch):
    monkeypatch.setenv(leap.VARIABLE, "libleapct.so")
    more = usable_cores() + 1
    case = suite._cone(cpu(more), PeerWork(cone=(16, 8)))[3]
    assert f"processors, but --threads is {more}; start" in cases.row(case, 1)["why_not"]


@pytest.mark.slow
def test_leap_gives_our_sums_and_our_image():
    if leap.build() is None:
        pytest.skip(f"{leap.VARIABLE} names no library of LEAP")
    forward, image = (
        cases.row(case, 1) for case in suite._cone(cpu(usable_cores()), PeerWork(cone=(64, 40)))[3:]
    )
    assert forward["agreement"]["correlation"] > 0.9999
    # its image is zero outside the cylinder that all views see
    assert image["agreement"]["correlation"] > 0.97


def test_astra_slices_are_compared(monkeypatch):
    work = PeerWork(slices=(2, 48, 30))
    (alone,) = suite._slices(cpu(1), work)
    monkeypatch.setattr(suite.astra, "build", lambda: "ASTRA 0")
    monkeypatch.setattr(suite.astra, "filtered_back_projection", lambda *_: alone.ours)
    (case,) = suite._slices(cpu(1), work)
    agreement = cases.row(case, 1)["agreement"]
    assert agreement["of"] == "volumes"
    assert agreement["correlation"] == pytest.approx(1)


def test_agreement_is_shown_in_the_table():
    row = cases.row(
        PeerCase("ramp", "another", lambda: np.arange(4.0),
                 lambda: returning("1.0", lambda: 2 * np.arange(4.0))), 1,
    )  # fmt: skip
    part = {"workload": "", "threads": 2, "repeats": 1, "limits": {}, "rows": [row], "bars": []}
    text = tables.of("peers", part)[0].markdown()
    assert "its mean over ours" in text
    assert "| 2 " in text and "| 1.00000 |" in text


def _that_fails():
    raise ImportError("libcudart.so.12: cannot open")


@pytest.mark.parametrize("theirs", [_that_fails, lambda: PeerRun("here", _that_fails)])
def test_missing_or_failing_peer_costs_only_its_row(theirs):
    row = cases.row(_peer_run(theirs, spin(100)), 2)
    assert row["why_not"] == "another failed: ImportError: libcudart.so.12: cannot open."
    assert (row["peer_s"], row["ratio"]) == (None, None)
    assert row["ours_s"] > 0


def test_without_a_peer_only_our_time_is_given():
    row = cases.row(PeerCase("squares", "nobody", spin(100), None), 2)
    assert (row["peer_s"], row["peer_cpu_s"], row["ratio"]) == (None, None, None)
    assert row["ours_s"] > 0
    limits = {name: [2.0, 1.0] for name in ("triad_gb_per_s", "random_adds_m_per_s")}
    part = {"workload": "", "threads": 2, "repeats": 2, "limits": limits, "rows": [row]}
    text = "".join(table.markdown() for table in tables.of("peers", part | {"bars": []}))
    assert "nobody, not installed" in text
    assert "2 GB/s" in text


@pytest.mark.parametrize(
    ("now", "is_reported"), [(6.0, False), (4.1, False), (3.9, True), (None, False)]
)
def test_ratio_lower_by_a_third_is_reported(now, is_reported):
    def row(ratio, build="RTK 2.7"):
        return {"work": "FDK", "peer": "RTK", "build": build, "ratio": ratio}

    found = suite.regressions([row(now)], [row(6.0), row(90.0, "RTK of another build")])
    assert found == (["FDK / RTK: 3.90 / 6.00"] if is_reported else [])


def test_figures_of_another_benchmark_are_refused(tmp_path):
    path = tmp_path / "cone.json"
    path.write_text(json.dumps({"format": "isocenter bench cone", "version": 1, "parts": {}}))
    with pytest.raises(FileFormatError, match=r"cone\.json: .* do not contain the part 'peers'"):
        report.part_of(path, "peers")


@pytest.mark.slow
def test_every_installed_peer_is_measured(tmp_path):
    path = tmp_path / "peers.json"
    # in a separate process, because ITK conflicts with modules of other tests
    command = [sys.executable, "-m", "app", "bench", "peers", *TINY, "--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "### Other programs" in done.stdout
    rows = report.part_of(path, "peers")["rows"]
    peers = {"RTK", "LEAP", "ASTRA, CPU", "parallelproj", "libparallelproj", "gridrec"}
    assert {row["peer"] for row in rows} == peers
    for row in rows:
        assert (row["ratio"] is None) == (row["build"] is None or row["why_not"] != "")
        assert (row["agreement"] is None) == (row["ratio"] is None)


@pytest.mark.slow
def test_gridrec_gives_our_image():
    if gridrec.build() is None:
        pytest.skip(f"{gridrec.VARIABLE} names no library of gridrec")
    work = PeerWork(slices=(2, 256, 180), gridded_views=(180,))
    case = next(suite._gridded_slices(cpu(2), work))
    ours, theirs = np.asarray(case.ours()), np.asarray(case.theirs().run())
    # gridrec's pixels are half a pixel off, so edges differ
    assert np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] > 0.9


@pytest.mark.slow
def test_astra_gives_our_image():
    pytest.importorskip("astra")
    case = suite._slices(cpu(2), PeerWork(slices=(2, 256, 180)))[0]
    ours, theirs = np.asarray(case.ours()), np.asarray(case.theirs().run())
    places = np.indices(ours.shape[1:]) - (ours.shape[1] - 1) / 2
    inside = (places**2).sum(axis=0) < (
        ours.shape[1] / 2 - 2
    ) ** 2  # only some views see the corners
    difference = np.abs(ours - theirs)[:, inside].mean()
    assert difference < 0.05 * np.abs(ours)[:, inside].mean()
