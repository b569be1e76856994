"""Run under the shim: write every kind of file to disks that are full, fail or corrupt bytes."""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from tests.disturbed.shim import LOG, disturbing
from tests.disturbed.writers import WRITERS, Writer

Contents = dict[str, bytes]


def main(folder: Path) -> None:
    """Run every writer; print a line for each disturbance and the log of an undisturbed write."""
    os.environ["ISOCENTER_HOME"] = str(folder / "home")
    for writer in WRITERS:
        place = folder / "files" / writer.name.replace(" ", "-") / "here"
        place.mkdir(parents=True)
        writer.write(place, 1)
        one = contents(place)
        writer.write(place, 0)
        other = contents(place)
        n_bytes = min(filter(None, (_largest(one, other), _largest(other, one))))
        for reported in _disturbed(writer, place, n_bytes):
            print_json(writer=writer.name, **reported)
        print_json(writer=writer.name, how="log", **_log_of(writer, place))


def _largest(one: Contents, other: Contents) -> int:
    """Return the size of the largest file that differs in the other folder; 0 if none does."""
    sizes = (len(data) for name, data in one.items() if other.get(name) != data)
    return max(sizes, default=0)


def _disturbed(writer: Writer, place: Path, n_bytes: int) -> Iterator[Plain]:
    old = contents(place)
    limits = (1, n_bytes // 2, n_bytes - 1)
    for after in limits[:2]:
        yield _try(writer, place, old, "limit", after)
    for how in ("full", "gone"):
        for after in limits[1:]:
            yield _try(writer, place, old, how, after)
    for after in limits:
        yield _try(writer, place, old, "lie", after)


def _try(writer: Writer, place: Path, old: Contents, how: str, after: int) -> Plain:
    fault = text = ""
    try:
        with _limit_file_size(after) if how == "limit" else disturbing(how, after, place):
            writer.write(place, 1)
    except Exception as e:  # noqa: BLE001 - every exception is reported
        fault, text = type(e).__name__, str(e)
        fault = "EngineError" if isinstance(e, EngineError) else fault
    new = contents(place)
    changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    for name in new.keys() - old.keys():
        (place / name).unlink()
    for name in old:
        (place / name).write_bytes(old[name])
    return {"how": how, "after": after, "fault": fault, "text": text, "changed": changed}


def _log_of(writer: Writer, place: Path) -> Plain:
    """Write without a disturbance; return the data to replay the log."""
    found = [place, *place.rglob("*")]
    start = {str(path): path.stat().st_ino for path in found}
    old = {str(path): path.read_bytes().hex() for path in found if path.is_file()}
    log = Path(os.environ[LOG])
    begin = log.stat().st_size if log.exists() else 0
    with disturbing("log", 0, place):
        writer.write(place, 1)
    span = [begin, log.stat().st_size]
    new = {str(path): path.read_bytes().hex() for path in place.rglob("*") if path.is_file()}
    return {"start": start, "old": old, "new": new, "log": str(log), "span": span}


@contextmanager
def _limit_file_size(n_bytes: int) -> Iterator[None]:
    """Limit the size of files."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(place: Path) -> Contents:
    """Return all files below a folder by name, including hidden ones."""
    found = (path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): path.read_bytes() for path in found}


def print_json(**reported: object) -> None:
    """Print a line of JSON."""
    sys.stdout.write(json.dumps(reported) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    os.environ[LOG] = str(Path(sys.argv[1]) / "log")
    main(Path(sys.argv[1]))
