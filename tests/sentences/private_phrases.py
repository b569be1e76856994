"""Find private words in docstrings and comments of tests, packaging and examples.

    python -m tests.sentences.private_phrases

engine/CONVENTIONS.md has plain words instead. Words with a normal meaning, such as "held" or
"apart" (10 mm apart), are not in the list. A docstring must not begin with a word that makes it
a noun clause ("What installs the libraries") or the rest of a name ("Of the window").
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.sentences.kernel_texts import CODE, Text, python_texts

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("packaging", "tests", "examples", "isocenter", "resources")
PRODUCT = ("engine", "app")
"""Folders in which only the beginnings of docstrings are checked here."""
WORDS = (
    *("anew", "beside", "besides", "foretold", "kept", "said", "told", "whose"),
    *("whoever", "whomever", "nobody", "somebody", "theirs", "thereby"),
    *("at hand", "by turns", "by lot", "is asked", "once more", "goes on"),
)
"""Words that no text needs. Names of options, such as `--kept`, do not count."""
PHRASES = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)
FIRST_WORD = re.compile(r'^ *"""(What|Who|Whether|Where|That|Those|Of)\b', re.MULTILINE)
"""Docstrings that begin like this are not sentences."""
QUOTED = re.compile(r'"[^"\n]*"')


def faults(text: Text) -> Iterator[str]:
    """Yield the private words of a text, with their places. Code and quotations do not count."""
    prose = text.text
    for pattern in (CODE, QUOTED):
        prose = pattern.sub(lambda found: " " * len(found[0]), prose)
    for found in PHRASES.finditer(prose):
        line = text.line + text.text.count("\n", 0, found.start())
        yield f"{text.path}:{line}: {found[0]!r} is a private word; see engine/CONVENTIONS.md"


def opening_faults(path: str, source: str) -> Iterator[str]:
    """Yield the docstrings of a Python file that begin like a noun clause, with their places."""
    for found in FIRST_WORD.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        yield f"{path}:{line}: a docstring that begins with {found[1]!r} is no sentence"


def faults_of(path: str, source: str) -> Iterator[str]:
    """Yield the private words and the noun clauses of a Python file, with their places."""
    yield from opening_faults(path, source)
    # Most files contain none of the words, and a search is faster than a parser.
    if PHRASES.search(source):
        for text in python_texts(path, source):
            yield from faults(text)


def files(folders: tuple[str, ...] = FOLDERS) -> Iterator[tuple[str, str]]:
    """Yield path and source of every Python file in the folders."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def all_faults() -> Iterator[str]:
    """Yield all faults of the repository."""
    for path, source in files():
        yield from faults_of(path, source)
    for path, source in files(PRODUCT):
        yield from opening_faults(path, source)


def main() -> None:
    """Print the private words."""
    for fault in all_faults():
        sys.stdout.write(f"{fault}\n")


if __name__ == "__main__":
    main()
