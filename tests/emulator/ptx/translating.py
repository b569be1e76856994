"""Translate PTX to C++: a kernel becomes a function that a fiber runs."""

from __future__ import annotations

import struct

from tests.emulator.ptx.accesses import label, statement
from tests.emulator.ptx.arithmetic import result
from tests.emulator.ptx.flow import Flow, Stretch
from tests.emulator.ptx.parsing import Entry, Instruction, PtxModule, Variable, bits
from tests.emulator.ptx.values import Scope, raw, variable

_CODES = {"f32": "<f", "f64": "<d"}
_COUNTED = "#define CUDA_CPU_PTX_COUNTED\n"
_HEAD = '#include "cuda_cpu.h"\n#include "ptx/ptx.h"\nnamespace kernel_text {\n'


def translated(module: PtxModule, *, counted: bool = False) -> str:
    """Return C++ for `compiling.library_of`, with a launch function for every kernel.

    counted : also count issue slots and accesses of warps, which takes ten times as long

    Raises
    ------
    PtxError
        for an instruction that the executor does not support
    """
    constants = {v.name: v for v in module.variables if v.space == "const"}
    lines = [_constant(variable) for variable in constants.values()]
    places = ", ".join(f"{{(char*)&{v.name}, {v.n_bytes}}}" for v in constants.values())
    lines.append(f"static const ptx::Constant constants[] = {{{places or '{nullptr, 0}'}}};")
    for entry in module.entries:
        lines += _kernel(entry, module, constants, Flow(entry) if counted else None)
    definitions = [f"CUDA_CPU_CONSTANT({name})" for name in constants]
    definitions += [f"CUDA_CPU_PTX_KERNEL({entry.name})" for entry in module.entries]
    if counted:
        definitions += [f"CUDA_CPU_PTX_COUNTS({entry.name})" for entry in module.entries]
    return (_COUNTED if counted else "") + _HEAD + "\n".join((*lines, *definitions)) + "\n}\n"


def _constant(v: Variable) -> str:
    code = _CODES.get(v.type, f"<{'_BH_I___Q'[bits(v.type) // 8]}")
    values = b"".join(_bytes(value, code) for value in v.values)
    values = values.ljust(v.n_bytes, b"\0")
    written = ", ".join(map(str, values)) if v.values else ""
    head = f"alignas({v.align}) static unsigned char {v.name}"
    return f"{head}[{v.n_bytes}] = {{{written}}};"


def _bytes(value: str, code: str) -> bytes:
    if code in _CODES.values():
        return bytes.fromhex(value[2:])[::-1]  # 0f or 0d, and the bits
    return struct.pack(code, int(value, 0) % 2 ** (8 * struct.calcsize(code)))


def _kernel(
    entry: Entry, module: PtxModule, constants: dict[str, Variable], flow: Flow | None
) -> list[str]:
    shared, n_bytes = _offsets([*module.variables, *entry.variables], "shared")
    local, n_local = _offsets(entry.variables, "local")
    name = entry.name
    lines = [
        *(_counts(entry, flow) if flow else ()),
        f"static thread_local ptx::Shared<{max(n_bytes, 16)}, {_grain(entry)}> shared_of_{name};",
        f"static void {name}(void** arguments) {{",
        *(f"{raw(type_)} {variable(name)}{{}};" for name, type_ in entry.registers.items()),
        f"alignas(16) char local[{max(n_local, 16)}];",
        f"ptx::SharedView seen = shared_of_{name}.view();",
        *([f"seen.tracer = &tracer_of_{name}, seen.counts = ptx_counts_of_{name};"] * bool(flow)),
        f"ptx::Thread self(arguments[{len(entry.parameters)}], seen, "
        "constants, sizeof constants / sizeof *constants, local, sizeof local);",
    ]
    for number, stretch in enumerate(flow.stretches if flow else [Stretch(tuple(entry.code), ())]):
        code = [_line(Scope(entry, shared, local, constants, at)) for at in stretch.code]
        if flow:  # after the label, so that jumps to it are counted
            code.insert(stretch.n_labels, f"self.enter({flow.order[number]});")
        lines += code
    return [*lines, "}"]


def _counts(entry: Entry, flow: Flow) -> list[str]:
    """Return the arrays for the counts of a kernel: by stretch, and by line of the text."""
    name, n_lines = entry.name, 1 + max((at.line for at in entry.code), default=0)
    return [
        f"static thread_local ptx::Tracer tracer_of_{name};",
        f"static ptx::Stretch stretches_in_{name}[{len(flow.stretches)}];",
        f"static ptx::Touched touched_in_{name}[{n_lines}];",
        f"static const ptx::Counts ptx_counts_of_{name} = "
        f"{{stretches_in_{name}, touched_in_{name}}};",
    ]


def _line(scope: Scope) -> str:
    at: Instruction = scope.at
    if at.opcode == ":":
        return f"{label(at.operands[0])}:;"
    does = statement(scope)
    if does is None:
        found = result(scope)
        if found is None:
            raise scope.refuse("it")
        is_parted = at.operands[0].startswith("{")
        does = _parted(scope, *found) if is_parted else scope.set(at.operands[0], *found)
    return f"if ({scope.value(at.guard, 'pred')}) {{ {does} }}" if at.guard else does


def _parted(scope: Scope, type_: str, expression: str) -> str:
    """Return a move into several registers, lowest bits into the first."""
    targets = [part.strip() for part in scope.at.operands[0].strip("{}").split(",")]
    width = bits(type_) // len(targets)
    does = (
        scope.set(target, f"b{width}", f"whole >> {i * width}") for i, target in enumerate(targets)
    )
    return f"{{ const uint64_t whole = {expression}; {' '.join(does)} }}"


def _grain(entry: Entry) -> int:
    """Return the granularity of shared memory in bytes: 1 if there are single-byte accesses."""
    touched = (at.opcode.split(".") for at in entry.code)
    is_fine = any("shared" in parts and bits(parts[-1]) == 8 for parts in touched)
    return 1 if is_fine else 2


def _offsets(variables: list[Variable], space: str) -> tuple[dict[str, int], int]:
    """Return the offsets of the variables in a space and their total bytes."""
    places, end = {}, 0
    for v in variables:
        if v.space == space:
            places[v.name] = -(-end // v.align) * v.align
            end = places[v.name] + v.n_bytes
    return places, end
