"""Garbage is collected seldom, but it is collected."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from engine.core.garbage import SELDOM, collect_seldom


class Knot:
    """An object that nothing but itself holds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def usual_thresholds() -> Iterator[None]:
    before, was_enabled = gc.get_threshold(), gc.isenabled()
    gc.set_threshold(700, 10, 10)
    gc.enable()
    yield
    gc.set_threshold(*before)
    if not was_enabled:
        gc.disable()


def test_few_objects_are_no_reason_but_many_are() -> None:
    gc.collect()
    collect_seldom()
    knot = weakref.ref(Knot())
    some = [[k] for k in range(SELDOM // 2)]
    assert knot() is not None
    some += [[k] for k in range(SELDOM)]
    assert knot() is None


@pytest.mark.parametrize("youngest", [0, 2 * SELDOM])
def test_a_program_that_collects_less_often_stays_as_it_is(youngest: int) -> None:
    gc.set_threshold(youngest, 10, 10)
    before = gc.get_threshold()
    collect_seldom()
    assert gc.get_threshold() == before
