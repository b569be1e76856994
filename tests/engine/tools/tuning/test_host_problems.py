"""Tests of searches for CPU kernels; every form gives the results of the default form."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import DataError, ResourceError, SettingsError
from engine.core.paths import HOME_VARIABLE
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.geometry.orbits import circle, circular_cone
from engine.io import (
    read_listmode,
    read_scanner,
    write_histogram,
    write_listmode,
    write_projections,
)
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, with_fingerprints, write_study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.rays import Rays
from engine.tools.benchmark.crossing import cube, events, time_bins, timing
from engine.tools.tuning.choices import TARGETS
from engine.tools.tuning.host_cone import HostBack, TunedScan
from engine.tools.tuning.host_matrix import HostProjection
from engine.tools.tuning.host_rays import HostUpdate
from engine.tools.tuning.of_study import problem_of_study
from engine.tools.tuning.problems import problems_of
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search import problem_of
from tests.engine.operators.random_response import random_response

ON = cpu(2)


def forms_of(problem):
    some = product(*problem.parameters.values())
    return [dict(zip(problem.parameters, values, strict=True)) for values in some]


def faults(problem, forms):
    problem.prepare()
    assert problem.fault_of(problem.result(problem.shipped)) == ""
    return {fault for form in forms if (fault := problem.fault_of(problem.result(form)))}


def test_every_tile_size_gives_the_same_back_projection():
    problem = HostBack(ON, TunedScan.standard(40, 40))
    forms = forms_of(problem)
    assert len(forms) == 2 * 7 * 4 and problem.shipped in forms
    assert faults(problem, forms) == set()


def test_different_bits_are_wrong():
    problem = HostBack(ON, TunedScan.standard(16, 8))
    problem.prepare()
    result = problem.result(problem.shipped)
    assert problem.fault_of(result) == ""
    changed = result.copy()
    changed[3, 4, 5] = np.nextafter(changed[3, 4, 5], np.float32(9))
    assert "(1 values, at worst" in problem.fault_of(changed)


@pytest.mark.parametrize("reproducible", [True, False])
def test_division_of_events_does_not_change_the_result(reproducible, rng):
    rays, tof = events(9000, rng), timing(400)
    timed = Rays(rays.points_mm, rays.ends, time_bins(9000, tof, rng))
    problem = HostUpdate(ON, timed, cube(24), tof, reproducible=reproducible)
    forms = forms_of(problem)
    assert len(forms) == 2 * 5 and problem.shipped in forms
    assert faults(problem, forms) == set()
    wrong = problem.result(problem.shipped) * np.float32(1.0001)
    assert problem.fault_of(wrong).startswith("wrong results")
    if reproducible:  # with integers, every bit must be equal
        assert worst_bit(problem) == 0


def worst_bit(problem):
    one, other = (problem.result({"threads": n, "rows": rows}) for n, rows in ((1, 1024), (2, 0)))
    return np.abs(one - other).max()


def test_order_and_division_of_orientations_do_not_change_the_result():
    problem = HostProjection(ON, random_response(read_scanner("test-panels")), 2)
    forms = forms_of(problem)
    assert len(forms) == 2 * 4 * 4 and problem.shipped in forms
    assert faults(problem, forms[::3]) == set()


def test_every_scan_kind_can_be_tuned_on_a_cpu():
    for target, kernels in TARGETS.items():
        if target != "dual-head":  # it needs a response first
            problems = problems_of(target, ON)
            assert tuple(problem.slot.kernel for problem in problems) == kernels


def small_pet(folder):
    """Return a study of a few events."""
    ring = read_scanner("demo-ring")
    crystals = ring.lors(np.random.default_rng(1).integers(0, ring.n_lors, 3000))
    write_listmode(ListMode(ring, crystals, duration_s=1.0), folder / "pet.h5")
    coarse = {"voxel_mm": (16, 16, 16)}
    return Study(data=folder / "pet.h5", protocol=ListModeProtocol(grid=coarse))


@pytest.mark.slow
def test_command_searches_writes_and_deletes_forms(tmp_path, monkeypatch, capsys):
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    write_study(small_pet(tmp_path), tmp_path / "study.toml")
    out, asked = tmp_path / "out.json", ["tune", "listmode", "--device", "cpu", "--threads", "1"]
    asked += ["--study", str(tmp_path / "study.toml")]
    assert main([*asked, "--budget", "30", "--json", str(out)]) == 0
    figures = json.loads(out.read_text())
    (part,) = figures["kernels"]
    assert figures["format"] == "isocenter-tuning-1" and part["kernel"] == "rays"
    assert part["tried"][0]["values"] == part["shipped"] == {"threads": 1, "rows": 0}
    assert all(t["seconds_left"] <= 30 for t in part["tried"])
    assert part["kept"] == (part["best"] is not None)
    capsys.readouterr()
    assert main(["tune", "listmode", "--forget"]) == 0
    assert "Kernels use the default variant" in capsys.readouterr().out
    assert main(["tune", "listmode", "--show", "--threads", "1"]) == 0
    assert "No stored variants" in capsys.readouterr().out


def test_invalid_budget_is_refused(capsys):
    assert main(["tune", "cone", "--budget", "0"]) == 2
    assert "expected more than 0 s" in capsys.readouterr().err


def test_study_is_tuned_at_its_own_size(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.tools.tuning.host_rays.EVENTS", 500)
    orbit = circular_cone(
        circle(12), source_axis_mm=300.0, source_detector_mm=450.0, shape=(12, 20), pixel_mm=2.0
    )
    values = np.ones((12, 12, 20), np.float32)
    write_projections(Projections(values, orbit, kind="integrals"), tmp_path / "cone.h5")
    cone = Study(data=tmp_path / "cone.h5", protocol=CtProtocol())
    pet = small_pet(tmp_path)
    problem = problem_of_study("cone", cone, ON)
    assert "12 × 20 pixels" in problem.work and faults(problem, forms_of(problem)[:3]) == set()
    problem = problem_of_study("listmode", pet, ON)
    assert faults(problem, forms_of(problem)[:3]) == set()
    assert int(problem.work.split()[0]) <= 1000
    with pytest.raises(SettingsError, match="does not match `tune cone`"):
        problem_of_study("cone", pet, ON)


def test_scan_in_the_place_of_that_of_the_study_is_refused(tmp_path, monkeypatch):
    study = with_fingerprints(small_pet(tmp_path))
    request = SearchRequest("listmode", device="cpu", threads=1, study=study.model_dump_json())
    assert problem_of(request).slot.kernel == "rays"
    read = read_listmode

    def replaced_while_read(path, **options):
        found = read(path, **options)
        write_listmode(ListMode(found.scanner, found.crystals[:-9], duration_s=1.0), path)
        return found

    monkeypatch.setattr("engine.tools.tuning.of_study.read_listmode", replaced_while_read)
    with pytest.raises(DataError, match="may belong to another patient"):
        problem_of(request)
    monkeypatch.setattr("engine.tools.tuning.of_study.read_listmode", pytest.fail)
    with pytest.raises(DataError, match="may belong to another patient"):
        problem_of(request)


def test_command_refuses_a_study_whose_scan_was_replaced(tmp_path, capsys):
    write_study(with_fingerprints(small_pet(tmp_path)), tmp_path / "study.toml")
    (tmp_path / "pet.h5").write_bytes(b"another scan")
    asked = ["tune", "listmode", "--device", "cpu", "--study", str(tmp_path / "study.toml")]
    assert main(asked) == 2
    assert "may belong to another patient" in capsys.readouterr().err


def test_dual_head_study_requires_its_response(tmp_path, monkeypatch):
    # Another test may have stored the response of these panels
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    panels = read_scanner("test-panels")
    counts = np.ones(panels.n_lors, np.float32)
    write_histogram(Histogram(panels, counts, duration_s=1.0), tmp_path / "panels.h5")
    study = Study(data=tmp_path / "panels.h5", protocol=DualHeadProtocol())
    with pytest.raises(ResourceError, match="isocenter response build"):
        problem_of_study("dual-head", study, ON)
    response = random_response(panels)
    write_response(response, tmp_path / "response.h5")
    given, protocol = tmp_path / "response.h5", DualHeadProtocol()
    study = Study(data=tmp_path / "panels.h5", response=given, protocol=protocol)
    problem = problem_of_study("dual-head", study, ON)
    assert problem.slot.kernel == "matrix" and faults(problem, ()) == set()
