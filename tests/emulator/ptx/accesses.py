"""Memory, textures, barriers and warps of PTX as C++ (PTX ISA, sections 9.7.9, 9.7.10 and 9.7.13).

Every access goes through ptx.h, which checks the address. A function returns the C++ statement of
an instruction, or None if the instruction belongs to another family.
"""

from __future__ import annotations

from tests.emulator.ptx.parsing import bits
from tests.emulator.ptx.values import Scope, c_type, parts

_CACHED = {"nc", "weak", "relaxed", "gpu"}
_SPACES = ("global", "shared", "const", "param", "local")
_ATOMIC = {"add", "min", "max", "exch", "and", "or", "xor"}
_TEXTURES = {"2d": ("tex2D", 2), "3d": ("tex3D", 3), "a2d": ("tex2DLayered", 2)}


def statement(scope: Scope) -> str | None:
    """Return an instruction as a C++ statement, or None if it belongs to another family."""
    name, *rest = scope.at.opcode.split(".")
    operands = scope.at.operands
    if name == "ld" and rest[0] == "param":
        at = _parameter(scope, operands[1])
        return scope.set(operands[0], rest[-1], f"ptx::got<{c_type(rest[-1])}>({at})")
    if name in ("ld", "st"):
        return _moved(scope, name, rest)
    if name in ("atom", "red"):
        return _atomic(scope, name, rest)
    if name == "tex":
        return _texture(scope, rest)
    if name in ("shfl", "vote"):
        return _exchanged(scope, name, rest)
    if name in ("bar", "barrier"):
        return _barrier(scope, rest)
    if name in ("membar", "fence"):
        return "__threadfence();"
    if name in ("ret", "exit"):
        return "return;"
    if name == "bra":
        return f"goto {label(operands[0])};"
    return None


def label(name: str) -> str:
    """Return a label in C++."""
    return name.replace("$", "_at")


def _parameter(scope: Scope, operand: str) -> str:
    names = [name for name, _ in scope.entry.parameters]
    name, _, at = operand.strip("[]").partition("+")
    if name not in names:
        raise scope.refuse(f"the parameter {operand!r}")
    return f"(const char*)arguments[{names.index(name)}] + {int(at or 0)}"


def _moved(scope: Scope, name: str, rest: list[str]) -> str:
    """Return a load or store of a value or vector; its address must be a multiple of its size."""
    spaces = [part for part in rest if part in _SPACES]
    others = set(rest[:-1]) - set(spaces) - _CACHED - {"v2", "v4"}
    if len(spaces) != 1 or others:
        raise scope.refuse(".".join(rest))
    space, type_ = spaces[0], rest[-1]
    place, given = scope.at.operands if name == "st" else reversed(scope.at.operands)
    each, values = bits(type_) // 8, parts(given)
    n_bytes = each * len(values)
    used = scope.at.used_bytes
    mask = f"{(1 << n_bytes) - 1 if used is None else used:#x}"
    kind = {"ld": "load", "st": "store"}[name]
    at = f"self.{kind}_{space}({scope.place(place, space)}, {n_bytes}, {mask}, {scope.at.line})"
    if space != "shared":
        at = at.replace(f"{kind}_{space}(", f"{kind}_{space}(hint, ")
    does = [
        scope.set(value, type_, f"ptx::got<{c_type(type_)}>(from + {i * each})")
        if name == "ld"
        else f"ptx::put(to + {i * each}, {scope.value(value, type_)});"
        for i, value in enumerate(values)
    ]
    name = "const char* from" if name == "ld" else "char* to"
    hint = "" if space == "shared" else "static unsigned hint; "
    return f"{{ {hint}{name} = {at}; {' '.join(does)} }}"


def _atomic(scope: Scope, name: str, rest: list[str]) -> str:
    *how, change, type_ = rest
    if set(how) - _CACHED != {"global"} or change not in _ATOMIC:
        raise scope.refuse(".".join(rest))
    target, place, value = scope.at.operands if name == "atom" else ("_", *scope.at.operands)
    n_bytes, kind = bits(type_) // 8, c_type(type_)
    at = f"self.atomic(hint, {scope.place(place, 'global')}, {n_bytes}, {scope.at.line})"
    new = f"ptx::atomic_{change}<{kind}>({at}, {scope.value(value, type_)})"
    return f"{{ static unsigned hint; {scope.set(target, type_, new)} }}"


def _texture(scope: Scope, rest: list[str]) -> str:
    kind, *types = rest
    if kind not in _TEXTURES or types != ["v4", "f32", "f32"]:
        raise scope.refuse(".".join(rest))
    function, n = _TEXTURES[kind]
    handle, where = scope.at.operands[1].strip("[]").split(",", 1)
    given = parts(where.strip())
    along = [scope.value(part, "f32") for part in (given[1:] if kind == "a2d" else given)[:n]]
    if kind == "a2d":
        along.append(scope.value(given[0], "s32"))
    value = f"{function}<float>({scope.value(handle, 'u64')}, {', '.join(along)}, {scope.at.line})"
    targets = parts(scope.at.operands[0])
    # one channel: the others are 0, 0 and 1
    does = [scope.set(targets[0], "f32", "found")]
    does += [scope.set(targets[i], "f32", f"{float(i == 3)}f") for i in (1, 2, 3)]
    fetch = f"self.fetch({scope.at.line});"
    return f"{{ {fetch} const float found = {value}; {' '.join(does)} }}"


def _exchanged(scope: Scope, name: str, rest: list[str]) -> str:
    operands, line = scope.at.operands, scope.at.line
    if name == "vote" and rest[0] == "sync" and rest[1] in ("ballot", "any", "all"):
        type_ = "b32" if rest[1] == "ballot" else "pred"
        mask = scope.value(operands[2], "u32")
        vote = f"__{rest[1]}_sync({mask}, {scope.value(operands[1], 'pred')}, {line})"
        return scope.set(operands[0], type_, vote)
    if name != "shfl" or rest[0] != "sync" or rest[-1] != "b32":
        raise scope.refuse(".".join(rest))
    target, _, inside = operands[0].partition("|")
    value, by, clamp, mask = (scope.value(operand, "u32") for operand in operands[1:])
    does = [
        f"const ptx::Shuffled shuffled = ptx::shuffled_{rest[1]}({value}, {by}, {clamp}, {mask}, "
    ]
    does[0] += f"{line});"
    does.append(scope.set(target, "b32", "shuffled.value"))
    if inside:
        does.append(scope.set(inside, "pred", "shuffled.inside"))
    return f"{{ {' '.join(does)} }}"


def _barrier(scope: Scope, rest: list[str]) -> str:
    if rest == ["warp", "sync"]:
        mask = scope.value(scope.at.operands[0], "u32")
        return f"self.wait_for_warp({mask}, {scope.at.line});"
    if rest not in (["sync"], ["sync", "aligned"]) or scope.at.operands != ("0",):
        raise scope.refuse(".".join(rest))
    return f"self.wait_for_block({scope.at.line});"
