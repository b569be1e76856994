"""Inputs made by hand to hang, to crash or to mislead a reader, by the classes of the audit.

Each must be refused in a sentence; one that is harmless may be read, as if the trap were not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.modalities.inspection import inspect
from tests.farm import bombs, external_references, false_statements, traps
from tests.farm.formats import KINDS, Kind


@dataclass(frozen=True)
class Attack:
    """One input.

    Attributes
    ----------
    name : class and what it is
    act : makes the input in an empty folder and reads it
    harmless : whether it may be read
    """

    name: str
    act: Callable[[Path], object]
    harmless: bool = False

    def case(self, folder: Path) -> Callable[[], object]:
        """Return what the farm runs."""

        def run() -> object:
            folder.mkdir(parents=True)
            return self.act(folder)

        return run


def _instead(kind: Kind, trap: traps.Trap) -> Attack:
    """A trap in the place of the file that is opened."""

    def act(folder: Path) -> object:
        path = kind.make(folder)
        path.unlink()
        trap(path)
        inspect(path)
        return kind.read(path)

    return Attack(f"{trap.__name__} as {kind.name}", act)


def _beside(kind: Kind, trap: traps.Trap) -> Attack:
    """Traps of every name that a reader looks at, beside a good file."""

    def act(folder: Path) -> object:
        path = kind.make(folder)
        for name in (*traps.BESIDE, *traps.NAMED):
            trap(folder / name)
        inspect(path)
        return kind.read(path)

    return Attack(f"{trap.__name__} beside {kind.name}", act, harmless=True)


def _companion(kind: Kind, trap: traps.Trap) -> Attack:
    """A trap in the place of every file that belongs to the one that is opened."""

    def act(folder: Path) -> object:
        path = kind.make(folder)
        for each in [each for each in folder.rglob("*") if each.is_file() and each != path]:
            each.unlink()
            trap(each)
        inspect(path)
        return kind.read(path)

    return Attack(f"{trap.__name__} for companions of {kind.name}", act, harmless=True)


ATTACKS: tuple[Attack, ...] = (
    *(_instead(kind, trap) for kind in KINDS for trap in traps.TRAPS),
    *(_beside(kind, trap) for kind in KINDS for trap in (traps.fifo, traps.zeros)),
    *(_companion(kind, trap) for kind in KINDS for trap in (traps.fifo, traps.zeros)),
    *(Attack(f"bomb: {act.__name__}", act) for act in bombs.BOMBS),
    *(Attack(f"lie: {lie.name}", lie.act) for lie in false_statements.LIES),
    *(Attack(f"elsewhere: {each.name}", each.act) for each in external_references.POINTERS),
)
