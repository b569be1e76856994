"""Tests of the study list: entries, states, filters, search and patients."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core import paths
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.dicom.order import ORDER, ImagingOrder
from engine.jobs.checkpoint import Job
from engine.jobs.queue import StudyQueue
from engine.jobs.queue.executor import LocalExecutor
from engine.jobs.queue.runner import QueueRunner
from engine.jobs.study_index import FILTERS, known_studies
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import EXPORTED, NewResult, Result, Results
from engine.results.reports.signature import sign
from tests.engine import engine_sources
from tests.engine.run_records import recorded

IDA = ImagingOrder(patient_name="Müller^Ida", patient_id="4711", accession="A1", step="FDG, brain")
JOHN = ImagingOrder(patient_name="Doe^John", patient_id="4712")


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


def study(folder: Path, name: str = "scan") -> Study:
    (folder / f"{name}.l").write_bytes(name.encode())
    algorithm = {"kind": "osem", "iterations": 2, "subsets": 3}
    return Study(
        data=folder / f"{name}.l",
        protocol=ListModeProtocol.model_validate({"algorithm": algorithm}),
    )


def stored_result(folder: Path, name: str, **changes) -> Result:
    grid = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "counts/mm")
    new = NewResult(study(folder, name), volume, {"axes": "LPS"}, **changes)
    return Results().keep(new)


def states() -> dict[str, str]:
    return {each.scan: each.state for each in known_studies()}


def test_each_study_is_listed_once_with_its_state(tmp_path):
    stored_result(tmp_path, "finished")
    stored_result(tmp_path, "part", run=recorded(1, 2, ending="aborted"))
    stored_result(tmp_path, "exported").mark(EXPORTED)
    sign(stored_result(tmp_path, "signed"), "Ann", "acceptable")
    queue = StudyQueue()
    queue.add(study(tmp_path, "waiting"))
    failed = queue.add(study(tmp_path, "failed"))
    queue.change(failed.id, lambda e: e.model_copy(update={"state": "failed", "text": "No."}))
    done = queue.add(study(tmp_path, "done"))
    queue.change(done.id, lambda e: e.model_copy(update={"state": "finished"}))
    Job.create(study(tmp_path, "running"))
    assert states() == {
        "finished.l": "finished",
        "part.l": "part",
        "exported.l": "exported",
        "signed.l": "signed off",
        "waiting.l": "waiting",
        "failed.l": "failed",
        "running.l": "running",
    }
    texts = {each.scan: each.standing for each in known_studies()}
    assert texts["failed.l"] == "No."
    assert texts["signed.l"].startswith("acceptable; Ann")


@pytest.mark.parametrize(
    ("shown", "scans"),
    [
        ("all", {"a.l", "b.l", "c.l", "w.l"}),
        ("not signed off", {"a.l", "b.l"}),
        ("not exported", {"a.l"}),
        ("signed off", {"c.l"}),
        ("at work", {"w.l"}),
        ("to look after", set()),
    ],
)
def test_filters_select_studies_by_state(tmp_path, shown, scans):
    stored_result(tmp_path, "a")
    stored_result(tmp_path, "b").mark(EXPORTED)
    sign(stored_result(tmp_path, "c"), "Ann", "acceptable")
    StudyQueue().add(study(tmp_path, "w"))
    assert {each.scan for each in known_studies() if FILTERS[shown](each)} == scans


def test_search_covers_patient_order_scan_and_date(tmp_path):
    result = stored_result(tmp_path, "head")
    result.assign_order(IDA)
    stored_result(tmp_path, "other")
    day = f"{result.created:%Y-%m-%d}"
    for words in ("müller", "4711", "IDA fdg", "a1", "head", f"{day} brain", "standard MÜLLER"):
        assert [each.scan for each in known_studies() if each.matches(words)] == ["head.l"], words
    assert not [each for each in known_studies() if each.matches("müller other")]


def test_image_is_never_assigned_to_a_second_patient(tmp_path):
    result = stored_result(tmp_path, "a")
    result.assign_order(IDA)
    result.assign_order(IDA.model_copy(update={"accession": "A2"}))
    opened_before = Results().open(result.id)
    assert opened_before.order.accession == "A2"
    with pytest.raises(DataError, match="order is for a different patient") as refused:
        result.assign_order(JOHN)
    assert "Müller" not in str(refused.value), "the message contains a patient name"
    assert Results().open(result.id).order.accession == "A2"


def test_order_stored_by_another_window_is_used(tmp_path):
    result = stored_result(tmp_path, "a")
    assert result.order is None
    Results().open(result.id).assign_order(IDA)
    with pytest.raises(DataError, match="order is for a different patient"):
        result.assign_order(JOHN)


def test_later_image_of_a_run_inherits_the_patient(tmp_path):
    stored_result(
        tmp_path, "a", job="run of scan", run=recorded(1, 2, ending="aborted")
    ).assign_order(IDA)
    later = stored_result(tmp_path, "a", job="run of scan")
    assert [each.id for each in Results().newest_first()] == [later.id]
    assert Results().open(later.id).order == IDA


def test_modified_order_hides_no_study(tmp_path):
    result = stored_result(tmp_path, "a")
    result.assign_order(IDA)
    path = result.folder / ORDER
    path.write_text(path.read_text().replace("4711", "4712"))
    sign(result, "Ann", "acceptable")
    stored_result(tmp_path, "b")
    found = {each.scan: each for each in known_studies()}
    assert found["a.l"].state == "signed off", "the state of a modified result is lost"
    assert found["a.l"].patient == "" and "checksum does not match" in found["a.l"].note
    assert found["b.l"].note == ""


def test_queue_passes_the_order_to_the_image(tmp_path):
    queue = StudyQueue()
    queue.add(study(tmp_path), order=IDA)
    assert [each.patient for each in known_studies()] == ["Müller, Ida"]
    queue.set_running(True)
    QueueRunner(queue, LocalExecutor(queue, None, engine_sources.steady), lambda _: None).run()
    (found,) = known_studies()
    assert (found.state, found.order) == ("finished", IDA)


def test_command_prints_the_list_and_writes_it_as_json(tmp_path, capsys):
    stored_result(tmp_path, "a").assign_order(IDA)
    stored_result(tmp_path, "b")
    out = tmp_path / "list.json"
    assert main(["studies", "müller", "--json", str(out)]) == DONE
    first, total, _ = capsys.readouterr().out.splitlines()
    assert "finished     Müller, Ida (4711), a.l, Standard: finished" in first
    assert total.startswith("1 study, ")
    (line,) = json.loads(out.read_text())["studies"]
    assert (line["patient_id"], line["accession"], line["state"]) == ("4711", "A1", "finished")
    assert out.stat().st_mode & 0o077 == 0, "other users can read a file with patient names"
    assert main(["studies", "--show", "signed off"]) == DONE
    assert capsys.readouterr().out == "0 studies, 0 MiB\n"
