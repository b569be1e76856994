"""Tests that every example runs to its end, prints its result, and is listed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.libraries.environment import NOT_INSTALLED

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def test_every_example_is_listed() -> None:
    text = (EXAMPLES / "README.md").read_text("utf-8")
    assert [f"[{path.name}]({path.name})" for path in SCRIPTS if path.name not in text] == []
    assert len(SCRIPTS) == text.count("| [")


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_runs(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An example ends with `raise SystemExit` and a sentence if its result is wrong."""
    if "import torch" in script.read_text("utf-8"):
        pytest.importorskip("torch", reason=NOT_INSTALLED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()
