"""Kernels of a wheel are used only if they agree with the list in the wheel."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shipped_kernels

from engine.kernels import shipped
from engine.kernels.shipped import LIST, copy_shipped, write_list
from tests.engine.kernels.compiled.starts import Starts
from tests.engine.kernels.compiled.test_compile_cache import RUN, tree, write

__all__ = ["tree"]
Start = Callable[[str], tuple[str, int]]


@pytest.fixture(scope="module")
def starts() -> Iterator[Starts]:
    with Starts() as starts:
        yield starts


@pytest.fixture
def start(starts: Starts, tree: Path, tmp_path: Path) -> Start:
    """Return a function that starts with an empty cache and returns the result and the loads."""

    def start(name: str) -> tuple[str, int]:
        home = tmp_path / name
        home.mkdir()
        out = starts.run(RUN.format(name="Pair"), tree, home / "out", NUMBA_CACHE_DIR=str(home))
        _, result, hits = out.rsplit(maxsplit=2)
        return result, int(hits)

    return start


@pytest.fixture
def wheel(start: Start, tree: Path, tmp_path: Path) -> Path:
    """Compile kernels in one folder, and ship them with another copy of the program."""
    write(tree, "Pair")
    assert start("builder") == ("3.0", 0)
    (folder_in_wheel,) = shipped_kernels.collect(
        tmp_path / "builder", tree / "engine" / "kernels" / "shipped"
    )
    return folder_in_wheel


def test_first_start_compiles_nothing(wheel: Path, start: Start) -> None:
    assert start("user") == ("3.0", 1)


def test_place_and_time_of_the_installation_do_not_matter(
    wheel: Path, starts: Starts, tree: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "tree"
    shutil.copytree(tree, elsewhere, copy_function=shutil.copyfile)
    cache = tmp_path / "cache"
    cache.mkdir()

    out = starts.run(
        RUN.format(name="Pair"), elsewhere, tmp_path / "out", NUMBA_CACHE_DIR=str(cache)
    )

    assert out.split()[-1] == "1"


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_file_is_compiled_again(wheel: Path, start: Start, suffix: str) -> None:
    (path,) = wheel.rglob(f"*{suffix}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)

    assert start("user") == ("3.0", 0)


def test_kernels_of_other_sources_are_not_used(wheel: Path, start: Start, tree: Path) -> None:
    source = tree / "engine" / "kernels" / "spare_kernel.py"
    source.write_text(source.read_text().replace("first +", "first - 2 *"))

    assert start("user") == ("-3.0", 0)


def test_unlisted_file_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path / "shipped")
    folder = tmp_path / "shipped" / "kernels-0"
    module = folder / "a-1"
    module.mkdir(parents=True)
    (module / "f.nbi").write_bytes(b"index")
    write_list(folder)
    (module / "f.1.nbc").write_bytes(b"planted")

    assert copy_shipped("kernels-0", "a-1", tmp_path / "a-1")
    assert [path.name for path in (tmp_path / "a-1").iterdir()] == ["f.nbi"]
    assert not copy_shipped("kernels-0", "b-1", tmp_path / "b-1")
    assert not (tmp_path / "b-1").exists()

    # The list belongs to a later wheel, and one file is missing.
    shipped._listed.cache_clear()
    files = json.loads((folder / LIST).read_text())
    (folder / LIST).write_text(json.dumps({**files, "a-1/g.nbi": "00"}))
    assert not copy_shipped("kernels-0", "a-1", tmp_path / "other")
    assert "differs from the list of the wheel" in caplog.text
    shipped._listed.cache_clear()
