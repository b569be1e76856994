"""Lazy exports of packages: names that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def face(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package (PEP 562).

    Parameters
    ----------
    package
        name of the package
    homes
        module to the names that it defines; relative to the package, or absolute if it contains a
        dot

    Returns
    -------
    functions to assign to `__getattr__` and `__dir__` in the package
    """
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = home[name]
        # A name with a dot is an absolute module: some exports come from other packages.
        return getattr(import_module(module if "." in module else f"{package}.{module}"), name)

    return load, lambda: sorted(home)
