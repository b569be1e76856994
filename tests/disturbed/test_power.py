"""Tests of power failures during writing: every file has its old or its new content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.json_types import Plain
from tests.disturbed.conftest import Reported
from tests.disturbed.power import Change, Contents, Disk, read_log
from tests.disturbed.writers import WRITERS

COMPANIONS = {
    f"{name}.provenance.json": name
    for name in ("a.nii", "a.mha", "a.tif", "a.nrrd", "a.hv", "a.ome.tif", "a.dcm")
} | {"a.provenance.json": "a.nii.gz", "a.n.hdr": "a.n"}
"""Files that are only valid with the file they were written with."""


def visible(contents: Contents) -> Contents:
    """Return the visible files; hidden ones are temporary and never read."""
    return {
        path: data
        for path, data in contents.items()
        if not any(part.startswith(".") for part in Path(path).parts)
    }


def states_of(reported: Plain) -> Iterator[tuple[bool, Contents]]:
    """Yield every possible state after a power failure, with True after the last change."""
    log = Path(reported["log"]).read_bytes()[slice(*reported["span"])]
    disk = Disk(reported["start"], _unpacked(reported["old"]))
    for change in read_log(log):
        disk.apply(change)
        yield from ((False, state) for state in disk.states())
    yield from ((True, state) for state in disk.states())


def _unpacked(contents: Plain) -> Contents:
    return {path: bytes.fromhex(data) for path, data in contents.items()}


def assert_old_or_new(reported: Plain, state: Contents, *, done: bool) -> None:
    old, new = (visible(_unpacked(reported[which])) for which in ("old", "new"))
    now = visible(state)
    if done:
        certain = all(now.get(path) == data for path, data in new.items())
        assert certain, "a file that was reported as written can be missing on the disk"
    for path in {*old, *new, *now}:
        allowed = {old.get(path), new.get(path)}
        companion = COMPANIONS.get(Path(path).name)
        if companion is not None:
            allowed.add(None)
            other = str(Path(path).with_name(companion))
            for which in (old, new):
                if now.get(path) == which[path]:
                    assert now.get(other) == which[other], "provenance of another volume"
        assert now.get(path) in allowed, f"{reported['writer']}: {path} is neither old nor new"


@pytest.mark.slow
def test_every_file_has_its_old_or_new_content(reported: Reported) -> None:
    found = {each["writer"]: each for each in reported("writing") if each["how"] == "log"}
    assert set(found) == {writer.name for writer in WRITERS}
    for each in found.values():
        n_states = 0
        for done, state in states_of(each):
            assert_old_or_new(each, state, done=done)
            n_states += 1
        assert n_states > 10, each["writer"]


@pytest.mark.parametrize(
    ("letters", "lost"),
    [("CWSRS", None), ("CWRS", "neither"), ("CWSR", "can be missing"), ("TWS", "neither")],
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
            disk.apply(steps.get(letter) or Change("S", next(synced), "0"))
        for state in disk.states():
            try:
                assert_old_or_new(reported, state, done=not letter)
            except AssertionError as e:
                faults.append(str(e))
    assert (lost is None and not faults) or any(str(lost) in fault for fault in faults)
