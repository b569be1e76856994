"""External signals of a PETSIRD file: the triggers among them, by which a scan can be gated.

A block of a trigger begins when it came (`ExternalSignalTimeBlock`); the header says which signal
is which (`ExamInformation.externalSignals`). Traces are not used.
"""

from __future__ import annotations

import numpy as np

from engine.data.timing.triggers import Triggers
from engine.io.petsird.blocks import Blocks
from engine.io.petsird.geometry import Tree

TRIGGERS = {"ecgTrigger": "ecg", "respTrigger": "respiration", "otherMotionTrigger": "movement"}
"""Names of the triggers among the values of ExternalSignalTypeEnum."""


def triggers_of(header: Tree, blocks: Blocks, first_ms: int) -> tuple[Triggers, ...]:
    """Return the triggers of a scan whose first block of events began at `first_ms`."""
    found: list[Triggers] = []
    for signal in _described(header):
        name = TRIGGERS.get(str(signal["type"]))
        times = blocks.signals_ms.get(int(signal["id"]))
        if name is None or not times:
            continue
        n_alike = sum(each.name.split(" ")[0] == name for each in found)
        name = f"{name} {n_alike + 1}" if n_alike else name
        found.append(Triggers.at(name, np.array(times, np.int64) - first_ms))
    return tuple(found)


def unused_signals(header: Tree, blocks: Blocks) -> int:
    """Return how many blocks hold a signal that is no trigger."""
    known = {int(each["id"]) for each in _described(header) if str(each["type"]) in TRIGGERS}
    return sum(len(times) for key, times in blocks.signals_ms.items() if key not in known)


def _described(header: Tree) -> list[Tree]:
    exam = header.get("exam")
    return list(exam.get("externalSignals") or []) if isinstance(exam, dict) else []
