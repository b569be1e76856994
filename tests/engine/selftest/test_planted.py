"""Each planted mistake is found by the self-test, on its own."""

from __future__ import annotations

import pytest

from engine.backend import cuda
from engine.selftest.families import FAMILIES
from engine.selftest.running import findings
from tests.emulator import EmulatedGpu
from tests.planted.faults import MISTAKES


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name, monkeypatch):
    mistake = MISTAKES[name]
    mistake.plant(monkeypatch)
    gpu = EmulatedGpu(**dict.fromkeys(mistake.options, True))
    (finding,) = findings(cuda(gpu), (mistake.family,))
    assert finding.faults, f"{mistake.family.name} finds nothing wrong"


def test_every_family_that_computes_finds_one():
    assert {mistake.family.name for mistake in MISTAKES.values()} <= {f.name for f in FAMILIES}
