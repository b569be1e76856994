"""CUDA kernels compiled by NVRTC with our options alone, and kept in the user's cache.

CuPy adds -ftz=true to whatever it compiles: numbers below 1.2e-38 would then be 0 on the card and
not on the CPU, and an image that decays to them would not have the same bits. What is kept bears
the hash of its own bytes, so that a file that was cut or changed is made again.

NVRTC, "Supported Compile Options"; CuPy, `cupy.cuda.compiler`.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from engine.core.errors import DeviceError

# as CuPy: what is not marked is of the device
_ALWAYS = ("--device-as-default-execution-space",)
_PTX = "CUPY_COMPILE_WITH_PTX"
"""Variable of CuPy's: if it is 1, the driver compiles for the card."""


class CudaModule(Protocol):
    """What CuPy calls a module: kernels and constants on the card."""

    ptr: int

    def get_function(self, name: str) -> object:
        """Return a kernel."""


def module_of(source: str, options: tuple[str, ...], capability: int, folder: Path) -> CudaModule:
    """Return CuPy's module of a source.

    Parameters
    ----------
    source
        CUDA C++
    options
        of NVRTC, but for the architecture
    capability
        compute capability of the card, such as 90
    folder
        for what was compiled, made if missing

    Raises
    ------
    DeviceError
        if it does not compile
    """
    import cupy

    wanted = (*options, *_ALWAYS, _architecture(capability))
    name = _digest(*map(str, cupy.cuda.nvrtc.getVersion()), *wanted, source)
    loaded = cupy.cuda.Module()
    loaded.load(_kept(folder, name) or _keep(folder, name, _compiled(source, wanted)))
    module: CudaModule = loaded
    return module


def _architecture(capability: int) -> str:
    """Machine code where NVRTC knows the card, else PTX, which the driver compiles for it."""
    from cupy.cuda import nvrtc

    known = os.environ.get(_PTX) != "1" and capability in nvrtc.getSupportedArchs()
    return f"-arch={'sm' if known else 'compute'}_{capability}"


def _compiled(source: str, options: tuple[str, ...]) -> bytes:
    from cupy.cuda import nvrtc

    program = nvrtc.createProgram(source, "kernel.cu", (), ())
    try:
        nvrtc.compileProgram(program, options)
        is_machine_code = any(option.startswith("-arch=sm_") for option in options)
        code: bytes = nvrtc.getCUBIN(program) if is_machine_code else nvrtc.getPTX(program)
    except nvrtc.NVRTCError as e:
        log = nvrtc.getProgramLog(program).strip().splitlines() or [str(e)]
        raise DeviceError(f"compiling a kernel: the kernel does not compile ({log[0]}).") from e
    finally:
        nvrtc.destroyProgram(program)
    return code


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _hash(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()[:32]


def _kept(folder: Path, name: str) -> bytes:
    """Return what is kept by this name and is as it was written, or nothing."""
    for file in folder.glob(f"{name}-*.bin"):
        with suppress(OSError):  # another process may have dropped it
            code = file.read_bytes()
            if file.stem == f"{name}-{_hash(code)}":
                return code
    return b""


def _keep(folder: Path, name: str, code: bytes) -> bytes:
    """Write it beside and move it into place: another process may do the same.

    Where nothing can be written it is compiled again the next time.
    """
    file = folder / f"{name}-{_hash(code)}.bin"
    unfinished = file.with_suffix(f".{os.getpid()}.part")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(code)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    return code
