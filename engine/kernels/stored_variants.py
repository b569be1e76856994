"""Forms of kernels that were tuned on this machine, one file for each machine, kernel and shape.

A file is sealed, and names the digest of the sources and the libraries that it was measured with:
of another state of them, of another machine or shape, or damaged, it counts as absent, and kernels
run in the form that is shipped.
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
from engine.kernels import compile_cache

FORMAT = "isocenter-tuned-form-1"
ENDING = ".form.json"
MOST_BYTES = 1 << 16
SEAL = "seal"

_TEMPLATE_VALUES = (
    "variants.py",
    "cone/cone_variants.py",
    "cone/joseph_variants.py",
    "matrix/variants.py",
)
"""Modules that fill in the templates of the CUDA sources."""

F = TypeVar("F")


@dataclass(frozen=True)
class Slot:
    """What a tuned form is for.

    Attributes
    ----------
    kernel : "cone_back", "rays" or "matrix"
    shape : class of problems that share a form, in words
    """

    kernel: str
    shape: str

    def path(self, on: Backend) -> Path:
        """Return where its form is kept for a device."""
        name = sha256("\n".join((on.machine, self.kernel, self.shape)).encode()).hexdigest()[:16]
        return tuning_dir() / f"{self.kernel}-{name}{ENDING}"


def edge_class(n_voxels: int) -> str:
    """Return the edge of a cube of as many voxels, to the nearest power of two: "256³"."""
    return f"{power_class(round(cbrt(n_voxels)))}³"


def power_class(n: int) -> int:
    """Return the power of two that is nearest to a number, by their ratio."""
    return int(2 ** round(log2(max(n, 1))))


def source_digest(on: Backend) -> str:
    """Fingerprint of the kernels' sources of a device, and of what compiles them."""
    return _cuda_digest() if on.is_cuda else compile_cache.digest()


def source_digests() -> tuple[str, ...]:
    """Fingerprints of the kernels' sources of every device."""
    return compile_cache.digest(), _cuda_digest()


@lru_cache(maxsize=1)
def _cuda_digest() -> str:
    content = sha256()
    folder = compile_cache.SOURCES
    for path in sorted((*folder.glob("*.cu"), *(folder / name for name in _TEMPLATE_VALUES))):
        text = path.read_bytes()
        content.update(f"{path.name} {len(text)}\n".encode() + text)
    return content.hexdigest()[:16]


def chosen(on: Backend, slot: Slot, shipped: F) -> F:
    """Return the form that a kernel runs in: the one tuned on this machine, else the shipped one.

    A tuned form that is used is noted for the provenance of the run.
    """
    record = stored_record(on, slot)
    form = shipped if record is None else form_of(record, shipped)
    if record is not None and form is not shipped:
        on.forms.note(slot.kernel, words(record))
    return form


def form_of(record: Plain, shipped: F) -> F:
    """Return the form of a record, of the kind of the shipped one, or the latter if it is none."""
    try:
        values = {f.name: _typed(record["form"][f.name]) for f in fields(shipped)}  # type: ignore[arg-type]
        return type(shipped)(**values)
    except (KeyError, TypeError, ValueError):
        return shipped


def _typed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def words(record: Plain) -> str:
    """Return what a provenance says of a tuned form."""
    form = ", ".join(f"{name} {value}" for name, value in sorted(record["form"].items()))
    return (
        f"tuned {record['tuned_utc'][:10]} for {record['shape']}: {form}; "
        f"{record['gain']:.2f} × the speed of the shipped form then"
    )


def stored_record(on: Backend, slot: Slot) -> Plain | None:
    """Return the record of the form that was tuned for this device and shape, if it holds here."""
    try:
        path = slot.path(on)
        state = path.stat()
    except OSError:
        return None
    # by its state: a window that stays open finds what the command line tuned meanwhile
    record = _read(path, state.st_mtime_ns, state.st_size)
    if record is None or not is_of(record, on, slot):
        return None
    return record


def is_of(record: Plain, on: Backend, slot: Slot) -> bool:
    """Whether a record is of this device, kernel, shape and state of the sources."""
    here = (on.machine, slot.kernel, slot.shape, source_digest(on))
    return tuple(record.get(name) for name in ("machine", "kernel", "shape", "source")) == here


@lru_cache(maxsize=64)
def _read(path: Path, _mtime_ns: int, n_bytes: int) -> Plain | None:
    """Return a record that is whole, None for anything else."""
    if n_bytes > MOST_BYTES:
        return None
    try:
        return record_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def text_of(record: Plain) -> str:
    """Return the text of a record, sealed."""
    return json.dumps(record | {SEAL: _seal(record)}, sort_keys=True, indent=2, ensure_ascii=False)


def record_of(text: str) -> Plain:
    """Return the record of a sealed text; raise `ValueError` for anything else."""
    try:
        record = json.loads(text)
    except RecursionError as e:
        raise ValueError("nested too deeply") from e
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError("not a tuned form")
    seal = record.pop(SEAL, None)
    if seal != _seal(record):
        raise ValueError("its seal is broken")
    return record


def _seal(record: Plain) -> str:
    return sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
