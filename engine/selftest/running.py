"""Self-test of a card: reference answers of every kernel family, compared with the CPU."""

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

MAX_FAULTS = 3
"""Number of faults after which a family ends; the first one is the most useful."""


@dataclass(frozen=True)
class Finding:
    """Result of a family.

    Attributes
    ----------
    name : name of the family
    faults : faults as texts; empty if the card passed
    seconds : duration
    was_full : True if the memory of the card was used up, which says nothing about its answers
    """

    name: str
    faults: tuple[str, ...]
    seconds: float
    was_full: bool = False

    @property
    def passed(self) -> bool:
        """True if there are no faults."""
        return not self.faults


def findings(on: Backend, families: tuple[Family, ...] = FAMILIES) -> Iterator[Finding]:
    """Test a GPU, family by family; errors of the device become faults.

    Parameters
    ----------
    on
        GPU to test
    families
        families to run, in order

    Yields
    ------
    Finding
        result of each family as soon as it is known
    """
    judge = cpu()
    for family in families:
        begin = perf_counter()
        faults, was_full = _faults(family, on, judge)
        yield Finding(family.name, tuple(faults), perf_counter() - begin, was_full)


def _faults(family: Family, on: Backend, judge: Backend) -> tuple[list[str], bool]:
    fenced = Fenced(required_gpu(on))
    faults: list[str] = []
    try:
        # Kernel errors appear at a later call, so the whole family is inside this context.
        with on.faults(family.name):
            faults += islice(family.ask(replace(on, gpu=fenced), judge), MAX_FAULTS)
        n_broken = fenced.n_broken()
    except DeviceMemoryError as e:
        return [*faults, str(e)], True
    except EngineError as e:
        return [*faults, str(e)], False
    except Exception as e:  # noqa: BLE001  after any failure the card must not be used
        return [*faults, f"{type(e).__name__}: {e}"], False
    if n_broken:
        faults.append(f"{n_broken} bytes outside arrays were overwritten")
    return faults, False
