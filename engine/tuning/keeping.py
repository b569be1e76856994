"""Keeping the form that a session found, for the runs to come; and taking it away again."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.backend import Backend
from engine.io.atomic_write import write_atomically
from engine.kernels.kept_forms import (
    ENDING,
    FORMAT,
    Slot,
    is_of,
    kept,
    record_of,
    source_digest,
    text_of,
)
from engine.paths import OTHER_HOME, made, tuning_dir
from engine.plain import Plain
from engine.tuning.problem import TuningProblem, Values
from engine.tuning.session import Outcome, TriedForm


def keep(problem: TuningProblem, outcome: Outcome) -> Plain | None:
    """Write the form that was found; returns its record, None where the shipped one stays.

    A form that was kept before is taken away if it was tried again and is not faster any more.
    """
    if outcome.best is None or outcome.comparison is None:
        before = kept_values(problem)
        if any(tried.values in before and _has_failed(tried) for tried in outcome.tried):
            forget(problem.on, problem.slot)
        return None
    record = {
        "format": FORMAT,
        "machine": problem.on.machine,
        "kernel": problem.slot.kernel,
        "shape": problem.slot.shape,
        "source": source_digest(problem.on),
        "form": problem.form(outcome.best),
        "values": outcome.best,
        "gain": outcome.gain,
        "gain_between": [1 / outcome.comparison.high, 1 / outcome.comparison.low],
        "pairs": outcome.comparison.pairs,
        "work": problem.work,
        "tried": len(outcome.tried),
        "tuned_utc": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_record(record, problem.slot.path(problem.on))
    return record


def write_record(record: Plain, path: Path) -> None:
    """Write what is kept of a kernel, whole or not at all."""
    made(path.parent, OTHER_HOME)
    write_atomically((text_of(record) + "\n").encode(), path)


def _has_failed(tried: TriedForm) -> bool:
    compared = tried.comparison
    return bool(tried.fault) or (compared is not None and not compared.is_faster)


def kept_values(problem: TuningProblem) -> tuple[Values, ...]:
    """Return the values of the form that is kept, if there is one that holds."""
    record = kept(problem.on, problem.slot)
    values = {} if record is None else record.get("values", {})
    return (values,) if problem.has(values) else ()


def forget(on: Backend, slot: Slot) -> bool:
    """Take the form away that is kept for a device, kernel and shape; whether there was one."""
    try:
        slot.path(on).unlink()
    except OSError:
        return False
    return True


def forget_all(kernels: tuple[str, ...]) -> int:
    """Take away what is kept of some kernels, of every machine and shape; returns how many."""
    n = 0
    folder = tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        if path.name.rpartition("-")[0] in kernels:
            with suppress(FileNotFoundError):
                path.unlink()
                n += 1
    return n


def all_kept(kernels: tuple[str, ...], on: Backend) -> list[Plain]:
    """Return what is kept of some kernels for a device and holds for these sources."""
    found = []
    folder = tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        with suppress(OSError, ValueError):
            record = record_of(path.read_text(encoding="utf-8"))
            if record["kernel"] in kernels and is_of(
                record, on, Slot(record["kernel"], record["shape"])
            ):
                found.append(record)
    return found
