"""The self-test of a card: known answers of every family of kernels, compared with the CPU's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

from engine.core.backend import Backend, cpu, required_gpu
from engine.core.errors import DeviceMemoryError, EngineError
from engine.selftest.families import FAMILIES
from engine.selftest.guard_bands import Fenced
from engine.selftest.reference_answers import Family

MOST_FAULTS = 3
"""Faults of a family after which it is asked no more; the first tells most."""


@dataclass(frozen=True)
class Finding:
    """What a family found.

    Attributes
    ----------
    name : of the family
    faults : what was wrong, in words; empty if all was right
    seconds : it took
    was_full : whether the card's memory was used up, which says nothing of its answers
    """

    name: str
    faults: tuple[str, ...]
    seconds: float
    was_full: bool = False

    @property
    def passed(self) -> bool:
        """Whether all was right."""
        return not self.faults


def findings(on: Backend, families: tuple[Family, ...] = FAMILIES) -> Iterator[Finding]:
    """Ask a GPU family after family; yields what each found. Nothing of the device is raised."""
    judge = cpu()
    for family in families:
        begin = perf_counter()
        faults, was_full = _faults(family, on, judge)
        yield Finding(family.name, tuple(faults), perf_counter() - begin, was_full)


def _faults(family: Family, on: Backend, judge: Backend) -> tuple[list[str], bool]:
    fenced = Fenced(required_gpu(on))
    faults: list[str] = []
    try:
        with on.faults(family.name):
            faults += islice(family.ask(replace(on, gpu=fenced), judge), MOST_FAULTS)
        n_broken = fenced.n_broken()
    except DeviceMemoryError as e:
        return [*faults, str(e)], True
    except EngineError as e:
        return [*faults, str(e)], False
    except Exception as e:  # noqa: BLE001  whatever fails here, the card is not to be used
        return [*faults, f"{type(e).__name__}: {e}"], False
    if n_broken:
        faults.append(f"{n_broken} bytes beside arrays were written")
    return faults, False
