"""The table of promises is complete, and its tests exist. Some of the tests are here."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import SettingsError
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import read_protocol
from engine.protocols.study.assignments import with_settings

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "contributing" / "promises.md").read_text("utf-8")
ROW = re.compile(
    r"^\| (\d+) \| (P[012]) \| ([^|]+) \| (tested|partly tested|not yet|later) \| (.+) \|$",
    re.MULTILINE,
)
ROWS = ROW.findall(TEXT)
TEST = re.compile(r"`(tests/[\w/]+\.py::[\w:]+)`")


@lru_cache
def names_in(path: str) -> frozenset[str]:
    """Return the names of the tests in a file, with their class if they have one."""
    found = set()
    for node in ast.parse((ROOT / path).read_bytes()).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        head = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {head + each.name for each in inner if isinstance(each, ast.FunctionDef)}
    return frozenset(name for name in found if name.split("::")[-1].startswith("test_"))


def test_every_promise_has_a_row() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 61))
    assert len(re.findall(r"^\| \d", TEXT, re.MULTILINE)) == len(ROWS), "a row is malformed"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_names_existing_tests_or_a_reason(row: tuple[str, ...]) -> None:
    *_, state, last = row
    named = TEST.findall(last)
    left = TEST.sub("", last).strip("; ")
    assert bool(named) is (state in ("tested", "partly tested"))
    assert state == "tested" or left, "the row does not state the untested part"
    for name in named:
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        assert test in names_in(path), name


def test_sum_above_the_table_equals_that_of_its_rows() -> None:
    states = Counter(row[3] for row in ROWS)
    applying = len(ROWS) - states["later"]
    total = (
        f"Of {applying} promises that apply, {states['tested']} are tested, "
        f"{states['partly tested']} are partly tested, {states['not yet']} are not tested yet. "
        f"{states['later']} wait for a later version."
    )
    assert total in TEXT


class Code:
    """Code that runs if an array file is unpickled."""

    def __init__(self, touched: Path) -> None:
        self.touched = touched

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.touched,)


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_array_file_with_code_is_refused_without_running_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    array = np.array([Code(tmp_path / "touched")], dtype=object)
    file = tmp_path / f"matrix.{ending}"
    if ending == "npy":
        np.save(file, array)
    else:
        np.savez(file, data=array, indices=array, indptr=array, shape=array, format=b"csr")
    command = ["response", "import", str(file), "-o", str(tmp_path / "out.h5")]
    assert main([*command, "--scanner", "demo-panels"]) == USER_FAULT
    assert f"matrix.{ending}" in capsys.readouterr().err
    assert not (tmp_path / "touched").exists()


def test_code_in_the_array_file_would_run(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([Code(tmp_path / "touched")], dtype=object))
    np.load(tmp_path / "a.npy", allow_pickle=True)
    assert (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "assignment",
    [
        "algorithm.kind=\"osem; __import__('os').system('id')\"",
        'algorithm.iterations="1\\n}; __device__ int evil() { return 1; }"',
        'grid.voxel_mm=["{{ 7*7 }}", 2, 2]',
        "algorithm.subsets=__import__('os')",
    ],
)
def test_code_in_a_setting_is_refused(assignment: str) -> None:
    with pytest.raises(SettingsError):
        with_settings(ListModeProtocol(), (assignment,))


@pytest.mark.parametrize(
    "line",
    [
        "algorithm.iterations = 1e3.5",
        "algorithm.iterations = 010",
        "algorithm.iterations = 12:30:00",
        "algorithm.iterations = nan",
        "algorithm.iterations = inf",
        "algorithm.iterations = 4\nalgorithm.iterations = 5",
        "algorithm.iterations = " + "9" * 5_000,
        "deep = " + "{a = " * 3_000,
        "algorithm.iteration = 4",
    ],
    ids=lambda line: line[:24],
)
def test_malformed_or_unknown_settings_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.toml"
    kind = 'algorithm.kind = "osem"\n'
    path.write_text(f"{kind}algorithm.iterations = 1e1\n")
    assert read_protocol(path).algorithm.n_iterations == 10, "an intact file can be read"
    path.write_text(f"{kind}{line}\n")
    with pytest.raises(SettingsError, match=r"p\.toml"):
        read_protocol(path)
