"""Entry point of the command `isocenter`: check that Python finds the program's own packages.

The check needs a module with a name of its own. If a user's `app.py` is on PYTHONPATH, Python
imports that file instead of the package `app`, before any code in `app` can run.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

PACKAGES = ("app", "engine", "resources")
HERE = Path(__file__).resolve().parent
ROOTS = (HERE, HERE.parent)
"""Folders of the packages: next to this file in an installation, one level up in a clone."""
USER_FAULT = 2


def run() -> None:
    """Start the program, or explain in one sentence why it cannot start."""
    if problem := obstacle():
        sys.stderr.write(f"isocenter: {problem}\n")
        sys.exit(USER_FAULT)
    from app.__main__ import run as start

    start()


def obstacle() -> str:
    """Return a sentence that names the file that hides a package, or ""."""
    for name in PACKAGES:
        place = _place(importlib.util.find_spec(name))
        if place is None:
            return f"the program's package '{name}' is missing; install Isocenter again."
        if place.parent not in ROOTS:
            return (
                f"{place} hides the program's own package '{name}'; "
                "rename it, or remove its folder from PYTHONPATH."
            )
    return ""


def _place(spec: ModuleSpec | None) -> Path | None:
    """Return the folder of a package or the file of a module."""
    if spec is None:
        return None
    place = next(iter(spec.submodule_search_locations or ()), spec.origin)
    return Path(place).resolve() if place else None


if __name__ == "__main__":
    run()
