"""Find private phrases in the comments and docstrings of the kernels.

    python -m tests.sentences.kernel_texts

The texts state formulas, layouts and reasons. A clause such as "what a line sees" hides them. The
field has a term for it, or a sentence with subject, verb and object.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "engine" / "kernels"
PHRASES = re.compile(
    r"\b(what|whose|anew|beside|at hand|of which|is said|are said|kept|laid|apart|is told)\b(?![^.]*\?)",
    re.IGNORECASE,
)
"""Phrases that need another sentence. A direct question may contain them."""
CODE = re.compile(r"`[^`]*`|\b\w+_\w+\b|(^ *|; )\w[\w, ]* : |^ *(\w+, )*\w+$", re.MULTILINE)
"""Names of the code: in quotes, with underscores, or at the start of a definition."""


@dataclass(frozen=True)
class Text:
    """A comment or docstring with its first line."""

    path: str
    line: int
    text: str


def python_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the docstrings of a Python file, also those of constants, and its comments."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield Text(path, node.lineno, text)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(path, token.start[0], token.string.lstrip("# "))


def cuda_texts(path: str, source: str) -> Iterator[Text]:
    """Yield the comments of a CUDA file."""
    for line, code in enumerate(source.splitlines(), 1):
        _, mark, text = code.partition("//")
        if mark:
            yield Text(path, line, text.strip())


def texts(folder: Path) -> Iterator[Text]:
    """Yield the texts of all files of a folder."""
    for path in sorted(folder.rglob("*")):
        read = {".py": python_texts, ".cu": cuda_texts}.get(path.suffix)
        if read is not None:
            yield from read(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))


def faults(text: Text) -> Iterator[str]:
    """Yield the private phrases of a text, with their places."""
    words = CODE.sub(lambda found: " " * len(found[0]), text.text)
    for found in PHRASES.finditer(words):
        line = text.line + text.text.count("\n", 0, found.start())
        yield f"{text.path}:{line}: {found[0]!r} in {text.text.splitlines()[0]!r}"


def main() -> None:
    """Print the private phrases."""
    for text in texts(KERNELS):
        for fault in faults(text):
            sys.stdout.write(f"{fault}\n")


if __name__ == "__main__":
    main()
