"""Tests of garbage collection, which is rare but not disabled."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from engine.core.garbage import SELDOM, collect_seldom


class Cycle:
    """An object in a reference cycle."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def default_thresholds() -> Iterator[None]:
    before, was_enabled = gc.get_threshold(), gc.isenabled()
    gc.set_threshold(700, 10, 10)
    gc.enable()
    yield
    gc.set_threshold(*before)
    if not was_enabled:
        gc.disable()


def test_many_objects_trigger_collection_and_few_do_not() -> None:
    gc.collect()
    collect_seldom()
    knot = weakref.ref(Cycle())
    some = [[k] for k in range(SELDOM // 2)]
    assert knot() is not None
    some += [[k] for k in range(SELDOM)]
    assert knot() is None


@pytest.mark.parametrize("youngest", [0, 2 * SELDOM])
def test_higher_thresholds_of_a_program_are_unchanged(youngest: int) -> None:
    gc.set_threshold(youngest, 10, 10)
    before = gc.get_threshold()
    collect_seldom()
    assert gc.get_threshold() == before
