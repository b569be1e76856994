"""Properties of this machine: distribution, privileges, display, NVIDIA driver."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CUDA_LIBRARIES = (
    ("nvcuda.dll",) if os.name == "nt" else ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")
)
"""Library of the driver. WSL puts it outside the search path."""
OLDEST_CARD, OLDEST_OF_CUDA_13 = 50, 75
"""Minimum compute capabilities of CUDA 12 (Maxwell) and CUDA 13 (Turing)."""
APT = ("apt-get", "-o", "DPkg::Lock::Timeout=300", "-y", "-q")


class SetupError(Exception):
    """An error that stops the set-up: one sentence with a remedy."""


def say(line: str) -> None:
    """Print one line of progress immediately."""
    # write text and line end in one call: several installers can print at the same time
    print(line + "\n", end="", flush=True)


def has_display(platform: str, environ: Mapping[str, str]) -> bool:
    """Return True if a window can probably open."""
    if platform in ("win32", "darwin"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


@dataclass(frozen=True)
class Gpus:
    """Data of the NVIDIA driver: newest supported CUDA, compute capability of each GPU (61)."""

    cuda: tuple[int, int]
    capabilities: tuple[int, ...]


def gpus() -> Gpus | None:
    """Return the GPUs that the NVIDIA driver reports, or None without a driver or a GPU."""
    for name in CUDA_LIBRARIES:
        try:
            driver = ctypes.CDLL(name)
            if driver.cuInit(0):
                continue
            version = _number(driver.cuDriverGetVersion)
            found = tuple(_capability(driver, n) for n in range(_number(driver.cuDeviceGetCount)))
        except (OSError, AttributeError, ValueError):
            continue
        if found:
            return Gpus((version // 1000, version % 1000 // 10), found)
    return None


def _capability(driver: ctypes.CDLL, number: int) -> int:
    device = _number(driver.cuDeviceGet, number)
    major, minor = (_number(driver.cuDeviceGetAttribute, asked, device) for asked in (75, 76))
    return 10 * major + minor


def _number(question: Any, *words: int) -> int:
    answer = ctypes.c_int()
    if question(ctypes.byref(answer), *words):
        raise ValueError("the driver gives no answer")
    return answer.value


def extra_for(found: Gpus) -> str | None:
    """Return the extra with a CuPy that fits the driver and all GPUs that it can use.

    CUDA 13 cannot compile for Maxwell, Pascal and Volta, although its first drivers support them.
    CUDA 12 compiles for these and for all later GPUs, with drivers of either version.
    """
    served = [each for each in found.capabilities if each >= OLDEST_CARD]
    if not served or found.cuda < (12, 0):
        return None
    return "cuda13" if found.cuda >= (13, 0) and min(served) >= OLDEST_OF_CUDA_13 else "cuda12"


def privilege() -> list[str] | None:
    """Return the prefix that runs a command as root, or None if that needs a password."""
    if sys.platform == "win32":
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo") is None:
        return None
    return sudo if subprocess.run([*sudo, "true"], capture_output=True).returncode == 0 else None


def apt_command(packages: Sequence[str]) -> str:
    """Return the command that a user can type to install `packages`."""
    install = "sudo apt-get install --no-install-recommends"
    return f"sudo apt-get update && {install} {' '.join(packages)}"


def apt_install(packages: Sequence[str], *, why: str) -> None:
    """Install Debian packages, or raise `SetupError` with the command to type."""
    remedy = f"{why}; please run `{apt_command(packages)}` and then this command again."
    prefix = privilege()
    if shutil.which("apt-get") is None or prefix is None:
        raise SetupError(remedy)
    say(f"Installing system packages: {' '.join(packages)}")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *APT]
    install = [*apt, "install", "--no-install-recommends", *packages]
    # a fresh machine has no package lists yet; a used one rarely needs new ones
    for command in (install, [*apt, "update"], install):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if command is install and done.returncode == 0:
            return
    reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
    raise SetupError(f"apt-get failed ({''.join(reason)}): {remedy}")
