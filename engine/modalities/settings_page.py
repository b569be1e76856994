"""Write a Markdown page of every setting of every protocol, from the settings classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from engine.core.settings import Settings
from engine.core.settings.keys import kind_of, settings_in
from engine.modalities import MODALITIES

HEAD = """# Every setting

A protocol is a TOML file with these keys. Keys that you leave out have their default. On the
command line, `--set KEY=VALUE` changes one key, for example `--set algorithm.iterations=6`. In the
window, each key is a field of a form. A number outside its bounds is refused. In a group with a
`kind`, that key selects one of several kinds.
"""
COLUMNS = "| key | default | bounds | description |\n|---|---|---|---|\n"
SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def settings_text() -> str:
    """Return the page: a chapter for each modality, a table for each group of settings."""
    chapters = (chapter(modality.protocol) for modality in MODALITIES)
    return "\n".join((HEAD, *chapters))


def chapter(kind: type[BaseModel]) -> str:
    """Return the tables of one type of protocol.

    Parameters
    ----------
    kind
        class of the protocol
    """
    modality = kind.model_fields["modality"].default
    groups = "\n".join(f"### {name}\n\n{text}" for name, text in _groups(kind))
    return f"## Protocols of modality {_toml(modality)}\n\n{_table(kind)}\n{groups}"


def _groups(kind: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each group of settings inside a protocol, including nested groups."""
    for name, field in kind.model_fields.items():
        for inner in settings_in(field.annotation):
            tag = kind_of(inner)
            key = f'{name}, kind "{tag}"' if tag else name
            # The first line of the class docstring is the description of the group.
            summary = (inner.__doc__ or "").strip().splitlines()
            words = f"{summary[0]}\n\n" if summary and summary[0] else ""
            yield key, words + (_table(inner) if _own(inner) else "")
            yield from ((f"{key}: {k}", text) for k, text in _groups(inner))


def _own(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields that a file sets in this group itself, without tags."""
    fields = kind.model_fields.items()
    return {name: f for name, f in fields if name not in ("kind", "modality")}


def _table(kind: type[BaseModel]) -> str:
    rows = (_row(name, field) for name, field in _own(kind).items())
    return COLUMNS + "".join(rows)


def _row(name: str, field: FieldInfo) -> str:
    extra: Any = field.json_schema_extra or {}
    unit = f" [{extra['unit']}]" if extra.get("unit") else ""
    inner = "" if field.description else "a group of its own, below"
    words = f"{field.description or inner}{unit}"
    default, bounds = _default(field) or "–", _bounds(field) or "–"
    # A vertical bar would start a new column of the Markdown table.
    return f"| `{name}` | {default} | {bounds} | {words.replace('|', '/')} |\n"


def _default(field: FieldInfo) -> str:
    text = default_text(field)
    return ", ".join(f"`{each}`" for each in text.split(", ")) if _is_list(field) else _code(text)


def _is_list(field: FieldInfo) -> bool:
    value = field.get_default(call_default_factory=True)
    return isinstance(value, tuple) and any(isinstance(item, Settings) for item in value)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def default_text(field: FieldInfo) -> str:
    """Return the default of a field as in a protocol file; empty if it has none.

    Parameters
    ----------
    field
        field of a settings class; groups are shown by their kind
    """
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Settings):
        tag = kind_of(type(value))
        return _toml(tag) if tag else ""
    if isinstance(value, tuple) and any(isinstance(item, Settings) for item in value):
        return ", ".join(_toml(kind_of(type(item))) for item in value)
    return "" if value is None or value is PydanticUndefined else _toml(value)


def _bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{_toml(choice)}`" for choice in get_args(field.annotation))
    return allowed_text(field)


def allowed_text(field: FieldInfo) -> str:
    """Return the choices or bounds of a field; empty if it has none.

    Parameters
    ----------
    field
        field of a settings class
    """
    if get_origin(field.annotation) is Literal:
        return ", ".join(map(str, get_args(field.annotation)))
    found = ((sign, getattr(item, name, None)) for item in field.metadata for name, sign in
             SIGNS.items())  # fmt: skip
    return ", ".join(f"{sign} {bound:g}" for sign, bound in found if bound is not None)


def _toml(value: Any) -> str:
    """Return a value as in a protocol file."""
    # Before numbers: in Python, bool is a subclass of int.
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
