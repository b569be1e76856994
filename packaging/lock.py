"""Write the lock of the libraries, packaging/lock (see packaging/locked.py).

    .venv/bin/python packaging/lock.py             # add missing versions, leave the others
    .venv/bin/python packaging/lock.py --newest    # update all versions within the bounds

Needs uv (`pip install uv`). The files contain names, versions and hashes, but no package index.
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
"""Machines to check, with their platform names in uv."""
REQUIRED = (BASE, "tune", "test")
"""Groups that every machine must be able to install."""


def main(arguments: list[str]) -> int:
    """Write the lock; return the exit code."""
    parser = argparse.ArgumentParser(prog="lock.py", description="Write the lock of the libraries.")
    parser.add_argument("--newest", action="store_true", help="take the newest versions")
    newest = parser.parse_args(arguments).newest
    (ROOT / FOLDER).mkdir(exist_ok=True)
    try:
        for i, group in enumerate(GROUPS):
            before = [
                FOLDER / f"{other}.txt" for other in GROUPS[:i] if _are_compatible(group, other)
            ]
            say(f"Resolving {group}")
            write_group(group, before, newest=newest)
        machines = [machine for machine in _machines() if fits(machine)]
    except SetupError as e:
        print(f"The lock was not written: {e}", file=sys.stderr)
        return 2
    (ROOT / FOLDER / MACHINES).write_text("".join(f"{each}\n" for each in machines), "utf-8")
    say(f"The lock fits {len(machines)} of {len(_machines())} kinds of machines")
    return 0


def _are_compatible(group: str, other: str) -> bool:
    """Return True if one environment can contain both groups. Only one CuPy is possible."""
    return not (group.startswith("cuda") and other.startswith("cuda"))


def write_group(group: str, before: list[Path], *, newest: bool) -> None:
    """Resolve a group with the versions of the earlier groups; write the entries that it adds."""
    fixed = {entry for path in before for entry in entries((ROOT / path).read_text("utf-8"))}
    target = ROOT / FOLDER / f"{group}.txt"
    previous = "" if newest or not target.exists() else target.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file, source_file = Path(folder, "group.txt"), Path(folder, "requirements.in")
        file.write_text("\n".join([previous, *fixed]), "utf-8")
        source_file.write_text("\n".join(_build_requirements()), "utf-8")
        extra = () if group in (TOOLS, BASE) else ("--extra", group)
        source = str(source_file) if group == TOOLS else "pyproject.toml"
        constraints = [word for path in before for word in ("-c", str(path))]
        _uv(
            *("compile", "--universal", "--python-version", PYTHONS[0], "--generate-hashes"),
            *("--no-header", "--no-annotate", "-o", str(file)),
            *(("--upgrade",) if newest else ()),
            *(*constraints, *extra, source),
        )
        added = [each for each in entries(file.read_text("utf-8")) if each not in fixed]
    target.write_text("".join(f"{entry}\n" for entry in added), "utf-8")


def _build_requirements() -> list[str]:
    """Return the packages that install and build the project: pip and the build requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return ["pip", *project["build-system"]["requires"]]


def _machines() -> list[str]:
    return [f"{python} {platform}" for python in PYTHONS for platform in PLATFORMS]


def fits(machine: str) -> bool:
    """Return True if wheels of the locked versions exist for a machine (CuPy excluded)."""
    python, platform = machine.split()
    with tempfile.TemporaryDirectory() as folder:
        try:
            _uv(
                *("install", "--dry-run", "--require-hashes", "--target", folder),
                *("--python-version", python, "--python-platform", PLATFORMS[platform]),
                *("--only-binary", ":all:"),
                *(word for name in REQUIRED for word in ("-r", str(FOLDER / f"{name}.txt"))),
            )
        except SetupError as e:
            say(f"Not for {machine}: {e}")
            return False
    return True


def _uv(*words: str) -> None:
    """Call uv; raise `SetupError` with its message if it fails."""
    command = [sys.executable, "-m", "uv", "--no-config", "--quiet", "pip", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise SetupError(" ".join(done.stderr.split()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
