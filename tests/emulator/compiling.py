"""Compile CUDA source with g++ to a cached shared library for the CPU."""

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

from engine.core.errors import DeviceError
from tests.emulator.compiled_cache import cached_file, digest, folder

_HERE = Path(__file__).parent
_HEADERS = ("cuda_cpu.h", "launch.h", "runtime.h", "textures.h")
_RUNTIME = ("runtime.cpp", "fibers.h", "runtime.h", "stacks.h")
_FLAGS = (
    "-std=c++20",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",  # otherwise libraries share their inline variables
    "-fPIC",
    "-shared",
    "-w",
    "-fmax-errors=3",
)
_SANITIZED = ("-g", "-fno-omit-frame-pointer", "-fsanitize=address")
_OF_RUNTIME = ("-O2", "-fopenmp", "-ftls-model=initial-exec")
_OF_KERNELS = ("-Og", "-nostdinc++")  # tests run too briefly to gain from more

_BOUNDS = r"(?:__launch_bounds__\s*\(\s*(\d*)[^)]*\)\s*)?"  # named constants are not read
_C_LINKAGE = re.compile(r'extern\s+"C"\s+__global__')
_KERNEL = re.compile(rf"__global__\s+{_BOUNDS}void\s+{_BOUNDS}(\w+)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ALIGNED = r"(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?"
_CONSTANT = re.compile(rf"__constant__\s+{_ALIGNED}[\w:<>\s]*?\b(\w+)\s*(?:\[[^;={{]*\]\s*)?[;={{]")


class NoCompilerError(Exception):
    """This machine cannot compile for the CPU; the message gives the reason."""


class CompileError(DeviceError):
    """The source does not compile; the message comes from the compiler."""


def check() -> None:
    """Raise `NoCompilerError` if g++ is missing or cannot compile the headers."""
    try:
        _headers(_kernel_flags())
        runtime()
    except CompileError as e:
        raise NoCompilerError(f"g++ lacks C++20, OpenMP or POSIX: {e}") from e


def max_threads(source: str) -> dict[str, int]:
    """Return the maximum threads per block of each kernel in a source."""
    found = _KERNEL.findall(source)
    return {name: int(before or after or 1024) for before, after, name in found}


def constants(source: str) -> tuple[str, ...]:
    """Return the names of the `__constant__` variables in a source."""
    return tuple(_CONSTANT.findall(_COMMENT.sub(" ", source)))


@contextmanager
def own_copy(library: Path, *, needed: bool) -> Iterator[Path]:
    """Yield a copy of the library if needed: two GPUs must not share constants and counters."""
    if not needed:
        yield library
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copy(library, folder))


def shared_library(source: str, *, sanitize: bool = False) -> Path:
    """Return the compiled library of a source; concurrent processes compile it once.

    The library depends on the one that `runtime` returns, which all kernels share.
    """
    return library_of(_wrapped(source), sanitize=sanitize)


def library_of(text: str, headers: tuple[str, ...] = (), *, sanitize: bool = False) -> Path:
    """Compile C++ that includes cuda_cpu.h and further headers of this folder to a library."""
    flags, needed = _kernel_flags(sanitize=sanitize), runtime(sanitize=sanitize)
    command = (*flags, "-I", str(_headers(flags)), "-I", str(_HERE), "-x", "c++", "-")
    command += ("-x", "none", str(needed), "-lgcc")
    name = digest(_version(), *flags, *map(_read, (*_HEADERS, *headers)), needed.name, text)
    return cached_file(f"{name}.so", lambda out: _gcc(*command, "-o", str(out), text=text))


def assembled(text: str, soname: str) -> Path:
    """Return a library assembled from this text; once loaded, the loader finds it by its soname."""
    # its symbols have a version with its own name, as in NVIDIA's libraries
    flags = ("-shared", "-nostdlib", f"-Wl,-soname,{soname},--default-symver")
    name = f"{digest(_version(), *flags, text)}.so"
    command = (*flags, "-x", "assembler", "-")
    return cached_file(name, lambda out: _gcc(*command, "-o", str(out), text=text))


@cache
def runtime(*, sanitize: bool = False) -> Path:
    """Return the library that runs blocks. Load it before the libraries of kernels."""
    flags = (*_FLAGS, *_OF_RUNTIME, *(_SANITIZED if sanitize else ()))
    name = f"runtime-{digest(_version(), *flags, *map(_read, _RUNTIME))}.so"
    command = (*flags, f"-Wl,-soname,{name}", str(_HERE / "runtime.cpp"))
    return cached_file(name, lambda out: _gcc(*command, "-o", str(out)))


def _kernel_flags(*, sanitize: bool = False) -> tuple[str, ...]:
    # undefined symbols are in the runtime or in libraries that it needs
    return (*_FLAGS, *_OF_KERNELS, *(_SANITIZED if sanitize else ("-nostdlib",)))


@cache
def _headers(flags: tuple[str, ...]) -> Path:
    """Return a folder with precompiled headers, which are faster to read."""
    name = digest(_version(), *flags, *map(_read, _HEADERS))
    place = folder() / f"headers-{name}"
    place.mkdir(exist_ok=True)
    command = (*flags, "-x", "c++-header", str(_HERE / "cuda_cpu.h"))
    cached_file(f"{place.name}/cuda_cpu.h.gch", lambda out: _gcc(*command, "-o", str(out)))
    return place


def _wrapped(source: str) -> str:
    """Return the source in a namespace, away from C library names, with its kernel launchers."""
    text = _C_LINKAGE.sub("__global__", source)
    exports = "".join(f"CUDA_CPU_KERNEL({name})\n" for name in max_threads(source))
    exports += "".join(f"CUDA_CPU_CONSTANT({name})\n" for name in constants(source))
    head = '#include "cuda_cpu.h"\nnamespace kernel_text {\n#line 1 "kernel.cu"\n'
    return f"{head}{text}\n{exports}}}\n"


def _gcc(*arguments: str, text: str = "") -> None:
    # the compiler itself needs no sanitizer
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
    """Return the version of the compiler."""
    if shutil.which("g++") is None:
        raise NoCompilerError("g++ is not installed")
    done = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    return done.stdout
