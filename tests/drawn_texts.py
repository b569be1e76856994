"""Draw random texts of the window and of errors for a reviewer.

python -m tests.drawn_texts [--seed N] [--n N]

Texts of the window are the sources of its translations. Errors are the messages of raised
exceptions of the engine and the window; `{…}` represents a value. Texts of fewer than three words
are left out. Each line has a number, the text and its location.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
TRANSLATIONS = ROOT / "resources" / "translations" / "isocenter_de.ts"
MIN_WORDS = 3


@dataclass(frozen=True)
class Text:
    """A text and its location in the sources."""

    text: str
    place: str


def window_texts() -> Iterator[Text]:
    """Yield each English text of the window once."""
    for message in ElementTree.parse(TRANSLATIONS).iter("message"):
        place = message.find("location")
        where = "" if place is None else str(place.get("filename"))
        yield Text(message.findtext("source") or "", where)


def errors() -> Iterator[Text]:
    """Yield the message of each `raise` that has one."""
    for top in ("engine", "app"):
        for path in sorted((ROOT / top).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Raise(exc=ast.Call(args=[first, *_])):
                        place = f"{path.relative_to(ROOT)}:{node.lineno}"
                        yield Text(literal_text(first), place)


def literal_text(node: ast.expr) -> str:
    """Return a literal text with values as {name}; empty for other nodes."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=parts):
            return "".join(literal_text(part) for part in parts)
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.BinOp(left=left, right=right):
            return literal_text(left) + literal_text(right)
    return ""


def drawn_sample(texts: Iterator[Text], n: int, seed: int) -> list[Text]:
    """Return n different texts with at least three words, drawn at random."""
    found = {each.text: each for each in texts if len(each.text.split()) >= MIN_WORDS}
    return random.Random(seed).sample(sorted(found.values(), key=lambda each: each.text), n)


def main(arguments: list[str] | None = None) -> None:
    """Print both draws."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--n", type=int, default=200, help="number of texts of each kind")
    chosen = parser.parse_args(arguments)
    for title, texts in (("Window", window_texts()), ("Errors", errors())):
        sys.stdout.write(f"# {title}\n")
        for number, each in enumerate(drawn_sample(texts, chosen.n, chosen.seed), 1):
            line = " ".join(each.text.split())
            sys.stdout.write(f"{number}. {line}  [{each.place}]\n")


if __name__ == "__main__":
    main()
