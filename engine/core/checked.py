"""Checks of arguments at the public boundary, derived from the annotations of functions.

Each public function and class is decorated once. A wrong argument raises an error that names the
value, the expected value and a remedy. Without the check it would raise an error deep inside, such
as a message of Numba about types. The rules are built at the first call.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, getsource, isclass, signature
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from engine.core.errors import ArgumentError
from engine.core.interactive import shown

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 6: "six"}
HINTS = {
    "Algorithm": "make one with engine.algorithms.Osem() or Sirt()",
    "Backend": "make one with engine.cpu() or engine.best()",
    "ImageGrid": "make one with engine.ImageGrid(shape, voxel_mm)",
    "LinearOperator": "make one with engine.XrayTransform or engine.RayProjector",
    "Phantom": "make one with engine.phantoms.derenzo()",
    "Scan": "use engine.read, engine.Projections, engine.ListMode or engine.Histogram",
    "Scanner": "read one with engine.read_scanner('demo-ring')",
    "Study": "use a path, engine.Study, or a scan such as engine.Projections",
    "Volume": "make one with engine.Volume(values, grid, unit)",
    "XrayGeometry": "make one with engine.circular_cone",
}
"""Remedy for an argument that is not an object of a class."""


class Rule(NamedTuple):
    """Values that an argument accepts.

    Attributes
    ----------
    accepts : returns True for a valid value
    expected : description of valid values
    hint : remedy; empty for none
    """

    accepts: Callable[[Any], bool]
    expected: str
    hint: str = ""


class Bound(NamedTuple):
    """Numbers that an argument accepts.

    Attributes
    ----------
    accepts : returns True for a valid number
    words : description of valid numbers
    """

    accepts: Callable[[float], bool]
    words: str


_POSITIVE = Bound(lambda number: 0 < number < inf, "above 0")
_FINITE = Bound(isfinite, "not infinite")


def checked(
    *,
    positive: tuple[str, ...] = (),
    finite: tuple[str, ...] = (),
    unchecked: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Return a decorator that refuses arguments which do not match their annotations.

    Parameters
    ----------
    positive
        names of arguments whose numbers must be finite and above 0
    finite
        names of arguments whose numbers must be finite
    unchecked
        names of arguments that the function checks itself

    Returns
    -------
    decorator of a function or method, which then raises `ArgumentError` for a wrong argument
    """
    bounds = {**dict.fromkeys(positive, _POSITIVE), **dict.fromkeys(finite, _FINITE)}
    return lambda function: _checked(function, bounds, unchecked)


def _checked(function: F, bounds: Mapping[str, Bound], unchecked: tuple[str, ...]) -> F:
    by_place: list[Rule | None] | None = None
    by_name: dict[str, Rule] = {}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal by_place, by_name
        if by_place is None:
            by_name = _rules_of(function, bounds)
            for name in unchecked:
                by_name.pop(name, None)
            by_place = [by_name.get(name) for name in _places(function)]
        for n, (value, rule) in enumerate(zip(args, by_place, strict=False)):
            if rule is not None and not rule.accepts(value):
                raise _wrong(function, _places(function)[n], rule, args, kwargs)
        for name, value in kwargs.items():
            rule = by_name.get(name)
            if rule is not None and not rule.accepts(value):
                raise _wrong(function, name, rule, args, kwargs)
        try:
            return function(*args, **kwargs)
        except TypeError as e:
            # An error without a frame of the function is an error of the call.
            is_of_call = e.__traceback__ is not None and e.__traceback__.tb_next is None
            fault = _wrong_call(function, args, kwargs) if is_of_call else None
            if fault is None:
                raise
            raise fault from None

    call.__dict__["is_checked"] = True
    return call  # type: ignore[return-value]


