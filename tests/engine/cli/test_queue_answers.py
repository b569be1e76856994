"""Tests of `isocenter queue answer`, which answers questions about queued studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.geometry.ring import RingScanner
from engine.io import write_listmode
from engine.jobs.queue import StudyQueue
from engine.jobs.queue.question import InputFile, Question
from engine.modalities import OpenStudy, protocol_for
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.engine.jobs.test_gpu_failure import RING
from tests.engine.jobs.test_queue import queue as queue
from tests.farm.scans import write_crystal_map, write_safir


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Write the scanner's crystal map."""
    write_crystal_map(tmp_path / "places.txt", RingScanner(RING))
    return tmp_path / "places.txt"


def without_scanner(queue: StudyQueue, path: Path, cut: int = 0) -> str:
    """Queue a scan without a scanner name, like the window; return its ID."""
    write_safir(path, RingScanner(RING), seed=3)
    if cut:
        path.write_bytes(path.read_bytes()[:-cut])
    study = Study(data=path, protocol=protocol_for(OpenStudy()))
    question = Question(kind="scanner", text="The scan names no scanner.", format="SAFIR")
    return queue.add(study, question=question, asks=True).id


def test_scanner_answer_makes_the_study_waiting(queue, places, tmp_path, capsys) -> None:
    id = without_scanner(queue, tmp_path / "scan.clm.safir")
    assert main(["queue", "list"]) == DONE
    assert f"Answer: isocenter queue answer {id} --scanner NAME" in capsys.readouterr().out
    assert main(["queue", "answer", id, "--scanner", str(places)]) == DONE
    assert f"{id}  waiting: scan.clm.safir" in capsys.readouterr().out
    entry = queue.get(id)
    assert entry.state == "waiting" and entry.open_question is None and entry.has_protocol
    assert entry.to_study().scanner == str(places) and entry.scanner_kind
    assert isinstance(entry.to_study().protocol, ListModeProtocol)


def test_unsuitable_answer_changes_nothing(queue, places, tmp_path, capsys) -> None:
    id = without_scanner(queue, tmp_path / "scan.clm.safir")
    before = queue.get(id)
    assert main(["queue", "answer", id, "--accept"]) == USER_FAULT
    error = capsys.readouterr().err
    assert f"study {id}: this does not answer its question. The scan names no scanner." in error
    assert f"Use `isocenter queue answer {id} --scanner NAME`." in error
    (tmp_path / "noise.txt").write_text("no crystals")
    assert main(["queue", "answer", id, "--scanner", str(tmp_path / "noise.txt")]) == USER_FAULT
    assert queue.get(id) == before


def test_next_question_follows_an_answer(queue, places, tmp_path, capsys) -> None:
    id = without_scanner(queue, tmp_path / "scan.clm.safir", cut=11)
    assert main(["queue", "answer", id, "--scanner", str(places)]) == DONE
    entry = queue.get(id)
    question = entry.open_question
    assert entry.state == "asking" and question is not None
    assert question.kind == "complete_events" and not question.has_protocol
    assert "--use-complete-events" in capsys.readouterr().out
    assert main(["queue", "answer", id, "--use-complete-events"]) == DONE
    entry = queue.get(id)
    assert entry.state == "waiting" and entry.to_study().complete_events
    assert entry.to_study().scanner == str(places), "the first answer was lost"


def test_assumed_values_are_accepted(queue, tmp_path) -> None:
    write_listmode(
        simulate_listmode(
            uniform_cylinder(diameter_mm=60, length_mm=30), RingScanner(RING), n_prompts=500,
            seed=7, attenuation=False,
        ),
        tmp_path / "scan.h5",
    )  # fmt: skip
    assumed = ("The axis is assumed at the centre.",)
    question = Question(kind="assumption", text=assumed[0], assumed=assumed, has_protocol=True)
    study = Study(data=tmp_path / "scan.h5", protocol=ListModeProtocol())
    id = queue.add(study, question=question, asks=True).id
    assert main(["queue", "answer", id, "--accept"]) == DONE
    entry = queue.get(id)
    assert entry.state == "waiting" and entry.agreed == assumed


def test_next_question_is_about_the_scan_that_was_read(queue, places, tmp_path, capsys) -> None:
    """The next patient's export may replace a scan between two answers."""
    scan = tmp_path / "scan.clm.safir"
    write_safir(scan, RingScanner(RING), seed=3)
    offered = (InputFile(role="calibration", path=tmp_path / "known.json"),)
    question = Question(kind="scanner", text="Which scanner?", format="SAFIR", files=offered)
    study = Study(data=scan, protocol=protocol_for(OpenStudy()))
    id = queue.add(study, question=question, asks=True).id
    assert main(["queue", "answer", id, "--scanner", str(places)]) == DONE
    entry = queue.get(id)
    assert entry.open_question.kind == "input" and "data" in entry.to_study().fingerprints
    write_safir(scan, RingScanner(RING), seed=4)
    capsys.readouterr()
    assert main(["queue", "answer", id, "--accept"]) == USER_FAULT
    assert "may belong to another patient" in capsys.readouterr().err
    assert queue.get(id) == entry


@pytest.mark.parametrize("takes", [True, False])
def test_offered_files_are_used_or_left_out(queue, tmp_path, takes: bool) -> None:
    data = simulate_listmode(
        uniform_cylinder(diameter_mm=60, length_mm=30), RingScanner(RING), n_prompts=500, seed=7,
        attenuation=False,
    )  # fmt: skip
    write_listmode(data, tmp_path / "scan.h5")
    (tmp_path / "known.json").write_text("{}")
    offered = (InputFile(role="calibration", path=tmp_path / "known.json"),)
    question = Question(kind="input", text="known.json", files=offered, has_protocol=True)
    study = Study(data=tmp_path / "scan.h5", protocol=ListModeProtocol())
    id = queue.add(study, question=question, asks=True).id
    option = ["--input", f"calibration={tmp_path / 'known.json'}"] if takes else ["--accept"]
    assert main(["queue", "answer", id, *option]) == DONE
    entry = queue.get(id)
    assert entry.state == "waiting", "the files are offered again"
    assert ("calibration" in entry.to_study().inputs) is takes


def test_study_without_a_question_is_refused(queue, tmp_path, capsys) -> None:
    study = Study(data=tmp_path / "scan.h5", protocol=ListModeProtocol())
    id = queue.add(study).id
    assert main(["queue", "answer", id, "--accept"]) == USER_FAULT
    assert f"study {id}: its state is 'waiting', and it has no question" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["queue", "answer", id, "--input", "mu.nii"])
    assert "expected ROLE=FILE" in capsys.readouterr().err
