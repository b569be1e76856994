"""Each planted mistake is found by the self-test, on its own."""

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
"""Mistakes in the text of kernels that are planted at every run: each has one compiled anew."""


def mistakes() -> list:
    """Return the names, those of most texts marked slow."""
    quick = [name for name in MISTAKES if name in TEXTS or not MISTAKES[name].is_of_text]
    slow = [pytest.param(name, marks=pytest.mark.slow) for name in MISTAKES if name not in quick]
    return [*quick, *slow]


@pytest.mark.parametrize("name", mistakes())
def test_a_mistake_is_found(name, monkeypatch):
    mistake = MISTAKES[name]
    mistake.plant(monkeypatch)
    gpu = EmulatedGpu(**dict.fromkeys(mistake.options, True))
    (finding,) = findings(cuda(gpu), (mistake.family,))
    assert finding.faults, f"{mistake.family.name} finds nothing wrong"


def test_every_family_that_computes_finds_one():
    assert {mistake.family.name for mistake in MISTAKES.values()} <= {f.name for f in FAMILIES}
