"""Tests of the storage dialog: its table, and questions before it removes files."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.shell.dialogs.storage_dialog import StorageDialog
from engine.core import paths
from engine.jobs.checkpoint import Job
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study


@pytest.fixture
def dialog(qtbot, controls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StorageDialog:
    """Create an interrupted job, a running one, and two cached sensitivities."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    (tmp_path / "scan.l").write_bytes(b"events")
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol())
    for name in ("running", "killed"):
        Job.create(study, paths.jobs_dir() / name)
    killed = Job(paths.jobs_dir() / "killed")
    killed._change(owner=killed.record.owner.model_copy(update={"pid": 2**22 + 1}))
    for name, days in (("new.npz", 0), ("old.npz", 99)):
        path = paths.cache_dir() / "sensitivity" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(2048))
        os.utime(path, (time.time() - days * 86_400,) * 2)
    asked: list[str] = []
    new_dialog = StorageDialog(
        None, controls.context, lambda _, text, __: asked.append(text) or True
    )
    new_dialog.asked = asked
    qtbot.addWidget(new_dialog)
    qtbot.waitUntil(lambda: bool(new_dialog.items))
    return new_dialog


def rows(dialog: StorageDialog) -> dict[str, str]:
    """Return the listed kinds of files with their sizes."""
    heads = [dialog.tree.topLevelItem(i) for i in range(dialog.tree.topLevelItemCount())]
    return {head.text(0): head.text(1) for head in heads}


def select(dialog: StorageDialog, title: str) -> None:
    """Select a kind of files."""
    for i in range(dialog.tree.topLevelItemCount()):
        head = dialog.tree.topLevelItem(i)
        head.setSelected(head.text(0).startswith(title))


def test_dialog_lists_the_files_on_disk(dialog: StorageDialog) -> None:
    found = rows(dialog)
    assert list(found) == ["Interrupted jobs", "Running jobs", "Cache: sensitivity (2)"]
    assert found["Cache: sensitivity (2)"] == "4.0 KiB"
    assert not dialog.remove.isEnabled() and dialog.remove_old.isEnabled()


def test_running_job_cannot_be_removed(dialog: StorageDialog) -> None:
    select(dialog, "Running")
    assert dialog.selected == [] and not dialog.remove.isEnabled()


def test_old_caches_are_removed_after_confirmation(qtbot, dialog: StorageDialog) -> None:
    dialog.remove_old.click()
    qtbot.waitUntil(lambda: "Cache: sensitivity" in rows(dialog))
    assert dialog.asked == ["Remove 1 entry (2.0 KiB)?"]
    assert [path.name for path in (paths.cache_dir() / "sensitivity").iterdir()] == ["new.npz"]
    assert not dialog.remove_old.isEnabled()


def test_interrupted_job_is_removed_after_confirmation(qtbot, dialog: StorageDialog) -> None:
    select(dialog, "Interrupted")
    dialog.remove.click()
    qtbot.waitUntil(lambda: "Interrupted jobs" not in rows(dialog))
    assert "1 interrupted job will be lost." in dialog.asked[0]
    assert dialog.message.text() == "Removed."
    assert {path.name for path in paths.jobs_dir().iterdir()} == {"running"}


def test_job_resumed_meanwhile_is_not_removed_and_reported(qtbot, dialog: StorageDialog) -> None:
    select(dialog, "Interrupted")
    Job(paths.jobs_dir() / "killed").claim()
    dialog.remove.click()
    qtbot.waitUntil(lambda: "this job is still running" in dialog.message.text())
    assert (paths.jobs_dir() / "killed").exists()
