"""External signals of a PETSIRD file: triggers for gating.

The block of a trigger begins at its time (`ExternalSignalTimeBlock`). The header describes the
signals (`ExamInformation.externalSignals`). Recorded curves are not used.
"""

from __future__ import annotations

import numpy as np

from engine.data.timing.triggers import Triggers
from engine.io.petsird.blocks import Blocks
from engine.io.petsird.geometry import Tree

TRIGGERS = {"ecgTrigger": "ecg", "respTrigger": "respiration", "otherMotionTrigger": "movement"}
"""Trigger types in ExternalSignalTypeEnum -> name of the signal."""


def triggers_of(header: Tree, blocks: Blocks, first_ms: int) -> tuple[Triggers, ...]:
    """Return the triggers of a scan.

    Parameters
    ----------
    header
        header of the file
    blocks
        all blocks
    first_ms
        start of the first block of events; times count from there

    Returns
    -------
    triggers
        one for each signal that has triggers
    """
    found: list[Triggers] = []
    for signal in _described(header):
        name = TRIGGERS.get(str(signal["type"]))
        times = blocks.signals_ms.get(int(signal["id"]))
        if name is None or not times:
            continue
        # Two ECG signals become "ecg" and "ecg 2", because gating selects a signal by its name.
        n_alike = sum(each.name.split(" ")[0] == name for each in found)
        name = f"{name} {n_alike + 1}" if n_alike else name
        # Signed: a trigger can precede the first block of events.
        found.append(Triggers.at(name, np.array(times, np.int64) - first_ms))
    return tuple(found)


def unused_signals(header: Tree, blocks: Blocks) -> int:
    """Return the number of blocks whose signal is no trigger."""
    known = {int(each["id"]) for each in _described(header) if str(each["type"]) in TRIGGERS}
    return sum(len(times) for key, times in blocks.signals_ms.items() if key not in known)


def _described(header: Tree) -> list[Tree]:
    exam = header.get("exam")
    return list(exam.get("externalSignals") or []) if isinstance(exam, dict) else []
