"""A few cases of the farm, and that it sees a reader fail; all of it: `python -m tests.farm`."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.errors import EngineError
from tests.farm.formats import KINDS, Kind
from tests.farm.lies import LIES, Lie
from tests.farm.mutation import mutated
from tests.farm.runner import judge, run

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_damage_is_read_or_a_sentence(tmp_path: Path, kind: Kind) -> None:
    path = kind.make(tmp_path)
    whole = path.read_bytes()
    for index in range(4):
        path.write_bytes(mutated(whole, Random(f"suite {kind.name} {index}")))
        verdict, text = judge(lambda: kind.read(path))
        assert verdict in ("read", "refused"), text


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.name)
def test_lies_are_refused(tmp_path: Path, lie: Lie) -> None:
    with pytest.raises(EngineError):
        lie.act(tmp_path)


def _ask_for_memory() -> object:
    return np.empty(2**28).size


def _crash() -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_the_farm_sees_faults() -> None:
    cases = [lambda: 1, lambda: 1 / 0, _crash, _ask_for_memory, lambda: 2]
    verdicts = [outcome.verdict for outcome in run(cases)]
    assert verdicts == ["read", "traceback", "died", "memory", "read"]
