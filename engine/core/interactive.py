"""Values in interactive Python: a short `repr`, a table in notebooks, and comparison with `==`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from html import escape
from typing import Any

from engine.core.visible_text import visible_line


class Described(ABC):
    """Base of values that are shown by a few facts and compared by their content.

    A dataclass must be declared with `eq=False, repr=False`, because its own methods would print
    and compare whole arrays.
    """

    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Return a few facts by their labels; they must not take long."""

    def image_html(self) -> str:
        """Return HTML that follows the table in a notebook; empty for none."""
        return ""

    def __repr__(self) -> str:
        # Names from files can contain characters that a terminal obeys.
        return visible_line(f"<{type(self).__name__} {', '.join(self.facts().values())}>")

    def _repr_html_(self) -> str:
        return table(type(self).__name__, self.facts()) + self.image_html()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Described):
            return NotImplemented
        return type(self) is type(other) and same(self._content(), other._content())

    def __hash__(self) -> int:
        # equal values have equal facts
        return hash((type(self), *self.facts().values()))

    def _content(self) -> Any:
        """Return the values for `==`: the fields of a dataclass, otherwise all attributes."""
        whole: Any = self
        if is_dataclass(whole):
            return {f.name: getattr(whole, f.name) for f in fields(whole) if f.compare}
        return vars(self)


def table(title: str, facts: Mapping[str, str]) -> str:
    """Return facts as a table in HTML.

    Parameters
    ----------
    title
        heading
    facts
        text by label; characters with a meaning in HTML are escaped
    """
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(label)}</th>"
        f"<td style='text-align:left'>{escape(visible_line(text))}</td></tr>"
        for label, text in facts.items()
    )
    return f"<table><caption><b>{escape(title)}</b></caption>{rows}</table>"


def same(one: Any, other: Any) -> bool:
    """Return True if two values have the same content.

    Parameters
    ----------
    one, other
        any values. Arrays must agree in type, shape and every number, and NaN equals NaN.
        Dataclasses, mappings and sequences are compared element by element
    """
    if one is other:
        return True
    if _is_array(one) and _is_array(other):
        return _same_arrays(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, Described):
        return bool(one == other)
    if isinstance(one, partial):
        return same((one.func, one.args, one.keywords), (other.func, other.args, other.keywords))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(a, b) for a, b in pairs)
    if is_dataclass(one) and not isinstance(one, type):
        return all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one) if f.compare
        )
    return bool(one == other)


def _is_array(value: Any) -> bool:
    """Return True for arrays of any library, and for numbers of NumPy."""
    return hasattr(value, "dtype") and hasattr(value, "ndim")


def _same_arrays(one: Any, other: Any) -> bool:
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    if one.dtype.kind not in "fc":
        return bool((one == other).all())
    # Only NaN differs from itself.
    return bool(((one == other) | ((one != one) & (other != other))).all())


LONGEST_VALUE = 80
"""Maximum number of characters of a value in a message."""


def shown(value: Any) -> str:
    """Return a value as a message shows it: short, and without addresses in memory.

    Parameters
    ----------
    value
        any value
    """
    if hasattr(value, "dtype") and hasattr(value, "shape") and value.shape:
        return f"an array of {value.dtype} with the shape {tuple(value.shape)}"
    if isinstance(value, str | int | float | complex | bytes | tuple | list | dict | type(None)):
        text = repr(value)
        return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"an object of type {type(value).__name__}"
