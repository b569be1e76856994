"""Kernel variants that were tuned on this machine, one file for each machine, kernel and shape.

A file is sealed. It contains the digest of the sources and libraries of the measurement. If these,
the machine or the shape differ, or if the file is damaged, it is ignored and the kernel uses its
default variant.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import sha256
from math import cbrt, log2
from pathlib import Path
from typing import TypeVar

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.paths import tuning_dir
from engine.core.private_files import is_own
from engine.kernels import compile_cache

FORMAT = "isocenter-tuned-form-1"
ENDING = ".form.json"
MAX_BYTES = 1 << 16
SEAL = "seal"

_TEMPLATE_VALUES = (
    "variants.py",
    "cone/cone_variants.py",
    "cone/joseph_variants.py",
    "matrix/variants.py",
)
"""Modules that define the values in the templates of the CUDA sources."""

F = TypeVar("F")


@dataclass(frozen=True)
class Slot:
    """Key of a tuned variant.

    Attributes
    ----------
    kernel : "cone_back", "rays" or "matrix"
    shape : class of problems with a common variant, in words
    """

    kernel: str
    shape: str

    def path(self, on: Backend) -> Path:
        """Return the file that stores the variant for a device.

        Parameters
        ----------
        on
            device of the run
        """
        name = sha256("\n".join((on.machine, self.kernel, self.shape)).encode()).hexdigest()[:16]
        return tuning_dir() / f"{self.kernel}-{name}{ENDING}"


def edge_class(n_voxels: int) -> str:
    """Return the edge of a cube of this size, rounded to a power of two: "256³".

    Parameters
    ----------
    n_voxels
        voxels of the image
    """
    return f"{power_class(round(cbrt(n_voxels)))}³"


def power_class(n: int) -> int:
    """Return the nearest power of two, by ratio."""
    return int(2 ** round(log2(max(n, 1))))


def ray_slot(n_voxels: int, *, is_timed: bool, reproducible: bool) -> Slot:
    """Return the key under which tuned variants of the ray kernels are stored.

    Parameters
    ----------
    n_voxels
        voxels of the image
    is_timed
        True with time of flight
    reproducible
        True if sums are integers
    """
    timed, sums = ", timed" if is_timed else "", "fixed" if reproducible else "float"
    return Slot("rays", f"{edge_class(n_voxels)}, {sums}{timed}")


def back_slot(is_upright: bool, n_voxels: int, n_rows: int) -> Slot:
    """Return the key under which tuned variants of the back projection are stored.

    Parameters
    ----------
    is_upright
        True if detector columns run along z
    n_voxels
        voxels of the whole volume
    n_rows
        rows of the detector
    """
    path = "upright" if is_upright else "general"
    return Slot("cone_back", f"{path}, {edge_class(n_voxels)}, {power_class(n_rows)} rows")


def source_digest(on: Backend) -> str:
    """Return a digest of the kernel sources of a device, and of the libraries that compile them.

    Parameters
    ----------
    on
        CPU or GPU, which have different sources
    """
    return _cuda_digest() if on.is_cuda else compile_cache.digest()


def source_digests() -> tuple[str, ...]:
    """Return the digests of the kernel sources of all devices."""
    return compile_cache.digest(), _cuda_digest()


@lru_cache(maxsize=1)
def _cuda_digest() -> str:
    content = sha256()
    folder = compile_cache.SOURCES
    for path in sorted((*folder.glob("*.cu"), *(folder / name for name in _TEMPLATE_VALUES))):
        text = path.read_bytes()
        # Name and length delimit the texts.
        content.update(f"{path.name} {len(text)}\n".encode() + text)
    return content.hexdigest()[:16]


def chosen(on: Backend, slot: Slot, shipped: F) -> F:
    """Return the variant of a kernel: tuned on this machine, or the default.

    A tuned variant is recorded for the provenance of the run.

    Parameters
    ----------
    on
        device of the run
    slot
        kernel and class of problems
    shipped
        default variant
    """
    record = stored_record(on, slot)
    form = shipped if record is None else form_of(record, shipped)
    if record is not None and form is not shipped:
        on.used_variants.note(slot.kernel, words(record))
    return form


def form_of(record: Plain, shipped: F) -> F:
    """Return the variant in a record.

    Parameters
    ----------
    record
        stored record
    shipped
        default variant, which defines the class and is returned for an invalid record
    """
    try:
        values = {f.name: _typed(record["form"][f.name]) for f in fields(shipped)}  # type: ignore[arg-type]
        # The constructor checks the limits, so that an edited record cannot select invalid values.
        return type(shipped)(**values)
    except (KeyError, TypeError, ValueError):
        return shipped


def _typed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def words(record: Plain) -> str:
    """Return the description of a tuned variant for provenance.

    Parameters
    ----------
    record
        stored record
    """
    form = ", ".join(f"{name} {value}" for name, value in sorted(record["form"].items()))
    return (
        f"tuned {record['tuned_utc'][:10]} for {record['shape']}: {form}; "
        f"{record['gain']:.2f} × the speed of the default variant then"
    )


def stored_record(on: Backend, slot: Slot) -> Plain | None:
    """Return the record that was tuned for this device and problem.

    Parameters
    ----------
    on
        device of the run
    slot
        kernel and class of problems

    Returns
    -------
    None if there is none, or it belongs to other sources or another machine
    """
    try:
        path = slot.path(on)
        state = path.stat()
    except OSError:
        return None
    # Cached by file state: an open window finds variants that the command line has tuned later.
    record = _read(path, state.st_mtime_ns, state.st_size)
    if record is None or not is_of(record, on, slot):
        return None
    return record


def is_of(record: Plain, on: Backend, slot: Slot) -> bool:
    """Return True if a record belongs to this device, kernel, problem and state of the sources.

    Parameters
    ----------
    record
        stored record
    on
        device of the run
    slot
        kernel and class of problems
    """
    here = (on.machine, slot.kernel, slot.shape, source_digest(on))
    return tuple(record.get(name) for name in ("machine", "kernel", "shape", "source")) == here


@lru_cache(maxsize=64)
def _read(path: Path, _mtime_ns: int, n_bytes: int) -> Plain | None:
    """Return a complete record, None for anything else."""
    if n_bytes > MAX_BYTES:
        return None
    try:
        if not is_own(path):
            return None
        return record_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def text_of(record: Plain) -> str:
    """Return a record as sealed text."""
    return json.dumps(record | {SEAL: _seal(record)}, sort_keys=True, indent=2, ensure_ascii=False)


def record_of(text: str) -> Plain:
    """Return the record of a sealed text.

    Parameters
    ----------
    text
        content of a file

    Raises
    ------
    ValueError
        if it is not a sealed record
    """
    try:
        record = json.loads(text)
    except RecursionError as e:
        raise ValueError("the record is nested too deeply") from e
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError("the file does not contain a tuned variant")
    seal = record.pop(SEAL, None)
    if seal != _seal(record):
        raise ValueError("the checksum of the record does not match its content")
    return record


def _seal(record: Plain) -> str:
    return sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
