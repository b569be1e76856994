"""Tests of the completion scripts, which complete verbs and options in shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main


def script_of(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_script_contains_verbs_and_options(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = script_of(shell, capsys)
    assert "isocenter" in script
    assert "reconstruct" in script and "scanners" in script
    # the tcsh script has only the first words of a command
    assert ("--protocol" in script) == (shell != "tcsh")
    assert "--point_spread" not in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_a_verb_and_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "isocenter.bash"
    path.write_text(script_of("bash", capsys), "utf-8")

    assert completed(path, "isocenter", "recon") == ["reconstruct"]
    assert completed(path, "isocenter", "reconstruct", "--proto") == ["--protocol"]
    assert "cone" in completed(path, "isocenter", "bench", "co")


def completed(script: Path, *words: str) -> list[str]:
    """Return the completions that bash offers."""
    line = " ".join(f'"{word}"' for word in words)
    function = f"""
source "{script}"
COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}
COMP_LINE="{" ".join(words)}"; COMP_POINT=${{#COMP_LINE}}
$(complete -p isocenter | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", function], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
