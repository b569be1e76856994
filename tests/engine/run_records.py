"""Records of runs for tests."""

from __future__ import annotations

from typing import Any

from engine.data.runs.record import ProtocolIdentity, RecordedRun


def recorded(done: float = 4, planned: int = 4, **changes: Any) -> RecordedRun:
    """Return the record of a run of OSEM up to an image."""
    fields: dict[str, Any] = {
        "protocol": ProtocolIdentity(name="Standard", label="Standard"),
        "algorithm": "OSEM",
        "iterations_planned": planned,
        "iterations_done": done,
        "subsets": (2,),
        "ending": "done" if done >= planned else "running",
        "device": "CPU, 2 threads",
    }
    return RecordedRun(**fields | changes)
