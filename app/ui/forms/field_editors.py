"""Choose the editor of a settings field by its type."""

from __future__ import annotations

import types
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from app.ui.forms.choices import FormMaker, ListEditor, OptionalEditor, UnionEditor
from app.ui.forms.field_facts import bounds_of, notes_of
from app.ui.forms.fields import (
    ChoiceEditor,
    ConstantEditor,
    Editor,
    NumberEditor,
    NumberListEditor,
    NumbersEditor,
    SwitchEditor,
    Value,
)
from app.ui.forms.text_editors import MomentEditor, TextEditor
from engine.core.settings import Settings


def editor_for(
    annotation: Any, field: FieldInfo, title: str, hint: str | None, form: FormMaker
) -> Editor:
    """Return the editor for a field.

    Parameters
    ----------
    annotation
        type of the field
    field
        its pydantic field, with bounds
    title
        its label
    hint
        text of an empty optional field; None for "auto"
    form
        creates the forms of nested settings

    Raises
    ------
    TypeError
        no editor exists for the type
    """
    options = _members(annotation)
    optional = type(None) in options
    options = tuple(o for o in options if o is not type(None))
    # Several literals form one combo box, including those joined with "|".
    if all(get_origin(o) is Literal for o in options):
        if optional:
            return ChoiceEditor((None, *get_args(Literal[options])), none=hint or "auto")
        return _editor_of_value(Literal[options], field, title, hint or "", form)
    if len(options) > 1 or _is_settings(options[0]):
        return _editor_of_settings(options, optional, form)
    return _editor_of_value(options[0], field, title, hint or ("auto" if optional else ""), form)


def _editor_of_settings(options: tuple[Any, ...], optional: bool, form: FormMaker) -> Editor:
    if len(options) > 1:
        return UnionEditor(options, form)
    return OptionalEditor(options[0], form) if optional else form(options[0])


def _editor_of_value(kind: Any, field: FieldInfo, title: str, hint: str, form: FormMaker) -> Editor:
    origin, args = get_origin(kind), get_args(kind)
    # Before the numbers: bool is a subclass of int.
    if kind is bool:
        return SwitchEditor(title)
    if kind in (int, float):
        return NumberEditor(kind is int, *bounds_of(field), hint)
    if kind in (str, Path):
        return TextEditor(optional=bool(hint), hint="" if hint == "auto" else hint)
    if kind is datetime:
        return MomentEditor(hint)
    if origin is Literal:
        notes = notes_of(field)
        return ChoiceEditor(args, notes=notes) if len(args) > 1 else ConstantEditor(args[0])
    if origin is tuple and args[-1] is not Ellipsis:
        return NumbersEditor(tuple(a is int for a in args), hint)
    if origin is tuple and args[0] in (int, float):
        return NumberListEditor(args[0] is int)
    if origin is tuple:
        return ListEditor(_members(args[0]), form)
    raise TypeError(
        f"fields of type {kind!r} cannot be edited; use a type for which there is an editor"
    )


def _members(annotation: Any) -> tuple[Any, ...]:
    annotation = _bare_type(annotation)
    options = get_args(annotation) if _is_union(annotation) else (annotation,)
    return tuple(_bare_type(option) for option in options)


def _bare_type(annotation: Any) -> Value:
    # `Annotated` carries bounds and tags, which are read elsewhere.
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _is_union(annotation: Any) -> bool:
    # `Union[X, Y]` and `X | Y` have different origins before Python 3.14.
    return get_origin(annotation) in (Union, types.UnionType)


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Settings)
