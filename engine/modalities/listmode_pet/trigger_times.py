"""Auxiliary file with trigger times of cardiac or respiratory cycles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.data.input_role import InputRole

if TYPE_CHECKING:
    from engine.data.listmode import ListMode
    from engine.data.timing.triggers import Triggers
    from engine.geometry.scanner import Scanner
    from engine.io.safety.open_input import InputFile


def _read(path: Path, scanner: Scanner | None) -> Triggers:
    from engine.io.auxiliary.trigger_file import read_triggers

    return read_triggers(path)


def _is_triggers(file: InputFile) -> bool:
    from engine.io.auxiliary.trigger_file import is_trigger_file

    return is_trigger_file(file)


# A scan can have several signals; gates select one of them by name.
def _with_triggers(data: ListMode, found: Triggers) -> ListMode:
    # Triggers of the file are added to those of the scan; a protocol selects a signal by name.
    return replace(data, triggers=(*data.triggers, found))


TRIGGERS = InputRole(
    key="triggers",
    title="Trigger times",
    text="Start times of cardiac or respiratory cycles, in seconds since the start of the scan",
    without="File with the start times of heartbeats or breaths, used for gating. Without it, "
    "the triggers in the scan are used.",
    suffixes=(".csv", ".tsv", ".txt"),
    read=_read,
    describe=lambda found: f"{len(found.time_ms):,} triggers",
    accepts=_is_triggers,
    attach=_with_triggers,
)
