"""Settings and tracer files identify their scan by its content, not by its name or place."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import engine
from engine.core.errors import DataError
from engine.corrections.calibration import TRACER
from engine.data.listmode import ListMode
from engine.data.timing.tracer import Tracer
from engine.io.auxiliary.tracer_file import read_tracer, write_tracer
from engine.io.scan_fingerprint import (
    END_BYTES,
    MAX_FILES,
    PIECE_BYTES,
    PIECES,
    WatchedScan,
    fingerprint_of,
    is_scan_of,
    lacks_linked_files,
    scan_digest,
)
from engine.jobs.queue.store import StudyQueue
from engine.jobs.reconstruction import run
from engine.modalities.attaching import attached
from engine.modalities.studies import Study, read_study, write_study
from engine.protocols.study.study import refuse_changed_files
from engine.simulate import point, simulate_listmode
from tests.engine.io.xray.xray_files import nxtomo_with_links


def test_fingerprint_depends_on_content_and_not_on_name(tmp_path: Path) -> None:
    scan, moved = tmp_path / "a.h5", tmp_path / "b.dat"
    long = bytes(range(256)) * 8200  # longer than the two ends that are read
    for path in (scan, moved):
        path.write_bytes(long)
    assert scan_digest(scan) == scan_digest(moved)
    others = (b"\1" + long[1:], long[:-1] + b"\1", long + b"\0", long[:2000])
    digests = []
    for text in others:
        moved.write_bytes(text)
        digests.append(scan_digest(moved))
    assert len({*digests, scan_digest(scan)}) == len(others) + 1


def test_folder_is_identified_by_its_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    first = scan_digest(tmp_path)
    (tmp_path / "two").write_text("three")
    assert scan_digest(tmp_path) != first


def test_tracer_file_of_another_scan_is_refused(tmp_path: Path) -> None:
    events = ListMode(engine.read_scanner("demo-ring"), np.zeros((1, 2), np.int32))
    scan, other, file = (tmp_path / name for name in ("scan.h5", "other.h5", "tracer.toml"))
    scan.write_text("events of one patient")
    other.write_text("events of another one")
    write_tracer(Tracer(nuclide="F-18", weight_kg=70, of_scan=scan_digest(scan)), file)
    assert read_tracer(file).of_scan == scan_digest(scan)
    found = attached((TRACER,), {"tracer": file}, events, of=scan)
    assert found.info["weight_kg"] == 70
    with pytest.raises(
        DataError,
        match=r"tracer\.toml: this tracer file was filled in for a different scan than other",
    ):
        attached((TRACER,), {"tracer": file}, events, of=other)


HEADER = "!INTERFILE :=\n!name of data file := {name}\n!total number of data := {n}\n"


def headed(folder: Path, values: bytes, header: str = "scan.hdr", data: str = "scan.l") -> Path:
    """Write data with a header that is equal for all patients."""
    folder.mkdir(exist_ok=True)
    (folder / header).write_text(HEADER.format(name=data, n=len(values)))
    (folder / data).write_bytes(values)
    return folder / header


def test_data_behind_equal_headers_distinguish_two_patients(tmp_path: Path) -> None:
    one, other = headed(tmp_path / "one", b"\1" * 5000), headed(tmp_path / "two", b"\2" * 5000)
    assert one.read_bytes() == other.read_bytes() and scan_digest(one) == scan_digest(other)
    assert fingerprint_of(one) != fingerprint_of(other)
    assert fingerprint_of(one) == fingerprint_of(headed(tmp_path / "moved", b"\1" * 5000))


def test_a_main_header_leads_to_the_values_of_its_headers(tmp_path: Path) -> None:
    digests = set()
    for name, values in (("a", b"\1" * 900), ("b", b"\2" * 900)):
        headed(tmp_path / name, values, "emission.s.hdr", "emission.s")
        main = tmp_path / name / "emission.mhdr"
        main.write_text("!INTERFILE :=\n%data set [1]:={0,,emission.s.hdr}\n")
        digests.add(fingerprint_of(main))
    assert len(digests) == 2


@pytest.mark.parametrize("size", [0, 20_000_000])
@pytest.mark.parametrize("are_last", [False, True])
def test_files_that_an_hdf5_file_links_to_count(tmp_path: Path, size: int, are_last: bool) -> None:
    scan, values = nxtomo_with_links(tmp_path), tmp_path / "raw" / "eye_0001.h5"
    with h5py.File(scan, "r+") as file:
        file["mask"] = np.full(size, 7, np.uint8)
        eye = file["entry1/tomo_entry/instrument/eye"]
        if are_last:
            links = {name: eye.get(name, getlink=True) for name in ("data", "image_key")}
            for name, link in links.items():
                del eye[name]
                file.create_group(f"later/{name}")[name] = h5py.ExternalLink(
                    link.filename, link.path
                )
                eye[name] = h5py.SoftLink(f"/later/{name}/{name}")
    content = scan.read_bytes()
    assert not size or (content.find(b"eye_0001.h5\0") > size) is are_last
    before = fingerprint_of(scan)
    with h5py.File(values, "r+") as file:
        file["data"][0] += 1
    assert fingerprint_of(scan) != before


def with_links(path: Path, *names: str) -> Path:
    with h5py.File(path, "w") as file:
        for k, name in enumerate(names):
            file[f"part {k}"] = h5py.ExternalLink(name, "/data")
    for name in names:
        (path.parent / name).write_bytes(name.encode())
    return path


def by_text(path: Path) -> str:
    """Return the fingerprint of versions that found names of linked files only as text."""
    return WatchedScan(path, by_library=False).fingerprint()


def test_known_links_do_not_change_the_fingerprint_of_earlier_versions(tmp_path: Path) -> None:
    """The library finds links in the order of their groups, earlier versions by name."""
    scan = with_links(tmp_path / "scan.h5", "b.h5", "c.nxs", "a.h5")
    assert fingerprint_of(scan) == by_text(scan)


def test_fingerprint_without_later_found_files_is_named_as_such(study, tmp_path: Path) -> None:
    scan = with_links(tmp_path / "scan.h5", "a.h5", "values.dat")
    older = by_text(scan)
    assert fingerprint_of(scan) != older and lacks_linked_files(scan, older)
    saved = study.model_copy(update={"data": scan, "fingerprints": {"data": older}})
    with pytest.raises(DataError, match=r"^scan\.h5: an earlier version of Isocenter saved the"):
        refuse_changed_files(saved)
    # Nothing shows that these values are still those of the patient.
    (tmp_path / "values.dat").write_bytes(b"another patient")
    with pytest.raises(DataError, match=r"may be of another patient by now\. Check the patient"):
        refuse_changed_files(saved)
    (tmp_path / "a.h5").write_bytes(b"another patient")
    assert not lacks_linked_files(scan, older)
    with pytest.raises(DataError, match="this is not the file that the study was set up for"):
        refuse_changed_files(saved)


def test_files_that_only_stand_next_to_a_scan_do_not_count(tmp_path: Path) -> None:
    scan = headed(tmp_path / "one", b"\1" * 5000)
    before = fingerprint_of(scan)
    for name in ("study.toml", "scan", "other.l", "scan.l.txt"):
        (tmp_path / "one" / name).write_text('data = "scan.hdr"\nraw = "scan.l"')
    assert fingerprint_of(scan) == before


def test_the_middle_counts_where_both_ends_are_empty(tmp_path: Path) -> None:
    """The outer TOF bins of a sinogram are often empty."""
    scan, size = tmp_path / "a.s", 8 * END_BYTES
    scan.write_bytes(bytes(size))
    first = fingerprint_of(scan)
    middle = bytes(size // 4) + b"\7" * (size // 2) + bytes(size // 4)
    scan.write_bytes(middle)
    assert len(middle) == size and fingerprint_of(scan) != first
    assert 2 * END_BYTES + PIECES * PIECE_BYTES == 2 * 2**20, "bytes read of each file"


def test_subfolders_count_and_few_files_are_read(tmp_path: Path, monkeypatch) -> None:
    for k in range(MAX_FILES + 9):
        (tmp_path / "values" / f"{k % 3}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "values" / f"{k % 3}" / f"{k:03d}").write_text(f"{k}")
    first = fingerprint_of(tmp_path)
    read: list[Path] = []
    monkeypatch.setattr(
        "engine.io.scan_fingerprint._pieces_of",
        lambda path, is_needed: read.append(path) or iter(()),
    )
    fingerprint_of(tmp_path)
    assert len(read) == MAX_FILES
    monkeypatch.undo()
    (tmp_path / "values" / "0" / "000").write_text("another")
    assert fingerprint_of(tmp_path) != first


def test_a_scan_that_changes_meanwhile_has_no_fingerprint(tmp_path: Path) -> None:
    scan = headed(tmp_path / "one", b"\1" * 5000)
    watched = WatchedScan(scan)
    headed(tmp_path / "one", b"\2" * 5000)
    with pytest.raises(DataError, match=r"scan\.hdr: the file was changed while it was read"):
        watched.fingerprint()


def test_tracer_files_of_earlier_versions_still_fit(tmp_path: Path) -> None:
    scan = headed(tmp_path / "one", b"\1" * 5000)
    assert is_scan_of(scan, scan_digest(scan)) and is_scan_of(scan, fingerprint_of(scan))
    known = fingerprint_of(scan)
    headed(tmp_path / "one", b"\2" * 5000)
    assert not is_scan_of(scan, known)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Return a study with a scan that a test can replace."""
    ring = engine.read_scanner("demo-ring")
    for seed, name in enumerate(("scan.h5", "other.h5")):
        engine.save(simulate_listmode(point(), ring, n_prompts=1000, seed=seed), tmp_path / name)
    return Study(data=tmp_path / "scan.h5", protocol="brain-fdg")


