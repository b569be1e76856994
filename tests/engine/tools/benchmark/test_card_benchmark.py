"""Tests of the GPU benchmark: measured parts, comparisons, and limits."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import cpu, cuda
from engine.core.errors import ResourceError, SettingsError
from engine.tools.benchmark import bars, counted, figures, tables
from engine.tools.benchmark.card import parts, runs, scatter, subsets, x_rays
from engine.tools.benchmark.card.parts import TINY
from tests.emulator import EmulatedGpu

DEVICE_PARTS = ("fdk", "projectors", "scatter", "subsets")


def named(name: str):
    """Return an emulated GPU with the name of a real one."""
    on = cuda(EmulatedGpu())
    assert on.gpu is not None
    on.gpu.facts = replace(on.gpu.facts, name=name)
    return on


def measured(on, *names):
    return parts.run(on, parts=names, sizes=TINY, repeats=1, log=[].append)["parts"]


@pytest.fixture(scope="module")
def found():
    return measured(named("NVIDIA H100 80GB HBM3"), *DEVICE_PARTS)


def bars_of(part):
    return {bar["name"]: bar for bar in part["bars"]}


def test_every_part_has_a_workload_rows_and_a_table(found):
    assert list(found) == [f"card_{name}" for name in DEVICE_PARTS]
    for name, part in found.items():
        assert part["workload"] and part["repeats"] == 1
        assert all(row["value"] > 0 and row["unit"] for row in part["rows"])
        text = "".join(table.markdown() for table in tables.of(name, part))
        assert all(row["case"] in text for row in part["rows"])


@pytest.mark.parametrize("name", ["fdk", "scatter", "projectors"])
def test_gpu_results_equal_those_of_the_cpu(found, name):
    limits = bars_of(found[f"card_{name}"])
    compared = [
        bar for title, bar in limits.items() if "difference" in title or "adjoint check" in title
    ]
    assert len(compared) >= 2
    assert all(bar["passed"] for bar in compared)


def test_wrong_gpu_image_misses_its_limit(monkeypatch):
    true_fdk = x_rays.fdk

    def other(values, geometry, grid, *, on, region=None):
        image = true_fdk(values, geometry, grid, on=on, region=region)
        return image * np.float32(1.01) if on.is_cuda else image

    monkeypatch.setattr(x_rays, "fdk", other)
    part = x_rays.fdk_times(named("a card"), TINY.scans[:1], 1)
    (bar,) = (bar for bar in part["bars"] if "difference from the CPU" in bar["name"])
    assert not bar["passed"] and bar["value"] == pytest.approx(0.01, rel=0.1)


def test_fdk_is_compared_with_its_limit_and_calculated_time(monkeypatch):
    scan = TINY.scans[0]
    monkeypatch.setattr(x_rays, "MAX_FDK_MS", {x_rays.named(scan): 1e9})
    limits = bars_of(x_rays.fdk_times(named("NVIDIA H100 80GB HBM3"), [scan], 1))
    here, host = (
        f"FDK {where}, {x_rays.named(scan)}" for where in ("on the device", "from host to host")
    )
    assert (limits[here]["way"], limits[here]["bar"]) == ("at most", 1e9)
    assert limits[host]["way"] == "calculated" and 0 < limits[host]["bar"] < limits[host]["value"]


def test_limits_belong_to_the_measured_scans():
    names = [x_rays.named(scan) for scan in x_rays.SCANS]
    assert {name: x_rays.MAX_FDK_MS[name] for name in names} == {
        "256³, 360 × 256 × 256": 10.0, "512³, 720 × 768 × 1024": 140.0,
    }  # fmt: skip


def test_rates_are_compared_with_limits_of_the_gpu(found):
    scan = x_rays.named(TINY.scans[0])
    limits = bars_of(found["card_projectors"])
    back = limits[f"back projection, {scan}"]
    # the emulated GPU has fewer multiprocessors than an H100
    facts = named("NVIDIA H100").gpu.facts
    limit = counted.limit_of([("volume of CT, texture", "back")], facts)
    assert back["way"] == "calculated limit" and back["bar"] == pytest.approx(limit / 1e9)
    assert f"exact adjoint, {scan}" in limits
    # line integrals are counted only for the two measured scans
    assert f"line integrals, exact, {scan}" not in limits
    assert any(bar["way"] == "calculated limit" for bar in found["card_subsets"]["bars"])


def test_gpu_without_published_properties_has_no_calculated_figures():
    part = subsets.run(named("GPU of tomorrow"), TINY.subsets, 1)
    assert {bar["way"] for bar in part["bars"]} == {"at least"}


def test_consecutive_kernels_add_their_times():
    facts = replace(named("H100").gpu.facts, n_multiprocessors=132)
    names = [("exact adjoint of CT, by voxels", kernel) for kernel in ("weigh", "gather")]
    one, other = (counted.limit_of([name], facts) for name in names)
    assert counted.limit_of(names, facts) == pytest.approx(1 / (1 / one + 1 / other))


@pytest.mark.parametrize(("value", "passed"), [(900.0, True), (1100.0, False), (np.nan, False)])
def test_rate_above_its_calculated_limit_misses(value, passed):
    assert bars.below_limit("rate", value, 1000.0, "G steps/s").passed == passed


@pytest.mark.parametrize(("value", "passed"), [(5.0, True), (50.0, True), (np.nan, False)])
def test_calculated_value_gives_no_verdict(value, passed):
    assert bars.next_to("time", value, 10.0, "s").passed == passed


def test_cpu_run_has_no_gpu_limits():
    for part in measured(cpu(1), *DEVICE_PARTS).values():
        assert part["rows"]
        assert all("adjoint check" in bar["name"] for bar in part["bars"])


def test_scatter_requires_a_ring():
    with pytest.raises(SettingsError, match="not a ring scanner"):
        scatter.run(cpu(1), scatter.ScatterSize("test-panels"), 1)


def test_failed_run_costs_only_its_row(monkeypatch):
    def failing(study, on, output, *, device=""):
        raise ResourceError("The run on cuda ended with code 2: no memory")

    monkeypatch.setattr(runs, "_reconstructed", failing)
    part = runs.run(cpu(1), runs.TINY_DEMOS, [].append)
    (row,) = part["rows"]
    assert row["fault"] == "The run on cuda ended with code 2: no memory"
    (bar,) = part["bars"]
    assert not bar["passed"] and bar["name"] == "whole run, demo ct, failed runs"
    assert "no memory" in tables.of("card_runs", part)[0].markdown()


def test_failed_command_reports_its_last_line(tmp_path):
    missing = tmp_path / "none.toml"
    with pytest.raises(ResourceError, match=r"ended with code \d+\. .*none\.toml"):
        runs._reconstructed(missing, cpu(1), tmp_path / "out.h5")


@pytest.mark.slow
def test_whole_runs_are_compared_with_their_forecast():
    part = runs.run(cpu(2), runs.TINY_DEMOS, [].append)
    first, second = part["rows"]
    assert first["case"] == f"{second['case']}, first"
    (bar,) = part["bars"]
    assert (bar["way"], bar["value"], bar["bar"]) == (
        "calculated", second["value"], second["forecast_s"],
    )  # fmt: skip


def test_command_writes_figures_and_refuses_unknown_parts(tmp_path, capsys):
    out = tmp_path / "card.json"
    words = ["bench", "gpu", "--device", "cpu", "--quick", "--repeats", "1"]
    assert main([*words, "--parts", "fdk", "--json", str(out)]) == DONE
    assert "### FDK" in capsys.readouterr().out
    stored = json.loads(out.read_text())
    assert stored["format"] == figures.CARD and list(stored["parts"]) == ["card_fdk"]
    assert main([*words, "--parts", "fdk,speed"]) != DONE
    assert "'speed' is not a part of this benchmark" in capsys.readouterr().err
