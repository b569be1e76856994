"""Run the notebooks, and convert them for the guide and for Jupyter.

    .venv/bin/python packaging/notebooks.py                   # run all; write build/notebooks
    .venv/bin/python packaging/notebooks.py --ipynb FOLDER    # convert them for Jupyter only

A notebook is a Python script in cells (`# %%`). Jupytext, VS Code, Spyder and PyCharm can open it.
A run writes its text, output and figures as a part of a page of the guide.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "examples" / "notebooks"
BUILT = ROOT / "build" / "notebooks"
"""Texts and figures of the last run. Without them, the guide shows only the code."""
FIGURE_DPI, QUALITY = 80, 80
_CELL = re.compile(r"^# %%(?P<kind> \[markdown\])?\n", re.MULTILINE)
OPTIONAL = {"torch": "PyTorch is not installed", "distributed": "Dask is not installed"}
"""Libraries that a notebook may need, with the reason for skipping it."""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook.

    Attributes
    ----------
    text : Markdown or code
    is_code : True for code
    """

    text: str
    is_code: bool


def main(arguments: list[str]) -> int:
    """Run the notebooks or convert them; return the exit code."""
    parser = argparse.ArgumentParser(prog="notebooks.py", description=__doc__.splitlines()[0])
    parser.add_argument("--ipynb", type=Path, metavar="FOLDER", help="write them for Jupyter")
    folder = parser.parse_args(arguments).ipynb
    for path in sources():
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{path.stem}.ipynb").write_text(ipynb_of(path), "utf-8")
        elif reason := missing(path):
            print(f"{path.name}: skipped, {reason}")
        else:
            print(f"{path.name}: {len(run(path, BUILT))} figures")
    return 0


def sources() -> list[Path]:
    """Return all notebooks in order."""
    return sorted(SOURCES.glob("*.py"))


def cells(path: Path) -> list[Cell]:
    """Return the cells of a notebook."""
    parts = _CELL.split(path.read_text("utf-8"))
    found = []
    for kind, text in zip(parts[1::2], parts[2::2], strict=True):
        if kind is None:
            found.append(Cell(text.strip(), is_code=True))
        else:
            lines = (line.removeprefix("#").removeprefix(" ") for line in text.strip().split("\n"))
            found.append(Cell("\n".join(lines), is_code=False))
    return found


def title(path: Path) -> str:
    """Return the heading of a notebook."""
    return cells(path)[0].text.splitlines()[0].removeprefix("# ")


def missing(path: Path) -> str:
    """Return the reason why a notebook cannot run here, or ""."""
    text = path.read_text("utf-8")
    for name, reason in OPTIONAL.items():
        if re.search(rf"^(import|from) {name}\b", text, re.MULTILINE) and find_spec(name) is None:
            return reason
    return ""


def run(path: Path, folder: Path) -> list[Path]:
    """Run a notebook; write its part of the page and its figures; return the figures.

    The cells share one namespace. The notebook runs in a temporary folder.
    """
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("Agg")
    pyplot.close("all")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{path.stem}*"):
        old.unlink()
    names: dict[str, Any] = {"__name__": "__main__"}
    parts, figures = [], []
    with _in_temporary_folder():
        for cell in cells(path):
            parts.append(_code(cell.text) if cell.is_code else cell.text)
            if not cell.is_code:
                continue
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(cell.text, str(path), "exec"), names)
            if output.getvalue():
                parts.append(f"```text\n{output.getvalue().rstrip()}\n```")
            for figure in _figures(folder / path.stem):
                figures.append(figure)
                parts.append(f"![{title(path)}]({folder.name}/{figure.name})")
    (folder / f"{path.stem}.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    return figures


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _figures(stem: Path) -> Iterator[Path]:
    """Write and close the open figures."""
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        target = stem.with_name(f"{stem.name}_{number}.webp")
        figure = pyplot.figure(number)
        options = {"quality": QUALITY}
        figure.savefig(target, dpi=FIGURE_DPI, bbox_inches="tight", pil_kwargs=options)
        yield target
    pyplot.close("all")


@contextlib.contextmanager
def _in_temporary_folder() -> Iterator[None]:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def section(path: Path, built: Path | None = None) -> str:
    """Return the part of a page for a notebook, with output if it ran."""
    ran = (built or BUILT) / f"{path.stem}.md"
    if ran.is_file() and ran.stat().st_mtime >= path.stat().st_mtime:
        return ran.read_text("utf-8")
    return "\n\n".join(_code(c.text) if c.is_code else c.text for c in cells(path)) + "\n"


def ipynb_of(path: Path) -> str:
    """Return a notebook in Jupyter format 4.5."""
    found = []
    for i, each in enumerate(cells(path)):
        kind = "code" if each.is_code else "markdown"
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{i}", "metadata": {}}
        cell["source"] = each.text.splitlines(keepends=True)
        found.append(cell | ({"execution_count": None, "outputs": []} if each.is_code else {}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": found, "metadata": {"kernelspec": kernel}}
    text = json.dumps(notebook | {"nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False)
    return f"{text}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
