"""Test that edited settings belong to one scan, and not to a file that replaces it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.state.models.messages import Problem
from engine.core.errors import DataError
from engine.core.paths import windows_dir
from engine.io import fingerprint_of
from engine.jobs import EditedStudy, StudyQueue, WindowWork, WindowWorkFile
from engine.jobs.reconstruction import run
from engine.modalities import read_study
from tests.app.conftest import PATIENCE_MS, Controls
from tests.app.state.services.test_unfinished_work import (
    close,
    edit,
    open_study,
    opened_scan,
    scans,
    settle,
    start,
)

__all__ = ["scans", "start"]


@pytest.fixture
def edited(qtbot, start, scans, small_study) -> Path:
    """Return edited settings of the first patient's scan that a closed window has stored."""
    window = start()
    open_study(qtbot, window, small_study.model_copy(update={"data": scans[0]}))
    edit(window)
    close(window)
    return scans[0]


def replace(scan: Path, by: Path) -> None:
    """Replace the file of a scan by that of another one."""
    before = scan.stat().st_size
    scan.write_bytes(by.read_bytes())
    assert scan.stat().st_size == before, "the files have different sizes"


def messages(controls: Controls) -> list[Problem]:
    shown: list[Problem] = []
    controls.session.problem_raised.connect(shown.append)
    return shown


