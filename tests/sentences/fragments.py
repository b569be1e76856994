"""Find sentences that are assembled from fragments: `f"{what} need 3 GiB"`.

    python -m tests.sentences.fragments

A sentence may insert only data: numbers, names, quoted values, and reasons of other libraries.
Prose of ours that reaches a sentence through a constant, a variable, a table, a function or an
argument of a caller is a fragment. Whole sentences may follow each other, or follow a label.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from tests.architecture import sources
from tests.sentences.literals import Found, Program, Scope, last

ROOT = Path(__file__).resolve().parents[2]
REVIEWED = Path(__file__).parent / "reviewed_fragments.txt"
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|'[^']*'|\"[^\"]*\"|\{[^{}]*\}( bytes| turns|°)?")
WORD = re.compile(r"(?<![\w.\-/<{=])[a-z]{3,}(?![\w\-/(=<>\[]|\.\w|://)")
NO_PROSE = frozenset(
    (
        *("and", "for", "the", "per", "mm", "keV", "rad", "deg", "min", "px", "counts"),
        *("degrees", "radians", "frame", "nan", "inf", "zyx", "xyz"),
        *("none", "nothing", "unknown", "more"),
    )
)
"""Units, joints and ends of lists, and words for missing values."""
NAMES = frozenset(
    ("name", "unit", "title", "label", "kind", "axes", "suffix", "symbol", "key", "scanner", "stem")
)
"""Variables and attributes with one-word names of things, which are data."""
SHOWN = frozenset(("tr", "warn"))
"""Functions that show texts, in addition to exceptions."""


@dataclass(frozen=True)
class Site:
    """One insert of prose into a sentence."""

    path: str
    line: int
    template: str
    insert: str
    literals: tuple[str, ...]

    @property
    def keys(self) -> set[str]:
        """Path and insert, which identify a site in the reviewed list."""
        return {f"{self.path}: {self.insert}", f"*: {self.insert}"}

    def __str__(self) -> str:
        some = " | ".join(repr(text) for text in self.literals[:4])
        return f"{self.path}:{self.line}: {self.template!r} <- {self.insert} <- {some}"


def n_words(text: str) -> int:
    """Return the number of lower-case words that are neither quoted nor units."""
    return sum(word not in NO_PROSE for word in WORD.findall(QUOTED.sub(" ", text)))


def is_prose(text: str) -> bool:
    """Return True if a text contains prose."""
    return n_words(text) > 0


def stands_alone(before: str, text: str, after: str) -> bool:
    """Return True if an insert is a complete sentence: first, or after a full stop or a label."""
    words = text.strip()
    if not words:
        return True
    after = text[len(text.rstrip()) :] + after
    is_sentence = words[-1] in ".!?" and not words[0].islower()
    ends = not after.strip() or re.match(r"\.?(\s+[A-Z{`]|\s*$)|\n", after)
    if not ends and not (is_sentence and after.startswith("{")):
        return False
    before = before.rstrip()
    if not before:
        return True
    if before.endswith(":") and n_words(before.rsplit(". ", 1)[-1]) <= 1:
        return True
    ended = (".", "!", "?", ")", "}") if is_sentence else (".", "!", "?", ")")
    return before.endswith(ended) and not words[0].islower()


@dataclass(frozen=True)
class Template:
    """A text with inserted expressions; `pieces` alternate between both."""

    line: int
    pieces: tuple[str | ast.expr, ...]

    @property
    def text(self) -> str:
        """The text with each insert in braces."""
        return "".join(_piece(each) for each in self.pieces)

    def around(self, place: int) -> tuple[str, str]:
        """Return the text before and after an insert."""
        before, after = self.pieces[:place], self.pieces[place + 1 :]
        return "".join(map(_piece, before)), "".join(map(_piece, after))


def _piece(piece: str | ast.expr) -> str:
    return piece if isinstance(piece, str) else "{" + ast.unparse(piece) + "}"


def templates(node: ast.AST, program: Program, scope: Scope) -> Iterator[Template]:
    """Yield the template that an expression fills."""
    match node:
        case ast.JoinedStr(values=parts):
            yield Template(node.lineno, tuple(_joined(parts)))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            if any(isinstance(each, ast.JoinedStr) or _literal(each) for each in (left, right)):
                yield Template(node.lineno, tuple(_added(node)))
        case ast.Call(func=ast.Attribute(value=text, attr="format"), keywords=given, args=args):
            for found in program.texts(text, scope):
                yield Template(node.lineno, tuple(_filled(found, args, given)))
        case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant(value=str(text))], keywords=given):
            if given:
                yield Template(node.lineno, tuple(_filled(text, [], given)))


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _joined(parts: list[ast.expr]) -> Iterator[str | ast.expr]:
    for part in parts:
        match part:
            case ast.Constant(value=str(text)):
                yield text
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                yield value
            case ast.FormattedValue():
                yield "{}"  # a number with a format, or a quoted value


def _added(node: ast.expr) -> Iterator[str | ast.expr]:
    match node:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from _added(left)
            yield from _added(right)
        case ast.JoinedStr(values=parts):
            yield from _joined(parts)
        case ast.Constant(value=str(text)):
            yield text
        case _:
            yield node


def _filled(text: str, args: list[ast.expr], given: list[ast.keyword]) -> Iterator[str | ast.expr]:
    values: dict[str | None, ast.expr] = {each.arg: each.value for each in given}
    values |= {str(place): each for place, each in enumerate(args)}
    try:
        pieces = list(Formatter().parse(text))
    except ValueError:
        return
    count = 0
    for words, name, form, conversion in pieces:
        yield words
        if name is None:
            continue
        key, count = (name, count) if name else (str(count), count + 1)
        yield values[key] if key in values and not (form or conversion) else "{" + name + "}"


def sites(program: Program) -> Iterator[Site]:
    """Yield each insert of prose into an error, a warning or a text of the window."""
    open_texts = list(_shown_texts(program))
    seen = set[int]()
    while open_texts:
        found = open_texts.pop()
        for leaf in program.leaves(found.node, found.scope):
            if id(leaf.node) in seen:
                continue
            seen.add(id(leaf.node))
            for template in templates(leaf.node, program, leaf.scope):
                yield from _sites_in(template, program, leaf.scope)
                # Whole sentences that are inserted are checked on their own.
                inserted = [each for each in template.pieces if isinstance(each, ast.expr)]
                open_texts += [Found(each, leaf.scope) for each in inserted]


def _shown_texts(program: Program) -> Iterator[Found]:
    """Yield the arguments of exceptions and warnings, and the texts of the window."""
    raised = (
        (s, node, node.exc.args) for s, node in program.raised if isinstance(node.exc, ast.Call)
    )
    made = (
        (source, call, [call] if name == "tr" else call.args)
        for name, calls in program.calls.items()
        if name.endswith(("Error", "Warning")) or name in SHOWN
        for source, call in calls
    )
    for source, node, texts in (*raised, *made):
        scope = program.scope(source, node)
        yield from (Found(each, scope) for each in texts)


def _sites_in(template: Template, program: Program, scope: Scope) -> Iterator[Site]:
    own = "".join(piece for piece in template.pieces if isinstance(piece, str))
    for place, piece in enumerate(template.pieces):
        if isinstance(piece, str) or _in_quotes(template, place):
            continue
        texts = _fragments(template, place, program, scope)
        if texts and (is_prose(own) or _has_more_prose(template, place, program, scope)):
            insert = ast.unparse(piece)
            yield Site(scope.source.path, template.line, template.text, insert, texts)


def _fragments(template: Template, place: int, program: Program, scope: Scope) -> tuple[str, ...]:
    """Return the prose that an insert brings into a sentence."""
    piece = template.pieces[place]
    before, after = template.around(place)
    if isinstance(piece, str) or (not is_prose(before) and after.startswith(":")):
        return ()  # a label
    fewest = 3 if _is_list(piece) else 2 if last(piece).lstrip("_") in NAMES else 1
    found = (text for text in program.texts(piece, scope) if n_words(text) >= fewest)
    return tuple(text for text in found if not stands_alone(before, text, after))


def _is_list(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last(node.func) == "join"


def _in_quotes(template: Template, place: int) -> bool:
    before, after = template.around(place)
    return before[-1:] in ("'", '"', "`", "“", "‘") and after[:1] in ("'", '"', "`", "”", "’")


def _has_more_prose(template: Template, place: int, program: Program, scope: Scope) -> bool:
    others = (p for k, p in enumerate(template.pieces) if k != place and not isinstance(p, str))
    return any(is_prose(text) for other in others for text in program.texts(other, scope))


def reviewed() -> dict[str, str]:
    """Return the reason of each site that a person has accepted."""
    lines = REVIEWED.read_text("utf-8").splitlines()
    split = (line.rpartition("  # ") for line in lines if line and not line.startswith("#"))
    return {site: reason for site, _, reason in split}


@cache
def open_sites() -> tuple[Site, ...]:
    """Return the sites in the engine and the window that are not in the reviewed list."""
    accepted = reviewed().keys()
    found = sites(Program(sources(ROOT)))
    return tuple(sorted((s for s in found if not accepted & s.keys), key=str))


def main() -> None:
    """Print the open sites."""
    for site in open_sites():
        sys.stdout.write(f"{site}\n")


if __name__ == "__main__":
    main()
