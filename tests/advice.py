"""Advice on sizes, which never fails a test: `python -m tests.advice` lists files and functions.

A list entry is a reason to think, not a fault. The hard limits are in `tests/architecture.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.architecture import (
    ADVISED_CODE_LINES,
    ADVISED_LINES,
    Source,
    long_files,
    long_functions,
    sources,
)

ROOT = Path(__file__).resolve().parent.parent


def advice(source: Source) -> Iterator[str]:
    """Yield one line for each file and function above the advised size."""
    found = [*long_files(source, ADVISED_LINES), *long_functions(source, ADVISED_CODE_LINES)]
    yield from (f"{source.path}:{line}: {text}" for line, text in found)


if __name__ == "__main__":
    for each in sources(ROOT):
        sys.stdout.writelines(f"{line}\n" for line in advice(each))