def open_path(qtbot, controls: Controls, path: Path) -> None:
    controls.commands.open_path(path)
    qtbot.waitUntil(lambda: opened_scan(controls) == path, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def iterations(controls: Controls) -> int:
    return controls.session.study.protocol.algorithm.iterations


def test_another_scan_at_the_path_gets_no_settings(qtbot, start, scans, edited) -> None:
    replace(edited, scans[1])
    window = start()
    shown = messages(window)
    open_path(qtbot, window, edited)
    (problem,) = shown
    assert problem.title == "Stored settings belong to another scan." and problem.answer is None
    assert iterations(window) != 17
    (offered,) = window.context.unfinished.left.edited
    window.context.unfinished.reopen(offered)
    qtbot.waitUntil(lambda: len(shown) == 2, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    found, expected = fingerprint_of(edited), offered.fingerprint
    assert "were not restored" in shown[1].title and "scan.h5: " in shown[1].text
    assert found[:8] in shown[1].text and expected[:8] in shown[1].text
    assert shown[1].safe == "The settings are still stored. scan.h5 stays open."
    assert iterations(window) != 17
    assert window.context.unfinished.left.edited == (offered,), "the stored settings were lost"


def test_the_restored_file_gets_its_settings_back(qtbot, start, scans, edited) -> None:
    own = edited.read_bytes()
    replace(edited, scans[1])
    window = start()
    shown = messages(window)
    (offered,) = window.context.unfinished.left.edited
    window.context.unfinished.reopen(offered)
    qtbot.waitUntil(lambda: len(shown) == 1, timeout=PATIENCE_MS)
    edited.write_bytes(own)
    open_path(qtbot, window, edited)
    assert shown[1].title == "This scan has changed settings that never ran."
    shown[1].answer.act()
    qtbot.waitUntil(lambda: iterations(window) == 17, timeout=PATIENCE_MS)


def test_a_missing_scan_loses_no_settings(qtbot, start, edited) -> None:
    edited.unlink()
    window = start()
    shown = messages(window)
    (offered,) = window.context.unfinished.left.edited
    window.context.unfinished.reopen(offered)
    qtbot.waitUntil(lambda: len(shown) == 1, timeout=PATIENCE_MS)
    assert "were not restored" in shown[0].title and "scan.h5" in shown[0].text
    assert shown[0].safe == "The settings are still stored."
    assert window.context.unfinished.left.edited == (offered,)


def test_a_moved_scan_is_recognised(qtbot, start, edited, tmp_path) -> None:
    moved = edited.rename(tmp_path / "archived.h5")
    window = start()
    shown = messages(window)
    open_path(qtbot, window, moved)
    (problem,) = shown
    assert problem.title == "This scan has changed settings that never ran."
    problem.answer.act()
    qtbot.waitUntil(lambda: iterations(window) == 17, timeout=PATIENCE_MS)
    assert opened_scan(window) == moved
    assert window.context.unfinished.left.edited == ()
    assert len(shown) == 1, "restored settings are offered again"


def test_settings_belong_to_the_scan_that_was_read(qtbot, start, scans, small_study) -> None:
    """The file is replaced while its scan is open, and edited only then."""
    first = start()
    own = fingerprint_of(scans[0])
    open_study(qtbot, first, small_study.model_copy(update={"data": scans[0]}))
    replace(scans[0], scans[1])
    edit(first)
    close(first)
    second = start()
    shown = messages(second)
    assert [each.fingerprint for each in second.context.unfinished.left.edited] == [own]
    open_path(qtbot, second, scans[0])
    assert [each.title for each in shown] == ["Stored settings belong to another scan."]


def test_settings_of_an_earlier_version_are_opened_only_on_request(
    qtbot, start, scans, edited
) -> None:
    (file,) = windows_dir().glob("*.json")
    work = WindowWork.from_text(file.read_bytes())
    study = json.loads(work.edited[0].study)
    assert study.pop("fingerprints")
    old = EditedStudy(study=json.dumps(study), changed=work.edited[0].changed)
    file.unlink()
    WindowWorkFile().write(WindowWork(edited=(old,)), closed=True)
    window = start()
    shown = messages(window)
    assert window.context.unfinished.left.edited == (old,)
    open_path(qtbot, window, edited)
    assert shown[0].title == "Stored settings may belong to another scan."
    assert shown[0].answer is None
    window.context.unfinished.reopen(old)
    assert shown[1].title == "The program cannot check the scan of these settings."
    assert iterations(window) != 17
    shown[1].answer.act()
    qtbot.waitUntil(lambda: iterations(window) == 17, timeout=PATIENCE_MS)


def test_a_file_that_changes_while_it_is_read_is_not_opened(
    qtbot, start, scans, monkeypatch
) -> None:
    """Values and fingerprint could belong to different scans."""
    from engine.modalities import opening

    read = opening.summarise

    def summarise(*words: object, **more: object) -> object:
        found = read(*words, **more)
        replace(scans[0], scans[1])
        return found

    monkeypatch.setattr(opening, "summarise", summarise)
    with pytest.raises(DataError, match=r"scan\.h5: the file was changed while it was read"):
        opening.scan_at(scans[0])


def test_a_scan_is_not_read_again_from_a_replaced_file(
    qtbot, start, scans, small_study, loader
) -> None:
    """A chosen scanner reads the open scan again, and keeps its settings and files."""
    window = start()
    open_study(qtbot, window, small_study.model_copy(update={"data": scans[0]}))
    edit(window)
    shown = messages(window)
    replace(scans[0], scans[1])
    window.commands.set_input("scanner", "demo-ring")
    qtbot.waitUntil(lambda: len(shown) == 1, timeout=PATIENCE_MS)
    assert "this is not the file that the settings are for" in shown[0].text
    assert iterations(window) == 17 and "scanner" not in window.session.study.inputs


def test_a_replaced_file_is_not_reconstructed(qtbot, start, scans, small_study) -> None:
    window = start()
    open_study(qtbot, window, small_study.model_copy(update={"data": scans[0]}))
    study = window.session.study.to_study()
    replace(scans[0], scans[1])
    with pytest.raises(DataError, match=r"scan\.h5: this is not the file that the study was set"):
        list(run(study))


def test_a_queued_answer_applies_only_to_the_scan_of_its_question(
    qtbot, start, scans, small_study, monkeypatch
) -> None:
    from app.state.services.queueing.queue_intake import QueueAnswer

    window = start()
    open_study(qtbot, window, small_study.model_copy(update={"data": scans[0]}))
    window.context.queue.add()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: len(StudyQueue().entries()) == 1, timeout=PATIENCE_MS)
    entries = StudyQueue().entries()
    replace(scans[0], scans[1])
    window.context.queue.intake.use_protocol(entries, small_study.protocol)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: StudyQueue().entries()[0].state == "asking", timeout=PATIENCE_MS)
    (entry,) = StudyQueue().entries()
    assert "this is not the file that the settings are for" in entry.open_question.text
    window.context.queue.intake.answer([entry], QueueAnswer(accepts=True))
    settle(qtbot, window)
    (entry,) = StudyQueue().entries()
    assert entry.state == "asking", "the answer gave the settings to another scan"


def test_a_saved_study_of_a_replaced_scan_warns(qtbot, start, scans, small_study, tmp_path) -> None:
    first = start()
    open_study(qtbot, first, small_study.model_copy(update={"data": scans[0]}))
    edit(first)
    file = tmp_path / "study.toml"
    first.commands.save_study(file)
    assert read_study(file).fingerprints == {"data": fingerprint_of(scans[0])}
    second = start()
    shown = messages(second)
    second.commands.open_path(file)
    qtbot.waitUntil(lambda: opened_scan(second) == scans[0], timeout=PATIENCE_MS)
    assert shown == []
    replace(scans[0], scans[1])
    third = start()
    shown = messages(third)
    third.commands.open_path(file)
    qtbot.waitUntil(lambda: opened_scan(third) == scans[0], timeout=PATIENCE_MS)
    assert shown[0].title == "The scan file has changed since this study was saved."
    assert third.session.study.to_study().fingerprints == {"data": fingerprint_of(scans[0])}
    third.context.queue.intake.add((file,))
    settle(qtbot, third)
    qtbot.waitUntil(lambda: len(StudyQueue().entries()) == 1, timeout=PATIENCE_MS)
    (entry,) = StudyQueue().entries()
    assert entry.state == "asking" and "another file has this name" in entry.open_question.text
