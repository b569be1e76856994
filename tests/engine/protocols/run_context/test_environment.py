"""Tests of the commit of a development checkout in the record of a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.protocols.run_context.environment import _commit

AUTHOR = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


def git(folder: Path, *words: str) -> str:
    command = ["git", *AUTHOR, "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_commit_of_a_checkout_is_marked_after_a_change_of_its_files(tmp_path: Path) -> None:
    assert _commit(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert _commit(tmp_path) == "unknown"
    (tmp_path / "code.py").write_text("one")
    git(tmp_path, "add", "code.py")
    assert _commit(tmp_path) == "unknown", "a repository without commits has a commit"
    git(tmp_path, "commit", "-q", "-m", "First")
    hash = git(tmp_path, "rev-parse", "HEAD")

    (tmp_path / "output.txt").write_text("no part of the checkout")
    assert _commit(tmp_path) == hash
    (tmp_path / "code.py").write_text("three")
    assert _commit(tmp_path) == f"{hash}-dirty"


def test_commit_is_unknown_if_git_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    assert _commit(tmp_path) == "unknown", "a damaged repository has a commit"
    monkeypatch.setenv("PATH", "")
    assert _commit(tmp_path) == "unknown"
