"""Stretches of code without a jump (basic blocks), and the order in which a warp runs them.

When lanes diverge, those at the earlier stretch run until all lanes meet. Stretches are numbered
before their successors (except for backward jumps), and a loop before the code that follows it.
Lanes then meet at the earliest point, as on a GPU (NVIDIA, "Inside Volta", 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tests.emulator.ptx.parsing import Entry, Instruction

_FREE = ("ld.param", ":", "pragma")
"""Entries that take no issue slot: in machine code, kernel arguments are operands."""


@dataclass(frozen=True)
class Stretch:
    """Instructions that run one after the other.

    Attributes
    ----------
    code : instructions of the entry, including labels
    follow : numbers of the possible successors
    """

    code: tuple[Instruction, ...]
    follow: tuple[int, ...]

    @property
    def n_labels(self) -> int:
        """Return the number of labels at its start."""
        return sum(at.opcode == ":" for at in self.code)

    @property
    def slots(self) -> list[Instruction]:
        """Return the instructions that take an issue slot."""
        return [at for at in self.code if not at.opcode.startswith(_FREE)]


class Flow:
    """The stretches of a kernel, in code order."""

    def __init__(self, entry: Entry) -> None:
        self.stretches = _cut(entry)

    @cached_property
    def loops(self) -> dict[int, frozenset[int]]:
        """Return the first stretch of every loop and all stretches in the loop."""
        before: dict[int, set[int]] = {i: set() for i in range(len(self.stretches))}
        for i, stretch in enumerate(self.stretches):
            for after in stretch.follow:
                before[after].add(i)
        found: dict[int, set[int]] = {}
        for i, dominators in self._dominators(before).items():
            for head in set(self.stretches[i].follow) & dominators:
                body = found.setdefault(head, {head})
                waiting = [i]
                while waiting:
                    if (one := waiting.pop()) not in body:
                        body.add(one)
                        waiting += before[one]
        return {head: frozenset(body) for head, body in found.items()}

    def _dominators(self, before: dict[int, set[int]]) -> dict[int, set[int]]:
        """Return the stretches on all paths to each stretch, including itself."""
        everything = set(range(len(self.stretches)))
        found = dict.fromkeys(everything, everything) | {0: {0}}
        changed = True
        while changed:
            changed = False
            for i in sorted(everything - {0}):
                new = {i} | set.intersection(everything, *(found[b] for b in before[i]))
                changed |= new != found[i]
                found[i] = new
        return found

    @cached_property
    def order(self) -> list[int]:
        """Return the position of each stretch in the order of a warp."""
        done: list[int] = []
        seen = {0}
        waiting = [(0, self._follow(0))]
        while waiting:
            at, left = waiting[-1]
            after = next((i for i in left if i not in seen), None)
            if after is None:
                done.append(at)
                waiting.pop()
            else:
                seen.add(after)
                waiting.append((after, self._follow(after)))
        done += [i for i in range(len(self.stretches)) if i not in seen]
        places = [0] * len(self.stretches)
        for place, i in enumerate(reversed(done)):
            places[i] = place
        return places

    def _follow(self, i: int) -> list[int]:
        """Return the successors, exits of most loops first: the last one visited runs next."""
        around = [body for body in self.loops.values() if i in body]
        return sorted(
            self.stretches[i].follow, key=lambda after: sum(after in body for body in around)
        )


def _cut(entry: Entry) -> list[Stretch]:
    code: list[list[Instruction]] = [[]]
    for at in entry.code:
        if at.opcode == ":" and code[-1]:
            code.append([])
        code[-1].append(at)
        if _ends(at):
            code.append([])
    code = [part for part in code if part]
    of_label = {at.operands[0]: i for i, part in enumerate(code) for at in part if at.opcode == ":"}
    return [
        Stretch(tuple(part), _followers(part[-1], i, len(code), of_label))
        for i, part in enumerate(code)
    ]


def _ends(at: Instruction) -> bool:
    return at.opcode.split(".")[0] in ("bra", "ret", "exit")


def _followers(last: Instruction, i: int, n: int, of_label: dict[str, int]) -> tuple[int, ...]:
    beyond = (i + 1,) if i + 1 < n else ()
    if last.opcode.startswith("bra"):
        jump = of_label[last.operands[0]]
        return (jump, *(each for each in beyond if last.guard and each != jump))
    return beyond if last.guard or not _ends(last) else ()
