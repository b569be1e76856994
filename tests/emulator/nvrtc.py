"""Call NVRTC without CuPy and driver: compile a source and read the resources of its kernels."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from tests.emulator.compiled_cache import cached_file, digest

_LIBRARY = re.compile(r"(libnvrtc\.so\.\d+|nvrtc64_\d+_0\.dll)$")
_KERNEL = re.compile(
    r"Compiling entry function '(?P<name>\w+)' for 'sm_\d+\w*'"
    r".*?(?P<stack>\d+) bytes stack frame"
    r", (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads"
    r".*?Used (?P<registers>\d+) registers(?P<rest>[^\n]*)",
    re.DOTALL,
)


class NvrtcError(Exception):
    """NVRTC refused the source; the message is its log."""


@dataclass(frozen=True)
class KernelUse:
    """Resources of one kernel on one architecture, as the assembler reports them."""

    registers: int
    shared_bytes: int
    constant_bytes: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int

    @property
    def spills(self) -> bool:
        """Return True if the kernel spills registers to memory."""
        return self.spill_store_bytes + self.spill_load_bytes > 0


@dataclass(frozen=True)
class Compiled:
    """Machine code of a source, the compiler's log, and the resources of each kernel."""

    cubin: bytes
    log: str
    kernels: dict[str, KernelUse]


@cache
def is_installed() -> bool:
    """Return True if the wheel `nvidia-cuda-nvrtc` is installed."""
    return next(_libraries(), None) is not None


def version() -> str:
    """Return the version of NVRTC, such as "13.0"."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(_nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


def compile_for(source: str, arch: int, options: tuple[str, ...] = ()) -> Compiled:
    """Compile for one architecture (75, 80, 90, 120, ...); results are cached."""
    flags = (f"-arch=sm_{arch}", "--ptxas-options=-v", *options)
    name = digest("nvrtc", version(), *flags, source)
    file = cached_file(f"{name}.cubin", lambda out: _write(out, *_compile(source, flags)))
    size, _, rest = file.read_bytes().partition(b"\n")
    log = rest[: int(size)].decode()
    return Compiled(rest[int(size) :], log, kernels_in(log))


def ptx_for(source: str, arch: int, options: tuple[str, ...] = ()) -> str:
    """Return the PTX of a source for one architecture with the options of a run (cached)."""
    # the engine adds the last one to every source (engine.core.backend.cupy_compiling)
    flags = (f"-arch=compute_{arch}", *options, "--device-as-default-execution-space")
    name = digest("nvrtc", version(), *flags, source)
    file = cached_file(f"{name}.ptx", lambda out: _write(out, *_compile(source, flags, "PTX")))
    size, _, rest = file.read_bytes().partition(b"\n")
    return rest[int(size) :].decode().rstrip("\0")


def _write(out: Path, cubin: bytes, log: str) -> None:
    text = log.encode()
    out.write_bytes(b"%d\n" % len(text) + text + cubin)


def _compile(source: str, flags: tuple[str, ...], what: str = "CUBIN") -> tuple[bytes, str]:
    """Return the machine code or the PTX, and the log."""
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    text = source.encode()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None))
    try:
        encoded = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        status = nvrtc.nvrtcCompileProgram(program, len(flags), encoded)
        log = _text(program, "ProgramLog").decode(errors="replace").rstrip("\0")
        if status:
            raise NvrtcError(log.strip() or _words(status))
        return _text(program, what), log
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def kernels_in(log: str) -> dict[str, KernelUse]:
    """Read the assembler's report."""
    return {
        found["name"]: KernelUse(
            registers=int(found["registers"]),
            shared_bytes=_bytes("smem", found["rest"]),
            constant_bytes=_bytes(r"cmem\[\d+\]", found["rest"]),
            stack_bytes=int(found["stack"]),
            spill_store_bytes=int(found["stores"]),
            spill_load_bytes=int(found["loads"]),
        )
        for found in _KERNEL.finditer(log)
    }


def _bytes(kind: str, text: str) -> int:
    return sum(map(int, re.findall(rf"(\d+) bytes {kind}", text)))


def _text(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(_nvrtc()[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(_nvrtc()[f"nvrtcGet{what}"](program, text))
    return text.raw


def _check(status: int) -> None:
    if status:
        raise NvrtcError(_words(status))


def _words(status: int) -> str:
    words = _nvrtc().nvrtcGetErrorString
    words.restype = ctypes.c_char_p
    return words(status).decode()


@cache
def _nvrtc() -> ctypes.CDLL:
    library = next(_libraries(), None)
    if library is None:
        raise NvrtcError("the wheel nvidia-cuda-nvrtc is not installed")
    return ctypes.CDLL(str(library))


def _libraries() -> Iterator[Path]:
    """Yield the NVRTC libraries of the installed wheels, under all their names."""
    for wheel in metadata.distributions():
        if (wheel.metadata["Name"] or "").startswith("nvidia-cuda-nvrtc"):
            for file in wheel.files or ():
                if _LIBRARY.search(file.name):
                    yield Path(str(wheel.locate_file(file)))
