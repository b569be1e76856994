"""Arithmetic, comparisons, conversions and moves of PTX as C++ (PTX ISA, sections 9.7.1 to 9.7.9).

Each function takes the parts of the opcode and returns type and expression of the result. An
instruction that is not in the tables raises `PtxError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.emulator.ptx.parsing import bits
from tests.emulator.ptx.values import Scope, c_type, parts

Result = tuple[str, str]
_ROUNDINGS = {"rn", "rm", "rp", "rz"}
_INTEGERS = {f"{kind}{n}" for kind in "sub" for n in (8, 16, 32, 64)}
_REALS = {"f32", "f64"}
_WHOLE = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SAME = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}


def result(scope: Scope) -> Result | None:
    """Return type and expression of a result, or None if the instruction is of another family."""
    name, *rest = scope.at.opcode.split(".")
    family = _FAMILIES.get(name)
    if family is None:
        return None
    if "ftz" not in rest or "f32" not in rest:
        return family(scope, name, rest)
    rest.remove("ftz")
    type_, expression = family(replace(scope, flushes=True), name, rest)
    return type_, f"ptx::flushed({expression})" if type_ == "f32" else expression


def _arguments(scope: Scope, type_: str) -> list[str]:
    return [scope.value(operand, type_) for operand in scope.at.operands[1:]]


def _known(scope: Scope, rest: list[str], *allowed: str) -> None:
    for part in rest[:-1]:
        if part not in allowed:
            raise scope.refuse(f".{part}")


def _sum(scope: Scope, name: str, rest: list[str]) -> Result:
    type_ = rest[-1]
    a, b = _arguments(scope, type_)
    sign = {"add": "+", "sub": "-"}[name]
    if type_ in _INTEGERS:
        _known(scope, rest)
        return type_, f"ptx::wrapped<{c_type(type_)}>({a} {sign} uint64_t({b}))"
    if rest == ["rm", "f32"]:
        return type_, f"ptx::down({a}, {sign}{b})"
    _known(scope, rest, "rn")
    return type_, f"{a} {sign} {b}"


def _product(scope: Scope, name: str, rest: list[str]) -> Result:
    type_ = rest[-1]
    a, b, *more = _arguments(scope, type_) if rest[0] != "wide" else _wide_arguments(scope, type_)
    if type_ in _REALS:
        _known(scope, rest, "rn")
        return type_, f"{a} * {b}"
    if rest[0] == "wide":
        type_ = f"{type_[0]}{2 * bits(type_)}"
        exact = f"({c_type(type_)}({a}) * {c_type(type_)}({b}))"
    elif rest[0] == "hi":
        wide = "__int128" if type_[0] == "s" else "unsigned __int128"
        exact = f"uint64_t((({wide}){a} * ({wide}){b}) >> {bits(type_)})"
    elif rest[0] == "lo":
        exact = f"(uint64_t({a}) * uint64_t({b}))"
    else:
        raise scope.refuse(f".{rest[0]} of {type_}")
    if name == "mad":
        exact = f"({exact} + uint64_t({more[0]}))"
    return type_, f"ptx::wrapped<{c_type(type_)}>({exact})"


def _wide_arguments(scope: Scope, type_: str) -> list[str]:
    a, b, *more = scope.at.operands[1:]
    wide = f"{type_[0]}{2 * bits(type_)}"
    return [scope.value(a, type_), scope.value(b, type_), *(scope.value(c, wide) for c in more)]


def _fused(scope: Scope, name: str, rest: list[str]) -> Result:
    if rest == ["rm", "f32"]:
        return "f32", f"ptx::fused_down({', '.join(_arguments(scope, 'f32'))})"
    if rest not in (["rn", "f32"], ["rn", "f64"]):
        raise scope.refuse(".".join(rest))
    return rest[-1], f"fma({', '.join(_arguments(scope, rest[-1]))})"


def _quotient(scope: Scope, name: str, rest: list[str]) -> Result:
    type_ = rest[-1]
    values = ", ".join(_arguments(scope, type_))
    if type_ in _INTEGERS and len(rest) == 1:
        kind = "quotient" if name == "div" else "remainder"
        return type_, f"ptx::{kind}({values}, {scope.at.line})"
    if rest == ["approx", "f32"]:
        return type_, f"ptx::div_approx({values})"
    if name != "div" or rest[0] != "rn":
        raise scope.refuse(".".join(rest))
    return type_, "({} / {})".format(*_arguments(scope, type_))


def _of_one(scope: Scope, name: str, rest: list[str]) -> Result:
    """rcp, sqrt, lg2, ex2, rsqrt: exact if the GPU rounds correctly, close if it approximates."""
    (value,), form = _arguments(scope, rest[-1]), ".".join(rest)
    known = {
        "rcp.rn.f32": "1.0f / {}", "rcp.rn.f64": "1.0 / {}",
        "rcp.approx.ftz.f64": "ptx::rcp_approx({})", "rcp.approx.f32": "1.0f / {}",
        "sqrt.rn.f32": "sqrt({})", "sqrt.rn.f64": "sqrt({})", "sqrt.approx.f32": "sqrt({})",
        "rsqrt.approx.f32": "1.0f / sqrt({})",
        "lg2.approx.f32": "log2({})", "ex2.approx.f32": "exp2({})",
    }  # fmt: skip
    if f"{name}.{form}" not in known:
        raise scope.refuse(form)
    return rest[-1], known[f"{name}.{form}"].format(value)


def _sign(scope: Scope, name: str, rest: list[str]) -> Result:
    type_ = rest[-1]
    _known(scope, rest)
    value = _arguments(scope, type_)[0]
    if type_ in _REALS:
        mask = f"1{'ull' if type_ == 'f64' else 'u'} << {bits(type_) - 1}"
        real = f"ptx::as<{c_type(type_)}>"
        of_bits = f"ptx::as<uint{bits(type_)}_t>({value})"
        return type_, f"{real}({of_bits} {'& ~' if name == 'abs' else '^ '}({mask}))"
    negative = f"ptx::wrapped<{c_type(type_)}>(-uint64_t({value}))"
    return type_, f"({value} < 0 ? {negative} : {value})" if name == "abs" else negative


def _copysign(scope: Scope, name: str, rest: list[str]) -> Result:
    sign, value = _arguments(scope, rest[-1])
    return rest[-1], f"copysign({value}, {sign})"


def _extreme(scope: Scope, name: str, rest: list[str]) -> Result:
    _known(scope, rest)
    return rest[-1], f"ptx::{name}imum({', '.join(_arguments(scope, rest[-1]))})"


def _logic(scope: Scope, name: str, rest: list[str]) -> Result:
    _known(scope, rest)
    a, *more = _arguments(scope, rest[-1])
    if name == "not":
        return rest[-1], f"!{a}" if rest[-1] == "pred" else f"~{a}"
    return rest[-1], f"({a} {_BITWISE[name]} {more[0]})"


def _shift(scope: Scope, name: str, rest: list[str]) -> Result:
    value, by = scope.at.operands[1:]
    kind = "left" if name == "shl" else "right"
    return rest[-1], f"ptx::{kind}({scope.value(value, rest[-1])}, {scope.value(by, 'u32')})"


def _field(scope: Scope, name: str, rest: list[str]) -> Result:
    types = {"bfi": (rest[-1], rest[-1]), "bfe": (rest[-1],)}[name]
    values = [
        scope.value(operand, types[i] if i < len(types) else "u32")
        for i, operand in enumerate(scope.at.operands[1:])
    ]
    return rest[-1], f"ptx::{name}({', '.join(values)})"


def _permuted(scope: Scope, name: str, rest: list[str]) -> Result:
    if rest != ["b32"]:
        raise scope.refuse(".".join(rest))
    return "b32", f"ptx::permuted({', '.join(_arguments(scope, 'b32'))})"


def _dot(scope: Scope, name: str, rest: list[str]) -> Result:
    """dp2a: two products of 16-bit and 8-bit numbers, and a sum."""
    if rest not in (["lo", "u32", "u32"], ["hi", "u32", "u32"]):
        raise scope.refuse(".".join(rest))
    a, b, c = _arguments(scope, "u32")
    return "u32", f"ptx::dot2({a}, {b} >> {16 if rest[0] == 'hi' else 0}, {c})"


def _counted(scope: Scope, name: str, rest: list[str]) -> Result:
    """popc, clz: count bits."""
    of = {"popc": "__builtin_popcountll", "clz": f"ptx::clz<{bits(rest[-1])}>"}[name]
    return "u32", f"{of}({_arguments(scope, rest[-1])[0]})"


def _compared(scope: Scope, name: str, rest: list[str]) -> Result:
    how, *middle, type_ = rest
    if middle:
        raise scope.refuse(".".join(middle))
    a, b = _arguments(scope, type_)
    how = _SAME.get(how, how)
    if how in ("num", "nan"):
        return "pred", f"{'!' if how == 'num' else ''}({a} != {a} || {b} != {b})"
    if how == "ne" and type_ in _REALS:
        return "pred", f"({a} < {b} || {a} > {b})"
    if how in _SIGNS:
        return "pred", f"({a} {_SIGNS[how]} {b})"
    if how == "equ":
        return "pred", f"!({a} < {b} || {a} > {b})"
    if how[:-1] not in _SIGNS:
        raise scope.refuse(f".{how}")
    return "pred", f"!({a} {_SIGNS[_OPPOSITE[how[:-1]]]} {b})"


def _selected(scope: Scope, name: str, rest: list[str]) -> Result:
    a, b, which = scope.at.operands[1:]
    a, b = scope.value(a, rest[-1]), scope.value(b, rest[-1])
    return rest[-1], f"({scope.value(which, 'pred')} ? {a} : {b})"


def _converted(scope: Scope, name: str, rest: list[str]) -> Result:
    *how, to, of = rest
    value = scope.value(scope.at.operands[1], of)
    if how == ["sat"] and to == of == "f32":
        return to, f"ptx::saturated({value})"
    if of in _INTEGERS and (how == [] or (how == ["rn"] and to in _REALS)):
        return to, f"{c_type(to)}({value})"
    if len(how) == 1 and how[0] in _WHOLE and of in _REALS:
        whole = f"{_WHOLE[how[0]]}({value})"
        return to, whole if to == of else f"ptx::integer<{c_type(to)}>({whole})"
    if {of, to} == _REALS and how == (["rn"] if to == "f32" else []):
        return to, f"{c_type(to)}({value})"
    raise scope.refuse(".".join(rest))


def _moved(scope: Scope, name: str, rest: list[str]) -> Result:
    type_, source = rest[-1], scope.at.operands[1]
    if not source.startswith("{"):
        return type_, scope.value(source, type_)
    given = parts(source)
    width = bits(type_) // len(given)
    joined = " | ".join(
        f"uint64_t({scope.value(part, f'b{width}')}) << {i * width}" for i, part in enumerate(given)
    )
    return type_, f"{c_type(type_)}({joined})"


def _address(scope: Scope, name: str, rest: list[str]) -> Result:
    if rest not in (["to", "global", "u64"], ["to", "local", "u64"], ["local", "u64"]):
        raise scope.refuse(".".join(rest))
    return "u64", _arguments(scope, "u64")[0]


_FAMILIES: dict[str, Callable[[Scope, str, list[str]], Result]] = {
    "add": _sum, "sub": _sum, "mul": _product, "mad": _product, "fma": _fused,
    "div": _quotient, "rem": _quotient,
    **dict.fromkeys(("rcp", "sqrt", "rsqrt", "lg2", "ex2"), _of_one),
    "abs": _sign, "neg": _sign, "copysign": _copysign, "min": _extreme, "max": _extreme,
    **dict.fromkeys(("and", "or", "xor", "not"), _logic),
    "shl": _shift, "shr": _shift, "bfi": _field, "bfe": _field, "prmt": _permuted,
    "popc": _counted, "clz": _counted, "dp2a": _dot, "setp": _compared, "selp": _selected,
    "cvt": _converted, "mov": _moved, "cvta": _address,
}  # fmt: skip
