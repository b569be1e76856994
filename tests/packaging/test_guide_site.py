"""Tests of the guide: it builds as a site, and its architecture diagram matches the imports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import architecture_picture
import pytest
import words_page

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = {
    "torch": "physics/torch/",
    "jupyter": "physics/notebooks/",
    "cite": "physics/cite/",
    "licence": "physics/cite/",
    "dead time": "user/units/",
    "voxel size": "user/image-settings/",
    "how many iterations": "user/image-settings/",
    "install": "user/install/",
    "rotation axis": "user/ct/",
    "SUV": "user/units/",
    "gates": "user/frames/",
    "export dicom": "user/dicom/",
    "limits": "user/limits/",
}
"""Question of a user, and the page that answers it."""


@pytest.fixture(scope="module")
def parts() -> architecture_picture.Parts:
    return architecture_picture.parts_of(ROOT)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site; its build fails on a warning."""
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder))
    settings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.essential
def test_site_has_the_pages_of_all_sections(site: Path) -> None:
    pages = ("user/pet", "physics/settings", "physics/conventions", "contributing/adding")
    for page in (*pages, "benchmarks", "benchmarks/abandoned"):
        assert (site / page / "index.html").is_file()
    reference = (site / "physics" / "api" / "index.html").read_text("utf-8")
    assert 'id="engine.reconstruct"' in reference


def test_search_finds_the_right_page_first(site: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; it runs the search of the site")
    script = Path(__file__).with_name("search_site.js")
    command = (node, str(script), str(site), *QUESTIONS)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == QUESTIONS


def test_architecture_picture_matches_the_imports(parts: architecture_picture.Parts) -> None:
    drawn = architecture_picture.PICTURE.read_text("utf-8")
    same = drawn == architecture_picture.drawing(parts)
    assert same, "run `python packaging/architecture_picture.py`"


def test_glossary_page_matches_the_window() -> None:
    written = words_page.PAGE.read_text("utf-8")
    assert written == words_page.page(), "run `python packaging/words_page.py`"
    assert written.count("\n| ") > 40
    assert all(f"\n| {word} | " in written for word in words_page.ALSO_CALLED)


def test_architecture_picture_shows_every_part_with_downward_lines(
    parts: architecture_picture.Parts,
) -> None:
    root = ElementTree.fromstring(architecture_picture.drawing(parts))
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts == parts.keys() >= {"engine.io", "engine.kernels", "app.shell"}
    row_of = {part: k for k, row in enumerate(architecture_picture.rows_of(parts)) for part in row}
    reach = architecture_picture.reach_of(parts)
    for part, others in parts.items():
        for other in others:
            assert row_of[other] < row_of[part] or part in reach[other], f"{part} -> {other}"


def test_longer_path_replaces_a_line() -> None:
    parts = {
        "a": frozenset({"b", "c"}),
        "b": frozenset({"c"}),
        "c": frozenset[str](),
    }
    assert architecture_picture.drawn_lines(parts) == [("a", "b"), ("b", "c")]
    assert architecture_picture.rows_of(parts) == [["c"], ["b"], ["a"]]
