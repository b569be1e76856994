"""MAP runs of each PET modality stop by themselves, state the reason, and can be resumed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engine.cli.console import Console
from engine.core.errors import SettingsError
from engine.data.runs.events import Event, Preview, Progressed
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.protocols.run_context.context import Resume
from engine.results.reports.sections import _convergence
from tests.engine.modalities.map_scans import (
    KINDS,
    ON,
    bits,
    events_of,
    last,
    previews,
    rows,
    study,
    warnings,
)

QUICK = [
    # TOF changes the model, not the run.
    pytest.param(kind, marks=[pytest.mark.slow] if "time" in kind else [])
    for kind in KINDS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scans")


@pytest.fixture(scope="module", params=QUICK)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def whole(folder: Path, kind: str) -> list[Event]:
    """Return the events of an undisturbed run."""
    return events_of(study(folder, kind))


def test_run_stops_by_itself_and_its_records_state_why(whole: list[Event]) -> None:
    provenance, record = last(whole).provenance, last(whole).run
    found = provenance["penalised"]
    n = int(provenance["iterations_done"])
    assert record is not None and record.ending == "converged"
    assert "no region changes" in record.reason
    assert 1 < n == len(found) == len(previews(whole)) < 20
    assert found[-1]["change"] <= found[-1]["limit"] < found[0]["change"]
    assert found[-1]["kkt"] < found[0]["kkt"]
    objectives = [each["objective"] for each in found]
    assert objectives == sorted(objectives)
    assert rows(whole)["iterations"].startswith(f"ended after {n} of at most 20 iterations: ")
    assert not [text for text in warnings(whole) if "optimum" in text]


def test_run_resumed_after_any_cycle_has_the_same_bits(
    folder: Path, kind: str, whole: list[Event]
) -> None:
    shown = previews(whole)
    for at in (shown[0], shown[-1]):
        start = Resume(at.volume.values, at.update, at.history)
        again = events_of(study(folder, kind), resume=start)
        assert bits(again) == bits(whole)
        for key in ("penalised", "log_likelihoods", "iterations_done"):
            assert last(again).provenance[key] == last(whole).provenance[key]
        assert last(again).run.describe_ending() == last(whole).run.describe_ending()


def test_progress_within_a_cycle_is_reported(folder: Path, kind: str) -> None:
    """The bar advances within a cycle, although the image appears only at its end."""
    ticks: list[Progressed] = []
    two = study(folder, kind, "algorithm.iterations=2")
    events = events_of(two, on_progress=ticks.append)
    found = [each.done / each.total for each in ticks if each.stage == "reconstruct"]
    assert found == sorted(found) and found[-1] == 1
    assert np.diff([0.0, *found]).max() < 0.2
    assert any("The optimum was not reached in 2 iterations" in text for text in warnings(events))
    assert last(events).run.describe_ending() == "finished"


@pytest.mark.slow
def test_abort_within_a_cycle_loses_only_that_cycle(
    folder: Path, kind: str, whole: list[Event], tmp_path: Path
) -> None:
    started = study(folder, kind)
    job = Job.create(started, tmp_path / "job")
    received: list[Preview] = []

    def abort(_: Progressed) -> None:
        if len(received) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        for event in keep(run(started, on=ON, on_progress=abort), job):
            received += [event] if isinstance(event, Preview) else []
    resume = job.latest()
    assert resume is not None and resume.done == 2
    assert bits(events_of(started, resume=resume)) == bits(whole)


def test_run_can_be_finished_early(folder: Path, kind: str) -> None:
    events = events_of(study(folder, kind), finish_early=lambda: True)
    assert len(previews(events)) == 1
    assert last(events).run.describe_ending() == "stopped by the user at iteration 1 of at most 20"
    assert not [text for text in warnings(events) if "optimum" in text]


def test_console_and_report_state_the_distance_to_the_optimum(
    whole: list[Event], capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console()
    for event in whole:
        console.show(event)
    text = capsys.readouterr().err
    n = len(previews(whole))
    assert f"iteration {n} of at most 20  objective " in text and "regions change by " in text
    subject = SimpleNamespace(provenance=last(whole).provenance)
    rows_of = {row.name: row.value for row in _convergence(subject)}
    assert rows_of.keys() == {"Penalised log-likelihood", "Largest change in a region"}
    assert "KKT residual" in rows_of["Largest change in a region"]


@pytest.mark.slow
def test_gaussian_without_a_width_is_skipped_and_one_with_a_width_is_applied(
    folder: Path, kind: str, whole: list[Event]
) -> None:
    one = "algorithm.iterations=1"
    bare, empty, wide = (
        events_of(study(folder, kind, one, f"finishing=[{each}]"))
        for each in ("", '{kind="gaussian"}', '{kind="gaussian", fwhm_mm=12}')
    )
    assert bits(empty) == bits(bare)
    assert rows(empty)["filters"] == "none, because MAP limits the noise itself"
    assert "filters" not in rows(bare) | rows(wide)
    assert last(wide).volume.values.std() < 0.9 * last(bare).volume.values.std()


def test_filters_between_iterations_give_one_sentence(folder: Path, kind: str) -> None:
    with pytest.raises(SettingsError, match=r"MAP already limits the noise .*; remove") as refusal:
        study(folder, kind, 'between=[{kind="median"}]')
    assert str(refusal.value).count(".") == 1


@pytest.mark.slow
def test_bsrem_completes_all_its_passes(folder: Path, kind: str) -> None:
    events = events_of(study(folder, kind, "algorithm.kind=bsrem", "algorithm.iterations=2"))
    assert np.isfinite(last(events).volume.values).all()
    assert last(events).run.describe_ending() == "finished"
    assert len(last(events).provenance["log_likelihoods"]) == 2
