"""Templates and blocks of the docs follow the rules of the source, so a copied one passes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

from tests.architecture import RULES, Source
from tests.naming import NAMING_RULES
from tests.packaging.blocks import ROOT
from tests.packaging.doc_code import modules, scripts, templates, type_faults, write
from tests.private_words import offending, private_words

PAGES = "D100"
"""Ruff rules that a block on a page need not follow: the page explains it."""


def ruff(folder: Path, sources: list[Source], *options: str) -> str:
    """Return the messages of ruff for sources under their names, with the project's settings."""
    copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")
    write(folder, sources)
    messages = ""
    for verb in (("check", "--output-format=concise", *options), ("format", "--check")):
        command = (sys.executable, "-m", "ruff", *verb, "--quiet", "--no-cache", ".")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        messages += done.stdout + done.stderr
    return messages


def test_docs_contain_templates_modules_and_scripts() -> None:
    names = {each.path for each in templates()}
    assert {"engine/io/crystal_pairs.py", "app/run/statistics_panel.py"} < names
    assert {each.path.rpartition("/")[0] for each in modules()} == {
        "engine/io",
        "engine/corrections",
        "engine/corrections/preprocess",
        "engine/recon/algorithms",
        "engine/recon/postprocess",
    }
    assert len(scripts()) > 5


def test_ruff_accepts_templates_and_modules(tmp_path: Path) -> None:
    # a page explains the methods of its example; a template must do so itself
    assert ruff(tmp_path, templates()) == ""
    assert ruff(tmp_path, modules()) == ""


def test_ruff_accepts_scripts(tmp_path: Path) -> None:
    assert ruff(tmp_path, scripts(), "--extend-ignore", PAGES) == ""


def test_ruff_finds_a_planted_fault(tmp_path: Path) -> None:
    assert "F401" in ruff(tmp_path, [Source("engine/io/a.py", '"""Nothing."""\n\nimport os\n')])


@pytest.mark.parametrize("source", [*templates(), *modules()], ids=lambda source: source.path)
def test_templates_and_modules_follow_the_project_rules(source: Source) -> None:
    rules = (*RULES, *NAMING_RULES)
    assert [text for rule in rules for _, text in rule(source)] == []
    assert offending([source], private_words()) == {}


@pytest.mark.slow
def test_mypy_accepts_all_code_of_the_docs() -> None:
    assert type_faults([*templates(), *modules(), *scripts()]) == []


@pytest.mark.slow
def test_mypy_finds_a_planted_fault() -> None:
    (fault,) = type_faults([Source("engine/io/a.py", "x: int = 'one'\n")])
    assert fault.startswith("engine") and "Incompatible types" in fault
