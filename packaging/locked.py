"""The lock: one version of every library with its hashes, for the machines that were checked.

Each group is a requirements file of pip, `packaging/lock/GROUP.txt`. The group `tools` installs the
others, `base` contains the dependencies of the program, and each other group adds those of an
extra. `packaging/lock.py` writes the files.
"""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("packaging") / "lock"
TOOLS, BASE = "tools", "base"
GROUPS = (TOOLS, BASE, "tune", "test", "cuda12", "cuda13")
MACHINES = "machines.txt"
"""File that lists the machines with a wheel or a pure source package of every library."""
COMPILER = frozenset({
    "annotated-types", "filelock", "llvmlite", "numba", "numpy", "platformdirs", "psutil",
    "pydantic", "pydantic-core", "scipy", "tomli-w", "typing-extensions", "typing-inspection",
})  # fmt: skip
"""Libraries that compile the kernels of the PET demo. The demo does not wait for the others."""
OLDEST_GLIBC = {"x86_64": (2, 34), "aarch64": (2, 39)}
"""Minimum version of glibc for the Qt wheels on Linux, by processor."""


@dataclass(frozen=True)
class Lock:
    """The lock of the clone at `root`."""

    root: Path

    @property
    def machines(self) -> tuple[str, ...]:
        """Machines that the lock was checked for, empty without a lock."""
        try:
            return tuple((self.root / FOLDER / MACHINES).read_text("utf-8").splitlines())
        except OSError:
            return ()

    @property
    def fits(self) -> bool:
        """True if the lock was checked for a machine like this one."""
        return this_machine() in self.machines

    @property
    def digest(self) -> str:
        """Hash of all files of the lock."""
        digest = hashlib.sha256()
        for path in sorted((self.root / FOLDER).glob("*.txt")):
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

    def options(self, groups: Iterable[str]) -> list[str]:
        """Return the pip options that install groups and check the hash of every file."""
        files = [str(FOLDER / f"{group}.txt") for group in groups]
        return ["--require-hashes", *(word for file in files for word in ("-r", file))]

    def parts(self, groups: Iterable[str]) -> tuple[str, str]:
        """Return the entries of groups as two files for pip: kernel compiler, and rest.

        Parameters
        ----------
        groups
            names of groups

        Returns
        -------
        parts
            text of each file; every entry is in one of them, with its hashes
        """
        files = [self.root / FOLDER / f"{group}.txt" for group in groups]
        # several groups may contain the same entry
        all_of_them = {entry: None for file in files for entry in entries(file.read_text("utf-8"))}
        parts: tuple[list[str], list[str]] = ([], [])
        for entry in all_of_them:
            parts[re.split(r"[\[=]", entry)[0] not in COMPILER].append(entry)
        return "\n".join(parts[0]), "\n".join(parts[1])


def entries(text: str) -> list[str]:
    """Return the entries of a requirements file, each with its hashes."""
    return [entry.strip() for entry in re.split(r"\n(?=\S)", text) if entry.strip()]


def this_machine() -> str:
    """Return Python, system and processor of this machine: "3.11 linux-x86_64"."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if sys.implementation.name != "cpython":
        python = f"{sys.implementation.name}-{python}"
    processor = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"linux": _linux(processor), "darwin": "macos", "win32": "windows"}
    return f"{python} {system.get(sys.platform, sys.platform)}-{processor}"


def _linux(processor: str) -> str:
    """Return Linux in the terms of wheels: kind and age of the C library."""
    name, version = platform.libc_ver()
    if name != "glibc":
        return "linux-without-glibc"
    found = tuple(int(part) for part in version.split(".")[:2])
    return "linux" if found >= OLDEST_GLIBC.get(processor, (0, 0)) else "old-linux"
