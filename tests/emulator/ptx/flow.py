"""Stretches of a kernel's code without a jump, and in which order a warp comes through them.

Where lanes part, those at the earlier stretch go on until all meet. Stretches are numbered so that
each comes before those that follow it, but for jumps back, and a loop's before what follows the
loop: paths then meet where they first can, as on a card (NVIDIA, "Inside Volta", 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tests.emulator.ptx.parsing import Entry, Instruction

_FREE = ("ld.param", ":", "pragma")
"""What takes no issue slot: arguments of a kernel are operands of machine code."""


@dataclass(frozen=True)
class Stretch:
    """Instructions that run one after the other.

    Attributes
    ----------
    code : of the entry, labels included
    follow : numbers of those that may follow
    """

    code: tuple[Instruction, ...]
    follow: tuple[int, ...]

    @property
    def n_labels(self) -> int:
        """Labels at its start."""
        return sum(at.opcode == ":" for at in self.code)

    @property
    def slots(self) -> list[Instruction]:
        """Instructions that take an issue slot."""
        return [at for at in self.code if not at.opcode.startswith(_FREE)]


class Flow:
    """The stretches of a kernel, in the order of their code."""

    def __init__(self, entry: Entry) -> None:
        self.stretches = _cut(entry)

    @cached_property
    def loops(self) -> dict[int, frozenset[int]]:
        """First stretch of every loop, with all that are in it."""
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
        """Stretches without which each cannot be reached, itself among them."""
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
        """For each stretch its place on the way of a warp."""
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
        """What may follow, ways out of most loops first: the last one visited comes next."""
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