def test_a_study_does_not_run_with_another_scan(study: Study, tmp_path: Path) -> None:
    known = study.model_copy(update={"fingerprints": {"data": fingerprint_of(study.data)}})
    (tmp_path / "other.h5").replace(study.data)
    with pytest.raises(DataError) as refused:
        next(run(known))
    found, expected = fingerprint_of(study.data), known.fingerprints["data"]
    assert str(refused.value) == (
        f"scan.h5: this is not the file that the study was set up for (fingerprint {found[:8]}, "
        f"expected {expected[:8]}), and it may belong to another patient. Restore that file, or "
        "set up the study again."
    )
    next(run(study))  # a study that was never opened knows no scan


def test_study_files_keep_their_fingerprints_and_old_ones_have_none(
    study: Study, tmp_path: Path
) -> None:
    write_study(study, tmp_path / "old.toml")
    assert "fingerprints" not in (tmp_path / "old.toml").read_text()
    assert read_study(tmp_path / "old.toml").fingerprints == {}
    known = study.model_copy(update={"fingerprints": {"data": "ab" * 32}})
    write_study(known, tmp_path / "new.toml")
    assert read_study(tmp_path / "new.toml").fingerprints == {"data": "ab" * 32}


def test_a_queued_study_waits_for_its_own_scan(study: Study, tmp_path: Path) -> None:
    queue = StudyQueue(tmp_path / "queue")
    own = fingerprint_of(study.data)
    entry = queue.add(study)
    (tmp_path / "other.h5").replace(study.data)
    queued = entry.to_study()
    assert queued.fingerprints == {"data": own}
    with pytest.raises(DataError, match=r"scan\.h5: this is not the file"):
        next(run(queued))


def test_another_input_of_the_user_has_no_fingerprint(study: Study) -> None:
    known = {"data": "a", "attenuation": "b", "tracer": "c"}
    whole = study.with_inputs({"attenuation": Path("mu.nii"), "tracer": Path("t.toml")})
    whole = whole.model_copy(update={"fingerprints": known})
    changed = whole.with_inputs({"attenuation": Path("new.nii"), "tracer": Path("t.toml")})
    assert changed.fingerprints == {"data": "a", "tracer": "c"}
