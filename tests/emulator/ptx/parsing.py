"""PTX as NVRTC prints it, read line by line (NVIDIA, PTX ISA 9.0, chapters 4, 5 and 9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ENTRY = re.compile(r"(?:\.visible\s+)?\.entry\s+(\w+)\s*\(")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.(?:ptr|global|const|shared)\s+)*"
    r"(?:\.align\s+\d+\s+)?([A-Za-z_]\w*)(?:\[(\d+)\])?"
)
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+%(\w+)<(\d+)>;")
_REGISTER = re.compile(r"\.reg\s+\.(\w+)\s+%(\w+);")
_VARIABLE = re.compile(
    r"(?:\.(?:visible|weak|extern)\s+)?\.(const|shared|global|local)\s+\.align\s+(\d+)\s+\.(\w+)\s+"
    r"([\w$]+)(?:\[(\d*)\])?(?:\s*=\s*(.*?))?;"
)
_MAX_THREADS = re.compile(r"\.maxntid\s+(.*)")
_INSTRUCTION = re.compile(r"(?:@(!?%\w+)\s+)?([a-z][\w.:]*)\s*(.*);")
_USED = re.compile(r'\.pragma\s+"used_bytes_mask (\w+)";')
_LABEL = re.compile(r"([$\w]+):")
_IGNORED = (".version", ".target", ".address_size", ".pragma", ".minnctapersm", "//")


class PtxError(Exception):
    """PTX that the executor does not support; the message has the line."""


@dataclass(frozen=True)
class Variable:
    """A variable in a state space.

    Attributes
    ----------
    space : "const", "shared", "local" or "global"
    align : alignment of its address [bytes]
    type : type of its elements, such as "b8"
    n : number of elements
    values : initial values, as in the text; empty if there are none
    """

    space: str
    align: int
    type: str
    name: str
    n: int
    values: tuple[str, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Return its size in bytes."""
        return self.n * bits(self.type) // 8


@dataclass(frozen=True)
class Instruction:
    """One instruction, or a label with the `opcode` ":".

    Attributes
    ----------
    line : line in the text, from 1
    guard : predicate, such as "!%p1", that must be true; empty if there is none
    opcode, operands : as in the text
    used_bytes : bit mask of the bytes of a load that are used; None for all
    """

    line: int
    guard: str
    opcode: str
    operands: tuple[str, ...]
    used_bytes: int | None = None


@dataclass
class Entry:
    """A kernel: its parameters (name, type; bytes), registers and instructions."""

    name: str
    parameters: list[tuple[str, str]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    code: list[Instruction] = field(default_factory=list)
    max_threads: int = 1024

    def take(self, type_: str, name: str, n: str | None) -> None:
        """Add a parameter, with `n` elements if it is a structure."""
        self.parameters.append((name, type_))
        self.sizes.append(bits(type_) // 8 * int(n or 1))


@dataclass
class PtxModule:
    """A PTX text: its kernels and the variables that they share."""

    variables: list[Variable] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


def bits(type_: str) -> int:
    """Return the width of a type, such as 32 for "f32"."""
    return 1 if type_ == "pred" else int(type_[1:])


def parse(text: str) -> PtxModule:
    """Read a module.

    Raises
    ------
    PtxError
        for a line in an unsupported form
    """
    return _Reader().read(text)


class _Reader:
    """State between two lines: the current entry, and the used bytes of the next load."""

    def __init__(self) -> None:
        self._module = PtxModule()
        self._entry: Entry | None = None
        self._used: int | None = None
        self._depth = 0

    def read(self, text: str) -> PtxModule:
        for number, raw in enumerate(text.splitlines(), 1):
            bare = raw.split("//")[0].strip()
            self._depth += bare.count("{") - bare.count("}")
            # scopes within a kernel do not matter: a register has one type in all of them
            line = re.sub(r"^\{\s*|(?<=;)\s*\}$", "", bare)
            if line and line not in ("}", ")"):
                self._statement(number, line)
            elif bare == "}" and self._depth == 0:
                self._entry = None
        return self._module

    def _statement(self, number: int, line: str) -> None:
        if found := _USED.match(line):
            self._used = int(found[1], 0)
        elif line.startswith(_IGNORED):
            return
        elif found := _ENTRY.match(line):
            self._entry = Entry(found[1])
            self._module.entries.append(self._entry)
            for given in _PARAMETER.findall(line):
                self._entry.take(*given)
        elif found := _VARIABLE.fullmatch(line):
            (self._entry or self._module).variables.append(_variable(found))
        elif self._entry is None or not self._inside(self._entry, number, line):
            raise PtxError(f"PTX, line {number}: {line!r} is not known.")

    def _inside(self, entry: Entry, number: int, line: str) -> bool:
        if found := _PARAMETER.match(line):
            entry.take(*found.groups())
        elif found := _MAX_THREADS.match(line):
            entry.max_threads = 1
            for n in found[1].split(","):
                entry.max_threads *= int(n)
        elif found := _REGISTERS.fullmatch(line):
            entry.registers |= {f"%{found[2]}{i}": found[1] for i in range(int(found[3]))}
        elif found := _REGISTER.fullmatch(line):
            entry.registers[f"%{found[2]}"] = found[1]
        elif found := _LABEL.fullmatch(line):
            entry.code.append(Instruction(number, "", ":", (found[1],)))
        elif found := _INSTRUCTION.fullmatch(line):
            guard, opcode, rest = found.groups()
            used, self._used = self._used, None
            entry.code.append(Instruction(number, guard or "", opcode, split(rest), used))
        else:
            return False
        return True


def _variable(found: re.Match[str]) -> Variable:
    space, align, type_, name, n, values = found.groups()
    given = tuple(value.strip() for value in (values or "").strip("{}").split(",") if value)
    return Variable(space, int(align), type_, name, int(n) if n else 1, given)


def split(text: str) -> tuple[str, ...]:
    """Return the operands of an instruction or of one operand; ignore commas inside brackets."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    last = current.strip()
    return (*parts, last) if last else tuple(parts)
