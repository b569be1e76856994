"""Tests of the README: its commands and files exist. Its code blocks run in `test_blocks`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_shows_the_two_commands_and_ci_runs_them() -> None:
    assert "python3 packaging/bootstrap.py run\n" in README
    command = "python3 packaging/bootstrap.py test\n"
    assert command in README
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_files_shown_in_the_readme_exist() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    paths = re.findall(r"`((?:engine|tests|resources|packaging)/[\w/.]+)`", README)
    missing = [p for p in {*links, *paths} if not (ROOT / p).exists()]
    assert not missing
