"""Run under the shim: read every kind of file from shares that fail at some byte."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from engine.core.json_types import Plain
from engine.modalities.inspection import inspect
from tests.disturbed.shim import disturbing
from tests.disturbed.writing import contents, print_json
from tests.farm.formats import KINDS
from tests.farm.runner import judge


def main(folder: Path) -> None:
    """Read every kind from every disturbed share and print one line for each."""
    os.environ["ISOCENTER_HOME"] = str(folder / "home")
    warnings.simplefilter("ignore")
    for kind in KINDS:
        place = folder / "files" / kind.name
        place.mkdir(parents=True)
        path = kind.make(place)
        kind.read(path)
        n_bytes = max(len(data) for data in contents(place).values())
        for how, after in (("eio", 0), ("eio", n_bytes // 2), ("stale", n_bytes // 2)):
            reported = _try(lambda p=path, k=kind: k.read(p), place, how, after)
            print_json(kind=kind.name, is_look=False, **reported)
        reported = _try(lambda p=path: _inspect(p), place, "eio", 0)
        print_json(kind=kind.name, is_look=True, **reported)


def _try(act: Callable[[], object], place: Path, how: str, after: int) -> Plain:
    before = contents(place)
    with disturbing(how, after, place):
        verdict, text = judge(act)
    changed = contents(place) != before
    return {"how": how, "after": after, "verdict": verdict, "text": text, "changed": changed}


def _inspect(path: Path) -> None:
    report = inspect(path)
    assert report.faults and all("cannot be read" in fault for fault in report.faults), report


if __name__ == "__main__":
    main(Path(sys.argv[1]))
