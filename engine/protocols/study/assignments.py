"""Change a protocol by `--set` assignments."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from typing import Any, TypeVar

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.core.settings import Settings, parse

P = TypeVar("P", bound=Settings)
NUMBERS = re.compile(r"[-+.\deE]+(\s*,\s*[-+.\deE]+)+")
"""Numbers with commas between them."""
NONE = "none"
"""Empties an optional setting: TOML has no such value."""


def with_settings(protocol: P, assignments: tuple[str, ...]) -> P:
    """Return the protocol changed by assignments such as "algorithm.iterations=4".

    Parameters
    ----------
    protocol
        protocol or any other settings
    assignments
        "KEY=VALUE" each, applied in order. A value is TOML; if it cannot be parsed, it is text.
        "algorithm=mlem" means "algorithm.kind=mlem", "2,2,2" is a list of numbers, and "none"
        empties an optional setting

    Raises
    ------
    SettingsError
        if an assignment has no "=", names an unknown group, or gives an invalid value
    """
    values = protocol.model_dump(mode="json")
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals or not key:
            raise SettingsError(
                f"--set {assignment!r}: expected KEY=VALUE, for example algorithm.iterations=4."
            )
        key, kind = key.strip(), type(protocol)
        value = _value(text.strip(), key, kind)
        # "algorithm=mlem" can only mean its kind
        whole = f"{key}.kind" if isinstance(value, str) and _has_kind(key, value, kind) else key
        _assign(values, whole.split("."), value, assignment, kind)
    # Validation runs once at the end: single assignments may be inconsistent on their own.
    return parse(type(protocol), values, where="settings")


def _value(text: str, key: str, kind: type[Settings]) -> Any:
    try:
        # Quotes around text are inconvenient in a shell, so bare words are accepted.
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if text == NONE and _is_optional(key, kind):
            return None
        numbers = _numbers(text)
        return text if numbers is None or _takes_text(key, kind) else numbers


def _numbers(text: str) -> list[Any] | None:
    """Return the values of "2,2,2", which is a list without brackets; None for other text."""
    try:
        return tomllib.loads(f"value = [{text}]")["value"] if NUMBERS.fullmatch(text) else None
    except tomllib.TOMLDecodeError:
        return None


def _takes_text(key: str, kind: type[Settings]) -> bool:
    from engine.core.settings.keys import accepts_text, keys_of

    return any(accepts_text(each.field.annotation) for each in keys_of(kind) if each.key == key)


def _is_optional(key: str, kind: type[Settings]) -> bool:
    from engine.core.settings.keys import accepts_none, keys_of

    return any(accepts_none(each.field.annotation) for each in keys_of(kind) if each.key == key)


def _has_kind(key: str, value: str, kind: type[Settings]) -> bool:
    """Return True if a key is a group, and a value is one of its kinds."""
    from engine.core.settings.keys import keys_of, kind_of, settings_in

    groups = (
        settings_in(each.field.annotation, in_lists=False)
        for each in keys_of(kind)
        if each.key == key
    )
    return any(kind_of(each) == value for some in groups for each in some)


def _assign(
    values: Plain, keys: list[str], value: Any, assignment: str, kind: type[Settings]
) -> None:
    for n, key in enumerate(keys[:-1]):
        inner = values.get(key)
        if inner is None and key in values:  # an optional group, which this assignment begins
            inner = values[key] = {}
        elif inner is None:  # a group of a kind that an earlier assignment chose
            inner = _default_group(".".join(keys[: n + 1]), kind)
            if inner is not None:
                values[key] = inner
        if not isinstance(inner, dict):
            raise _no_group(assignment, ".".join(keys[: n + 1]), values)
        values = inner
    group = values.get(keys[-1])
    # A misspelt kind, so that the error lists all of them
    if isinstance(group, dict) and "kind" in group and isinstance(value, str):
        _assign(values, [*keys, "kind"], value, assignment, kind)
        return
    if keys[-1] == "kind" and values.get("kind") != value:
        values.clear()  # another kind has its own settings, at their defaults
    values[keys[-1]] = value


def _default_group(key: str, kind: type[Settings]) -> Plain | None:
    """Return the default values of a group; None if there is no such group."""
    from engine.core.settings.keys import keys_of

    found = (each.field.default for each in keys_of(kind) if each.key == key)
    return next((one.model_dump(mode="json") for one in found if isinstance(one, Settings)), None)


def _no_group(assignment: str, key: str, values: Plain) -> SettingsError:
    """Return the error for a group that the values do not have, with a suggestion."""
    groups = sorted(name for name in values if isinstance(values[name], dict))
    known = ", ".join(groups) or "none"
    near = get_close_matches(key.rpartition(".")[2], groups, n=1)
    if near:
        return SettingsError(
            f"--set {assignment!r}: there is no group {key!r} (did you mean {near[0]!r}?); choose "
            f"from {known}."
        )
    return SettingsError(f"--set {assignment!r}: there is no group {key!r}; choose from {known}.")
