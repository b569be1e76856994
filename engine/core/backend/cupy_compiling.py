"""Compile CUDA kernels with NVRTC and our own options, and cache them in the user's folder.

CuPy adds -ftz=true to each compilation. Numbers below 1.2e-38 would then be 0 on the GPU but not on
the CPU, and an image that decays to them would have different bits. The name of a cached file
contains the hash of its bytes. A truncated or changed file is compiled again.

NVRTC, "Supported Compile Options"; CuPy, `cupy.cuda.compiler`.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from engine.core.errors import DeviceError

# as CuPy does: functions without a mark are device functions
_ALWAYS = ("--device-as-default-execution-space",)
_PTX = "CUPY_COMPILE_WITH_PTX"
"""Environment variable of CuPy: with 1, the driver compiles PTX for the card."""


class CudaModule(Protocol):
    """CuPy's module: compiled kernels and constants on the card."""

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
        options of NVRTC, without the architecture
    capability
        compute capability of the card, such as 90
    folder
        folder for compiled code, created if missing

    Raises
    ------
    DeviceError
        if it does not compile

    Returns
    -------
    module with the kernels; it is read from the cache if it was compiled before
    """
    import cupy

    wanted = (*options, *_ALWAYS, _architecture(capability))
    # The NVRTC version is part of the key: a new compiler can produce other code from the same
    # source.
    name = _digest(*map(str, cupy.cuda.nvrtc.getVersion()), *wanted, source)
    loaded = cupy.cuda.Module()
    loaded.load(_stored(folder, name) or _keep(folder, name, _compiled(source, wanted)))
    module: CudaModule = loaded
    return module


def _architecture(capability: int) -> str:
    """Return the option for machine code if NVRTC supports the card, otherwise for PTX."""
    from cupy.cuda import nvrtc

    # CuPy uses the same variable for its own kernels, so both are compiled alike.
    known = os.environ.get(_PTX) != "1" and capability in nvrtc.getSupportedArchs()
    return f"-arch={'sm' if known else 'compute'}_{capability}"


def _compiled(source: str, options: tuple[str, ...]) -> bytes:
    from cupy.cuda import nvrtc

    program = nvrtc.createProgram(source, "kernel.cu", (), ())
    try:
        nvrtc.compileProgram(program, options)
        # getCUBIN is valid only for a real architecture (sm_), getPTX for a virtual one (compute_).
        is_machine_code = any(option.startswith("-arch=sm_") for option in options)
        code: bytes = nvrtc.getCUBIN(program) if is_machine_code else nvrtc.getPTX(program)
    except nvrtc.NVRTCError as e:
        # The log starts with the first compiler error; it is more useful than the status code.
        log = nvrtc.getProgramLog(program).strip().splitlines() or [str(e)]
        raise DeviceError(f"A GPU kernel could not be compiled ({log[0]}).") from e
    finally:
        nvrtc.destroyProgram(program)
    return code


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _hash(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()[:32]


def _stored(folder: Path, name: str) -> bytes:
    """Return the cached code if its hash matches its name, else empty bytes."""
    # The hash of the bytes is not known before reading, so the name is a pattern.
    for file in folder.glob(f"{name}-*.bin"):
        with suppress(OSError):  # another process may have removed it
            code = file.read_bytes()
            if file.stem == f"{name}-{_hash(code)}":
                return code
    return b""


def _keep(folder: Path, name: str, code: bytes) -> bytes:
    """Write the code to a temporary file and rename it; another process can do the same.

    If the folder is not writable, the kernel is compiled again next time.
    """
    file = folder / f"{name}-{_hash(code)}.bin"
    # The process number keeps two processes from writing to the same temporary file.
    unfinished = file.with_suffix(f".{os.getpid()}.part")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(code)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    return code
