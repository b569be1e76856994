"""The lock: one version of every library with its hashes, for the machines it was checked for.

Each group is a file for pip, `packaging/lock/GROUP.txt`: `tools` installs the others, `base` is
what the program needs, the rest is what an extra adds. No file names an index.
`packaging/lock.py` writes them.
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
"""File of the machines for which every library has a wheel or pure source of its version."""
COMPILER = frozenset({
    "annotated-types", "filelock", "llvmlite", "numba", "numpy", "platformdirs", "psutil",
    "pydantic", "pydantic-core", "scipy", "tomli-w", "typing-extensions", "typing-inspection",
})  # fmt: skip
"""Libraries that compile the kernels of the PET demo: the larger half of the base is for later."""
OLDEST_GLIBC = {"x86_64": (2, 34), "aarch64": (2, 39)}
"""C library that the wheels of Qt need on Linux, by processor."""


@dataclass(frozen=True)
class Lock:
    """The lock of the clone at `root`."""

    root: Path

    @property
    def machines(self) -> tuple[str, ...]:
        """Machines it was checked for, none without a lock."""
        try:
            return tuple((self.root / FOLDER / MACHINES).read_text("utf-8").splitlines())
        except OSError:
            return ()

    @property
    def fits(self) -> bool:
        """Whether it was checked for a machine like this one."""
        return this_machine() in self.machines

    @property
    def digest(self) -> str:
        """Hash of all its files."""
        digest = hashlib.sha256()
        for path in sorted((self.root / FOLDER).glob("*.txt")):
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

    def options(self, groups: Iterable[str]) -> list[str]:
        """Return the options that make pip install groups, every file checked by its hash."""
        files = [str(FOLDER / f"{group}.txt") for group in groups]
        return ["--require-hashes", *(word for file in files for word in ("-r", file))]

    def halves(self, groups: Iterable[str]) -> tuple[str, str]:
        """Return the entries of groups as two files for pip: what compiles kernels, and the rest.

        Parameters
        ----------
        groups
            names of groups

        Returns
        -------
        halves
            text of each file, every entry with its hashes and in one of them only
        """
        files = [self.root / FOLDER / f"{group}.txt" for group in groups]
        # several groups may hold the same entry
        all_of_them = {entry: None for file in files for entry in entries(file.read_text("utf-8"))}
        halves: tuple[list[str], list[str]] = ([], [])
        for entry in all_of_them:
            halves[re.split(r"[\[=]", entry)[0] not in COMPILER].append(entry)
        return "\n".join(halves[0]), "\n".join(halves[1])


def entries(text: str) -> list[str]:
    """Return the entries of a file of requirements, each with its hashes."""
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
    """Linux as wheels know it: by the kind and age of its C library."""
    name, version = platform.libc_ver()
    if name != "glibc":
        return "linux-without-glibc"
    found = tuple(int(part) for part in version.split(".")[:2])
    return "linux" if found >= OLDEST_GLIBC.get(processor, (0, 0)) else "old-linux"
