"""Rules for names and docstrings: the words of the field, and sentences that stand alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tests.architecture import Fault, Rule, Source, within

ELLIPTIC = ("Of", "Those", "Where", "That")
"""First words of docstrings that go on from a name, which is not shown beside them."""
OLD_WORDS = frozenset(
    (
        *("door", "publish", "course", "desk", "workbench", "feed", "quicklook", "foretold"),
        *("outline", "told", "picture", "pictures"),
    )
)
"""Words that the house once had for things the field has a name for; see engine/CONVENTIONS.md."""
OLD_IN_APP = ("bench",)
"""The window's context was once a bench; elsewhere it is the verb of the command line."""
OLD_CLASS_WORDS = ("Plan",)
"""A filter plan is the field's word; a class Plan was a protocol."""
DRAWN_OUTLINES = ("engine/modalities/xray_ct/extent.py",)
"""Files in which an outline is one: the contour of an object's shadow."""


def _strings_alone(source: Source) -> Iterator[ast.Constant]:
    """Yield the docstrings: of modules, classes, functions, and those under constants."""
    for node in source.nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def docstrings_stand_alone(source: Source) -> Iterator[Fault]:
    """Docstrings are shown without the name above them: in tooltips, on pages of the reference."""
    for node in _strings_alone(source):
        first = str(node.value).split(maxsplit=1)[:1]
        if first and first[0].rstrip(".,:;") in ELLIPTIC:
            yield node.lineno, f"a docstring that begins with {first[0]!r} cannot stand alone"


def words_of_the_field(source: Source) -> Iterator[Fault]:
    """Things are called what the field calls them; engine/CONVENTIONS.md holds the table."""
    stem = source.module.rsplit(".", 1)[-1]
    for name, line in [(stem, 1), *_given_names(source)]:
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name):
            if _is_old(word, source):
                yield line, f"{name}: {word!r} is a word of ours, not of the field"


def _is_old(word: str, source: Source) -> bool:
    if source.path in DRAWN_OUTLINES:
        return False
    small = word.lower()
    in_app = small in OLD_IN_APP and within(source.module, ("app",))
    return small in OLD_WORDS or word in OLD_CLASS_WORDS or in_app


def _given_names(source: Source) -> Iterator[tuple[str, int]]:
    """Yield names that are defined here; those of other libraries are their own matter."""
    for node in source.nodes:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno


def classes_that_stand_twice(tree: Iterable[Source]) -> dict[str, list[str]]:
    """Return public classes of one name, with the files they stand in."""
    found: dict[str, list[str]] = {}
    for source in tree:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(source.path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


NAMING_RULES: tuple[Rule, ...] = (docstrings_stand_alone, words_of_the_field)
