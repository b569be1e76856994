"""A copy of the program to which a test adds an extension, like a user: one file and one name."""

from __future__ import annotations

import ast
import atexit
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from engine.kernels.compile_cache import cache_folder, folder_of

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "app", "resources")
TEMPLATES = ROOT / "docs" / "contributing" / "templates"
KERNELS = Path("engine", "kernels")
COMPILED = "kernels-*"
"""Folders of compiled kernels in the bytecode cache."""
CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True)
class Trial:
    """A copy of the packages, with a folder for the files of a run.

    Attributes
    ----------
    root : folder of the packages
    work : working folder of the commands
    """

    root: Path
    work: Path

    @classmethod
    def made(cls, folder: Path) -> Trial:
        """Copy the packages with their bytecode into an empty folder."""
        root, work = folder / "copy", folder / "work"
        work.mkdir()
        skipped = shutil.ignore_patterns(COMPILED)
        for name in PACKAGES:
            shutil.copytree(ROOT / name, root / name, ignore=skipped, copy_function=_link)
        share_compiled(root)
        return cls(root, work)

    def add_file(self, path: str, text: str) -> None:
        """Write the only new file of the trial; `path` is relative to the root of the copy."""
        target = self.root / path
        if target.exists():
            raise FileExistsError(path)
        target.write_text(dedent(text).lstrip(), encoding="utf-8")

    def add_template(self, path: str) -> None:
        """Copy a template file or folder to the location that its path states."""
        source, target = TEMPLATES / path, self.root / path
        if target.exists():
            raise FileExistsError(path)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)

    def register(self, path: str, members: str, name: str, *, after: str | None = None) -> None:
        """Import `name` ("engine.io.mine.Mine") in a file and add it to its tuple `members`.

        It becomes the last member, or follows `after`.
        """
        target = self.root / path
        text = target.read_text(encoding="utf-8")
        module, _, short = name.rpartition(".")
        lines = text.splitlines(keepends=True)
        node = _tuple_of(ast.parse(text), members)
        behind = node.elts[-1]
        if after is not None:
            behind = next(each for each in node.elts if ast.unparse(each) == after)
        row, column = (behind.end_lineno or 0) - 1, behind.end_col_offset
        lines[row] = f"{lines[row][:column]}, {short}{lines[row][column:]}"
        first = text[: text.index(f"\n{members}")].count("\n") + 1
        lines.insert(first, f"from {module} import {short}\n")
        target.unlink()  # otherwise the write would change the file in the working tree
        target.write_text("".join(lines), encoding="utf-8")

    def register_format(self, members: str, place: str) -> None:
        """Add an entry for the class `place` ("engine.io.mine.Mine") to a table of formats."""
        target = self.root / "engine/io/format_table.py"
        text = target.read_text(encoding="utf-8")
        last = _tuple_of(ast.parse(text), members).elts[-1]
        lines = text.splitlines(keepends=True)
        row, column = (last.end_lineno or 0) - 1, last.end_col_offset
        lines[row] = f'{lines[row][:column]}, Entry("{place}"){lines[row][column:]}'
        target.unlink()  # otherwise the write would change the file in the working tree
        target.write_text("".join(lines), encoding="utf-8")

    def run(self, *commands: list[str], ask: dict[str, dict[str, Any]] | None = None) -> Any:
        """Run commands of the program in another process, then call functions there.

        Parameters
        ----------
        commands : arguments of the command line, one list for each command
        ask : functions of `tests/extensions/child.py`, with their arguments. Results come back
            by the name of the function, and the output of each command as "printed"
        """
        given = {"PYTHONPATH": str(self.root), "QT_QPA_PLATFORM": "offscreen"}
        output, answers = self.root.parent / "output", self.root.parent / "answers.json"
        answers.unlink(missing_ok=True)
        done = _done_by_server(
            {
                "commands": commands,
                "ask": ask or {},
                "root": str(self.root),
                "work": str(self.work),
                "environment": {**os.environ, **given},
                "output": str(output),
                "answers": str(answers),
            }
        )
        if done:
            raise AssertionError(output.read_text(encoding="utf-8", errors="replace"))
        report = json.loads(answers.read_text(encoding="utf-8"))
        if not Path(report["engine"]).is_relative_to(self.root):
            raise AssertionError(f"the engine of {report['engine']} ran, not that of the trial")
        return report


@cache
def _server() -> subprocess.Popen[str]:
    """Return the process that forks copies for the jobs. It ends with this process."""
    made = subprocess.Popen(
        [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def end() -> None:
        if made.stdin is not None:
            made.stdin.close()
        made.wait()

    atexit.register(end)
    return made


def _done_by_server(job: dict[str, Any]) -> int:
    """Return the exit code of a job."""
    text = json.dumps(job) + "\n"
    if not hasattr(os, "fork"):
        once = [sys.executable, str(CHILD), "--once"]
        return subprocess.run(once, input=text, text=True, check=False).returncode
    server = _server()
    if server.stdin is None or server.stdout is None:
        raise AssertionError("it has no pipes")
    server.stdin.write(text)
    server.stdin.flush()
    return int(server.stdout.readline())


def _link(source: str, target: str) -> None:
    """Create a hard link, or copy the file if links are not possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def share_compiled(root: Path, base: Path | None = None) -> None:
    """Make the copy use the compiled kernels of the tree.

    root : folder of the copy

    base : folder of its compiled kernels; None: next to its sources, as in a clone
    """
    folder = cache_folder()
    if folder is None:
        return
    shared = (base or root / KERNELS / "__pycache__") / folder.name
    for path in sorted((ROOT / KERNELS).rglob("*.py")):
        source = path.relative_to(ROOT)
        of_module = folder_of(".".join(source.with_suffix("").parts))
        if b"cached_njit" not in path.read_bytes() or of_module is None:
            continue
        shared.mkdir(parents=True, exist_ok=True)
        try:
            (shared / of_module.name).symlink_to(of_module, target_is_directory=True)
        except OSError:  # Windows rarely allows links; the copy then compiles the kernels itself
            return


def _tuple_of(tree: ast.Module, name: str) -> ast.Tuple:
    for node in tree.body:
        match node:
            case (
                ast.AnnAssign(target=ast.Name(id=target))
                | ast.Assign(targets=[ast.Name(id=target)])
            ) if target == name:
                members_before = (
                    node.value.args[0] if isinstance(node.value, ast.Call) else node.value
                )
            case _:
                continue
        if isinstance(members_before, ast.Tuple):
            return members_before
    raise LookupError(name)
