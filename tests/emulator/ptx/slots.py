"""Calculate issue slots of machine code from counts of PTX.

A GPU does not run PTX itself. The emulator counts how often each stretch of PTX is issued. The
cubin gives the number of machine instructions (`tests.emulator.sass`). A PTX loop is paired with
the machine-code loop that has the same number of loads, stores, atomics, fetches and shuffles, or
a multiple of them if it was unrolled. Within loops, stretches with the same accesses are paired.
The slots of a pair are its PTX slots times the ratio of instructions; code without a pair uses the
ratio of the rest of its loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.emulator.ptx.counted import Counters, kind_of
from tests.emulator.ptx.flow import Flow, Stretch
from tests.emulator.ptx.parsing import Instruction
from tests.emulator.sass import Kinds, MachineCode, Part

_PAIRED_BY = ("load", "store", "atomic", "texture", "shuffle")


@dataclass(frozen=True)
class Region:
    """Some PTX and its machine code.

    Attributes
    ----------
    kinds : accesses in it
    counted : issue slots of PTX
    n_ptx, n_machine : number of instructions of both
    """

    kinds: str
    counted: int
    n_ptx: int
    n_machine: float

    @property
    def slots(self) -> float:
        """Return the issue slots of machine code."""
        return self.counted * self.n_machine / max(self.n_ptx, 1)


@dataclass(frozen=True)
class _Pair:
    body: frozenset[int]
    part: Part
    times: int


def machine_slots(counters: Counters, code: MachineCode) -> float:
    """Return the total issue slots of all warps in machine code."""
    return sum(region.slots for region in regions(counters, code))


def regions(counters: Counters, code: MachineCode) -> list[Region]:
    """Return the paired loops and stretches, inner ones first, and the rest of the kernel."""
    flow, issued = counters.flow, counters.issued
    whole = _Pair(frozenset(range(len(flow.stretches))), code.whole, 1)
    found: list[Region] = []
    done: list[_Pair] = []
    for pair in (*_paired_loops(flow, code.loops), whole):
        inside = [other for other in done if other.body < pair.body]
        outermost = [one for one in inside if not any(one.body < other.body for other in inside)]
        own = pair.body - frozenset[int]().union(*(one.body for one in inside))
        left = pair.part.n - sum(one.part.n for one in outermost)
        holes = [one.part for one in outermost]
        free = [p for p in code.stretches if _within(p, pair.part) and not _any_in(p, holes)]
        for i, part in _paired_stretches(flow, own, free):
            n, own, left = len(flow.stretches[i].slots), own - {i}, left - part.n
            found.append(Region(_named(part.kinds), n * int(issued[i]), n, part.n))
        sizes = {i: len(flow.stretches[i].slots) for i in own}
        counted = sum(n * int(issued[i]) for i, n in sizes.items())
        n_machine = max(left, 0) / pair.times
        found.append(Region(_named(pair.part.kinds), counted, sum(sizes.values()), n_machine))
        done.append(pair)
    return found


def _within(part: Part, other: Part) -> bool:
    return other.first <= part.first and part.last <= other.last


def _any_in(part: Part, others: Iterable[Part]) -> bool:
    return any(_within(part, other) for other in others)


def _named(kinds: Kinds) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "no access"


def _paired_loops(flow: Flow, machine: list[Part]) -> list[_Pair]:
    """Return PTX loops, inner ones first, with their machine code and unroll factor."""
    left, found = list(machine), []
    for _, body in sorted(flow.loops.items(), key=lambda item: (len(item[1]), item[0])):
        kinds = _loops_paired_by(_kinds(flow.stretches[i] for i in body))
        fits = [(n, part) for part in left if (n := _times(_loops_paired_by(part.kinds), kinds))]
        if fits:
            times, part = min(fits, key=lambda fit: (fit[0], fit[1].first))
            found.append(_Pair(body, part, times))
            left.remove(part)
    return found


def _paired_stretches(
    flow: Flow, own: frozenset[int], machine: list[Part]
) -> list[tuple[int, Part]]:
    """Return stretches of PTX with equally many stretches of machine code with these accesses.

    They are paired in code order.
    """
    kinds = {i: _kinds([flow.stretches[i]]) for i in sorted(own)}
    found = []
    for i, wanted in kinds.items():
        same = [other for other in kinds if kinds[other] == wanted]
        fits = [part for part in machine if part.kinds == wanted]
        if wanted and len(fits) == len(same):
            found.append((i, fits[same.index(i)]))
    return found


def _kinds(stretches: Iterable[Stretch]) -> Kinds:
    """Count accesses and shuffles in some stretches, by the names of machine code."""
    found = Counter(_kind(at) for stretch in stretches for at in stretch.code)
    return {kind: n for kind, n in found.items() if kind not in ("", "constant")}


def _kind(at: Instruction) -> str:
    kind = kind_of(at)
    if kind == "shared":
        return "load shared" if at.opcode.startswith("ld") else "store shared"
    return "shuffle" if at.opcode.startswith("shfl") else kind


def _loops_paired_by(kinds: Kinds) -> Kinds:
    return {kind: n for kind in _PAIRED_BY if (n := kinds.get(kind, 0))}


def _times(machine: Kinds, ptx: Kinds) -> int:
    """Return how many times `machine` contains `ptx`; 0 if it is not a multiple."""
    if not ptx or machine.keys() != ptx.keys():
        return 0
    times = {machine[kind] / n for kind, n in ptx.items()}
    one = times.pop()
    return int(one) if not times and one == int(one) else 0
