"""Write the lock of the libraries anew: packaging/lock, see packaging/locked.py.

    .venv/bin/python packaging/lock.py             # adds what is missing, keeps the versions held
    .venv/bin/python packaging/lock.py --newest    # takes the newest versions within the bounds

Resolves with uv, which must be installed (`pip install uv`). Files hold names, versions and hashes;
which index serves them is the matter of whoever installs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from locked import BASE, FOLDER, GROUPS, MACHINES, OLDEST_GLIBC, TOOLS, entries
from machine import SetupError, say

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    **{
        f"linux-{processor}": f"{processor}-manylinux_{major}_{minor}"
        for processor, (major, minor) in OLDEST_GLIBC.items()
    },
    "macos-arm64": "aarch64-apple-darwin",
    "macos-x86_64": "x86_64-apple-darwin",
    "windows-x86_64": "x86_64-pc-windows-msvc",
}
"""Machines to check, and what uv calls them."""
WHOLE = (BASE, "tune", "test")
"""Groups that a machine must be able to install."""


def main(arguments: list[str]) -> int:
    """Write the lock; return the exit code."""
    parser = argparse.ArgumentParser(prog="lock.py", description="Write the lock anew.")
    parser.add_argument("--newest", action="store_true", help="take the newest versions")
    newest = parser.parse_args(arguments).newest
    (ROOT / FOLDER).mkdir(exist_ok=True)
    try:
        for i, group in enumerate(GROUPS):
            before = [FOLDER / f"{other}.txt" for other in GROUPS[:i] if _together(group, other)]
            say(f"Resolving {group}")
            write_group(group, before, newest=newest)
        machines = [machine for machine in _machines() if fits(machine)]
    except SetupError as e:
        print(f"The lock was not written: {e}", file=sys.stderr)
        return 2
    (ROOT / FOLDER / MACHINES).write_text("".join(f"{each}\n" for each in machines), "utf-8")
    say(f"The lock fits {len(machines)} of {len(_machines())} kinds of machines")
    return 0


def _together(group: str, other: str) -> bool:
    """Whether two groups can be in one environment; CuPy is there for one CUDA only."""
    return not (group.startswith("cuda") and other.startswith("cuda"))


def write_group(group: str, before: list[Path], *, newest: bool) -> None:
    """Resolve a group under the versions of those before it, and write what it adds to them."""
    held = {entry for path in before for entry in entries((ROOT / path).read_text("utf-8"))}
    target = ROOT / FOLDER / f"{group}.txt"
    kept = "" if newest or not target.exists() else target.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file, wanted = Path(folder, "group.txt"), Path(folder, "wanted.in")
        file.write_text("\n".join([kept, *held]), "utf-8")
        wanted.write_text("\n".join(_build_requirements()), "utf-8")
        extra = () if group in (TOOLS, BASE) else ("--extra", group)
        source = str(wanted) if group == TOOLS else "pyproject.toml"
        constraints = [word for path in before for word in ("-c", str(path))]
        _uv(
            *("compile", "--universal", "--python-version", PYTHONS[0], "--generate-hashes"),
            *("--no-header", "--no-annotate", "-o", str(file)),
            *(("--upgrade",) if newest else ()),
            *(*constraints, *extra, source),
        )
        added = [each for each in entries(file.read_text("utf-8")) if each not in held]
    target.write_text("".join(f"{entry}\n" for entry in added), "utf-8")


def _build_requirements() -> list[str]:
    """What installs and builds: pip, and what the project's build asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return ["pip", *project["build-system"]["requires"]]


def _machines() -> list[str]:
    return [f"{python} {platform}" for python in PYTHONS for platform in PLATFORMS]


def fits(machine: str) -> bool:
    """Whether a machine could install all but CuPy, with wheels of the versions held."""
    python, platform = machine.split()
    with tempfile.TemporaryDirectory() as folder:
        try:
            _uv(
                *("install", "--dry-run", "--require-hashes", "--target", folder),
                *("--python-version", python, "--python-platform", PLATFORMS[platform]),
                *("--only-binary", ":all:"),
                *(word for name in WHOLE for word in ("-r", str(FOLDER / f"{name}.txt"))),
            )
        except SetupError as e:
            say(f"Not for {machine}: {e}")
            return False
    return True


def _uv(*words: str) -> None:
    """Call uv; raise `SetupError` with its words where it fails."""
    command = [sys.executable, "-m", "uv", "--no-config", "--quiet", "pip", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise SetupError(" ".join(done.stderr.split()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
