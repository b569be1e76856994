"""Find the literal texts that an expression of the program can have.

Names are followed through assignments, loops, tables, classes, returned values, and the arguments
that callers pass. Types are not checked: a method is found by its name if few classes have it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from tests.architecture import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_LEAVES = 60
"""Number of literals that are followed for one expression."""
MAX_ALIKE = 3
"""A method or attribute of an unknown object is followed if at most so many classes have it."""
SAME_TEXT = frozenset(
    (
        *("strip", "rstrip", "lstrip", "lower", "upper", "capitalize", "title"),
        *("removesuffix", "removeprefix", "replace", "partition", "rpartition", "translate"),
    )
)
"""Methods of texts after which most words are the same."""
PASSED_ON = frozenset(
    (
        "str",
        "tr",
        "named",
        "sorted",
        "tuple",
        "list",
        "iter",
        "next",
        "reversed",
        "set",
        "max",
        "min",
    )
)
"""Functions that return the words of their first argument."""


@dataclass(frozen=True)
class Scope:
    """The functions and the class around an expression, innermost last."""

    source: Source
    functions: tuple[Function, ...] = ()
    cls: ast.ClassDef | None = None


@dataclass(frozen=True)
class Found:
    """An expression and its scope."""

    node: ast.expr
    scope: Scope


@dataclass(frozen=True)
class Bound:
    """A value that is assigned to a name: an element of it, or its item number `path`."""

    value: ast.expr
    path: tuple[int | None, ...] = ()


class Program:
    """All sources, with an index of definitions and calls by name.

    Parameters
    ----------
    sources
        the parsed files
    """

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self.sources = sources
        self.calls: dict[str, list[tuple[Source, ast.Call]]] = defaultdict(list)
        self.raised: list[tuple[Source, ast.Raise]] = []
        self.functions: dict[str, list[tuple[Source, Function]]] = defaultdict(list)
        self.classes: dict[str, list[tuple[Source, ast.ClassDef]]] = defaultdict(list)
        self.owners: dict[str, list[tuple[Source, ast.ClassDef]]] = defaultdict(list)
        self._spans: dict[str, list[Function | ast.ClassDef]] = defaultdict(list)
        self._imports: dict[str, dict[str, tuple[str, str]]] = {}
        self._class_of: dict[int, ast.ClassDef] = {}
        self._known: dict[int, tuple[ast.AST, list[Found]]] = {}
        self._texts: dict[int, list[str]] = {}
        self._arguments: dict[tuple[int, str], list[Found]] = {}
        self._scopes: dict[int, Scope] = {}
        self._bindings: dict[int, dict[str, list[Bound]]] = {}
        for source in sources:
            self._index(source)

    def _index(self, source: Source) -> None:
        imports = self._imports[source.path] = {}
        for node in source.nodes:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.functions[node.name].append((source, node))
                    self._spans[source.path].append(node)
                case ast.ClassDef():
                    self.classes[node.name].append((source, node))
                    self._spans[source.path].append(node)
                    for name in _members(node):
                        self.owners[name].append((source, node))
                    self._class_of |= {id(each): node for each in node.body}
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    self.calls[name].append((source, node))
                case ast.Raise():
                    self.raised.append((source, node))
                case ast.ImportFrom(module=module, names=names):
                    imports |= {a.asname or a.name: (module or "", a.name) for a in names}

    def scope(self, source: Source, node: ast.AST) -> Scope:
        """Return the functions and the class around a node."""
        if id(node) not in self._scopes:
            self._scopes[id(node)] = self._scope(source, getattr(node, "lineno", 0))
        return self._scopes[id(node)]

    def _scope(self, source: Source, line: int) -> Scope:
        around = [s for s in self._spans[source.path] if s.lineno <= line <= (s.end_lineno or 0)]
        around.sort(key=lambda each: each.lineno)
        functions = tuple(s for s in around if not isinstance(s, ast.ClassDef))
        classes = [s for s in around if isinstance(s, ast.ClassDef)]
        return Scope(source, functions, classes[-1] if classes else None)

    # ------------------------------------------------------------------ texts

    def texts(self, node: ast.expr, scope: Scope) -> list[str]:
        """Return the literal texts that an expression can be, or that it inserts."""
        if id(node) not in self._texts:
            self._texts[id(node)] = []  # ends recursion
            found = (t for leaf in self.leaves(node, scope) for t in self._texts_in(leaf))
            self._texts[id(node)] = list(dict.fromkeys(found))
        return self._texts[id(node)]

    def _texts_in(self, leaf: Found) -> Iterator[str]:
        match leaf.node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=parts):
                yield shown(leaf.node)
                for part in parts:
                    match part:
                        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                            yield from self.texts(value, leaf.scope)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield from self.texts(left, leaf.scope)
                yield from self.texts(right, leaf.scope)
            case ast.BinOp(op=ast.Mod(), left=left):
                yield from self.texts(left, leaf.scope)
            case ast.Call(func=func, args=args, keywords=given):
                made = [func.value] if isinstance(func, ast.Attribute) else []
                for each in (*made, *args, *(k.value for k in given)):
                    yield from self.texts(each, leaf.scope)

    # ------------------------------------------------------------------ leaves

    def leaves(self, node: ast.expr, scope: Scope) -> list[Found]:
        """Return the literals, containers and sums behind an expression, each found once."""
        if id(node) not in self._known:
            self._known[id(node)] = (node, [])  # ends recursion
            found = {id(leaf.node): leaf for leaf in islice(self._steps(node, scope), MAX_LEAVES)}
            self._known[id(node)] = (node, list(found.values()))
        return self._known[id(node)][1]

    def _steps(self, node: ast.expr, scope: Scope) -> Iterator[Found]:
        match node:
            case ast.IfExp(body=body, orelse=other):
                yield from self.leaves(body, scope)
                yield from self.leaves(other, scope)
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self.leaves(value, scope)
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
                yield from self.leaves(value, scope)
            case ast.Name(id=name):
                yield from self._named(name, scope)
            case ast.Attribute(value=owner, attr=name):
                yield from self._attribute(owner, name, scope)
            case ast.Subscript(value=table, slice=key):
                yield from self._items(table, key, scope)
            case ast.Call(func=ast.Attribute(attr="format")):
                yield Found(node, scope)
            case ast.Call(func=ast.Name(id="tr"), keywords=[_, *_]):
                yield Found(node, scope)
            case ast.Call():
                yield from self._called(node, scope)
            case ast.expr():
                yield Found(node, scope)

    def _named(self, name: str, scope: Scope) -> Iterator[Found]:
        for depth in range(len(scope.functions), 0, -1):
            function = scope.functions[depth - 1]
            around = Scope(scope.source, scope.functions[:depth], scope.cls)
            bound = self._bound_in(function).get(name, [])
            for each in bound:
                yield from self._followed(each, around)
            if name in _parameters(function):
                yield from self._passed(function, name, scope.source)
                return
            if bound:
                return
        yield from self._constant(name, scope.source)

    def _constant(self, name: str, source: Source) -> Iterator[Found]:
        bound = self._bound_in(source.tree).get(name)
        for each in bound or ():
            yield from self._followed(each, Scope(source))
        if not bound and name in self._imports[source.path]:
            module, original = self._imports[source.path][name]
            for other in self._modules.get(module, ()):
                yield from self._constant(original, other)

    @cached_property
    def _modules(self) -> dict[str, list[Source]]:
        found: dict[str, list[Source]] = defaultdict(list)
        for source in self.sources:
            found[source.module].append(source)
        return found

    def _followed(self, bound: Bound, scope: Scope) -> Iterator[Found]:
        found: Iterable[Found] = self.leaves(bound.value, scope)
        for step in bound.path:
            found = self._stepped(found, step)
        yield from found

    def _stepped(self, found: Iterable[Found], step: int | None) -> Iterator[Found]:
        for leaf in found:
            for each in _elements(leaf.node, step):
                yield from self.leaves(each, leaf.scope)

    def _items(self, table: ast.expr, key: ast.expr, scope: Scope) -> Iterator[Found]:
        step = key.value if isinstance(key, ast.Constant) and isinstance(key.value, int) else None
        for leaf in self.leaves(table, scope):
            match leaf.node:
                case ast.Dict(values=values):
                    elements = values
                case _:
                    elements = list(_elements(leaf.node, step))
            for each in elements:
                yield from self.leaves(each, leaf.scope)

    # ------------------------------------------------------------------ calls

    def _called(self, call: ast.Call, scope: Scope) -> Iterator[Found]:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[items]):
                yield from self._stepped(self.leaves(items, scope), None)
            case ast.Call(func=ast.Attribute(value=table, attr="get" | "pop"), args=[_, *other]):
                yield from self._items(table, call, scope)
                for each in other:
                    yield from self.leaves(each, scope)
            case ast.Call(func=ast.Attribute(value=table, attr="items" | "values" as name)):
                for leaf in self.leaves(table, scope):
                    yield from _pairs(leaf, name)
            case ast.Call(func=ast.Attribute(value=text, attr=name)) if name in SAME_TEXT:
                yield from self.leaves(text, scope)
            case ast.Call(func=ast.Name(id="zip" | "enumerate" as name), args=args):
                yield from self._zipped(name, args, scope)
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in PASSED_ON:
                yield from self.leaves(first, scope)
            case _:
                yield from self._returned(call, scope)

    def _zipped(self, name: str, args: list[ast.expr], scope: Scope) -> Iterator[Found]:
        columns = [
            [each for leaf in self.leaves(arg, scope) for each in _elements(leaf.node)]
            for arg in args
        ]
        columns = [[ast.Constant(0)] * len(columns[0]), *columns] if name[0] == "e" else columns
        rows = zip(*columns, strict=False)
        yield Found(ast.List([ast.Tuple(list(row)) for row in rows]), scope)

    def _returned(self, call: ast.Call, scope: Scope) -> Iterator[Found]:
        for source, function in self._callees(call, scope):
            inside = Scope(source, (function,), self._class_of.get(id(function)))
            for value in _results(function):
                yield from self.leaves(value, inside)

    def _callees(self, call: ast.Call, scope: Scope) -> Iterator[tuple[Source, Function]]:
        name = _name_of(call)
        known = [
            (s, f) for s, f in self.functions.get(name, ()) if self._reaches(scope, call, s, f)
        ]
        if isinstance(call.func, ast.Name) or _is_self(call.func) or len(known) <= MAX_ALIKE:
            yield from known

    def _reaches(
        self, scope: Scope, call: ast.Call, source: Source, defined: Function | ast.ClassDef
    ) -> bool:
        """Return True if a call can refer to a definition of that name."""
        owner = self._class_of.get(id(defined))
        match call.func:
            case ast.Name(id=name):
                if owner is not None:
                    return False
                module = self._imports[scope.source.path].get(name, (scope.source.module, ""))[0]
                return module == source.module or (
                    module != scope.source.module and source.module.startswith(f"{module}.")
                )
            case ast.Attribute(value=ast.Name(id="self" | "cls")) if scope.cls and owner:
                names = {scope.cls.name, *(last(b) for b in scope.cls.bases)}
                return owner.name in names or scope.cls.name in {last(b) for b in owner.bases}
            case ast.Attribute(value=ast.Name(id=alias)) if owner is None:
                module, original = self._imports[scope.source.path].get(alias, ("", ""))
                return f"{module}.{original}" == source.module
        return owner is not None

    def _passed(self, function: Function, name: str, source: Source) -> list[Found]:
        """Follow a parameter to its default and to the arguments of callers."""
        key = (id(function), name)
        if key not in self._arguments:
            self._arguments[key] = []  # ends recursion
            found = islice(self._given(function, name, source), MAX_LEAVES)
            self._arguments[key] = list({id(leaf.node): leaf for leaf in found}.values())
        return self._arguments[key]

    def _given(self, function: Function, name: str, source: Source) -> Iterator[Found]:
        owner = self._class_of.get(id(function))
        is_method = owner is not None and "staticmethod" not in map(last, function.decorator_list)
        default = _default(function, name)
        if default is not None:
            yield from self.leaves(default, Scope(source))
        place = _parameters(function).index(name) - is_method
        made = function.name == "__init__" and owner is not None
        called = owner.name if made and owner else function.name
        defined = owner if made and owner else function
        for where, call in self._calls_of(called, source, defined):
            yield from self._argument(call, place, name, where)

    def _calls_of(
        self, name: str, source: Source, defined: Function | ast.ClassDef
    ) -> Iterator[tuple[Source, ast.Call]]:
        n_alike = sum(id(f) in self._class_of for _, f in self.functions.get(name, ()))
        for where, call in self.calls.get(name, ()):
            if not self._reaches(self.scope(where, call), call, source, defined):
                continue
            is_known = isinstance(call.func, ast.Name) or _is_self(call.func)
            if is_known or n_alike <= MAX_ALIKE:
                yield where, call
        for where, call in self.calls.get("partial", ()):
            match call.args:
                case [ast.Name(id=first) | ast.Attribute(attr=first), *rest] if first == name:
                    yield where, self._partial(call, rest)

    def _partial(self, call: ast.Call, rest: list[ast.expr]) -> ast.Call:
        """Return the call that `partial` prepares; it lives as long as the program."""
        made = ast.Call(call.args[0], rest, call.keywords, lineno=call.lineno)
        self._known[id(made)] = (made, [])
        return made

    def _argument(self, call: ast.Call, place: int, name: str, source: Source) -> Iterator[Found]:
        given = [k.value for k in call.keywords if k.arg == name]
        if not given and 0 <= place < len(call.args):
            before = call.args[: place + 1]
            given = [] if any(isinstance(a, ast.Starred) for a in before) else before[-1:]
        for each in given:
            yield from self.leaves(each, self.scope(source, call))

    # ------------------------------------------------------------------ attributes

    def _attribute(self, owner: ast.expr, name: str, scope: Scope) -> Iterator[Found]:
        if isinstance(owner, ast.Name) and owner.id in self._imports[scope.source.path]:
            module, original = self._imports[scope.source.path][owner.id]
            for source in self._modules.get(f"{module}.{original}", ()):
                yield from self._constant(name, source)
        for source, cls in self._classes_of(owner, name, scope):
            yield from self._member(source, cls, name)

    def _classes_of(
        self, owner: ast.expr, name: str, scope: Scope
    ) -> Iterator[tuple[Source, ast.ClassDef]]:
        known: list[tuple[Source, ast.ClassDef]] = []
        if last(owner) in ("self", "cls") and scope.cls:
            names = {scope.cls.name, *(last(base) for base in scope.cls.bases)}
            known = [(s, c) for each in names for s, c in self.classes.get(each, ())]
        elif isinstance(owner, ast.Name):
            wanted = _annotated(owner.id, scope)
            known = [pair for each in wanted | {owner.id} for pair in self.classes.get(each, ())]
        elif name == "value" and isinstance(owner, ast.Attribute):
            known = self.classes.get(last(owner.value), [])
        if not known and len(self.owners.get(name, ())) <= MAX_ALIKE:
            known = self.owners.get(name, [])
        yield from known

    def _member(self, source: Source, cls: ast.ClassDef, name: str) -> Iterator[Found]:
        is_enum = any("Enum" in last(base) for base in cls.bases)
        fields = [s for s in cls.body if isinstance(s, ast.AnnAssign)]
        for node in cls.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=given)], value=value) if given == name or (
                    is_enum and name == "value"
                ):
                    yield from self.leaves(value, Scope(source, (), cls))
                case ast.AnnAssign(target=ast.Name(id=given), value=value) if given == name:
                    if value is not None:
                        yield from self.leaves(value, Scope(source, (), cls))
                    place = fields.index(node)
                    for where, call in self._calls_of(cls.name, source, cls):
                        yield from self._argument(call, place, name, where)
                case ast.FunctionDef(name=given) if given == name:
                    for value in _results(node):
                        yield from self.leaves(value, Scope(source, (node,), cls))
                case ast.FunctionDef():
                    for bound in self._bound_in(node).get(f"self.{name}", ()):
                        yield from self._followed(bound, Scope(source, (node,), cls))

    # ------------------------------------------------------------------ bindings

    def _bound_in(self, block: Function | ast.Module) -> dict[str, list[Bound]]:
        if id(block) not in self._bindings:
            found: dict[str, list[Bound]] = defaultdict(list)
            for node in _inside(block):
                for name, bound in _bindings(node):
                    found[name].append(bound)
            self._bindings[id(block)] = found
        return self._bindings[id(block)]


def _inside(block: Function | ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a block, without those of inner functions; of a module without classes."""
    is_module = isinstance(block, ast.Module)
    open_nodes: list[ast.AST] = list(block.body)
    while open_nodes:
        node = open_nodes.pop()
        yield node
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        if not is_module or isinstance(node, ast.stmt):
            open_nodes += ast.iter_child_nodes(node)


