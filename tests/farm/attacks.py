"""Handmade inputs that try to hang, crash or mislead a reader, by the classes of the audit.

The reader must refuse each of them with one sentence. It may also read a harmless one.
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
    name : class and description
    act : creates the input in an empty folder and reads it
    harmless : True if it may be read
    """

    name: str
    act: Callable[[Path], object]
    harmless: bool = False

    def case(self, folder: Path) -> Callable[[], object]:
        """Return the case for the farm."""

        def run() -> object:
            folder.mkdir(parents=True)
            return self.act(folder)

        return run


def _instead(kind: Kind, trap: traps.Trap) -> Attack:
    """Return an attack that replaces the opened file by a trap."""

    def act(folder: Path) -> object:
        path = kind.make(folder)
        path.unlink()
        trap(path)
        inspect(path)
        return kind.read(path)

    return Attack(f"{trap.__name__} as {kind.name}", act)


def _neighbour(kind: Kind, trap: traps.Trap) -> Attack:
    """Return an attack with traps next to a good file, under every name that a reader looks for."""

    def act(folder: Path) -> object:
        path = kind.make(folder)
        for name in (*traps.BESIDE, *traps.NAMED):
            trap(folder / name)
        inspect(path)
        return kind.read(path)

    return Attack(f"{trap.__name__} next to {kind.name}", act, harmless=True)


def _companion(kind: Kind, trap: traps.Trap) -> Attack:
    """Return an attack that replaces every companion of the opened file by a trap."""

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
    *(_neighbour(kind, trap) for kind in KINDS for trap in (traps.fifo, traps.zeros)),
    *(_companion(kind, trap) for kind in KINDS for trap in (traps.fifo, traps.zeros)),
    *(Attack(f"bomb: {act.__name__}", act) for act in bombs.BOMBS),
    *(
        Attack(f"false statement: {each.name}", each.act)
        for each in false_statements.FALSE_STATEMENTS
    ),
    *(Attack(f"elsewhere: {each.name}", each.act) for each in external_references.POINTERS),
)
