"""Tests of a release: one version everywhere, a date, and notes from the changelog."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from release_notes import ReleaseError, release_notes

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\n")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.2.3 - 2026-11-28\n\n### Added\n\n- X.\n\n## 1.2.2 - 2026-01-01\n"
    )
    return tmp_path


def test_entries_of_the_version_are_returned(project: Path) -> None:
    assert release_notes("v1.2.3", project) == "### Added\n\n- X.\n"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pyproject.toml", "1.2.3", "1.2.4"),
        ("CITATION.cff", "1.2.3", "1.2.2"),
        ("CHANGELOG.md", "## 1.2.3", "## 1.3.0"),
        ("CHANGELOG.md", "2026-11-28", "unreleased"),
    ],
)
def test_inconsistent_version_is_refused(project: Path, name: str, old: str, new: str) -> None:
    file = project / name
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ReleaseError, match=name):
        release_notes("v1.2.3", project)


def test_malformed_tag_is_refused(project: Path) -> None:
    with pytest.raises(ReleaseError, match="tag is 1"):
        release_notes("1.2.3", project)


def test_this_version_is_ready_for_its_tag() -> None:
    assert "### Added" in release_notes(f"v{VERSION}")
