"""Tests of queueing many scans: protocols, and questions about missing information."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.state.services.queueing.queue_intake import QueueAnswer
from engine.core import paths
from engine.core.paths import HOME_VARIABLE
from engine.io import fingerprint_of, save
from engine.jobs import QueueEntry, StudyQueue
from engine.modalities import digest_of, modality_of
from engine.modalities.studies import write_study
from engine.raw_import import Answers, draft_of, write_draft
from tests.app.conftest import PATIENCE_MS, Controls
from tests.engine.io.xray.xray_files import dxchange
from tests.engine.raw_import.scans import integrals
from tests.farm.scans import MAPS, N_EVENTS, write_crystal_map, write_safir


class QueueControls:
    """The queue commands of a window, without the window."""

    def __init__(self, qtbot, controls: Controls) -> None:
        self._qtbot, self.session = qtbot, controls.session
        self.commands = controls.context.queue
        self.commands.start_runner = lambda _: None
        self._reading = controls.commands
        self.problems: list[str] = []
        self.session.problem_raised.connect(lambda p: self.problems.append(f"{p.title} {p.text}"))

    def settle(self) -> None:
        """Wait until everything is read and written."""
        quiet = lambda: not (self.commands.intake.is_busy or self._reading.is_busy)  # noqa: E731
        self._qtbot.waitUntil(quiet, timeout=PATIENCE_MS)

    def add(self, *files: Path) -> list[QueueEntry]:
        self.commands.intake.add(files)
        self.settle()
        return StudyQueue().entries()

    def answer(self, *entries: QueueEntry, **values: object) -> list[QueueEntry]:
        self.commands.intake.answer(entries, QueueAnswer(**values))
        self.settle()
        return StudyQueue().entries()


@pytest.fixture
def queue(qtbot, controls, tmp_path, monkeypatch: pytest.MonkeyPatch) -> QueueControls:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    assert paths.queue_dir().is_relative_to(tmp_path)
    return QueueControls(qtbot, controls)


@pytest.fixture
def copies(small_study, tmp_path) -> Callable[[int], list[Path]]:
    """Return copies of the small scan in folders of several patients, all with the same name."""

    def make_copies(n: int) -> list[Path]:
        folders = [tmp_path / f"patient {k}" for k in range(n)]
        for folder in folders:
            folder.mkdir()
            shutil.copy(small_study.data, folder / "scan.h5")
        return [folder / "scan.h5" for folder in folders]

    return make_copies


def kinds(entries: list[QueueEntry]) -> list[str]:
    """Return the kind of question of each entry; empty if there is none."""
    return [q.kind if (q := entry.open_question) else "" for entry in entries]


def test_queued_scans_get_the_protocol_of_their_scanner_not_of_the_open_study(
    queue: QueueControls, copies
) -> None:
    """A change of the open study does not apply to queued scans."""
    first, *more = copies(3)
    queue.session.study.set_protocol(
        queue.session.study.protocol.model_copy(update={"reproducible": False, "name": "Mine"})
    )
    entries = queue.add(first, *more)
    assert [entry.files[0] for entry in entries] == [first, *more]
    assert {entry.state for entry in entries} == {"waiting"} and kinds(entries) == [""] * 3
    digests = {digest_of(entry.to_study().protocol) for entry in entries}
    assert len(digests) == 1 and entries[0].to_study().protocol.name != "Mine"
    assert all(entry.scanner_kind.startswith("Tiny ring") and entry.asks for entry in entries)
    assert not any(entry.order for entry in entries), (
        "a queued scan got the patient of the open study"
    )
    assert len({entry.run for entry in entries}) == 3
    model = queue.session.queue
    assert sorted(model.folders.values()) == ["patient 0", "patient 1", "patient 2"]
    assert queue.session.study.inputs == {}, "a scan was opened in the window"


def test_folder_queues_all_its_scans_and_names_skipped_files(
    queue: QueueControls, copies, tmp_path
) -> None:
    copies(2)
    night = tmp_path / "night"
    night.mkdir()
    for k in range(2):
        shutil.move(tmp_path / f"patient {k}", night)
    letter = tmp_path / "letter.docx"
    letter.write_text("no scan")
    entries = queue.add(night, letter)
    assert sorted(entry.files[0].parent.name for entry in entries) == ["patient 0", "patient 1"]
    assert any("letter.docx" in text for text in queue.problems)


def test_scan_without_scanner_asks_and_runs_with_the_answer(
    queue: QueueControls, tiny_ring, tmp_path
) -> None:
    scans = []
    for k in range(2):
        (tmp_path / f"s{k}").mkdir()
        scans.append(tmp_path / f"s{k}" / f"scan{k}.clm.safir")
        write_safir(scans[-1], tiny_ring, seed=k)
    write_crystal_map(tmp_path / "places.txt", tiny_ring)
    entries = queue.add(*scans)
    assert [entry.state for entry in entries] == ["asking"] * 2
    assert kinds(entries) == ["scanner"] * 2 and not entries[0].has_protocol
    assert queue.commands.protocols_for(entries[0]) == []
    entries = queue.answer(entries[0], scanner=str(tmp_path / "places.txt"))
    assert kinds(entries) == ["", "scanner"], "the answer was used for another scan"
    study = entries[0].to_study()
    assert study.scanner == str(tmp_path / "places.txt") and entries[0].state == "waiting"
    assert entries[1].to_study().scanner is None


def test_truncated_scan_asks_once(queue: QueueControls, tiny_ring, tmp_path) -> None:
    path = tmp_path / "scan.clm.safir"
    write_safir(path, tiny_ring, seed=1)
    path.write_bytes(path.read_bytes()[:-11])
    write_crystal_map(tmp_path / "places.txt", tiny_ring)
    (entry,) = queue.add(path)
    question = entry.open_question
    assert question is not None and (question.kind, question.n_events) == (
        "complete_events",
        N_EVENTS - 1,
    )
    (entry,) = queue.answer(entry, complete_events=True)
    if kinds([entry]) == ["scanner"]:
        (entry,) = queue.answer(entry, scanner=str(tmp_path / "places.txt"))
    assert entry.state == "waiting" and entry.to_study().complete_events


def test_assumed_value_waits_for_the_user_to_accept_it(queue: QueueControls, tmp_path) -> None:
    (tmp_path / "tooth").mkdir()
    dxchange(tmp_path / "tooth")
    (entry,) = queue.add(tmp_path / "tooth")
    question = entry.open_question
    assert question is not None and question.kind == "assumption"
    assert "pixel size is unknown" in entry.text and question.has_protocol
    assert modality_of(entry.to_study().protocol).key == "ct"
    (entry,) = queue.answer(entry, accepts=True)
    assert entry.state == "waiting" and entry.agreed == question.assumed


def test_raw_projections_wait_for_their_description(queue: QueueControls, copies, tmp_path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    np.save(raw / "scan.npy", integrals())
    entries = queue.add(*copies(1), raw / "scan.npy")
    assert kinds(entries) == ["", "import"]
    assert entries[1].state == "asking" and entries[1].files[0] == raw / "scan.npy"


def test_description_is_used_only_for_the_scan_that_it_describes(
    queue: QueueControls, tmp_path
) -> None:
    """The file can be replaced while other scans are read first."""
    np.save(tmp_path / "scan.npy", integrals())
    entries = queue.add(tmp_path / "scan.npy")
    answers = Answers(kind="integrals", scale=1.0, beam="100,400", pixel="0.05")
    path = write_draft(draft_of(tmp_path / "scan.npy", answers))
    known = fingerprint_of(path)
    np.save(tmp_path / "scan.npy", 2 * integrals())
    (entry,) = queue.answer(*entries, imported=path, fingerprint=known)
    assert entry.open_question.kind == "unreadable"
    assert "may belong to another patient" in entry.text
    assert entry.to_study().fingerprints == {"data": known}
    np.save(tmp_path / "scan.npy", integrals())
    (entry,) = queue.answer(entry)
    assert kinds([entry]) != ["unreadable"]
    assert entry.to_study().fingerprints == {"data": known}


def test_mu_map_is_assigned_to_a_scan_only_after_an_answer(
    queue: QueueControls, copies, tmp_path
) -> None:
    from engine.data import Volume

    grid, value = MAPS
    values = np.full(grid.shape, value, np.float32)
    save(Volume(values, grid, "1/mm"), tmp_path / "mu.nii.gz")
    entries = queue.add(*copies(2), tmp_path / "mu.nii.gz")
    assert kinds(entries) == ["input", "input"]
    question = entries[0].open_question
    assert question is not None and [f.role for f in question.files] == ["attenuation"]
    entries = queue.answer(entries[0], inputs=question.files)
    assert entries[0].to_study().inputs["attenuation"] == tmp_path / "mu.nii.gz"
    entries = queue.answer(entries[1])
    assert [entry.state for entry in entries] == ["waiting"] * 2
    assert "attenuation" not in entries[1].to_study().inputs


def test_damaged_scan_waits_and_is_read_again(queue: QueueControls, copies) -> None:
    good, bad = copies(2)
    content = bad.read_bytes()
    bad.write_bytes(content[: len(content) // 2])
    entries = queue.add(good, bad)
    assert kinds(entries) == ["", "unreadable"] and "scan.h5" in entries[1].text
    entries = queue.answer(entries[1])
    assert kinds(entries) == ["", "unreadable"], "a damaged scan left the state of its question"
    bad.write_bytes(content)
    entries = queue.answer(entries[1])
    assert [entry.state for entry in entries] == ["waiting"] * 2


def test_one_choice_changes_the_protocol_of_all_scans_of_a_scanner(
    queue: QueueControls, copies, tmp_path
) -> None:
    (tmp_path / "tooth").mkdir()
    dxchange(tmp_path / "tooth")
    entries = queue.add(*copies(3), tmp_path / "tooth")
    first = entries[0]
    others = queue.commands.alike(first)
    assert [entry.id for entry in others] == [entries[1].id, entries[2].id]
    expected = next(
        each
        for each in queue.commands.protocols_for(first)
        if digest_of(each) != digest_of(first.to_study().protocol)
    )
    queue.commands.intake.use_protocol((first, *others, entries[3]), expected)
    queue.settle()
    now = StudyQueue().entries()
    names = [entry.to_study().protocol.name for entry in now]
    assert names[:3] == [expected.name] * 3
    assert now[3].study == entries[3].study, "the choice changed a scan of another kind"


def test_question_survives_a_restart(queue: QueueControls, tmp_path) -> None:
    (tmp_path / "tooth").mkdir()
    dxchange(tmp_path / "tooth")
    queue.add(tmp_path / "tooth")
    (entry,) = StudyQueue().entries()
    assert kinds([entry]) == ["assumption"] and entry == replace_nothing(entry)


def replace_nothing(entry: QueueEntry) -> QueueEntry:
    """Write an entry and read it again."""
    return QueueEntry.from_text(entry.to_text().encode())


def test_technicians_queue_only_approved_protocols(
    queue: QueueControls, copies, small_study, tmp_path
) -> None:
    """A study file may name another protocol; it waits, and another one is chosen."""
    study = queue.session.study
    allowed = [each.protocol for each in study.library().listed(study.modality)[:1]]
    (scan,) = copies(1)
    write_study(small_study, tmp_path / "study.toml")
    study.offered = lambda modality: allowed if modality is study.modality else []
    entries = queue.add(scan, tmp_path / "study.toml")
    assert kinds(entries) == ["", "protocol"] and "not approved" in entries[1].text
    assert digest_of(entries[0].to_study().protocol) == digest_of(allowed[0])
    question = entries[1].open_question
    assert question is not None and not question.assumed, (
        "a technician could accept the unapproved protocol"
    )
    assert queue.commands.protocols_for(entries[1]) == allowed
    queue.commands.intake.use_protocol((entries[1],), allowed[0])
    queue.settle()
    assert kinds(StudyQueue().entries()) == ["", ""]


def test_single_scan_is_opened_and_not_queued(queue: QueueControls, copies, tmp_path) -> None:
    (scan,) = copies(1)
    alone: list[bool] = []
    queue.commands.intake.sort((scan, tmp_path / "nothing.txt"), lambda: alone.append(True))
    queue.settle()
    assert alone == [True] and StudyQueue().entries() == []
