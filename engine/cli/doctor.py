"""`isocenter doctor`: what this machine has, what is missing, and the way out."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
from typing import Any

from engine import backend
from engine.cli.console import Console
from engine.environment import environment
from engine.errors import ResourceError
from engine.paths import cache_dir, jobs_dir

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "pydantic",
    "h5py",
    "nibabel",
    "pillow",
    "PySide6-Essentials",
    "pyqtgraph",
)
LOW_DISK = 5 * 2**30


def add_verbs(verbs: Any) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("doctor", help="check this installation")
    p.set_defaults(act=_doctor)


def _doctor(arguments: argparse.Namespace, console: Console) -> None:
    import psutil

    facts = environment()
    for name in ("isocenter", "python", "system", "processor"):
        console.line(f"  {name:20s} {facts.get(name, 'unknown')}")
    missing = [name for name in PACKAGES if _version(name) is None]
    for name in PACKAGES:
        console.line(f"  {name:20s} {_version(name) or 'MISSING'}")
    console.line(f"  {'device':20s} {backend.best().label}")
    memory = psutil.virtual_memory()
    console.line(
        f"  {'memory':20s} {memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GiB free"
    )
    for name, folder in (("cache", cache_dir()), ("jobs", jobs_dir())):
        free = shutil.disk_usage(folder).free
        low = "  (low: large volumes may not fit)" if free < LOW_DISK else ""
        console.line(f"  {name:20s} {free / 2**30:.0f} GiB free{low}")
        if not os.access(folder, os.W_OK):
            missing.append(f"write permission in the {name} folder")
    _check_kernels(console)
    if missing:
        raise ResourceError(
            f"missing: {', '.join(missing)}; run `python3 packaging/bootstrap.py run` to mend it."
        )
    console.line("All is well.")


def _check_kernels(console: Console) -> None:
    from engine.warmup import warm_up

    for done, total in warm_up():
        console.line(f"  {'kernels':20s} {done} of {total} ready")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
