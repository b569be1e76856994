"""There are few packages, folders are small, and the map for contributors is complete."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.architecture import Source, sources

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs" / "contributing" / "index.md"
MAX_PACKAGES = {"engine": 20, "app": 13}
MAX_FILES = 30
"""Maximum number of Python files in a folder, without subfolders."""


def packages_of(top: Path) -> list[str]:
    """Return the names of the packages directly in a folder."""
    return sorted(path.parent.name for path in top.glob("*/__init__.py"))


def full_folders(top: Path) -> list[str]:
    """Return folders with more files than the limit."""
    folders = sorted({path.parent for path in top.rglob("*.py")})
    counts = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    return [f"{folder}: {n} files" for folder, n in counts.items() if n > MAX_FILES]


def described(page: str) -> list[str]:
    """Return the packages that have a line in the map."""
    return re.findall(r"^\| `((?:engine|app)/\w+)` \| \S.* \|$", page, re.MULTILINE)


def imports_of(tree: tuple[Source, ...]) -> dict[str, set[str]]:
    """Return the imports of each module, including those in functions, without those for types."""
    known = {source.module for source in tree}
    return {
        source.module: {each.module for each in source.imports if not each.for_types}
        & known - {source.module}
        for source in tree
    }


def cycle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """Return modules that import each other in a cycle, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as e:
        return [str(name) for name in e.args[1]]
    return []


def by_package(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return each package below `engine` and `app` with the packages that it imports from."""
    found: dict[str, set[str]] = {}
    for module, others in graph.items():
        package = ".".join(module.split(".")[:2])
        inner = {".".join(other.split(".")[:2]) for other in others}
        found.setdefault(package, set()).update(inner - {package})
    return found


def test_modules_and_packages_have_no_import_cycles() -> None:
    graph = imports_of(sources(ROOT))
    assert len(graph) > 1000, "the files were not found"
    assert cycle_in(graph) == []
    assert cycle_in(by_package(graph)) == []


def test_cycle_through_a_function_is_found() -> None:
    lazy = Source("engine/a.py", "def f():\n    import engine.b", frozenset({"engine.b"}))
    direct = Source("engine/b.py", "import engine.a", frozenset({"engine.a"}))
    assert set(cycle_in(imports_of((lazy, direct)))) == {"engine.a", "engine.b"}


@pytest.mark.parametrize("top", MAX_PACKAGES)
def test_number_of_packages_stays_small(top: str) -> None:
    found = packages_of(ROOT / top)
    assert "live" in found
    assert len(found) <= MAX_PACKAGES[top], found


@pytest.mark.parametrize("top", [*MAX_PACKAGES, "tests"])
def test_no_folder_has_too_many_files(top: str) -> None:
    assert full_folders(ROOT / top) == []


def test_full_folder_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for number in range(MAX_FILES + 1):
        (inner / f"m{number}.py").touch()
    assert full_folders(tmp_path) == [f"{inner}: {MAX_FILES + 1} files"]


def test_map_has_one_line_for_each_package() -> None:
    packages = [f"{top}/{name}" for top in MAX_PACKAGES for name in packages_of(ROOT / top)]
    assert sorted(described(MAP.read_text("utf-8"))) == sorted(packages)


def test_package_without_a_docstring_is_not_described() -> None:
    assert described("| `engine/io` | files |\n| `engine/data` |  |\n") == ["engine/io"]
