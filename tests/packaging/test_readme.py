"""What the readme shows works as shown."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from engine.cli.main import parser
from engine.geometry.ring import RingSettings
from engine.modalities.studies import read_study
from engine.settings import parse

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    """Return the shown command lines with a verb, without the words beside them."""
    lines = [line for block in blocks("") for line in block.splitlines()]
    return [re.split(r"\s{3,}", line)[0] for line in lines if re.match(r"isocenter \w", line)]


def test_the_two_commands_are_shown_and_checked() -> None:
    assert "python3 packaging/bootstrap.py run\n" in README
    command = "python3 packaging/bootstrap.py test\n"
    assert command in README
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_many_commands_are_shown() -> None:
    assert len(commands()) >= 8


@pytest.mark.parametrize("command", commands())
def test_a_shown_command_is_understood(command: str) -> None:
    assert parser().parse_args(shlex.split(command)[1:]).act


def test_the_shown_study_is_read(tmp_path: Path) -> None:
    (shown,) = (block for block in blocks("toml") if "[protocol]" in block)
    (tmp_path / "study.toml").write_text(shown, encoding="utf-8")
    study = read_study(tmp_path / "study.toml")
    assert study.data == tmp_path / "scan.l.hdr"
    assert study.protocol.algorithm.n_subsets == 21


def test_the_shown_scanner_is_read() -> None:
    (shown,) = (block for block in blocks("toml") if 'kind = "ring"' in block)
    assert parse(RingSettings, tomllib.loads(shown), where="README.md").tof is not None


def test_shown_files_exist() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    paths = re.findall(r"`((?:engine|tests|resources|packaging)/[\w/.]+)`", README)
    missing = [p for p in {*links, *paths} if not (ROOT / p).exists()]
    assert not missing
