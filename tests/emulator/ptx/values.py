"""PTX operands as C++ expressions: registers are bits, and instructions give their type.

PTX ISA, section 9.4: operands wider than an instruction are truncated. Results narrower than their
register are extended, with the sign if the instruction has a signed type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.emulator.ptx.parsing import Entry, Instruction, PtxError, Variable, bits

_NUMBER = re.compile(r"(-?(?:0[xX][0-9a-fA-F]+|\d+))U?")
_FLOAT = re.compile(r"0([fFdD])([0-9a-fA-F]{8}|[0-9a-fA-F]{16})")
_PLACE = re.compile(r"\[([%\w$]+)(?:\+(-?\d+))?\]")
_ALONG = ("x", "y", "z")
_SPECIAL = {
    f"%{ptx}.{axis}": f"{cuda}.{axis}"
    for ptx, cuda in (
        ("tid", "threadIdx"), ("ctaid", "blockIdx"), ("ntid", "blockDim"), ("nctaid", "gridDim"),
    )
    for axis in _ALONG
} | {"%laneid": "(uint32_t)cpu::lane"}  # fmt: skip


def c_type(type_: str) -> str:
    """Return the C++ name of a PTX type."""
    if type_ == "pred":
        return "bool"
    if type_ in ("f32", "f64"):
        return {"f32": "float", "f64": "double"}[type_]
    return f"{'' if type_[0] == 's' else 'u'}int{bits(type_)}_t"


def raw(type_: str) -> str:
    """Return the C++ type for the bits of a register."""
    return "bool" if type_ == "pred" else f"uint{bits(type_)}_t"


def variable(register: str) -> str:
    """Return the C++ name of a register, which cannot collide with other names."""
    return f"v_{register[1:]}"


@dataclass
class Scope:
    """Names that an instruction can use, and its position."""

    entry: Entry
    shared: dict[str, int]
    """Offsets of variables in shared memory [bytes]."""
    local: dict[str, int]
    """Offsets of variables in the thread's local memory [bytes]."""
    constants: dict[str, Variable]
    at: Instruction
    flushes: bool = False
    """True if subnormal numbers of single precision are flushed to 0 (.ftz)."""

    def refuse(self, what: str) -> PtxError:
        """Return an error for unsupported PTX."""
        return PtxError(f"PTX, line {self.at.line}: {self.at.opcode}: {what} is not known.")

    def value(self, operand: str, type_: str) -> str:
        """Return an operand, read as this type."""
        value = self._value(operand, type_)
        return f"ptx::flushed({value})" if self.flushes and type_ == "f32" else value

    def _value(self, operand: str, type_: str) -> str:
        as_type = f"ptx::as<{c_type(type_)}>"
        if operand in _SPECIAL:
            return f"{as_type}({_SPECIAL[operand]})"
        if operand.lstrip("!") in self.entry.registers:
            if type_ == "pred":
                return operand.replace("%", "v_")
            return f"{as_type}({variable(operand)})"
        if found := _FLOAT.fullmatch(operand):
            kind = "uint32_t" if found[1] in "fF" else "uint64_t"
            return f"{as_type}({kind}(0x{found[2]}))"
        if found := _NUMBER.fullmatch(operand):
            if type_ == "pred":
                return "true" if int(found[1], 0) else "false"
            return f"{as_type}({raw(type_)}({int(found[1], 0) % 2 ** bits(type_)}ull))"
        if operand in self.shared:
            return f"{as_type}(uint32_t({self.shared[operand]}))"
        if operand in self.local:
            return f"{as_type}((uint64_t)local + {self.local[operand]})"
        if operand in self.constants:
            return f"{as_type}((uint64_t)&{operand})"
        raise self.refuse(f"the operand {operand!r}")

    def set(self, register: str, type_: str, expression: str) -> str:
        """Return a statement that assigns an expression of this type to a register."""
        if register == "_":
            return f"(void)({expression});"
        if register not in self.entry.registers:
            raise self.refuse(f"the register {register!r}")
        width = self.entry.registers[register]
        if bits(width) < bits(type_):
            raise self.refuse(f"a result wider than {register}")
        name = variable(register)
        if "pred" in (type_, width):
            return f"{name} = {expression};"
        if type_[0] == "s":
            return f"{name} = {raw(width)}(int{bits(width)}_t({c_type(type_)}({expression})));"
        return f"{name} = ptx::as<{raw(type_)}>({c_type(type_)}({expression}));"

    def place(self, operand: str, space: str) -> str:
        """Return the address of a memory operand: 64 bits, or 32 bits in shared memory."""
        found = _PLACE.fullmatch(operand)
        if not found:
            raise self.refuse(f"the address {operand!r}")
        type_ = "u32" if space == "shared" else "u64"
        base = self.value(found[1], type_)
        return f"{c_type(type_)}({base} + ({found[2] or 0}))"


def parts(operand: str) -> list[str]:
    """Return the registers of a vector, or the single register."""
    return [part.strip() for part in operand.strip("{}").split(",")]
