"""Figures of one run of a benchmark: measurements, date, machine and versions."""

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
PEERS, CARD = "isocenter bench peers", "isocenter bench gpu"
FORMATS = (LISTMODE, CONE, DUAL_HEAD, LIVE, PEERS, CARD)
# Increased if stored figures change their meaning
VERSION = 1

Figures = Plain
Log = Callable[[str], None]


def collect(
    kind: str, devices: Sequence[Backend], parts: Mapping[str, Callable[[], Figures]], log: Log
) -> Figures:
    """Measure parts one by one.

    Parameters
    ----------
    kind
        one of `FORMATS`
    devices
        measured devices
    parts
        functions that measure, by the name of the part
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values with the environment and the load before the run
    """
    # Before the first part: other work on the machine explains slow figures
    busy = psutil.cpu_percent(interval=1.0) / 100 * (psutil.cpu_count() or 1)
    measured = {}
    for name, measure in parts.items():
        log(f"measuring {name} ...")
        measured[name] = measure()
    return {
        "format": kind,
        "version": VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        # Figures are comparable only with the same versions
        "environment": environment(),
        "devices": {on.name: _facts(on) for on in devices},
        "busy_cores_before": busy,
        "parts": measured,
    }


def _facts(on: Backend) -> Figures:
    """Return the properties of a device as JSON values."""
    if on.gpu is None:
        return {"name": environment()["processor"], "threads": on.threads}
    return asdict(on.gpu.facts) | {"arrays": getattr(on.xp, "__version__", None)}
