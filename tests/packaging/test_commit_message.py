"""Tests of the commit-msg hook: valid messages pass, and a broken rule is named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commit_message import main, problems_of

ROOT = Path(__file__).resolve().parents[2]
GOOD = "Read Zeiss scans\n\nThe reader takes the axis from the file.\nChecked with two scans.\n"
BODY = "\n\nIt explains why.\n"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "# A comment\n" + GOOD + "# Please enter the commit message\n",
        GOOD + "# ------------------------ >8 ------------------------\ndiff --git a b\n",
        "Speed up the projector" + BODY,
        "Process words of 59 characters".ljust(59, "x") + BODY,
        "Merge branch 'main' into other",
        'Revert "Read Zeiss scans"\n\nThis reverts commit 0.\n',
        "fixup! Read Zeiss scans",
    ],
)
def test_valid_message_is_accepted(text: str) -> None:
    assert list(problems_of(text)) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("# only a comment\n", "empty"),
        ("Read Zeiss scans\n", "body is missing"),
        ("Read Zeiss scans\n\n# comment\n", "body is missing"),
        ("Read Zeiss scans\nThe reader is new.\n", "not blank"),
        ("X".ljust(60, "x") + BODY, "60 characters"),
        ("read Zeiss scans" + BODY, "capital letter"),
        ("Read Zeiss scans." + BODY, "full stop"),
        ("Added a reader" + BODY, "imperative"),
        ("Adding a reader" + BODY, "imperative"),
        ("Adds a reader" + BODY, "imperative"),
    ],
)
def test_invalid_message_is_explained(text: str, reason: str) -> None:
    (problem,) = problems_of(text)
    assert reason in problem


def test_message_file_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(GOOD, encoding="utf-8")
    assert main([str(file)]) == 0
    file.write_text("Fixes\n", encoding="utf-8")
    assert main([str(file)]) == 1
    assert "imperative" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="git for Windows brings the shell of its hooks")
def test_git_runs_the_hook(tmp_path: Path) -> None:
    def git(*words: str) -> int:
        user = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.hooksPath=packaging/hooks")
        return subprocess.run(["git", *user, *words], cwd=tmp_path, capture_output=True).returncode

    assert git("init") == 0
    for name in ("packaging/commit_message.py", "packaging/hooks/commit-msg"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
        copy.chmod(0o755)
    assert git("commit", "--allow-empty", "-m", "no body") != 0
    assert git("commit", "--allow-empty", "-m", GOOD) == 0
