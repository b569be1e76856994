"""Run the programs while Python reports every file that they write, create or move.

python -m tests.programs.watched FOLDER

FOLDER contains scan.h5. Prints a JSON object: the programs that ran, and the paths.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

CHANGING = {
    "os.mkdir": 0,
    "os.rename": 1,
    "os.link": 1,
    "os.symlink": 1,
    "os.truncate": 0,
    "os.chmod": 0,
}
"""Events of Python to the argument with the path that they change."""
written: set[str] = set()


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Record the path of an event that writes."""
    if event == "open":
        path, mode, flags = arguments
        writes = any(each in (mode or "") for each in "wax+")
        writes |= bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if writes and isinstance(path, str | bytes | os.PathLike):
            written.add(str(Path(os.fsdecode(path)).absolute()))
    elif event in CHANGING and not isinstance(path := arguments[CHANGING[event]], int):
        written.add(str(Path(os.fsdecode(path)).absolute()))


def main(folder: Path) -> None:
    """Run every program that has its libraries, with its data made beforehand."""
    # otherwise Python would create a file to test the folder
    tempfile.tempdir = os.environ["TMPDIR"]
    import matplotlib as mpl

    mpl.use("agg")
    from tests.programs import bench

    calls = bench.calls(folder)
    ready = [name for name in calls if not bench.missing(name)]
    sys.addaudithook(note)
    for name in ready:
        calls[name]()
    found = sorted(written)
    sys.stdout.write(json.dumps({"programs": ready, "written": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
