"""What this machine is and has: distribution, privileges, display, NVIDIA driver."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

CUDA_LIBRARIES = ("nvcuda.dll",) if os.name == "nt" else ("libcuda.so.1",)
APT = ("apt-get", "-o", "DPkg::Lock::Timeout=300", "-y", "-q")


class SetupError(Exception):
    """What stops the set-up, in one sentence with the way out."""


def say(line: str) -> None:
    """Print one line of progress at once."""
    print(line, flush=True)


def has_display(platform: str, environ: Mapping[str, str]) -> bool:
    """Whether a window can be expected to open."""
    if platform in ("win32", "darwin"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def cuda_version() -> tuple[int, int] | None:
    """Return the newest CUDA that the NVIDIA driver serves, None without a driver or a card."""
    for name in CUDA_LIBRARIES:
        try:
            driver = ctypes.CDLL(name)
            n_devices, version = ctypes.c_int(0), ctypes.c_int(0)
            failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(n_devices))
            failed = failed or driver.cuDriverGetVersion(ctypes.byref(version))
        except (OSError, AttributeError):
            continue
        if not failed and n_devices.value:
            return version.value // 1000, version.value % 1000 // 10
    return None


def extra_for(cuda: tuple[int, int]) -> str | None:
    """Return the project's extra whose CuPy runs on a driver of this CUDA version."""
    if cuda >= (13, 0):
        return "cuda13"
    return "cuda12" if cuda >= (12, 0) else None


def privilege() -> list[str] | None:
    """Return what to put before a command to run it as root, None where that needs a password."""
    if sys.platform == "win32":
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo") is None:
        return None
    return sudo if subprocess.run([*sudo, "true"], capture_output=True).returncode == 0 else None


def apt_command(packages: Sequence[str]) -> str:
    """Return the command a person types to install `packages`."""
    install = "sudo apt-get install --no-install-recommends"
    return f"sudo apt-get update && {install} {' '.join(packages)}"


def apt_install(packages: Sequence[str], *, why: str) -> None:
    """Install Debian packages, or raise `SetupError` with the command that does."""
    way_out = f"{why}; please run `{apt_command(packages)}` and then this command again."
    prefix = privilege()
    if shutil.which("apt-get") is None or prefix is None:
        raise SetupError(way_out)
    say(f"Installing system packages: {' '.join(packages)}")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *APT]
    install = [*apt, "install", "--no-install-recommends", *packages]
    # a fresh machine has no package lists yet, a used one rarely needs new ones
    for command in (install, [*apt, "update"], install):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if command is install and done.returncode == 0:
            return
    reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
    raise SetupError(f"apt-get failed ({''.join(reason)}): {way_out}")
