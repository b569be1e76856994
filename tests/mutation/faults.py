"""Small faults that can be planted in a source, found in its syntax tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
_CHOICES = ("setting", "Field", "WorkingMemory")
"""Calls that declare settings or measurements: defaults, bounds, memory."""


@dataclass(frozen=True)
class Fault:
    """One fault: its location, its kind, and the original line."""

    file: str
    line: int
    column: int
    kind: str
    text: str

    @property
    def key(self) -> str:
        """Name of the fault in a record. It does not depend on the line number."""
        return f"{self.file}|{self.text}|{self.column}|{self.kind}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.kind}: {self.text}"


def faults_in(file: str, source: str, only: tuple[str, ...] = ()) -> list[Fault]:
    """Return every fault that can be planted, in all functions and classes or in those named."""
    lines = source.splitlines()
    found = []
    for node, kind, _ in _places(ast.parse(source), only):
        at = (node.lineno, node.col_offset)
        found.append(Fault(file, *at, kind, lines[node.lineno - 1].strip()))
    return list(dict.fromkeys(found))


def planted(source: str, fault: Fault, only: tuple[str, ...] = ()) -> str:
    """Return the source with a fault in it."""
    tree = ast.parse(source)
    for node, kind, change in _places(tree, only):
        if (node.lineno, node.col_offset, kind) == (fault.line, fault.column, fault.kind):
            change()
            return ast.unparse(ast.fix_missing_locations(tree))
    raise LookupError(f"{fault}: the source has changed")


Place = tuple[ast.expr | ast.stmt, str, Callable[[], None]]


def _places(tree: ast.Module, only: tuple[str, ...]) -> Iterator[Place]:
    for statement in tree.body:
        if not only or getattr(statement, "name", "") in only:
            yield from _in(statement)


def _in(node: ast.AST) -> Iterator[Place]:
    """Yield the faults of a node and its children, without annotations and texts."""
    yield from _of_expression(node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "exc", "type_params"):
            continue
        if isinstance(value, list):
            yield from _removed(node, value)
            for item in value:
                if isinstance(item, ast.AST) and not _is_words(item):
                    yield from _in(item)
        elif isinstance(value, ast.AST) and not _is_words(value):
            yield from _in(value)


def _is_words(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return _name(node.test) == "TYPE_CHECKING"
    name = _name(node.func) if isinstance(node, ast.Call) else ""
    return name.endswith("Error") or name in _CHOICES


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _of_expression(node: ast.AST) -> Iterator[Place]:
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _SWAPPED:
            yield node, "compare", lambda: _set(node.ops, 0, _SWAPPED[type(op)]())
        case ast.BinOp(op=op) if type(op) in _SWAPPED:
            yield node, "arithmetic", lambda: setattr(node, "op", _SWAPPED[type(op)]())
        case ast.BoolOp(op=op):
            yield node, "and-or", lambda: setattr(node, "op", _SWAPPED[type(op)]())
        case ast.IfExp() | ast.If() | ast.While():
            yield node, "condition", lambda: setattr(node, "test", _not(node.test))
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node, "sign", lambda: setattr(node, "op", ast.UAdd())
        case ast.Constant(value=bool() | int() | float()):
            yield node, "constant", lambda: setattr(node, "value", _other(node.value))
        case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred):
            if ast.dump(first) != ast.dump(second) and not isinstance(second, ast.Starred):
                yield node, "arguments", lambda: _swap(node.args)
        case ast.Tuple(elts=[ast.Constant(), ast.Constant(), *_]) if _differ(node):
            yield node, "order", lambda: _swap(node.elts)


def _removed(node: ast.AST, body: list[object]) -> Iterator[Place]:
    """Return statements that can be removed: calls, and values changed in place."""
    if isinstance(node, ast.Module | ast.ClassDef):
        return
    for i, item in enumerate(body):
        is_call = isinstance(item, ast.Expr) and isinstance(item.value, ast.Call | ast.YieldFrom)
        if is_call or isinstance(item, ast.AugAssign | ast.Raise | ast.Break | ast.Continue):
            yield (
                item,
                "removed",
                lambda i=i, item=item: _set(body, i, ast.copy_location(ast.Pass(), item)),
            )


def _set(items: list[object], i: int, value: object) -> None:
    items[i] = value


def _swap(items: list[ast.expr]) -> None:
    items[0], items[1] = items[1], items[0]


def _differ(node: ast.Tuple) -> bool:
    return ast.dump(node.elts[0]) != ast.dump(node.elts[1])


def _not(test: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), copy.deepcopy(test)), test)


def _other(value: bool | int | float) -> bool | int | float:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 2 or 1.0
