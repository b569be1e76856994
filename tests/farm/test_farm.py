"""Tests of a few cases of the farm, and of its ability to detect failing readers."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.io import READERS
from engine.io.safety.open_input import open_input
from tests.farm.false_statements import FALSE_STATEMENTS, FalseStatement
from tests.farm.formats import KINDS, Kind
from tests.farm.mutation import mutated
from tests.farm.runner import judge, run

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_damaged_file_is_read_or_gives_one_sentence(tmp_path: Path, kind: Kind) -> None:
    path = kind.make(tmp_path)
    whole = path.read_bytes()
    for index in range(4):
        path.write_bytes(mutated(whole, Random(f"suite {kind.name} {index}")))
        verdict, text = judge(lambda: kind.read(path))
        assert verdict in ("read", "refused"), text


def test_ci_runs_both_halves_of_the_farm(tmp_path: Path) -> None:
    """`.ci/run` stops if a reader crashes, hangs or uses too much memory."""
    steps = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "set -euo pipefail" in steps
    command = ".venv/bin/python -m tests.farm --per-format 100 --seed 1 --in-turn"
    assert f'farm() {{ nice -n 19 {command} --part "$1"; }}' in steps
    assert 'ended() { wait "$1" || { cat "$2"; exit 1; }; cat "$2"; }' in steps
    # both halves run during the tests, and the script waits for them
    for part, name in (("1/2", "one"), ("2/2", "two")):
        file = f"build/farm-{part[0]}.txt"
        begin = steps.index(f"farm {part} >{file} 2>&1 &")
        assert steps[begin + 1] == f"{name}=$!"
        assert f'ended "${name}" {file}' in steps[begin:]
    found = set()
    for kind in KINDS:
        place = tmp_path / kind.name
        place.mkdir()
        path = kind.make(place)
        with open_input(path) as file:
            accepting = {each for each in READERS.entries if each.format.accepts(file)}
            missed = [each.place for each in accepting if not each.could(file)]
        assert not missed, f"{kind.name}: the condition in the table refuses it"
        found |= {each.format for each in accepting}
    assert found == set(READERS), "a reader has no kind of file in the farm"


@pytest.mark.parametrize("statement", FALSE_STATEMENTS, ids=lambda statement: statement.name)
def test_false_statements_are_refused(tmp_path: Path, statement: FalseStatement) -> None:
    with pytest.raises(EngineError):
        statement.act(tmp_path)


def _ask_for_memory() -> object:
    return np.empty(2**28).size


def _crash() -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_farm_detects_planted_faults() -> None:
    cases = [lambda: 1, lambda: 1 / 0, _crash, _ask_for_memory, lambda: 2]
    verdicts = [outcome.verdict for outcome in run(cases)]
    assert verdicts == ["read", "traceback", "died", "memory", "read"]
