"""Settings of a protocol as `--set` assignments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.protocols.study.assignments import NONE

Change = tuple[tuple[str, ...], Any]
"""Keys from the outermost group, and the new value."""


RECORDS = ("saved",)
"""Fields about the origin of a protocol, which every run determines; they change no image."""


def assignments(protocol: Settings, base: Settings | None = None) -> list[str]:
    """Return every setting that differs from a base, as "algorithm.iterations=4".

    Parameters
    ----------
    protocol
        protocol or any other settings
    base
        settings that `--set` changes; None: the defaults

    Returns
    -------
    assignments
        assignments in the order in which `--set` must apply them
    """
    return [f"{'.'.join(keys)}={_toml(value)}" for keys, value in _all_changes(protocol, base)]


def table_of(protocol: Settings) -> Plain:
    """Return every setting that differs from its default, as a nested table.

    Parameters
    ----------
    protocol
        protocol or any other settings
    """
    table: Plain = {}
    for keys, value in _all_changes(protocol):
        inner = table
        for key in keys[:-1]:
            inner = inner.setdefault(key, {})
        inner[keys[-1]] = value
    return _with_kinds(table, protocol.model_dump(mode="json"))


def _with_kinds(table: Plain, values: Plain) -> Plain:
    """Add the kind of each group to a table, because a reader of the table needs it."""
    for key, value in table.items():
        if isinstance(value, dict) and isinstance(values[key], dict):
            table[key] = _with_kinds(value, values[key])
    return {"kind": values["kind"], **table} if "kind" in values else table


def _all_changes(protocol: Settings, base: Settings | None = None) -> Iterator[Change]:
    then = type(protocol)() if base is None else base
    values, defaults = protocol.model_dump(mode="json"), then.model_dump(mode="json")
    for key in RECORDS:
        values.pop(key, None)
    return _changes(values, defaults)


def _changes(values: Plain, defaults: Plain, before: tuple[str, ...] = ()) -> Iterator[Change]:
    # Another kind resets its group on the command line, so it must come before its own settings.
    if values.get("kind") != defaults.get("kind"):
        yield (*before, "kind"), values["kind"]
        # From here on, compare with the defaults of that kind. Only the kind is known.
        defaults = {"kind": values["kind"]}
    for key, value in values.items():
        keys = (*before, key)
        if isinstance(value, dict) and isinstance(defaults.get(key), dict):
            yield from _changes(value, defaults[key], keys)
        elif value != defaults.get(key):
            yield keys, value


def _toml(value: Any) -> str:
    if value is None:
        return NONE
    if isinstance(value, Mapping):
        pairs = (f"{key} = {_toml(item)}" for key, item in value.items() if item is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value)
