"""The figures of one run of a benchmark: what was measured, when, where and with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import psutil

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.protocols.run_context.environment import environment

LISTMODE, CONE = "isocenter bench listmode", "isocenter bench cone"
DUAL_HEAD, LIVE = "isocenter bench dual-head", "isocenter bench live"
PEERS = "isocenter bench peers"
FORMATS = (LISTMODE, CONE, DUAL_HEAD, LIVE, PEERS)
VERSION = 1

Figures = Plain
Say = Callable[[str], None]


def collect(
    kind: str, devices: Sequence[Backend], parts: Mapping[str, Callable[[], Figures]], say: Say
) -> Figures:
    """Measure the parts one after the other; what comes back can go into JSON."""
    busy = psutil.cpu_percent(interval=1.0) / 100 * (psutil.cpu_count() or 1)
    measured = {}
    for name, measure in parts.items():
        say(f"measuring {name} ...")
        measured[name] = measure()
    return {
        "format": kind,
        "version": VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": environment(),
        "devices": {on.name: _facts(on) for on in devices},
        "busy_cores_before": busy,
        "parts": measured,
    }


def _facts(on: Backend) -> Figures:
    """Return what the device is, in plain values."""
    if on.gpu is None:
        return {"name": environment()["processor"], "threads": on.threads}
    return asdict(on.gpu.facts) | {"arrays": getattr(on.xp, "__version__", None)}
