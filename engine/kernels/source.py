"""Render the CUDA sources; only numbers and known words can be inserted."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run on the CPU does not need Jinja
    from jinja2 import Template

FOLDER = Path(__file__).parent
TYPES = {"float", "double", "long long", "true", "false"}
KINDS = {"array", "layered", "list", "pitched", "memory", "general", "upright", "columns"}
WORDS = frozenset(TYPES | KINDS)

Value = bool | int | str | tuple[float, ...] | tuple[int, ...]


def render(*names: str, **values: Value) -> str:
    """Return the templates `name`.cu, one after the other as one source, with their values.

    Parameters
    ----------
    names
        names of the templates
    values
        value of each name in the templates; all must be given

    Raises
    ------
    TypeError
        if a value is neither a number nor a known word
    """
    return _template(names).render({key: _written(key, value) for key, value in values.items()})


def _written(key: str, value: Value) -> str:
    """Write a value as C++ does, or refuse it."""
    # Before int: True is an int in Python, and would be written as "True".
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and value in WORDS:
        return value
    if isinstance(value, tuple) and all(isinstance(number, int | float) for number in value):
        # Hexadecimal floats preserve the bits; decimal digits would be rounded.
        texts = (number.hex() if isinstance(number, float) else str(number) for number in value)
        return ", ".join(texts)
    raise TypeError(
        f"the kernel constant {key} is {value!r}, expected a number, a tuple of numbers or one "
        f"of these words: {', '.join(sorted(WORDS))}."
    )


@lru_cache
def _template(names: tuple[str, ...]) -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    texts = ((FOLDER / f"{name}.cu").read_text(encoding="utf-8") for name in names)
    return environment.from_string("\n".join(texts))
