"""Tests of the version: the same everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_changelog_starts_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## ([\d.]+)", text, re.MULTILINE)[0] == VERSION


def test_citation_has_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: ([\d.]+)$", text, re.MULTILINE) == [VERSION]


def test_named_wheels_have_this_version() -> None:
    for name in ("README.md", "docs/user/install.md"):
        wheels = re.findall(r"isocenter-([\d.]+)-py3", (ROOT / name).read_text("utf-8"))
        assert wheels and set(wheels) == {VERSION}