def checked_class(
    *,
    positive: tuple[str, ...] = (),
    finite: tuple[str, ...] = (),
    unchecked: tuple[str, ...] = (),
) -> Callable[[C], C]:
    """Return a decorator that refuses wrong arguments of the constructor of a class.

    Parameters
    ----------
    positive, finite, unchecked
        as for `checked`
    """

    def decorate(cls: C) -> C:
        check = checked(positive=positive, finite=finite, unchecked=unchecked)
        cls.__init__ = check(cls.__init__)  # type: ignore[misc]
        return cls

    return decorate


def is_checked(public: Any) -> bool:
    """Return True if the arguments of a public function or class are checked.

    Parameters
    ----------
    public
        function or class
    """
    target = vars(public).get("__init__") if isclass(public) else public
    return bool(getattr(target, "is_checked", False))


def _wrong(
    function: Callable[..., Any], name: str, rule: Rule, args: Any, kwargs: Any
) -> ArgumentError:
    """Return the error for an argument; an error of the call itself has priority."""
    fault = _wrong_call(function, args, kwargs)
    if fault is not None:
        return fault
    value = signature(function).bind(*args, **kwargs).arguments[name]
    remedy = rule.hint or "correct this argument"
    return ArgumentError(
        f"{_name_of(function)}: {name} is {shown(value)}, expected {rule.expected}; {remedy}."
    )


def _wrong_call(function: Callable[..., Any], args: Any, kwargs: Any) -> ArgumentError | None:
    """Return the error for missing or unknown arguments; None if the call is complete."""
    from difflib import get_close_matches  # needed only for an error

    known = signature(function)
    name = _name_of(function)
    names = [each for each in known.parameters if each != "self"]
    takes_any = any(each.kind is Parameter.VAR_KEYWORD for each in known.parameters.values())
    for given in kwargs:
        if given not in names and not takes_any:
            near = get_close_matches(given, names, n=1)
            if near:
                return ArgumentError(
                    f"{name}: there is no argument {given!r}; did you mean {near[0]!r}?"
                )
            return ArgumentError(
                f"{name}: there is no argument {given!r}; choose from {', '.join(names)}."
            )
    try:
        known.bind(*args, **kwargs)
    except TypeError as e:
        usage = ", ".join(names)
        return ArgumentError(f"{name}: {e}; expected {name}({usage}).")
    return None


def _name_of(function: Callable[..., Any]) -> str:
    return function.__qualname__.removesuffix(".__init__")


def _places(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments that can be given by position."""
    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in signature(function).parameters.values() if p.kind in by_position]


def _rules_of(function: Callable[..., Any], bounds: Mapping[str, Bound]) -> dict[str, Rule]:
    scope = _Scope(function.__globals__)
    found = {}
    for name, annotation in function.__annotations__.items():
        if name == "return":
            continue
        kind = eval(annotation, {}, scope) if isinstance(annotation, str) else annotation
        rule = _rule(kind)
        if rule is not None:
            found[name] = _bounded(rule, bounds[name]) if name in bounds else rule
    return found


def _bounded(rule: Rule, bound: Bound) -> Rule:
    """Return a rule that also checks the numbers of its values."""

    def accepts(value: Any) -> bool:
        if not rule.accepts(value):
            return False
        # A number of NumPy is like an array without axes.
        is_several = isinstance(value, tuple | list) or (_is_array(value) and len(value.shape) > 0)
        return value is None or all(map(bound.accepts, value if is_several else (value,)))

    is_count = bound is _POSITIVE and "whole" in rule.expected
    words = "at least 1" if is_count else bound.words
    return Rule(accepts, f"{rule.expected}, {words}", rule.hint)


class _Scope(dict[str, Any]):
    """Names of a module; a name that only type checkers import is looked up late."""

    def __missing__(self, name: str) -> Any:
        builtin = getattr(sys.modules["builtins"], name, None)
        return builtin if builtin is not None else _Late(name, self["__name__"])


class _Late:
    """A class that a module imports only for type checkers."""

    def __init__(self, name: str, module: str) -> None:
        self.name, self.module = name, module

    def __or__(self, other: Any) -> _Either:
        return _Either((self, other))

    def __ror__(self, other: Any) -> _Either:
        return _Either((other, self))

    def __getitem__(self, _: Any) -> _Late:
        return self

    def resolve(self) -> Any:
        """Return the class or type; None if it cannot be found."""
        try:
            tree = ast.parse(getsource(sys.modules[self.module]))
        except (OSError, TypeError):  # a module without its source, as in a frozen program
            return None
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if (alias.asname or alias.name) == self.name:
                        return getattr(import_module(node.module), alias.name, None)
        return None


class _Either:
    """A union with a late class."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __or__(self, other: Any) -> _Either:
        return _Either((*self.parts, other))

    def __ror__(self, other: Any) -> _Either:
        return _Either((other, *self.parts))


def _rule(kind: Any) -> Rule | None:
    """Return the rule of a type; None if any value may be valid."""
    if isinstance(kind, _Late):
        return _rule_of_late(kind)
    if isinstance(kind, _Either):
        return _any_of(kind.parts)
    if kind == ArrayLike:  # a union, too
        return Rule(_is_array_like, "numbers")
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _any_of(get_args(kind))
    if origin is Annotated:
        return _rule(get_args(kind)[0])
    if origin is Literal:
        return _one_of(get_args(kind))
    if origin is tuple:
        return _tuple_of(get_args(kind))
    if origin is np.ndarray:
        return _array_of(get_args(kind))
    if kind in SIMPLE:
        return SIMPLE[kind]
    if origin is not None:
        return _container(origin)
    return _object_of(kind) if isclass(kind) and kind is not object else None


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, Real) or (getattr(value, "shape", None) == () and _real(value))
    return is_real and not isinstance(value, bool | np.bool_) and value == value


