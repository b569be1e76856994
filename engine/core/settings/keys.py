"""Keys of settings classes: list them, find their types, suggest one for a misspelt key.

Imported only after an error, or to list settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from inspect import isclass
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

CUTOFF = 0.6
"""Minimum similarity of a suggestion, as `difflib` defines it."""
CLOSE = 0.9
"""Similarity of a suggestion in the same group that precedes an equal name in another one."""


class SettingKey(NamedTuple):
    """One field of a settings class or of its groups.

    Attributes
    ----------
    key : dotted key, such as "algorithm.iterations"
    owner : class that defines the field
    field : field with its default, bounds and unit
    """

    key: str
    owner: type[BaseModel]
    field: FieldInfo


def settings_in(annotation: Any, *, in_lists: bool = True) -> list[type[BaseModel]]:
    """Return the settings classes that a type annotation contains, in order.

    Parameters
    ----------
    annotation
        annotation of a field
    in_lists
        also return the classes of the entries of a list
    """
    if isclass(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    containers = (Union, UnionType, Annotated, *((tuple,) if in_lists else ()))
    if get_origin(annotation) in containers:
        parts = get_args(annotation)
        return [each for part in parts for each in settings_in(part, in_lists=in_lists)]
    return []


def kind_of(kind: type[BaseModel]) -> str:
    """Return the value of the key `kind` in a file; empty if the class has no such key."""
    field = kind.model_fields.get("kind")
    return "" if field is None else str(field.default)


def keys_of(kind: type[BaseModel], before: str = "") -> Iterator[SettingKey]:
    """Yield all keys of a settings class, also those of its groups.

    Parameters
    ----------
    kind
        settings class
    before
        dotted key of the group that contains it; empty for none
    """
    for name, field in kind.model_fields.items():
        yield SettingKey(f"{before}{name}", kind, field)
        for inner in settings_in(field.annotation, in_lists=False):
            yield from keys_of(inner, f"{before}{name}.")


def near_key(key: str, kind: type[BaseModel]) -> str:
    """Return the key that a misspelt one probably means; empty if none is similar.

    Parameters
    ----------
    key
        dotted key that the class does not have
    kind
        settings class
    """
    return nearest_key(key, [each.key for each in keys_of(kind)])


def nearest_key(key: str, known: list[str]) -> str:
    """Return the known key that a misspelt one probably means; empty if none is similar.

    Parameters
    ----------
    key
        dotted key
    known
        valid keys
    """
    group, _, last = key.rpartition(".")
    siblings = [each for each in known if each.rpartition(".")[0] == group]
    # A letter too few or too many: algorithm.edge is algorithm.edges, not algorithm.prior.edge
    close = get_close_matches(key, siblings, n=1, cutoff=CLOSE)
    if close:
        return close[0]
    # The right name in the wrong group, or without a group
    same = [each for each in known if each.rpartition(".")[2] == last]
    if same:
        return min(same, key=len)
    # Within its group first: algorithm.iteration is near algorithm.iterations
    for some in (siblings, known):
        near = get_close_matches(key, some, n=1, cutoff=CUTOFF)
        if near:
            return near[0]
    # A word without its group has little in common with the whole key
    names = {each.rpartition(".")[2]: each for each in reversed(known)}
    near = get_close_matches(last, names, n=1, cutoff=CUTOFF)
    return names[near[0]] if near else ""


def accepts_text(annotation: Any) -> bool:
    """Return True if a field of this type accepts any text.

    Parameters
    ----------
    annotation
        annotation of a field
    """
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return any(accepts_text(part) for part in get_args(annotation))
    return annotation is str


def accepts_none(annotation: Any) -> bool:
    """Return True if a field of this type may be empty.

    Parameters
    ----------
    annotation
        annotation of a field
    """
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return any(accepts_none(part) for part in get_args(annotation))
    return annotation is type(None)
