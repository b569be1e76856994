"""Find tolerances of tests without a stated reason for their size.

A tolerance has a reason if there is a comment in its statement or on the line before, or if it is a
named constant, which has its reason at its definition. An exact comparison (0) needs none.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

NAMES = frozenset(("rtol", "atol", "rel", "abs"))
FOR_TOOLS = ("# noqa", "# fmt:", "# type:", "# pragma:")


def unexplained(text: str) -> list[int]:
    """Return the lines of tolerances in the source `text` that have no reason."""
    tree, commented = ast.parse(text), set(_lines_of_comments(text))
    found = []
    for statement in _statements(tree):
        lines = range(statement.lineno - 1, (statement.end_lineno or statement.lineno) + 1)
        if not commented.intersection(lines):
            found += [value.lineno for value in _bare_tolerances(statement)]
    return sorted(found)


def count(text: str) -> int:
    """Return the number of tolerances in the source `text`, with or without a reason."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return sum(keyword.arg in NAMES for call in calls for keyword in call.keywords)


def files(folder: Path) -> Iterator[Path]:
    """Yield the tests under `folder`."""
    yield from sorted(folder.rglob("*.py"))


def _lines_of_comments(text: str) -> Iterator[int]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS):
            yield token.start[0]


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the simple statements, and the expressions in the head of compound statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def _bare_tolerances(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the tolerances that contain a number other than 0."""
    for call in ast.walk(statement):
        if isinstance(call, ast.Call):
            yield from (k.value for k in call.keywords if k.arg in NAMES and _has_number(k.value))


def _has_number(value: ast.expr) -> bool:
    numbers = (node.value for node in ast.walk(value) if isinstance(node, ast.Constant))
    return any(isinstance(number, int | float) and number != 0 for number in numbers)
