"""Compiled code of other sources is never used, and never prevents a start."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest
from numba.core import entrypoints
from numba.core.compiler_lock import global_compiler_lock

from engine.kernels import compile_cache
from tests.engine.kernels.compiled.starts import Starts

Start = Callable[..., tuple[Path, float, int]]
ROOT = Path(__file__).parents[4]
VALUES = """
from typing import NamedTuple

class {name}(NamedTuple):
    first: float
    second: float
"""
KERNEL = """
from engine.kernels.compile_cache import cached_njit
from engine.kernels.spare_values import {name}

@cached_njit(error_model="numpy")
def add(pair):
    return pair.first + pair.second
"""
RUN = """
from engine.kernels.compile_cache import folder_of
from engine.kernels.spare_kernel import {name}, add
result = add({name}(1.0, 2.0))
print(folder_of("engine.kernels.spare_kernel"), result, sum(add.stats.cache_hits.values()))
"""
CALLED = """
import numba
from engine.kernels import stored_code
from engine.kernels.spare_kernel import Pair, add

parse, parsed = stored_code.UnreadBitcode.clone, []
stored_code.UnreadBitcode.clone = lambda self: parsed.append(self) or parse(self)
result, hits = add(Pair(1.0, 2.0)), sum(add.stats.cache_hits.values())
print(result, hits, len(parsed))
print(numba.njit(lambda pair: 2.0 * add(pair))(Pair(1.0, 2.0)), len(parsed))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy the engine's kernels and their dependencies, so that the files can change."""
    for part in ("kernels", "core"):
        shutil.copytree(
            ROOT / "engine" / part,
            tmp_path / "tree" / "engine" / part,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    for path in (ROOT / "engine").glob("*.py"):
        shutil.copy(path, tmp_path / "tree" / "engine")
    return tmp_path / "tree"


def write(tree: Path, name: str) -> None:
    """Write a kernel, and the class of its argument in another file."""
    folder = tree / "engine" / "kernels"
    (folder / "spare_values.py").write_text(VALUES.format(name=name))
    (folder / "spare_kernel.py").write_text(KERNEL.format(name=name))


@pytest.fixture(scope="module")
def starts() -> Iterator[Starts]:
    with Starts() as starts:
        yield starts


@pytest.fixture
def start(starts: Starts, tree: Path, tmp_path: Path) -> Start:
    """Return a function that starts a process and returns its cache folder, result and loads."""

    def start(name: str, **variables: str) -> tuple[Path, float, int]:
        variables = {"ISOCENTER_HOME": str(tmp_path / "home"), **variables}
        output = starts.run(RUN.format(name=name), tree, tmp_path / "output", **variables)
        folder, result, hits = output.rsplit(maxsplit=2)
        return Path(folder), float(result), int(hits)

    return start


def test_second_start_compiles_nothing(tree: Path, start: Start) -> None:
    write(tree, "Pair")

    first, second = start("Pair"), start("Pair")

    assert first == (second[0], 3.0, 0)
    assert second[1:] == (3.0, 1)
    assert first[0].parent.parent == tree / "engine" / "kernels" / "__pycache__"


@pytest.mark.essential
def test_one_of_two_simultaneous_starts_compiles(
    tree: Path, starts: Starts, tmp_path: Path
) -> None:
    write(tree, "Pair")
    # Both processes have imported the kernel before one calls it, and neither has compiled it.
    wait_for_both = """
import os, time
from pathlib import Path
from engine.kernels.spare_kernel import add
Path(f"ready-{os.getpid()}").touch()
while len(list(Path().glob("ready-*"))) < 2:
    time.sleep(0.01)
"""

    def output(of: Starts, name: str) -> str:
        return of.run(wait_for_both + RUN.format(name="Pair"), tree, tmp_path / name)

    with Starts() as more, ThreadPoolExecutor(2) as pool:
        found = list(pool.map(output, (starts, more), ("one", "other")))

    assert sorted(int(text.split()[-1]) for text in found) == [0, 1]


def test_update_that_renames_the_class_of_an_argument_starts(tree: Path, start: Start) -> None:
    write(tree, "Rows")
    old, _, _ = start("Rows")
    write(tree, "EventRows")

    new, result, hits = start("EventRows")

    assert (result, hits) == (3.0, 0)
    assert new != old


@pytest.mark.parametrize("damage", ["stale", "torn"])
def test_unreadable_index_is_compiled_again(tree: Path, start: Start, damage: str) -> None:
    write(tree, "EventRows")
    folder, _, _ = start("EventRows")
    (index,) = folder.rglob("spare_kernel.add-*.nbi")
    content = index.read_bytes()
    if damage == "stale":  # as left by an update in place
        content = content.replace(b"EventRows", b"OtherRows")
    index.write_bytes(content if damage == "stale" else content[: len(content) // 2])
    with index.open("rb") as file, pytest.raises(Exception):  # noqa: B017  any at all
        pickle.load(file), pickle.load(file)

    assert start("EventRows")[1:] == (3.0, 0)
    assert start("EventRows")[1:] == (3.0, 1)


def test_changed_function_in_another_file_is_detected(tree: Path, start: Start) -> None:
    write(tree, "Pair")
    folder = tree / "engine" / "kernels"
    values, kernel = folder / "spare_values.py", folder / "spare_kernel.py"
    values.write_text(values.read_text() + "\nOFFSET = 1.0\n")
    kernel.write_text(
        kernel.read_text()
        .replace("import Pair", "import OFFSET, Pair")
        .replace("pair.second", "pair.second + OFFSET")
    )
    before = start("Pair")[1]
    # One letter more: Python misses a change within a second if the length stays the same.
    values.write_text(values.read_text().replace("OFFSET = 1.0", "OFFSET = 15.0"))

    assert (before, start("Pair")[1]) == (4.0, 18.0)


def test_read_only_installation_uses_the_cache_of_the_user(tree: Path, start: Start) -> None:
    write(tree, "Pair")
    # A file in place of the folder: even the administrator cannot write there.
    (tree / "engine" / "kernels" / "__pycache__").write_text("")

    first, second = (start("Pair", PYTHONDONTWRITEBYTECODE="1") for _ in range(2))

    assert first[0].parent.parent == tree.parent / "home" / "cache"
    assert [first[1:], second[1:]] == [(3.0, 0), (3.0, 1)]


def test_installed_files_contain_no_cache_that_an_uninstall_would_leave(
    tree: Path, start: Start
) -> None:
    write(tree, "Pair")
    (tree / "isocenter-0.2.0.dist-info").mkdir()

    folder, result, _ = start("Pair")

    assert (folder.parent.parent, result) == (tree.parent / "home" / "cache", 3.0)


def test_kernels_run_if_no_folder_is_writable(tree: Path, start: Start) -> None:
    write(tree, "Pair")
    (tree / "engine" / "kernels" / "__pycache__").write_text("")
    (tree.parent / "home").write_text("")

    assert start("Pair", PYTHONDONTWRITEBYTECODE="1") == (Path("None"), 3.0, 0)


def test_numba_variable_sets_the_cache_folder(tree: Path, start: Start, tmp_path: Path) -> None:
    write(tree, "Pair")

    folder, _, _ = start("Pair", NUMBA_CACHE_DIR=str(tmp_path / "mine"))

    assert folder.parent.parent == tmp_path / "mine"


def test_changed_line_compiles_only_the_kernels_that_use_it(tree: Path, start: Start) -> None:
    write(tree, "Pair")
    folder, _, _ = start("Pair")
    other = tree / "engine" / "kernels" / "rays" / "chords.py"
    other.write_text(other.read_text() + "\nSPARE = 1\n")

    assert start("Pair") == (folder, 3.0, 1)


def test_class_of_an_argument_need_not_be_imported(tree: Path, start: Start) -> None:
    """Compiled code contains offsets of the fields of the class, so its source counts, too."""
    write(tree, "Pair")
    folder = tree / "engine" / "kernels"
    kernel, values = folder / "spare_kernel.py", folder / "spare_values.py"
    line = "from engine.kernels.spare_values import Pair\n"
    text = kernel.read_text().replace("pair.first + pair.second", "pair.first - pair.second")
    kernel.write_text(text.replace(line, f"if True:\n    {line}"))
    before = start("Pair")
    text = values.read_text().replace("first", "later").replace("second", "first")
    values.write_text(text.replace("later", "second") + "\n")

    found = start("Pair")

    assert (before[1], found[1]) == (-1.0, 1.0)
    assert found[0] == before[0], "only the class must count as changed"


def test_bitcode_of_a_stored_kernel_is_read_only_to_compile_its_caller(
    tree: Path, start: Start, starts: Starts, tmp_path: Path
) -> None:
    write(tree, "Pair")
    start("Pair")

    output = starts.run(CALLED, tree, tmp_path / "output", ISOCENTER_HOME=str(tmp_path / "home"))

    assert output.split() == ["3.0", "1", "0", "6.0", "1"]


def test_only_the_newest_states_are_cached(tmp_path: Path) -> None:
    names = [f"{compile_cache.PREFIX}{i}" for i in range(6)]
    for i, name in enumerate(names):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (i, i))
    (tmp_path / "of-someone-else").mkdir()

    states = [tmp_path / name for name in names]
    compile_cache._forget_old_states(states, states[0])

    remaining = {path.name for path in tmp_path.iterdir()}
    assert remaining == {"of-someone-else", names[0], *names[-compile_cache.N_OLD_STATES :]}


def test_numba_extensions_of_other_libraries_load_only_for_a_compilation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numba loads extensions at a first call. During a compilation they replace no operators."""
    is_locked = []
    monkeypatch.setattr(
        entrypoints, "init_all", lambda: is_locked.append(global_compiler_lock.is_locked())
    )

    @compile_cache.cached_njit()
    def negative(value: float) -> float:
        return -value

    assert negative(2.0) == -2.0
    assert is_locked and all(is_locked)


def test_kernels_load_no_numba_extensions_of_other_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No kernel uses extensions, which would double the loading time. Other functions find them."""
    loads = []
    metadata = entrypoints.importlib_metadata
    monkeypatch.setattr(entrypoints, "_already_initialized", False)
    monkeypatch.setattr(metadata, "entry_points", lambda: loads.append("entry points") or {})

    @compile_cache.cached_njit()
    def doubled(value: float) -> float:
        return 2 * value

    assert doubled(2.0) == 4.0
    assert not loads
    assert numba.njit(doubled.py_func)(2.0) == 4.0
    assert loads == ["entry points"]
