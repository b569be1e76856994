"""Faces of packages: names that a package gives away, loaded when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def face(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    package
        name of the package
    homes
        module of the package, or its whole name if it lies elsewhere, to the names it gives

    Returns
    -------
    getattr, dir
        to be called so in the package
    """
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = home[name]
        return getattr(import_module(module if "." in module else f"{package}.{module}"), name)

    return load, lambda: sorted(home)