def _real(value: Any) -> bool:
    return getattr(getattr(value, "dtype", None), "kind", "") in "iuf"


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return False
    return isinstance(value, Integral) or (
        getattr(value, "shape", None) == () and getattr(value.dtype, "kind", "") in "iu"
    )


SIMPLE: dict[Any, Rule] = {
    None: Rule(lambda value: value is None, "None"),
    NoneType: Rule(lambda value: value is None, "None"),
    int: Rule(_is_whole, "a whole number"),
    float: Rule(_is_number, "a number"),
    bool: Rule(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    str: Rule(lambda value: isinstance(value, str), "text"),
    Path: Rule(lambda value: isinstance(value, str | os.PathLike), "a path"),
}
"""Rules of builtin types."""


def _any_of(parts: Iterable[Any]) -> Rule | None:
    # A late class last: to decide whether it is one can import it
    in_order = sorted(parts, key=lambda part: isinstance(part, _Late))
    rules = [_rule(part) for part in in_order]
    if any(rule is None for rule in rules):
        return None
    found = [rule for rule in rules if rule is not None]
    # None is the default of most optional arguments, so messages do not list it
    words = list(dict.fromkeys(rule.expected for rule in found if rule.expected != "None"))
    hint = next((rule.hint for rule in found if rule.hint), "")
    return Rule(lambda value: any(r.accepts(value) for r in found), " or ".join(words), hint)


def _one_of(choices: tuple[Any, ...]) -> Rule:
    def accepts(value: Any) -> bool:
        # Arrays have no single answer to ==
        return isinstance(value, _SIMPLE) and any(value == each for each in choices)

    return Rule(accepts, f"one of {', '.join(map(repr, choices))}")


def _tuple_of(entries: tuple[Any, ...]) -> Rule | None:
    """Return the rule of a tuple; lists and arrays of one dimension are accepted too."""
    is_long = len(entries) == 2 and entries[1] is Ellipsis
    inner = _rule(entries[0])
    if inner is None:
        return None
    n = None if is_long else len(entries)
    rules = None if is_long else [_rule(each) for each in entries]

    def accepts(value: Any) -> bool:
        is_list = isinstance(value, tuple | list) or getattr(value, "ndim", 0) == 1
        if not is_list or (n is not None and len(value) != n):
            return False
        pairs = zip(value, rules or [inner] * len(value), strict=True)
        return all(rule is None or rule.accepts(each) for each, rule in pairs)

    return Rule(accepts, _tuple_text(entries[0], n, inner))


def _tuple_text(kind: Any, n: int | None, inner: Rule) -> str:
    names = {int: ("whole numbers", "2"), float: ("numbers", "2.0"), str: ("texts", "'a'")}
    plural, example = names.get(kind, (f"values, each {inner.expected}", ""))
    count = "several" if n is None else NUMBER_WORDS.get(n, str(n))
    such = f", such as ({', '.join([example] * (n or 2))})" if example else ""
    return f"{count} {plural}{such}"


def _is_array(value: Any) -> bool:
    if isinstance(value, type) or not hasattr(value, "shape"):
        return False
    return hasattr(value, "dtype") or hasattr(value, "__dlpack__")


def _is_array_like(value: Any) -> bool:
    if isinstance(value, str | bytes | NoneType):
        return False
    known = ("__array__", "__dlpack__", "__len__", "__float__", "__int__")
    return any(hasattr(value, name) for name in known)


def _array_of(arguments: tuple[Any, ...]) -> Rule:
    """Return the rule of a NumPy array; other libraries' arrays are accepted too."""
    scalar = next(iter(get_args(arguments[1])), None) if len(arguments) > 1 else None
    name = getattr(scalar, "__name__", "")
    kinds = next((k for start, k in KINDS.items() if name.startswith(start)), "")

    def accepts(value: Any) -> bool:
        if not _is_array(value):
            return False
        # A tensor of another library has a type without a kind
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        return not kinds or not kind or kind in kinds

    words = f"an array of {name}" if kinds else "an array"
    return Rule(accepts, words, "convert it with numpy.asarray" if not kinds else "")


_SIMPLE = (str, int, float, NoneType)
KINDS = {"int": "iu", "uint": "iu", "float": "fiu", "bool": "b"}
"""Beginning of the name of a NumPy type to the kinds of arrays that it accepts."""


def _container(origin: Any) -> Rule | None:
    if isclass(origin) and issubclass(origin, Mapping):
        return Rule(lambda value: isinstance(value, Mapping), "a dictionary")
    if origin is Callable or origin is type(Callable):
        return Rule(callable, "a function")
    if isclass(origin) and issubclass(origin, Sequence | Collection):
        return Rule(
            lambda value: isinstance(value, Iterable) and not isinstance(value, str), "a list"
        )
    return None


def _object_of(kind: type) -> Rule | None:
    if getattr(kind, "_is_protocol", False):
        return _like(kind)
    return Rule(lambda value: isinstance(value, kind), *_words_for(kind.__name__))


def _words_for(name: str) -> tuple[str, str]:
    return f"an object of {name}", HINTS.get(name, "")


def _like(protocol: type) -> Rule:
    """Return the rule of a protocol: all of its public members exist."""
    members = {
        name
        for each in protocol.__mro__
        if getattr(each, "_is_protocol", False)
        for name in (*vars(each), *getattr(each, "__annotations__", ()))
        if not name.startswith("_")
    }
    # A class has the members of its objects, but is none of them
    return Rule(
        lambda value: not isclass(value) and all(hasattr(value, name) for name in members),
        *_words_for(protocol.__name__),
    )


def _rule_of_late(late: _Late) -> Rule | None:
    """Return the rule of a class that is imported only if its name is not in the value's type."""
    resolved: list[Rule | None] = []

    def accepts(value: Any) -> bool:
        if any(each.__name__ == late.name for each in type(value).__mro__):
            return True
        if not resolved:
            kind = late.resolve()
            resolved.append(None if kind is None else _rule(kind))
        rule = resolved[0]
        return rule is None or rule.accepts(value)

    if late.name in LATE_ARRAYS:
        return Rule(_is_array, "an array", "convert it with numpy.asarray")
    return Rule(accepts, *_words_for(late.name))


LATE_ARRAYS = ("Array", "Column")
"""Names of types for arrays."""
