"""The file of trials of all sessions, in Kernel Tuner's format; measured again if it is lost."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from engine.core.backend import Backend
from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.paths import cache_dir, made
from engine.io.safety.atomic_write import write_atomically
from engine.kernels.stored_variants import Slot, source_digest
from engine.tools.tuning.problem import TuningProblem, Values


def trials_path(on: Backend, slot: Slot, work: str) -> Path:
    """Return the file of trials of a kernel on a problem, for the current sources.

    Parameters
    ----------
    on
        device
    slot
        kernel and shape
    work
        problem as text
    """
    from hashlib import sha256

    # Trials of other sources or machines do not apply, so they have other names
    text = "\n".join((on.machine, slot.kernel, slot.shape, work, source_digest(on)))
    name = f"{slot.kernel}-{sha256(text.encode()).hexdigest()[:16]}.json"
    return made(cache_dir() / "tuning") / name


def fastest_of(path: Path, problem: TuningProblem, max_variants: int) -> list[Values]:
    """Return the fastest valid variants in a file.

    Parameters
    ----------
    path
        file of trials; a missing one has none
    problem
        tuning problem, which decides if values are valid
    max_variants
        most variants
    """
    rows = [row for row in _rows(path) if isinstance(row.get("ratio"), int | float)]
    # Ratios to the default are comparable between sessions, seconds are not
    rows.sort(key=lambda row: float(row["ratio"]))
    found: list[Values] = []
    for row in rows:
        values: Values = {name: row[name] for name in problem.parameters if name in row}
        if problem.has(values) and values != problem.shipped:
            found.append(values)
    return found[:max_variants]


def mark_unfinished(path: Path, error: str) -> None:
    """Mark the variant as faulty that was running when the last session died.

    Parameters
    ----------
    path
        file of trials
    error
        Kernel Tuner's name of the error
    """
    note = path.with_suffix(".trying")
    try:
        key = note.read_text(encoding="utf-8")
        note.unlink()
        text = path.read_text(encoding="utf-8").rstrip().removesuffix(",")
    except (OSError, UnicodeDecodeError):
        return
    fault = "the program ended while it ran"
    row = {"__error__": error, "time": error, "fault": fault}
    # an open file of Kernel Tuner ends after a row, a closed one with both closing braces
    text = text.removesuffix("}\n}").removesuffix("}}")
    comma = "" if text.endswith("{") else ","
    with suppress(EngineError, OSError):
        write_atomically(f"{text}{comma}\n{json.dumps({key: row})[1:-1]},".encode(), path)


def _rows(path: Path) -> list[Plain]:
    try:
        text = path.read_text(encoding="utf-8").rstrip().removesuffix(",")
        # A session that died leaves the file open
        whole = text if text.endswith(("}\n}", "}}}")) else text + "}\n}"
        return [row for row in json.loads(whole)["cache"].values() if isinstance(row, dict)]
    except (OSError, ValueError, KeyError, AttributeError, RecursionError):
        return []
