"""Store the variant that a session found, for later runs, and delete it again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.core.paths import OTHER_HOME, made, tuning_dir
from engine.core.private_files import is_own
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
from engine.tools.tuning.outcome import Outcome, TriedVariant
from engine.tools.tuning.problem import TuningProblem, Values


def keep(problem: TuningProblem, outcome: Outcome) -> Plain | None:
    """Store the best variant.

    A variant that was stored before is deleted if it was tried again and is no longer faster.

    Parameters
    ----------
    problem
        tuning problem
    outcome
        outcome of a session

    Returns
    -------
    record
        stored record, None if the default stays
    """
    if outcome.best is None or outcome.comparison is None:
        before = stored_values(problem)
        if any(tried.values in before and _has_failed(tried) for tried in outcome.tried):
            # The default is then faster, or the variant no longer works
            forget(problem.on, problem.slot)
        return None
    record = {
        "format": FORMAT,
        "machine": problem.on.machine,
        "kernel": problem.slot.kernel,
        "shape": problem.slot.shape,
        # Other sources may have other variants, or other speeds
        "source": source_digest(problem.on),
        "form": problem.form(outcome.best),
        "values": outcome.best,
        "gain": outcome.gain,
        # The record has speeds, while comparisons have times
        "gain_between": [1 / outcome.comparison.high, 1 / outcome.comparison.low],
        "pairs": outcome.comparison.pairs,
        "work": problem.work,
        "tried": len(outcome.tried),
        "tuned_utc": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_record(record, problem.slot.path(problem.on))
    return record


def write_record(record: Plain, path: Path) -> None:
    """Write a record atomically.

    Parameters
    ----------
    record
        JSON values
    path
        file; its folder is created if missing
    """
    made(path.parent, OTHER_HOME)
    write_atomically((text_of(record) + "\n").encode(), path)


def _has_failed(tried: TriedVariant) -> bool:
    compared = tried.comparison
    return bool(tried.fault) or (compared is not None and not compared.is_faster)


def stored_values(problem: TuningProblem) -> tuple[Values, ...]:
    """Return the parameters of the stored variant, if there is one that is valid.

    Parameters
    ----------
    problem
        tuning problem
    """
    record = stored_record(problem.on, problem.slot)
    values = {} if record is None else record.get("values", {})
    return (values,) if problem.has(values) else ()


def forget(on: Backend, slot: Slot) -> bool:
    """Delete the variant of a device, kernel and shape; return True if there was one.

    Parameters
    ----------
    on
        device
    slot
        kernel and shape
    """
    try:
        slot.path(on).unlink()
    except OSError:
        return False
    return True


def forget_all(kernels: tuple[str, ...]) -> int:
    """Delete the variants of some kernels for all machines and shapes.

    Parameters
    ----------
    kernels
        names of kernels

    Returns
    -------
    n
        number of deleted variants
    """
    n = 0
    folder = tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        # File names are the kernel and a digest
        if path.name.rpartition("-")[0] in kernels:
            with suppress(FileNotFoundError):
                path.unlink()
                n += 1
    return n


def stored_records(kernels: tuple[str, ...], on: Backend) -> list[Plain]:
    """Return the valid variants of some kernels for a device.

    Parameters
    ----------
    kernels
        names of kernels
    on
        device

    Returns
    -------
    records
        records of the current sources
    """
    found = []
    folder = tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        # A damaged record is ignored, as in a run
        with suppress(OSError, ValueError):
            if not is_own(path):
                continue
            record = record_of(path.read_text(encoding="utf-8"))
            if record["kernel"] in kernels and is_of(
                record, on, Slot(record["kernel"], record["shape"])
            ):
                found.append(record)
    return found


@dataclass(frozen=True)
class StoredForm:
    """A stored variant of any machine.

    Attributes
    ----------
    path : its file
    kernel, shape, machine : kernel, problem shape and machine
    values : its parameters
    gain : its speed relative to the default
    tuned_utc : time of the search
    is_current : True if it was measured with the current sources; others are not used
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
    """Return all stored variants, for every kernel, shape and machine."""
    found, here, folder = [], source_digests(), tuning_dir()
    for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            if not is_own(path):
                continue
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
    """Delete a stored variant.

    Parameters
    ----------
    form
        stored variant

    Raises
    ------
    ResourceError
        if its file cannot be deleted
    """
    try:
        form.path.unlink(missing_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{form.path.name}: the stored variant cannot be deleted ({e.strerror}); check the "
            "permissions of its folder."
        ) from e
