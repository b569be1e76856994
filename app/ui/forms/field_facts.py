"""Bounds, tooltips and validation messages of settings fields."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app.language.translation import named, tr
from app.ui.forms.fields import Fault


def faults_of(error: ValidationError) -> list[Fault]:
    """Return the location and the message of each validation error."""
    faults = []
    for fault in error.errors(include_url=False):
        text = fault["msg"].removeprefix("Value error, ")
        if fault["input"] is None and fault["type"] in ("float_type", "int_type"):
            text = tr("Must be a number")
        text = text.replace("Input should be", "Must be")
        given = fault["input"]
        problem = f"{text[:1].upper()}{text[1:]}"
        shows_value = not isinstance(given, dict | list | tuple | type(None))
        sentence = (
            tr("{problem}, got {given!r}.", problem=problem, given=given)
            if shows_value
            else f"{problem}."
        )
        faults.append((fault["loc"], sentence))
    return faults


def tip_of(field: FieldInfo) -> str:
    """Return the description of a field, with its bounds."""
    low, high = bounds_of(field)
    span = ""
    if low is not None and high is not None:
        span = f" ({low:g} … {high:g})"
    return f"{named(field.description or '')}{span}"


def bounds_of(field: FieldInfo) -> tuple[float | None, float | None]:
    """Return the lowest and highest value of a field."""
    known: dict[str, float] = {}
    for item in field.metadata:
        for name in ("ge", "gt", "le", "lt"):
            bound = getattr(item, name, None)
            if bound is not None:
                known[name[0]] = bound
    return known.get("g"), known.get("l")
