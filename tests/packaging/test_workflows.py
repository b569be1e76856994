"""Every Python that the project promises is tried by a workflow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def promised() -> list[str]:
    """Return the versions of Python among the project's classifiers."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)


def test_each_promised_python_is_tried() -> None:
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert promised() == re.findall(r'"(.*?)"', matrix)


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_bare_debian_is_tried(release: str) -> None:
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    (matrix,) = re.findall(r"release: \[(.*)\]", workflow)
    assert f'"{release}"' in matrix
    assert ".ci/bare-debian ${{ matrix.release }}" in workflow
