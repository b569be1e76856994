"""Check in the source that every error message of the window is translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parents[3] / "app"
TRANSLATED = ("tr", "named", "within", "explain", "str")
MIN_WORDS = 2
FOR_DEVELOPERS = (
    *("RuntimeError", "TypeError", "NotImplementedError", "AssertionError"),
    *("ReferenceError", "TimeoutError"),
)
"""Errors that users of the window never see."""


def untranslated(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each raised sentence that is not translated."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        raised = node.exc.func
        if isinstance(raised, ast.Name) and raised.id in FOR_DEVELOPERS:
            continue
        for expression in node.exc.args:
            words = _words(expression)
            if len([word for word in words.split() if word.isalpha()]) >= MIN_WORDS:
                yield node.lineno, words


def _words(expression: ast.expr) -> str:
    """Return the literal words of an expression that are not translated."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name):
        return "" if expression.func.id in TRANSLATED else _words_of(expression)
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else ""
    return _words_of(expression)


def _words_of(expression: ast.expr) -> str:
    parts = (each for each in ast.iter_child_nodes(expression) if isinstance(each, ast.expr))
    return " ".join(_words(each) for each in parts)


@pytest.mark.parametrize(
    "source",
    [
        'raise DataError("the region holds no voxel")',
        'raise DataError(f"{name}: the folder is missing")',
        'raise DataError("the region " + what + " is empty")',
        'raise DataError(SENTENCE.format("of the scan"))',
    ],
)
def test_untranslated_error_is_found(source):
    assert list(untranslated(source))


@pytest.mark.parametrize(
    "source",
    [
        'raise DataError(tr("{name}: the folder is missing", name=path.name))',
        "raise DataError(SENTENCE)",
        'raise DataError(f"{title}: {text}")',
        'raise RuntimeError("no editor for a field of this type")',
    ],
)
def test_translated_error_is_accepted(source):
    assert not list(untranslated(source))


def test_every_error_of_the_window_is_translated():
    files = sorted(APP.rglob("*.py"))
    assert len(files) > 100, "source files are missing"
    found = [
        f"{path.relative_to(APP)}:{line}: {words}"
        for path in files
        for line, words in untranslated(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(["", *found])
