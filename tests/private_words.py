"""Private words: words of this project for things that have a name in the field.

The list is the table "Private words we do not use" in engine/CONVENTIONS.md. Names of modules,
classes, functions, parameters, variables and attributes must not contain them. `private_names.txt`
lists old names that still do; it may only shrink. `reviewed_names.txt` lists accepted names
with a reason.

    python -m tests.private_words           count the private words in texts (advice only)
    python -m tests.private_words --prune   remove names that are gone from private_names.txt
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.architecture import Source, sources

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "engine" / "CONVENTIONS.md"
HEADING = "## Private words we do not use"
OLD_NAMES = Path(__file__).with_name("private_names.txt")
REVIEWED_NAMES = Path(__file__).with_name("reviewed_names.txt")
TEXTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "engine/**/*.md")


@cache
def private_words() -> frozenset[str]:
    """Return the words in the first column of the table."""
    text = PAGE.read_text("utf-8").split(HEADING)[1]
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return frozenset(re.findall(r"`(\w+)`", " ".join(rows)))


def parts(name: str) -> list[str]:
    """Split a name into lower-case words: `isPart_here` is is, part, here."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def private_parts(name: str, words: frozenset[str]) -> set[str]:
    """Return the private words in a name; a word such as `at_hand` is two parts."""
    single = parts(name)
    return {*single, *(f"{one}_{two}" for one, two in pairwise(single))} & words


def names_of(source: Source) -> Iterator[tuple[str, int]]:
    """Yield the names of a file and of its contents, with their lines."""
    yield from ((part, 1) for part in source.path.removesuffix(".py").split("/"))
    for node in source.nodes:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
            ):
                yield name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno


def offending(tree: Iterable[Source], words: frozenset[str]) -> dict[str, str]:
    """Return each name that contains a private word, with the first place that defines it."""
    found: dict[str, str] = {}
    for source in tree:
        for name, line in names_of(source):
            if private_parts(name, words):
                found.setdefault(name, f"{source.path}:{line}")
    return found


def listed(path: Path) -> list[str]:
    """Return the names in a file, one per line; a reason can follow after a #."""
    lines = (line.split("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield docstrings and other strings, and the pages of the guide, each with its path."""
    for source in sources(root):
        for node in source.nodes:
            match node:
                case ast.Constant(value=str(text)) if " " in text:
                    yield source.path, text
    for path in sorted({path for pattern in TEXTS for path in root.glob(pattern)}):
        yield path.relative_to(root).as_posix(), path.read_text("utf-8")


def count_texts(root: Path) -> Counter[str]:
    """Return how often each private word occurs in texts."""
    words = private_words()
    found: Counter[str] = Counter()
    for _, text in texts(root):
        found.update(word for word in re.findall(r"[a-z]+", text.lower()) if word in words)
    return found


def prune() -> int:
    """Remove the names that no longer exist from the list of old names; return how many."""
    lines = listed(OLD_NAMES)
    there = offending(sources(ROOT), private_words())
    remaining = sorted({name for name in lines if name in there})
    OLD_NAMES.write_text("".join(f"{name}\n" for name in remaining), encoding="utf-8")
    return len(set(lines)) - len(remaining)


def main(arguments: list[str]) -> None:
    """Prune the list of names, or print the counts of words in texts."""
    if arguments == ["--prune"]:
        sys.stdout.write(f"{prune()} names removed, {len(listed(OLD_NAMES))} left\n")
        return
    counts = count_texts(ROOT)
    sys.stdout.write("".join(f"{n:6} {word}\n" for word, n in counts.most_common()))
    sys.stdout.write(f"{counts.total():6} in all\n")


if __name__ == "__main__":
    main(sys.argv[1:])
