"""Folders with hard algorithms have comments, but not on every line."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("engine/kernels", "engine/operators", "engine/jobs/process", "engine/recon/filtering")
PER_100 = (3.0, 8.0)
"""Minimum and maximum number of comment lines per 100 code lines in each folder."""
FOR_TOOLS = ("# noqa", "# fmt:", "# type:", "# pragma:")


def python_lines(text: str) -> tuple[int, int]:
    """Return the numbers of code lines and comment lines, without docstrings."""
    documentation = set(_lines_of_docstrings(ast.parse(text)))
    code, comments = set(), set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.COMMENT:
            comments.update(() if token.string.startswith(FOR_TOOLS) else lines)
        elif token.string.strip():
            code.update(lines)
    return len(code - documentation), len(comments)


def _lines_of_docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def cuda_lines(text: str) -> tuple[int, int]:
    """Return the numbers of code lines and comment lines, without the header of the file."""
    lines = [line.strip() for line in text.splitlines()]
    head = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    lines = [line for line in lines[head:] if line]
    code = sum(not line.startswith("//") for line in lines)
    return code, sum("//" in line for line in lines)


def comment_lines(folder: Path) -> tuple[int, int]:
    """Return the numbers of code lines and comment lines of a folder."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".cu")
    }
    counts = [
        (cuda_lines if path.suffix == ".cu" else python_lines)(text) for path, text in texts.items()
    ]
    return sum(code for code, _ in counts), sum(comments for _, comments in counts)


@pytest.mark.parametrize("folder", FOLDERS)
def test_comments_give_reasons(folder: str) -> None:
    code, comments = comment_lines(ROOT / folder)
    assert code > 500, "the files were not found"
    least, most = PER_100
    assert least <= 100 * comments / code <= most, f"{comments} comments in {code} lines of code"


def test_docstrings_and_tool_marks_are_not_comments() -> None:
    text = '''"""Head."""
# why
x = 1  # and why here
y = 2  # noqa: E501
z = """no
docstring"""
LIMIT = 3
"""A limit."""
'''
    assert python_lines(text) == (5, 2)


def test_kernel_header_is_not_a_comment() -> None:
    assert cuda_lines("// What it does.\n// How.\n\nint a;\n// why\nint b;  // and why\n") == (2, 2)
