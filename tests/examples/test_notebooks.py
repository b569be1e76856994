"""Tests of notebooks: each runs, draws a small figure, and is listed in the guide."""

from __future__ import annotations

import json
from pathlib import Path

import guide
import notebooks
import pytest

IN_CI = ("01_list_mode", "03_patches_and_slices", "06_time_of_flight", "10_own_geometry")
"""Notebooks of the short tier; the others belong to the long one."""
MAX_BYTES = 30_000
"""Size of a figure in the guide."""
PATHS = notebooks.sources()


def marked(path: Path) -> object:
    """Return a notebook with the mark of its tier."""
    mark = pytest.mark.essential if path.stem in IN_CI else pytest.mark.slow
    return pytest.param(path, id=path.stem, marks=mark)


@pytest.mark.parametrize("path", [marked(path) for path in PATHS])
def test_notebook_runs_and_draws(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook ends with an assertion about its result."""
    if reason := notebooks.missing(path):
        pytest.skip(reason)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    figures = notebooks.run(path, tmp_path / "notebooks")
    assert figures and all(500 < figure.stat().st_size < MAX_BYTES for figure in figures)
    text = notebooks.section(path, tmp_path / "notebooks")
    assert text.startswith(f"# {notebooks.title(path)}\n")
    assert all(f"(notebooks/{figure.name})" in text for figure in figures)


def test_page_lists_all_ten_notebooks() -> None:
    page = (guide.ROOT / "docs" / guide.GALLERY).read_text("utf-8")
    assert len(PATHS) == page.count(": `examples/notebooks/") == 10
    assert all(f"- {notebooks.title(p)}: `examples/notebooks/{p.name}`\n" in page for p in PATHS)


def test_guide_shows_code_and_figures_of_the_notebooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "notebooks"
    built.mkdir()
    monkeypatch.setattr(notebooks, "BUILT", built)
    (built / f"{PATHS[0].stem}.md").write_text(f"# Ran\n\n![x](notebooks/{PATHS[0].stem}_1.webp)\n")
    for name in (PATHS[0].stem, "of_a_removed_one"):
        (built / f"{name}_1.webp").write_bytes(b"picture")
    guide.copy_into(tmp_path / "guide")
    text = (tmp_path / "guide" / guide.GALLERY).read_text("utf-8")
    assert "\n## Ran\n" in text and f"\n## {notebooks.title(PATHS[1])}\n" in text
    shown = [path.name for path in (tmp_path / "guide" / "physics" / "notebooks").iterdir()]
    assert shown == [f"{PATHS[0].stem}_1.webp"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_converts_to_jupyter(path: Path) -> None:
    found = json.loads(notebooks.ipynb_of(path))
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert [cell["cell_type"] for cell in found["cells"][:2]] == ["markdown", "code"]
    joined = "".join("".join(cell["source"]) for cell in found["cells"])
    assert all(cell.text in joined for cell in notebooks.cells(path))


def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "find_spec", lambda name: None)
    path = tmp_path / "a.py"
    path.write_text("# %% [markdown]\n# # A\n\n# %%\nimport torch\n")
    assert notebooks.missing(path) == "PyTorch is not installed"
    path.write_text("# %% [markdown]\n# # torch\n\n# %%\nprint()\n")
    assert notebooks.missing(path) == ""