def _bindings(node: ast.AST) -> Iterator[tuple[str, Bound]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value, ())
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.AugAssign(target=target, value=value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield from _targets(target, value, ())
        case ast.For(target=target, iter=items) | ast.comprehension(target=target, iter=items):
            yield from _targets(target, items, (None,))


def _targets(
    target: ast.expr, value: ast.expr, path: tuple[int | None, ...]
) -> Iterator[tuple[str, Bound]]:
    match target:
        case ast.Name(id=name):
            yield name, Bound(value, path)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield f"self.{name}", Bound(value, path)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for place, part in enumerate(parts):
                yield from _targets(part, value, (*path, place))


def _elements(node: ast.expr, step: int | None = None) -> Iterator[ast.expr]:
    """Yield the elements of a container, or only number `step`."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            yield from parts if step is None else parts[step : step + 1 or None]
        case ast.Dict(keys=keys):
            yield from (key for key in keys if key is not None)
        case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each):
            yield each


def _pairs(leaf: Found, name: str) -> Iterator[Found]:
    match leaf.node:
        case ast.Dict(keys=keys, values=values):
            pairs = [ast.Tuple([k, v]) for k, v in zip(keys, values, strict=True) if k is not None]
            yield Found(ast.List(pairs if name == "items" else values), leaf.scope)


def _results(function: Function) -> Iterator[ast.expr]:
    for node in _inside(function):
        match node:
            case ast.Return(value=ast.expr() as value):
                yield value
            case ast.Yield(value=ast.expr() as value):
                yield ast.List([value])
            case ast.YieldFrom(value=value):
                yield value


def _members(cls: ast.ClassDef) -> set[str]:
    found = set[str]()
    for node in cls.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
                | ast.FunctionDef(name=name)
            ):
                found.add(name)
    return found


def _parameters(function: Function) -> list[str]:
    args = function.args
    return [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def _default(function: Function, name: str) -> ast.expr | None:
    args = function.args
    positional = [each.arg for each in (*args.posonlyargs, *args.args)]
    pairs = [*zip(reversed(positional), reversed(args.defaults), strict=False)]
    pairs += [(a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    return dict(pairs).get(name)


def _annotated(name: str, scope: Scope) -> set[str]:
    """Return the names in the annotation of a parameter."""
    for function in reversed(scope.functions):
        for each in (*function.args.args, *function.args.kwonlyargs):
            if each.arg == name and each.annotation is not None:
                return {n.id for n in ast.walk(each.annotation) if isinstance(n, ast.Name)}
    return set()


def _name_of(call: ast.Call) -> str:
    return last(call.func)


def last(node: ast.expr) -> str:
    """Return the last name of an expression: c of a.b.c."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=func):
            return last(func)
    return ""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and last(node.value) in ("self", "cls")


def shown(node: ast.JoinedStr) -> str:
    """Return an f-string with each value as {}."""
    return "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
