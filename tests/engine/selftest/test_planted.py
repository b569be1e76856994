"""Tests that the self-test detects each planted fault."""

from __future__ import annotations

import pytest

from engine.core.backend import cuda
from engine.selftest.families import FAMILIES
from engine.selftest.running import findings
from tests.emulator import EmulatedGpu
from tests.planted.faults import MISTAKES

TEXTS = (
    "a missing bounds check",
    "a missing barrier in a sum",
    "a vector that is not aligned",
    "swapped axes of a picture",
    "weights of single precision",
)
"""Planted faults in kernel texts that always run; each needs a separate compilation."""


def mistakes() -> list:
    """Return the names of the faults, most of those in kernel texts marked slow."""
    quick = [name for name in MISTAKES if name in TEXTS or not MISTAKES[name].is_of_text]
    slow = [pytest.param(name, marks=pytest.mark.slow) for name in MISTAKES if name not in quick]
    return [*quick, *slow]


@pytest.mark.parametrize("name", mistakes())
def test_planted_fault_is_detected(name, monkeypatch):
    mistake = MISTAKES[name]
    mistake.plant(monkeypatch)
    gpu = EmulatedGpu(**dict.fromkeys(mistake.options, True))
    (finding,) = findings(cuda(gpu), (mistake.family,))
    assert finding.faults, f"{mistake.family.name} finds nothing wrong"


def test_every_computing_family_detects_a_fault():
    assert {mistake.family.name for mistake in MISTAKES.values()} <= {f.name for f in FAMILIES}
