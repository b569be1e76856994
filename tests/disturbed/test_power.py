"""Tests of power failures during writing: every file has its old or its new content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.json_types import Plain
from tests.disturbed.conftest import Told
from tests.disturbed.power import Change, Contents, Disk, read_log
from tests.disturbed.writers import WRITERS

TOGETHER = {
    f"{name}.provenance.json": name
    for name in ("a.nii", "a.mha", "a.tif", "a.nrrd", "a.hv", "a.ome.tif", "a.dcm")
} | {"a.provenance.json": "a.nii.gz", "a.n.hdr": "a.n"}
"""Files that are only valid with the file they were written with."""


def seen(contents: Contents) -> Contents:
    """Return the named files; hidden ones are remains and never read."""
    return {
        path: data
        for path, data in contents.items()
        if not any(part.startswith(".") for part in Path(path).parts)
    }


def moments(told: Plain) -> Iterator[tuple[bool, Contents]]:
    """Yield every state that a failure of the power may leave, and whether all was done by then."""
    log = Path(told["log"]).read_bytes()[slice(*told["span"])]
    disk = Disk(told["start"], _unpacked(told["old"]))
    for change in read_log(log):
        disk.take(change)
        yield from ((False, state) for state in disk.states())
    yield from ((True, state) for state in disk.states())


def _unpacked(contents: Plain) -> Contents:
    return {path: bytes.fromhex(data) for path, data in contents.items()}


def refuse_mixed(told: Plain, state: Contents, *, done: bool) -> None:
    old, new = (seen(_unpacked(told[which])) for which in ("old", "new"))
    now = seen(state)
    if done:
        certain = all(now.get(path) == data for path, data in new.items())
        assert certain, "what was said to be written was not certain to be on the disk"
    for path in {*old, *new, *now}:
        allowed = {old.get(path), new.get(path)}
        beside = TOGETHER.get(Path(path).name)
        if beside is not None:
            allowed.add(None)
            other = str(Path(path).with_name(beside))
            for which in (old, new):
                if now.get(path) == which[path]:
                    assert now.get(other) == which[other], "provenance beside another volume"
        assert now.get(path) in allowed, f"{told['writer']}: {path} is neither old nor new"


@pytest.mark.slow
def test_every_file_has_its_old_or_new_content(told: Told) -> None:
    found = {each["writer"]: each for each in told("writing") if each["how"] == "log"}
    assert set(found) == {writer.name for writer in WRITERS}
    for each in found.values():
        n_states = 0
        for done, state in moments(each):
            refuse_mixed(each, state, done=done)
            n_states += 1
        assert n_states > 10, each["writer"]


@pytest.mark.parametrize(
    ("letters", "lost"),
    [("CWSRS", None), ("CWRS", "neither"), ("CWSR", "not certain"), ("TWS", "neither")],
)
def test_disk_model_detects_a_missing_sync(tmp_path: Path, letters: str, lost: str | None) -> None:
    """Write without syncing the file, without syncing the folder, and in place."""
    path, part = str(tmp_path / "a"), str(tmp_path / ".a.part")
    steps = {
        "C": Change("C", part, "2"),
        "W": Change("W", "1" if letters[0] == "T" else "2", "0", b"new"),
        "T": Change("T", "1", "0"),
        "R": Change("R", part, path),
    }
    disk, synced = Disk({str(tmp_path): 9, path: 1}, {path: b"old."}), iter(("2", "9"))
    if letters == "TWS":
        synced = iter("1")
    elif letters == "CWRS":
        synced = iter("9")
    reported = {"writer": "", "old": {path: b"old.".hex()}, "new": {path: b"new".hex()}}
    faults = []
    for letter in (*letters, ""):
        if letter:
            disk.take(steps.get(letter) or Change("S", next(synced), "0"))
        for state in disk.states():
            try:
                refuse_mixed(reported, state, done=not letter)
            except AssertionError as e:
                faults.append(str(e))
    assert (lost is None and not faults) or any(str(lost) in fault for fault in faults)
