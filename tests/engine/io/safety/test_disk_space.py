"""A run is refused before it starts if one of its disks has too little space.

Cases: one file; an output and a result on one disk, which share its space, and on two; a folder
that does not exist yet; nothing to write.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.core.errors import ResourceError
from engine.io.safety.outputs import DiskNeed, refuse_full_disks

FREE = 1000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=FREE))
    return tmp_path


@pytest.mark.parametrize("name", [".", "new/folder"])
def test_file_needs_its_size(folder: Path, name: str) -> None:
    refuse_full_disks([DiskNeed("a.nii", folder / name, FREE)])
    with pytest.raises(ResourceError) as caught:
        refuse_full_disks([DiskNeed("a.nii", folder / name, FREE + 1)])
    assert str(caught.value) == (
        f"a.nii: at least 1,001 bytes are needed, but 1,000 are free in {folder}. Free disk space, "
        "or choose another folder."
    )


def test_files_on_one_disk_share_its_space(folder: Path) -> None:
    needs = [
        DiskNeed("a.nii", folder, 400),
        DiskNeed(
            "result",
            folder / "results",
            601,
            "Free disk space, or set another folder in results.toml.",
        ),
    ]
    for each in needs:
        refuse_full_disks([each])
    with pytest.raises(ResourceError, match=r"a.nii, result: at least 1,001 .*toml"):
        refuse_full_disks(needs)


def test_each_disk_has_its_own_space(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = folder / "other"
    other.mkdir()
    stat = Path.stat
    monkeypatch.setattr(
        Path, "stat",
        lambda self, **k: SimpleNamespace(st_dev=7) if self == other else stat(self, **k),
    )  # fmt: skip
    monkeypatch.setattr(DiskNeed, "existing_folder", property(lambda self: self.folder))
    refuse_full_disks([DiskNeed("a", folder, 900), DiskNeed("b", other, 900)])


def test_empty_list_needs_no_space(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    refuse_full_disks([DiskNeed("a", folder, 0)])
