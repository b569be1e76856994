"""Packages stay few, folders small, and the contributor's map complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs" / "contributing" / "index.md"
MOST_PACKAGES = {"engine": 20, "app": 13}
MOST_FILES = 30
"""Python files in a folder, without those of its subfolders."""


def packages_of(top: Path) -> list[str]:
    """Return the names of the packages directly in a folder."""
    return sorted(path.parent.name for path in top.glob("*/__init__.py"))


def full_folders(top: Path) -> list[str]:
    """Return folders with more files than a reader can keep in view."""
    folders = sorted({path.parent for path in top.rglob("*.py")})
    counts = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    return [f"{folder}: {n} files" for folder, n in counts.items() if n > MOST_FILES]


def described(page: str) -> list[str]:
    """Return the packages that have a line in the map."""
    return re.findall(r"^\| `((?:engine|app)/\w+)` \| \S.* \|$", page, re.MULTILINE)


@pytest.mark.parametrize("top", MOST_PACKAGES)
def test_packages_stay_few(top: str) -> None:
    found = packages_of(ROOT / top)
    assert "live" in found
    assert len(found) <= MOST_PACKAGES[top], found


@pytest.mark.parametrize("top", [*MOST_PACKAGES, "tests"])
def test_no_folder_has_too_many_files(top: str) -> None:
    assert full_folders(ROOT / top) == []


def test_a_full_folder_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for number in range(MOST_FILES + 1):
        (inner / f"m{number}.py").touch()
    assert full_folders(tmp_path) == [f"{inner}: {MOST_FILES + 1} files"]


def test_the_map_has_one_line_for_each_package() -> None:
    packages = [f"{top}/{name}" for top in MOST_PACKAGES for name in packages_of(ROOT / top)]
    assert sorted(described(MAP.read_text("utf-8"))) == sorted(packages)


def test_a_package_without_words_is_not_described() -> None:
    assert described("| `engine/io` | files |\n| `engine/data` |  |\n") == ["engine/io"]
