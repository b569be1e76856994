"""Keeping the form that a session found, for the runs to come; and taking it away again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.core.paths import OTHER_HOME, made, tuning_dir
from engine.io.safety.atomic_write import write_atomically
from engine.kernels.stored_variants import (
    ENDING,
    FORMAT,
    Slot,
    is_of,
    record_of,
    source_digest,
    source_digests,
    stored_record,
    text_of,
)
from engine.tools.tuning.outcome import Outcome, TriedForm
from engine.tools.tuning.problem import TuningProblem, Values


def keep(problem: TuningProblem, outcome: Outcome) -> Plain | None:
    """Write the form that was found; returns its record, None where the shipped one stays.

    A form that was kept before is taken away if it was tried again and is not faster any more.
    """
    if outcome.best is None or outcome.comparison is None:
        before = stored_values(problem)
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


def stored_values(problem: TuningProblem) -> tuple[Values, ...]:
    """Return the values of the form that is kept, if there is one that holds."""
    record = stored_record(problem.on, problem.slot)
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


def stored_records(kernels: tuple[str, ...], on: Backend) -> list[Plain]:
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


@dataclass(frozen=True)
class StoredForm:
    """A form that is kept, of whatever machine.

    Attributes
    ----------
    path : its file
    kernel, shape, machine : what it is for
    values : of its parameters
    gain : its speed over that of the shipped form
    tuned_utc : when it was found
    is_current : whether it was measured with these sources: else it is not used
    """

    path: Path
    kernel: str
    shape: str
    machine: str
    values: Values
    gain: float
    tuned_utc: str
    is_current: bool


def stored_forms() -> list[StoredForm]:
    """Return all that is kept, of every kernel, shape and machine."""
    found, here, folder = [], source_digests(), tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            record = record_of(path.read_text(encoding="utf-8"))
            found.append(
                StoredForm(
                    path,
                    kernel=str(record["kernel"]),
                    shape=str(record["shape"]),
                    machine=str(record["machine"]),
                    values=dict(record["values"]),
                    gain=float(record["gain"]),
                    tuned_utc=str(record["tuned_utc"]),
                    is_current=record["source"] in here,
                )
            )
    return found


def forget_stored(form: StoredForm) -> None:
    """Take one away.

    Raises
    ------
    ResourceError
        where its file cannot be removed
    """
    try:
        form.path.unlink(missing_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{form.path.name}: cannot be removed ({e.strerror}); see who may write in its folder."
        ) from e
