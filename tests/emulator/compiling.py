"""CUDA source to a shared library for the CPU, through g++, kept from run to run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from engine.errors import DeviceError
from tests.emulator.kept import digest, folder, kept

_HERE = Path(__file__).parent
_HEADERS = ("cuda_cpu.h", "fibers.h", "launch.h", "stacks.h", "textures.h")
_FLAGS = (
    "-std=c++20",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",  # else libraries share their inline variables
    "-fopenmp",
    "-fPIC",
    "-shared",
    "-w",
    "-fmax-errors=3",
)
_FAST = ("-O1",)  # half the time of -O2 for a compilation, and tests run little else
_SANITIZED = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address")

_PROBE = "#include <bit>\n#include <omp.h>\n#include <sys/mman.h>\n#include <ucontext.h>\n"

_BOUNDS = r"(?:__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)?"
_C_LINKAGE = re.compile(r'extern\s+"C"\s+__global__')
_KERNEL = re.compile(rf"__global__\s+{_BOUNDS}void\s+{_BOUNDS}(\w+)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ALIGNED = r"(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?"
_CONSTANT = re.compile(rf"__constant__\s+{_ALIGNED}[\w:<>\s]*?\b(\w+)\s*(?:\[[^;={{]*\]\s*)?[;={{]")


class NoCompilerError(Exception):
    """This machine cannot compile for the CPU; the message says why."""


class CompileError(DeviceError):
    """The source does not compile; the message is the compiler's."""


def check() -> None:
    """Raise `NoCompilerError` if this machine has no g++ that does."""
    _version()


def most_threads(source: str) -> dict[str, int]:
    """Kernels of a source, with the most threads of a block that each may have."""
    found = _KERNEL.findall(source)
    return {name: int(before or after or 1024) for before, after, name in found}


def constants(source: str) -> tuple[str, ...]:
    """Names of the `__constant__` variables of a source."""
    return tuple(_CONSTANT.findall(_COMMENT.sub(" ", source)))


@contextmanager
def own_copy(library: Path, *, needed: bool) -> Iterator[Path]:
    """Give a copy to load, if it is needed, so that two cards do not share their constants."""
    if not needed:
        yield library
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copy(library, folder))


def shared_library(source: str, *, sanitize: bool = False) -> Path:
    """Compile, or take what is kept; processes at the same time compile it once."""
    text = _wrapped(source)
    flags = (*_FLAGS, *(_SANITIZED if sanitize else _FAST))
    headers = _headers(flags)
    command = (*flags, "-I", str(headers), "-I", str(_HERE), "-x", "c++", "-")
    name = digest(_version(), *flags, *map(_read, _HEADERS), text)
    return kept(f"{name}.so", lambda out: _gcc(*command, "-o", str(out), text=text))


@cache
def _headers(flags: tuple[str, ...]) -> Path:
    """Return a folder with the headers compiled beforehand: most of the time of a compilation."""
    name = digest(_version(), *flags, *map(_read, _HEADERS))
    place = folder() / f"headers-{name}"
    place.mkdir(exist_ok=True)
    command = (*flags, "-x", "c++-header", str(_HERE / "cuda_cpu.h"))
    kept(f"{place.name}/cuda_cpu.h.gch", lambda out: _gcc(*command, "-o", str(out)))
    return place


def _wrapped(source: str) -> str:
    """Return the source in a namespace, away from the C library's names, and its kernels' doors."""
    text = _C_LINKAGE.sub("__global__", source)
    exports = "".join(f"CUDA_CPU_KERNEL({name})\n" for name in most_threads(source))
    exports += "".join(f"CUDA_CPU_CONSTANT({name})\n" for name in constants(source))
    head = '#include "cuda_cpu.h"\nnamespace kernel_text {\n#line 1 "kernel.cu"\n'
    return f"{head}{text}\n{exports}}}\n"


def _gcc(*arguments: str, text: str = "") -> None:
    # the compiler needs no sanitizer of its own
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(
        ["g++", *arguments],
        input=text, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise CompileError(done.stderr.strip())


@cache
def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _version() -> str:
    """Version of the compiler, which has been seen to make a library as we need it."""
    if shutil.which("g++") is None:
        raise NoCompilerError("g++ is not installed")
    with tempfile.TemporaryDirectory() as folder:
        try:
            _gcc(*_FLAGS, "-I", str(_HERE), "-x", "c++", "-", "-o", f"{folder}/probe.so",
                 text=_PROBE)  # fmt: skip
        except CompileError as e:
            raise NoCompilerError(f"g++ lacks C++20, OpenMP or POSIX: {e}") from e
    done = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    return done.stdout
