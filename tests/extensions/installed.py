"""Install plug-in packages into a folder, and run the program in a process that finds them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "plugins"
ASK = (
    "import json, sys; from tests.extensions.child import run_job; "
    "answers = run_job(json.load(sys.stdin)); print(json.dumps(answers))"
)


def install(source: Path, site: Path) -> None:
    """Copy a package with a `pyproject.toml` into a folder of installed packages."""
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    for path in source.iterdir():
        if path.is_dir():
            shutil.copytree(path, site / path.name)
        elif path.suffix == ".py":
            shutil.copy(path, site)
    declare(site, project["name"], project["version"], project["entry-points"])


def declare(site: Path, name: str, version: str, points: dict[str, dict[str, str]]) -> None:
    """Write the metadata of a package with entry points."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items())
        for group, each in points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(groups))


def run_with_packages(site: Path, work: Path, *commands: list[str], **ask: Any) -> tuple[Any, str]:
    """Run commands in a process that finds the packages of a folder, then call its functions.

    Returns
    -------
    results of the functions, and the text on the error stream
    """
    given = json.dumps({"commands": commands, "ask": ask})
    done = _python(site, work, "-c", ASK, given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def program(site: Path, work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command in a process that finds the packages of a folder."""
    return _python(site, work, "-m", "app", *arguments)


def _python(
    site: Path, work: Path, *arguments: str, given: str = ""
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(ROOT), str(site)))
    changed = {"PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen", "ISOCENTER_HOME": str(work)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=work,
        env={**os.environ, **changed},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
