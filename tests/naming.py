"""Rules for names and docstrings: terms of the field, and docstrings that need no context."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture import Fault, Rule, Source, within

ELLIPTIC = ("Of", "Those", "Where", "That")
"""First words of docstrings that only continue the name above them. A tooltip lacks that name."""
OLD_WORDS = frozenset(
    (
        *("door", "publish", "course", "desk", "workbench", "feed", "quicklook", "foretold"),
        *("outline", "told", "picture", "pictures"),
    )
)
"""Private words that variables and attributes must not contain either; see `private_words.py`."""
OLD_IN_APP = ("bench",)
"""The window has a context, not a bench. Elsewhere, bench is a command."""
OLD_CLASS_WORDS = ("Plan",)
"""A class Plan was a protocol in old versions. A filter plan is a term of the field."""
OLD_LIMITS = ("MOST", "LEAST", "FEWEST")
"""Limits are constants that begin with MAX or MIN."""
DRAWN_OUTLINES = ("engine/modalities/xray_ct/extent.py",)
"""Files in which an outline is the contour of an object's projection."""


def _strings_alone(source: Source) -> Iterator[ast.Constant]:
    """Yield the docstrings of modules, classes, functions and constants."""
    for node in source.nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def docstrings_are_independent(source: Source) -> Iterator[Fault]:
    """Docstrings make sense without the name above them, as in tooltips and reference pages."""
    for node in _strings_alone(source):
        first = str(node.value).split(maxsplit=1)[:1]
        if first and first[0].rstrip(".,:;") in ELLIPTIC:
            yield (
                node.lineno,
                f"a docstring that begins with {first[0]!r} depends on the name above it",
            )


def words_of_the_field(source: Source) -> Iterator[Fault]:
    """Names use the terms of the glossary in engine/CONVENTIONS.md."""
    stem = source.module.rsplit(".", 1)[-1]
    for name, line in [(stem, 1), *_given_names(source)]:
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name):
            if _is_old(word, source):
                yield line, f"{name}: {word!r} is a private word; see engine/CONVENTIONS.md"


def limits_are_max_and_min(source: Source) -> Iterator[Fault]:
    """A constant that limits a number begins with MAX or MIN, as in the rest of the field."""
    for name, line in _given_names(source):
        if name.isupper() and name.lstrip("_").split("_")[0] in OLD_LIMITS:
            yield line, f"{name}: name a limit MAX_ or MIN_"


def _is_old(word: str, source: Source) -> bool:
    if source.path in DRAWN_OUTLINES:
        return False
    small = word.lower()
    in_app = small in OLD_IN_APP and within(source.module, ("app",))
    return small in OLD_WORDS or word in OLD_CLASS_WORDS or in_app


def _given_names(source: Source) -> Iterator[tuple[str, int]]:
    """Yield the names that a file defines. Names of other libraries do not count."""
    for node in source.nodes:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno


NAMING_RULES: tuple[Rule, ...] = (
    docstrings_are_independent,
    words_of_the_field,
    limits_are_max_and_min,
)
