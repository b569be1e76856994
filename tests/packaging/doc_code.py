"""Python in the docs as modules of the tree: templates of contributors, and blocks of the pages.

`python -m tests.packaging.doc_code` checks their types. It uses the cache of `python -m mypy`.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from tests.architecture import Source, dotted
from tests.packaging.blocks import ROOT, blocks

TEMPLATES = ROOT / "docs" / "contributing" / "templates"
BASE = re.compile(r"^from ([\w.]+)\.base import", re.MULTILINE)
"""Import of a base class. A block with one belongs to the package of the base class."""

_FOLDER = re.compile(rf"^{re.escape(gettempdir())}/\w+/")
"""Temporary folder in front of an error."""


def templates() -> list[Source]:
    """Return the templates under the names that a contributor gives them."""
    paths = sorted(TEMPLATES.rglob("*.py"))
    names = [path.relative_to(TEMPLATES).as_posix() for path in paths]
    return [Source(name, path.read_text("utf-8")) for name, path in zip(names, paths, strict=True)]


def modules() -> list[Source]:
    """Return the blocks that are complete modules of the engine."""
    found = []
    for block in _python():
        base = BASE.search(block.text)
        if base is not None:
            package = base[1].replace(".", "/")
            found.append(Source(f"{package}/block_{block.line}.py", block.text))
    return found


def scripts() -> list[Source]:
    """Return the other blocks, which users paste into scripts."""
    found = [block for block in _python() if BASE.search(block.text) is None]
    return [Source(f"examples/{each.path.stem}_{each.line}.py", each.text) for each in found]


def _python() -> list:
    return [block for block in blocks() if block.language == "python"]


def write(folder: Path, sources: list[Source]) -> list[Path]:
    """Write sources into a folder, under their names."""
    paths = [folder / each.path for each in sources]
    for path, each in zip(paths, sources, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(each.text, encoding="utf-8")
    return paths


def type_faults(sources: list[Source]) -> list[str]:
    """Return the messages of mypy for modules outside the tree."""
    from mypy.build import build
    from mypy.main import process_options
    from mypy.modulefinder import BuildSource

    _, options = process_options(["--config-file", str(ROOT / "pyproject.toml")])
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        inputs = [
            BuildSource(str(path), dotted(each.path), base_dir=str(ROOT))
            for path, each in zip(write(Path(folder), sources), sources, strict=True)
        ]
        os.chdir(ROOT)  # mypy looks for imported modules and for its cache in the current folder
        try:
            # errors from the cache name the folder of an earlier run
            return [_FOLDER.sub("", fault) for fault in build(inputs, options).errors]
        finally:
            os.chdir(before)


if __name__ == "__main__":
    faults = type_faults([*templates(), *modules(), *scripts()])
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    sys.exit(bool(faults))
