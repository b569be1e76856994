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
WORDS = (
    *("what", "whose", "anew", "beside", "apart", "kept", "laid"),
    *("at hand", "of which", "is said", "are said", "is told"),
)
"""Phrases that need another sentence."""
PHRASES = re.compile(rf"\b({'|'.join(WORDS)})\b(?![^.]*\?)", re.IGNORECASE)
"""A direct question may contain the phrases."""
CODE = re.compile(r"(^ *|; )\w[\w, ]* : |^ *(\w+, )*\w+$|`[^`]*`|\b\w+_\w+\b", re.MULTILINE)
"""Names of the code: at the start of a definition, in quotes, or with underscores."""


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


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield path and source of the Python and CUDA files of a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".cu"):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def faults(text: Text) -> Iterator[str]:
    """Yield the private phrases of a text, with their places."""
    words = CODE.sub(lambda found: " " * len(found[0]), text.text)
    for found in PHRASES.finditer(words):
        line = text.line + text.text.count("\n", 0, found.start())
        yield f"{text.path}:{line}: {found[0]!r} in {text.text.splitlines()[0]!r}"


def faults_of(path: str, source: str) -> Iterator[str]:
    """Yield the private phrases of a file, with their places."""
    # Most files contain none of the words, and a search is faster than a parser.
    if PHRASES.search(source):
        for text in (cuda_texts if path.endswith(".cu") else python_texts)(path, source):
            yield from faults(text)


def main() -> None:
    """Print the private phrases."""
    for path, source in files(KERNELS):
        for fault in faults_of(path, source):
            sys.stdout.write(f"{fault}\n")


if __name__ == "__main__":
    main()
