"""Errors of settings in the words of the program: expected value, actual value, suggestion.

Imported only after an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from engine.core.settings.keys import keys_of, kind_of, near_key

NUMBERS = {2: "two", 3: "three", 4: "four", 6: "six"}
EXPECTED: dict[str, str] = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "date_from_datetime_parsing": "a date",
    "date_parsing": "a date",
    "date_type": "a date",
    "datetime_from_date_parsing": "a date and time",
    "datetime_parsing": "a date and time",
    "datetime_type": "a date and time",
    "dict_type": "a group of settings",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_type": "a whole number",
    "is_instance_of": "an object of another type",
    "model_attributes_type": "a group of settings",
    "model_type": "a group of settings",
    "path_type": "a path",
    "string_type": "text",
}
"""Type of an error of pydantic to the value that the field expects."""
BOUNDS: dict[str, tuple[str, str]] = {
    "greater_than": ("gt", "a number above {}"),
    "greater_than_equal": ("ge", "a number of at least {}"),
    "less_than": ("lt", "a number below {}"),
    "less_than_equal": ("le", "a number of at most {}"),
    "string_pattern_mismatch": ("pattern", "text of the form {}"),
    "string_too_long": ("max_length", "at most {} characters"),
    "string_too_short": ("min_length", "at least {} characters"),
}
"""Type of an error to the key of its bound and the expected value."""
LISTS = ("tuple_type", "list_type", "too_long", "too_short")


def fault_text(fault: Mapping[str, Any], key: str, kind: type[BaseModel] | None = None) -> str:
    """Return one error of a settings value as part of a sentence.

    Parameters
    ----------
    fault
        error as pydantic reports it
    key
        dotted key of the field; empty for the whole value
    kind
        settings class, used to suggest keys; None if it is not known
    """
    place, given = key or "settings", fault["input"]
    special = SPECIAL.get(fault["type"])
    if special is not None:
        return special(place, fault, kind)
    # A whole table in the message would hide the problem.
    got = "" if isinstance(given, dict | BaseModel) else f", got {given!r}"
    return f"{place}: {_problem(fault, key, kind)}{got}"


def _problem(fault: Mapping[str, Any], key: str, kind: type[BaseModel] | None) -> str:
    sort, context = fault["type"], fault.get("ctx", {})
    if sort == "value_error":
        # pydantic writes this prefix before the texts of our own checks.
        return str(fault["msg"]).removeprefix("Value error, ")
    if sort in EXPECTED:
        return f"expected {EXPECTED[sort]}"
    if sort in BOUNDS:
        name, text = BOUNDS[sort]
        return f"expected {text.format(_number(context[name]))}"
    if sort in LISTS:
        return f"expected {_list_text(key, kind, context)}"
    if sort == "literal_error":
        return f"expected {context['expected']}"
    text = str(fault["msg"]).replace("Input should be", "expected")
    return text[:1].lower() + text[1:]


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list_text(key: str, kind: type[BaseModel] | None, context: Mapping[str, Any]) -> str:
    """Return the expected list, such as "three numbers, such as [2, 2, 2]"."""
    n = _length(key, kind)
    if n:
        return f"{NUMBERS.get(n, str(n))} numbers, such as {[2] * n}"
    most = context.get("max_length")
    least = context.get("min_length")
    return f"at most {most} values" if most else f"at least {least} values" if least else "a list"


def _length(key: str, kind: type[BaseModel] | None) -> int:
    """Return the number of numbers in a field of fixed length; 0 for other fields."""
    fields = [each.field for each in keys_of(kind) if each.key == key] if kind else []
    for field in fields:
        for part in (field.annotation, *get_args(field.annotation)):
            entries = get_args(part) if get_origin(part) is tuple else get_args(_inner(part))
            numbers = [each for each in entries if each in (float, int)]
            if numbers and len(numbers) == len(entries):
                return len(numbers)
    return 0


def _inner(annotation: Any) -> Any:
    """Return the type inside an `Annotated`."""
    return next(iter(get_args(annotation)), None)


def _unknown(place: str, fault: Mapping[str, Any], kind: type[BaseModel] | None) -> str:
    near = near_key(place, kind) if kind is not None else ""
    if near == place and kind is not None:
        # Another kind of the group has this setting
        owners = [kind_of(each.owner) for each in keys_of(kind) if each.key == place]
        kinds = " or ".join(map(repr, dict.fromkeys(filter(None, owners))))
        return f"{place!r} needs {place.rpartition('.')[0]}.kind = {kinds}"
    return f"unknown key {place!r}" + (f" (did you mean {near!r}?)" if near else "")


def _missing(place: str, fault: Mapping[str, Any], kind: type[BaseModel] | None) -> str:
    group, _, last = place.rpartition(".")
    # A list that is too short lacks its last entries
    if last.isdecimal() and group:
        return f"{group}: expected {_list_text(group, kind, {})}, got {list(fault['input'])!r}"
    return f"{place!r} is missing"


def _no_such_kind(place: str, fault: Mapping[str, Any], kind: type[BaseModel] | None) -> str:
    tag = str(fault["ctx"]["tag"])
    known = [each.strip().strip("'") for each in fault["ctx"]["expected_tags"].split(",")]
    near = get_close_matches(tag, known, n=1)
    meant = f"did you mean {near[0]!r}? Choose" if near else "choose"
    return f"{place}: there is no kind {tag!r}; {meant} from {', '.join(known)}"


def _no_kind(place: str, fault: Mapping[str, Any], kind: type[BaseModel] | None) -> str:
    return f"{place}: the key 'kind' is missing"


SPECIAL: dict[str, Callable[[str, Mapping[str, Any], type[BaseModel] | None], str]] = {
    "extra_forbidden": _unknown,
    "missing": _missing,
    "union_tag_invalid": _no_such_kind,
    "union_tag_not_found": _no_kind,
}
"""Errors whose sentence is not "expected ..., got ..."."""
