"""Bounds, tooltips and validation messages of settings fields."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app.language.translation import named, tr
from app.ui.forms.fields import Fault


def faults_of(error: ValidationError) -> list[Fault]:
    """Return the location and message of each validation error.

    Parameters
    ----------
    error
        the exception of pydantic

    Returns
    -------
    locations as tuples of keys, with sentences for the user
    """
    faults = []
    for fault in error.errors(include_url=False):
        text = fault["msg"].removeprefix("Value error, ")
        # An empty field gives None, and "valid number, got None" would confuse the user.
        if fault["input"] is None and fault["type"] in ("float_type", "int_type"):
            text = tr("Must be a number")
        text = text.replace("Input should be", "Must be")
        given = fault["input"]
        problem = f"{text[:1].upper()}{text[1:]}"
        # Whole lists or groups of settings would make the sentence unreadable.
        shows_value = not isinstance(given, dict | list | tuple | type(None))
        sentence = (
            tr("{problem}. You entered {given!r}.", problem=problem, given=given)
            if shows_value
            else f"{problem}."
        )
        faults.append((fault["loc"], sentence))
    return faults


def tip_of(field: FieldInfo) -> str:
    """Return the description of a field with its bounds.

    Parameters
    ----------
    field
        the field
    """
    low, high = bounds_of(field)
    span = ""
    if low is not None and high is not None:
        span = f" ({low:g} … {high:g})"
    return f"{named(field.description or '')}{span}"


def notes_of(field: FieldInfo) -> dict[str, str]:
    """Return the addition to the name of each choice.

    Parameters
    ----------
    field
        the field
    """
    extra = field.json_schema_extra
    notes = extra.get("notes") if isinstance(extra, dict) else None
    return {key: str(note) for key, note in notes.items()} if isinstance(notes, dict) else {}


def bounds_of(field: FieldInfo) -> tuple[float | None, float | None]:
    """Return the bounds of a field.

    Parameters
    ----------
    field
        the field

    Returns
    -------
    lowest and highest value; None without a bound
    """
    known: dict[str, float] = {}
    for item in field.metadata:
        for name in ("ge", "gt", "le", "lt"):
            bound = getattr(item, name, None)
            if bound is not None:
                # "ge" and "gt" both start with "g": the form shows open and closed bounds alike.
                known[name[0]] = bound
    return known.get("g"), known.get("l")
