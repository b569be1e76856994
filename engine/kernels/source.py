"""CUDA sources of ours, rendered: only typed numbers and words of a fixed list reach a template."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run on the CPU renders nothing
    from jinja2 import Template

FOLDER = Path(__file__).parent
TYPES = {"float", "double", "long long", "true", "false"}
KINDS = {"array", "layered", "list", "pitched", "memory", "general", "upright", "columns"}
WORDS = frozenset(TYPES | KINDS)

Value = bool | int | str | tuple[float, ...]


def render(name: str, **values: Value) -> str:
    """Fill the template `name`.cu; every name in it must be given."""
    return _template(name).render({key: _written(key, value) for key, value in values.items()})


def _written(key: str, value: Value) -> str:
    """Write a value as C++ does, or refuse it."""
    # before int: True is an int of Python, and would be written as "True"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and value in WORDS:
        return value
    if isinstance(value, tuple) and all(isinstance(number, float) for number in value):
        # hexadecimal: the very bits, with no decimal digits to round
        return ", ".join(number.hex() for number in value)
    raise TypeError(f"{key}: {value!r} may not go into a kernel; numbers and known words may.")


@lru_cache
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((FOLDER / f"{name}.cu").read_text(encoding="utf-8"))
