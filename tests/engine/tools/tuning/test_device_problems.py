"""Tests of searches for GPU kernels; all forms compile and are compared with CPU twins."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from engine.data.projections import Projections
from engine.geometry.orbits import circle, circular_cone
from engine.io import read_scanner, write_projections
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.host_variants import BackForm
from engine.kernels.matrix.variants import MatrixVariant
from engine.kernels.stored_variants import chosen, form_of
from engine.kernels.tuning import shipped_back, tuned_back
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtGrid, CtProtocol
from engine.operators.rays import Rays
from engine.tools.benchmark.cone.variants import FormsWork, ScanWork
from engine.tools.benchmark.crossing import cube, events, time_bins, timing
from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.device_cone import MAX_PIXELS, DeviceBack, thinned
from engine.tools.tuning.device_matrix import DeviceProjection
from engine.tools.tuning.device_rays import DeviceUpdate
from engine.tools.tuning.of_study import problem_of_study
from engine.tools.tuning.outcome import Outcome
from engine.tools.tuning.problems import problems_of
from engine.tools.tuning.session import TuningSession
from engine.tools.tuning.storing import keep
from tests.engine.operators.random_response import random_response

WORK = FormsWork(8, 5, (6, 9))
COLUMNS = {
    "texture": "memory",
    "path": "columns",
    "block_size_x": 32,
    "block_size_y": 4,
    "voxels_per_thread": 1,
    "views_per_launch": 32,
    "projections": "vcr",
}


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))


def faults(problem, *forms):
    problem.prepare()
    return [problem.fault_of(problem.result(form)) for form in (problem.shipped, *forms)]


def test_restrictions_leave_exactly_the_compilable_forms(on_gpu):
    searchspace = pytest.importorskip("kernel_tuner.searchspace")
    problem = DeviceBack(on_gpu, WORK)
    # some values of each parameter, including its minimum and maximum
    some = {
        "texture": ["layered", "memory"], "path": ["upright", "columns"],
        "block_size_x": [8, 32, 256], "block_size_y": [1, 4, 32], "voxels_per_thread": [1, 8, 24],
        "views_per_launch": [32], "projections": ["vrc", "vcr"],
    }  # fmt: skip
    space = searchspace.Searchspace(some, list(problem.restrictions), 1 << 20)
    every = (dict(zip(some, values, strict=True)) for values in product(*some.values()))
    can_be = {
        tuple(form.values())
        for form in every
        if problem.is_form(form)
        and form["block_size_x"] * form["block_size_y"]
        >= 32  # fewer threads leave lanes of every warp idle
        and (
            form["projections"] == "vrc" or form["texture"] == "memory"
        )  # textures are stored by rows
    }
    assert set(map(tuple, space.list)) == can_be and len(can_be) > 50


def test_file_of_gpu_trials_is_replayed_without_a_gpu(on_gpu, tmp_path):
    kernel_tuner = pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")

    class FormulaTimes(DeviceBack):
        """A formula gives the times; the best form has a run of 4 and blocks of (16, 4)."""

        def prepare(self):
            return

        def result(self, values):
            return np.ones(1, np.float32)

        def fault_of(self, result):
            return ""

        def seconds(self, values):
            x, y, run = (
                values[name] for name in ("block_size_x", "block_size_y", "voxels_per_thread")
            )
            return 1e-3 * (1 + abs(x - 16) / 16 + abs(y - 4) / 4 + abs(run - 4) / 4)

    problem, cache = FormulaTimes(on_gpu, WORK), tmp_path / "trials.json"
    problem.parameters |= {
        "texture": ("layered",), "path": ("upright",), "block_size_x": (16, 32),
        "block_size_y": (4, 32),
        "voxels_per_thread": (4, 6), "views_per_launch": (32,), "projections": ("vrc",),
    }  # fmt: skip
    outcome = TuningSession(problem, strategy="brute_force", cache=cache).run()
    best = {"block_size_x": 16, "block_size_y": 4, "voxels_per_thread": 4}
    assert outcome.best == problem.shipped | best
    # the simulation mode of Kernel Tuner, with another strategy, only from the file
    parameters = {name: list(values) for name, values in problem.parameters.items()}
    results, found = kernel_tuner.tune_kernel(
        problem.slot.kernel, "", problem.work, [], parameters,
        restrictions=list(problem.restrictions), cache=str(cache), simulation_mode=True,
        strategy="random_sample", strategy_options={"max_fevals": 8}, quiet=True, lang="CUDA",
    )  # fmt: skip
    assert len(results) == 8
    assert {name: found["best_config"][name] for name in best} == best


def test_published_block_sizes_are_in_the_search_space(on_gpu):
    problem = DeviceBack(on_gpu)
    assert problem.has(problem.shipped) and problem.shipped["block_size_x"] == 16
    for block in ((16, 4), (16, 32), (152, 1)):  # Figure 4, the default, the fluidised bed
        sizes = dict(zip(("block_size_x", "block_size_y"), block, strict=True))
        assert problem.has(problem.shipped | sizes | {"voxels_per_thread": 2})
    for texture in ("array", "layered", "list", "pitched"):  # Figure 5
        assert problem.has(problem.shipped | {"texture": texture})


def test_cone_beam_forms_equal_the_twin(on_gpu):
    problem = DeviceBack(on_gpu, WORK)
    assert faults(problem, COLUMNS, problem.shipped | {"texture": "pitched"}) == [""] * 3
    assert problem.seconds(problem.shipped) > 0


def test_form_that_skips_voxels_or_shifts_a_row_is_wrong(on_gpu):
    problem = DeviceBack(on_gpu, WORK)
    problem.prepare()
    right = problem.result(problem.shipped)
    assert problem.fault_of(np.roll(right, 1, axis=1)).startswith("wrong results")
    gap = right.copy()
    gap[0, 0, 0] = np.nan
    assert "(1 values, at worst" in problem.fault_of(gap)


def test_wrong_variant_never_wins(on_gpu):
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")

    class Planted(DeviceBack):
        """The path "general" omits the weights and takes no time."""

        def result(self, values):
            right = super().result(self.shipped)
            return right * np.float32(1.1) if values["path"] == "general" else right

        def seconds(self, values):
            return 1e-6 if values["path"] == "general" else 1.0

    problem = Planted(on_gpu, WORK)
    problem.parameters = {name: (value,) for name, value in problem.shipped.items()}
    problem.parameters["path"] = ("upright", "general")
    outcome = TuningSession(problem, budget_s=60, strategy="brute_force").run()
    assert outcome.best is None
    assert [t.fault[:13] for t in outcome.tried] == ["", "wrong results"]


def test_stored_gpu_form_is_used_on_that_gpu(on_gpu, own_home):
    problem = DeviceBack(on_gpu, WORK)
    values = problem.shipped | {"block_size_x": 32, "block_size_y": 8, "voxels_per_thread": 2}
    record = keep(problem, Outcome(best=values, comparison=Comparison(0.9, 0.88, 0.92, 15)))
    assert {field.name for field in fields(BackVariant)} == record["form"].keys()
    on = on_gpu.of_a_run()
    best = tuned_back(on, True, WORK.grid.n_voxels, WORK.detector[0])
    assert (best.block, best.voxels_per_thread) == (
        (32, 8),
        2,
    ) and "cone_back" in on.used_variants.words
    shipped = shipped_back(on, True)
    assert form_of(record, shipped) == best
    assert chosen(on, problem.slot, BackForm()) == BackForm()  # CPU forms are stored separately


@pytest.mark.parametrize("reproducible", [True, False])
def test_update_equals_the_twin(on_gpu, reproducible, rng):
    problem = DeviceUpdate(on_gpu, events(40, rng), cube(8), reproducible=reproducible)
    assert problem.has(problem.shipped)
    assert faults(problem) == [""]
    wrong = problem.result(problem.shipped) * np.float32(1.001)
    assert problem.fault_of(wrong).startswith("wrong results")
    assert problem.seconds(problem.shipped) > 0


def test_projection_with_a_response_equals_the_twin(on_gpu):
    problem = DeviceProjection(on_gpu, random_response(read_scanner("test-panels")), 4)
    assert problem.has(problem.shipped) and problem.form(problem.shipped) == vars(MatrixVariant())
    assert faults(problem) == [""]
    assert problem.seconds(problem.shipped) > 0


def test_each_parameter_value_is_valid_with_default_values(on_gpu):
    for problem in (DeviceUpdate(on_gpu, events(4, np.random.default_rng(0))), DeviceBack(on_gpu)):
        for name, values in problem.parameters.items():
            assert len(set(values)) == len(values) and problem.shipped[name] in values
    (standard,) = problems_of("cone", on_gpu)
    assert "512 × 512 × 512" in standard.work


def test_study_is_tuned_on_a_gpu_at_its_own_size(on_gpu, tmp_path, rng):
    orbit = circular_cone(
        circle(6), source_axis_mm=300.0, source_detector_mm=450.0, shape=(6, 9), pixel_mm=4.0
    )
    values = np.ones((6, 6, 9), np.float32)
    write_projections(Projections(values, orbit, kind="integrals"), tmp_path / "cone.h5")
    cone = CtProtocol(grid=CtGrid(voxel_mm=(5, 5, 5), diameter_mm=25.0, length_mm=15.0))
    problem = problem_of_study("cone", Study(data=tmp_path / "cone.h5", protocol=cone), on_gpu)
    assert isinstance(problem, DeviceBack) and "6 × 9 pixels, 6 views" in problem.work
    assert faults(problem) == [""]


def test_update_with_time_of_flight_has_its_own_form(on_gpu, rng):
    rays, tof = events(30, rng), timing(400)
    timed = Rays(rays.points_mm, rays.ends, time_bins(30, tof, rng))
    problem = DeviceUpdate(on_gpu, timed, cube(8), tof, reproducible=True)
    assert problem.slot.shape.endswith("timed") and faults(problem) == [""]


def test_large_scan_is_tuned_on_some_of_its_views():
    orbit = circular_cone(
        circle(720),
        source_axis_mm=300.0,
        source_detector_mm=450.0,
        shape=(2048, 2048),
        pixel_mm=0.2,
    )
    some = thinned(ScanWork(orbit, cube(8)))
    rows, columns = some.detector
    assert 0.5 < some.n_views * rows * columns / MAX_PIXELS <= 1
    np.testing.assert_allclose(np.ptp(np.diff(some.geometry.angles_rad)), 0, atol=1e-12)
    wide = some.widened(2)
    assert wide.shape == (2052, 2052)
    np.testing.assert_allclose(wide.axis_seen, some.geometry.axis_seen + 2)
