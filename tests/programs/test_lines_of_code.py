"""Tables of lines of code agree with the code, and the counter can fail."""

from __future__ import annotations

import pytest

from tests.programs.lines_of_code import (
    EXTENSIONS,
    PAGE,
    TABLE_4,
    Part,
    cuda_lines,
    python_lines,
    spans,
    with_tables,
)

PYTHON = '''"""Module."""

import os  # one


@cached
def f(x):
    """Docstring
    of two lines."""
    # comment
    y = """a string
    of two lines"""
    return (
        x
    )


class A:
    """Docstring."""

    x: int = 3
    """Docstring of an attribute."""
'''


def test_page_has_the_line_counts_of_the_code() -> None:
    page = PAGE.read_text("utf-8")
    assert with_tables(page) == page, "run python -m tests.programs.lines_of_code"


def test_comments_docstrings_and_blank_lines_are_not_counted() -> None:
    assert sorted(python_lines(PYTHON)) == [3, 6, 7, 11, 12, 13, 14, 15, 18, 21]
    assert spans(PYTHON)["f"] == range(6, 16)
    assert len(cuda_lines("// a\nint x; // b\n\n/* c\nd */\nint y;\n")) == 2


def test_longer_function_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    monkeypatch.setattr(Part, "count", lambda part: 1)
    assert with_tables(page) != page


def test_missing_function_is_an_error() -> None:
    with pytest.raises(KeyError):
        Part("examples/13_algorithms_as_formulas.py", ("no_such_function",)).count()


def test_every_part_has_code() -> None:
    baseline = [part for parts in TABLE_4.values() for code in parts.values() for part in code]
    others = [part for pair in EXTENSIONS.values() for code in pair for part in code]
    assert all(part.count() > 0 for part in (*baseline, *others))
