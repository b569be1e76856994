"""All words of the program: in its texts, its settings and its code."""

from __future__ import annotations

import ast
import builtins
import errno
import os
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[3]
"""Folder with the parts of the program."""
PARTS = ("engine", "app", "resources")
WORD = re.compile(r"[^\W_]+")
HUMPS = re.compile(r"[A-Z][a-z]+[A-Z]|[a-z]+[A-Z]")
CITATION = re.compile(r"\b(?:19|20)\d\d\b|\bet al\b")
"""Marks a text that names the authors of a paper."""


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return all words of the program's texts, and of its names that are not names of people."""
    return frozenset(word for text in _texts() for word in words(text))


def words(text: str) -> list[str]:
    """Return the words of a text in composed Unicode: one character per accented letter."""
    return WORD.findall(unicodedata.normalize("NFC", text))


def _texts() -> Iterator[str]:
    for part in PARTS:
        for path in sorted((PROGRAM / part).rglob("*.py")):
            yield from _words_in(ast.parse(path.read_bytes()))
        for path in sorted((PROGRAM / part).rglob("*.toml")):
            yield path.read_text("utf-8")
    # Messages of the system appear in errors too
    yield from (os.strerror(number) for number in errno.errorcode)
    for name, kind in vars(builtins).items():
        if isinstance(kind, type):
            yield f"{name} {kind.__doc__ if issubclass(kind, BaseException) else ''}"


def _words_in(tree: ast.AST) -> Iterator[str]:
    """Yield texts and names; a single capitalised word may be a person's name, and is left out."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                continue  # docstrings name papers
            case ast.Constant(value=str() as text) if not CITATION.search(text):
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield from _no_person(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.keyword(arg=str(name)):
                yield from _no_person(name)


def _no_person(name: str) -> Iterator[str]:
    # A single capitalised word could be a surname
    if name == name.lower() or name == name.upper() or HUMPS.search(name):
        yield name
