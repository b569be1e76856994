"""Complete runs of a simulated scan: quantitative with all corrections, wrong if one is missing."""

from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.regions.figures import figures_of, mean_of
from engine.analysis.regions.solids import CylinderRegion
from engine.core.backend import cpu
from engine.core.errors import NumericalError
from engine.data.runs.events import (
    Corrected,
    Finished,
    Loaded,
    Measured,
    Preview,
    Progressed,
    StageStarted,
    Warned,
)
from engine.data.runs.history import RunHistory
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import save, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context.context import Resume
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder

YEAR_S = 3e7
"""Longer than any test takes."""

ON = cpu(2)
upright = CylinderRegion.upright
RING = RingSettings(
    name="tiny", n_rings=12, n_crystals_per_ring=96, radius_mm=120, ring_pitch_mm=5,
    max_ring_difference=11, n_tangential=64, gap_places=(0, 24, 48, 72), block_rings=4,
    block_places=8, tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=9),
    voxel_mm=(5, 5, 5), fov_mm=(140, 60),
)  # fmt: skip
STAGES = ["read", "kernels", "correct", "sensitivity", "reconstruct", "finish"]
SETTINGS = ("algorithm.iterations=4", "algorithm.subsets=4", "finishing=[]")


def mean(volume, shape):
    return mean_of(volume, shape.coverage(volume))


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    """Return a scan with enough events for values within two percent, and the truth."""
    return simulated(tmp_path_factory.mktemp("scan"), n_prompts=500_000)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Return a scan with enough events to test the run itself, and the truth."""
    return simulated(tmp_path_factory.mktemp("few"), n_prompts=50_000)


@pytest.fixture(scope="module")
def undisturbed(few):
    """Return all events and the progress of an undisturbed run."""
    ticks = []
    return list(run(study(few[0]), on=ON, on_progress=ticks.append)), ticks


def previews_of(events):
    return [e for e in events if isinstance(e, Preview)]


def simulated(folder, n_prompts):
    """Simulate a uniform cylinder with attenuation, randoms and different crystals."""
    scanner = RingScanner(RING)
    phantom = ShapePhantom(
        "cylinder", (Cylinder((8.0, 0.0, 0.0), (50.0, 50.0, 40.0), activity=1.0, mu_per_mm=0.0096),)
    )
    efficiencies = np.random.default_rng(7).uniform(0.5, 1.0, scanner.n_crystals)
    efficiencies[::50] = 0
    data = simulate_listmode(
        phantom, scanner, n_prompts=n_prompts, seed=3, randoms_fraction=0.3,
        efficiencies=efficiencies,
    )  # fmt: skip
    write_listmode(replace(data, mu_map=None, efficiencies=None), folder / "scan.h5")
    save(data.mu_map, folder / "mu.nii.gz", {})
    text = "\n".join(f"{e:.6f}" for e in data.efficiencies)
    (folder / "efficiencies.txt").write_text(text + "\n")
    return folder, data.info["counts_per_mm"]


def study(folder, *settings):
    return Study(
        data=folder / "scan.h5",
        attenuation=folder / "mu.nii.gz",
        normalisation=folder / "efficiencies.txt",
        protocol=with_settings(ListModeProtocol(), (*SETTINGS, *settings)),
    )


def image(study):
    return next(e for e in run(study, on=ON) if isinstance(e, Finished)).volume


def middle(volume):
    return mean(volume, upright((8.0, 0.0, 0.0), 70.0, 30.0))


@pytest.mark.essential
def test_all_corrections_together_give_the_true_value(scan):
    folder, truth = scan
    volume = image(study(folder))
    assert middle(volume) == pytest.approx(truth, rel=0.02)
    outside = mean(volume, upright((-58.0, 0.0, 0.0), 16.0, 30.0))
    assert outside < 0.03 * truth


def test_cylinder_is_uniform(scan):
    folder, _ = scan
    # Each update uses all events. Subsets would change this by a percent.
    volume = image(study(folder, "algorithm.subsets=1", "algorithm.iterations=16"))
    left = mean(volume, upright((-22.0, 0.0, 0.0), 30.0, 30.0))
    centre = mean(volume, upright((8.0, 0.0, 0.0), 30.0, 30.0))
    assert left == pytest.approx(centre, rel=0.03)


def test_value_without_tof_is_the_same(scan):
    folder, truth = scan
    volume = image(study(folder, "time_of_flight=false", "algorithm.iterations=8"))
    assert middle(volume) == pytest.approx(truth, rel=0.02)


def test_filter_in_the_model_gives_less_noise_and_the_same_value(few):
    folder, truth = few
    blurred = 'corrections.resolution.use="on"', 'finishing=[{kind="gaussian", fwhm_mm=8.0}]'
    outside, within = (
        image(study(folder, *blurred, f"corrections.resolution.with_filter={known}"))
        for known in ("false", "true")
    )
    core = upright((8.0, 0.0, 0.0), 70.0, 30.0)
    spreads = [figures_of(v, core.coverage(v)).sd for v in (within, outside)]
    assert spreads[0] < 0.95 * spreads[1]
    assert mean(within, core) == pytest.approx(mean(outside, core), rel=0.01)
    assert mean(within, core) == pytest.approx(truth, rel=0.03)


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        ("attenuation", 0.05, 0.7),
        ("normalisation", 0.3, 0.75),
        ("randoms", 1.02, 2.0),
    ],
)
def test_each_missing_correction_changes_the_value(few, kind, low, high):
    folder, truth = few
    volume = image(study(folder, f"corrections.{kind}.use=off"))
    assert low < middle(volume) / truth < high


def test_events_are_sent_in_order(undisturbed):
    events, ticks = undisturbed
    assert [e.stage for e in events if isinstance(e, StageStarted)] == STAGES
    assert [e.stage for e in events if isinstance(e, Measured)] == STAGES
    ledger = {e.kind: e.state for e in events if isinstance(e, Corrected)}
    assert ledger == {
        "normalisation": "applied", "line_geometry": "applied", "attenuation": "applied",
        "randoms": "applied",
        "scatter": "unavailable", "resolution": "off", "units": "unavailable",
        "total": "applied",
    }  # fmt: skip
    previews = previews_of(events)
    assert [(e.iteration, e.subset) for e in previews] == [
        (i, k) for i in range(1, 5) for k in range(1, 5)
    ]
    assert [e.log_likelihood is not None for e in previews] == [e.ends_iteration for e in previews]
    assert sum(isinstance(e, Loaded) for e in events) == 1
    assert isinstance(events[-1], Finished)
    assert ticks
    assert all(isinstance(t, Progressed) and 0 <= t.done <= t.total for t in ticks)
    assert not [e for e in events if isinstance(e, Warned) and "cross no activity" in e.text]


def test_provenance_names_all_inputs_and_settings(few):
    folder, _ = few
    record = image(study(folder, "sensitivity.seed=5")).info
    assert record["protocol"]["sensitivity"]["seed"] == 5
    assert record["protocol"]["algorithm"]["iterations"] == 4
    names = {role: file["name"] for role, file in record["inputs"].items()}
    assert {"data", "attenuation", "normalisation"} <= set(names)
    assert not any(name in repr(record) for name in ("scan.h5", "mu.nii.gz", "efficiencies.txt"))
    identified = study(folder).model_copy(update={"identified": True})
    inputs = repr(image(identified).info["inputs"])
    assert all(name in inputs for name in ("scan.h5", "mu.nii.gz", "efficiencies.txt"))
    assert str(folder) not in repr(record)
    assert {c["kind"] for c in record["corrections"]} >= {"attenuation", "randoms"}


def test_finish_early_ends_after_a_complete_iteration(few):
    folder, _ = few
    events = list(run(study(folder), on=ON, finish_early=lambda: True))
    assert len([e for e in events if isinstance(e, Preview)]) == 4
    assert isinstance(events[-1], Finished)
    assert events[-1].provenance["iterations_done"] == 1.0


def test_resumed_run_gives_the_same_bits(few, undisturbed):
    folder, _ = few
    whole, _ = undisturbed
    for at in previews_of(whole)[5:7]:
        start = Resume(at.volume.values, at.update, at.history)
        resumed = list(run(study(folder), on=ON, resume=start))
        np.testing.assert_array_equal(resumed[-1].volume.values, whole[-1].volume.values)
        assert_same_report(resumed[-1].provenance, whole[-1].provenance)


def assert_same_report(resumed, whole):
    """Assert that a resumed run reports the same as an undisturbed one, and when it was resumed."""
    for key in ("log_likelihoods", "relative_residuals", "warnings", "iterations_done"):
        assert resumed[key] == whole[key], key
    assert list(resumed["timings_s"]) == list(whole["timings_s"])
    assert resumed["started_utc"] == whole["started_utc"]
    assert (len(resumed["resumed_utc"]), whole["resumed_utc"]) == (1, [])


def test_resumed_run_reports_earlier_losses_and_times(few, undisturbed):
    folder, _ = few
    before = RunHistory(seconds={"read": YEAR_S, "reconstruct": 10 * YEAR_S}, n_skipped=3)
    at = next(e for e in previews_of(undisturbed[0]) if e.ends_iteration)
    start = Resume(at.volume.values, at.update, before)
    events = list(run(study(folder), on=ON, resume=start))
    started = next(e for e in events if isinstance(e, StageStarted) and e.stage == "reconstruct")
    assert "resuming after 4 of 16 updates" in started.text
    (skipped,) = (text for text in events[-1].provenance["warnings"] if "activity" in text)
    assert skipped.startswith("3 events cross no activity")
    measured = {e.stage: e for e in events if isinstance(e, Measured)}
    assert YEAR_S < measured["read"].seconds < 2 * YEAR_S, (
        "the time of the earlier part must be added once"
    )
    assert 10 * YEAR_S < measured["reconstruct"].seconds < 11 * YEAR_S
    rate = measured["reconstruct"].figures["events_per_second"]
    n_events = measured["reconstruct"].figures["events"]
    assert rate * measured["reconstruct"].seconds == pytest.approx(4 * n_events)


def test_filters_act_after_and_between_iterations(few, undisturbed):
    folder, _ = few
    unfiltered = undisturbed[0][-1].volume.values
    after = image(study(folder, 'finishing=[{kind="gaussian", fwhm_mm=8.0}]')).values
    between = image(study(folder, 'between=[{kind="median"}]')).values
    inside = np.s_[4:8, 10:18, 12:18]
    assert after[inside].std() < 0.7 * unfiltered[inside].std()
    assert between[inside].std() < 0.7 * unfiltered[inside].std()
    assert after[inside].mean() == pytest.approx(unfiltered[inside].mean(), rel=0.02)


def test_stopping_leaves_no_work_running(few):
    folder, _ = few

    class StopError(Exception):
        pass

    def on_progress(event):
        if event.stage == "reconstruct":
            raise StopError

    with pytest.raises(StopError):
        list(run(study(folder), on=ON, on_progress=on_progress))


def test_checkpoint_with_nan_is_refused_and_not_shown(few, undisturbed):
    folder, _ = few
    start = previews_of(undisturbed[0])[0].volume.values
    invalid = start.copy()
    invalid[5, 14, 14] = np.nan
    with pytest.raises(NumericalError):
        list(run(study(folder), on=ON, resume=Resume(invalid, 1, RunHistory())))
