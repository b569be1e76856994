"""Tests of HDF5 links: all kinds of references to other files are found, anywhere in a file."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import OutputError
from engine.io.hdf5 import links
from engine.io.hdf5.links import linked_files
from engine.io.input_files import MAX_TEXT_BYTES, files_behind, links_behind
from engine.io.safety.open_input import InputFile, open_input
from engine.io.safety.outputs import refuse_to_overwrite
from engine.modalities.opening import scan_at
from tests.engine.io.xray.xray_files import nxtomo_with_links


def raw(folder: Path, *names: str) -> list[Path]:
    """Write files with values."""
    paths = [folder / name for name in names]
    for path in paths:
        with h5py.File(path, "w") as file:
            file["data"] = np.arange(6, dtype=np.float32)
    return paths


def linked(path: Path) -> tuple[Path, ...]:
    with open_input(path) as file:
        return linked_files(file)


def test_link_in_the_middle_of_a_large_file_protects_its_target(tmp_path: Path) -> None:
    (values,) = raw(tmp_path, "values.h5")
    scan, filling = tmp_path / "scan.h5", np.full(MAX_TEXT_BYTES, 7, np.uint8)
    with h5py.File(scan, "w", libver="latest") as file:
        file["before"] = filling
        for k in range(200):  # more metadata than HDF5 places at the beginning of a file
            file.create_group(f"detector {k}")
        file.create_group("entry")["data"] = h5py.ExternalLink(values.name, "/data")
        file.flush()
        file["after"] = filling
    content = scan.read_bytes()
    where = content.find(b"values.h5\0")
    assert MAX_TEXT_BYTES // 2 < where < len(content) - MAX_TEXT_BYTES // 2
    assert list(links_behind(scan)) == [values] and values in files_behind(scan)
    with pytest.raises(OutputError, match=r"values\.h5"):
        refuse_to_overwrite((values,), files_behind(scan), force=True)


def add_blocks(file: h5py.File, name: str) -> None:
    """Add a virtual dataset with a row per numbered file; h5py has no function for this."""
    lines = h5py.h5s.create_simple((0, 6), (h5py.h5s.UNLIMITED, 6))
    where = h5py.h5s.create_simple((0, 6), (h5py.h5s.UNLIMITED, 6))
    where.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1), stride=(1, 6), block=(1, 6))
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.VIRTUAL)
    creation.set_virtual(where, name.encode(), b"data", h5py.h5s.create_simple((6,)))
    h5py.h5d.create(file.id, b"blocks", h5py.h5t.IEEE_F32LE, lines, dcpl=creation)


def test_virtual_datasets_and_external_storage_name_their_files(tmp_path: Path) -> None:
    parts = raw(tmp_path, "part_1.h5", "part_2.h5", "part_12.h5", "whole.h5")
    others = raw(tmp_path, "part_x.h5", "other.h5")
    stored = tmp_path / "counts.raw"
    stored.write_bytes(bytes(24))
    scan = tmp_path / "scan.h5"
    with h5py.File(scan, "w") as file:
        file.create_dataset("counts", (6,), "f4", external=[(stored.name, 0, 24)])
        layout = h5py.VirtualLayout((6,), "f4")
        layout[:] = h5py.VirtualSource(parts[-1].name, "data", (6,))
        file.create_virtual_dataset("whole", layout)
        add_blocks(file, "part_%b.h5")
        file["own"] = np.zeros(3)
        own = h5py.VirtualLayout((3,), "f8")
        own[:] = h5py.VirtualSource(file["own"])
        file.create_virtual_dataset("again", own)
    assert {*linked(scan)} == {stored, *parts} and not {*linked(scan)} & {*others}


def test_links_are_followed_from_file_to_file_and_end_in_circles(tmp_path: Path) -> None:
    """A master file links to a file for each detector, which links to the values."""
    (tmp_path / "raw").mkdir()
    paths = raw(tmp_path, "master.h5", "detector.h5", "values.h5", "raw/more.h5")
    master, detector, values, more = paths
    links_of = {
        master: (detector.name,),
        detector: (values.name, "raw/more.h5"),
        values: (master.name,),
    }
    for path, targets in links_of.items():
        with h5py.File(path, "r+") as file:
            file["circle"] = file["/"]
            for k, target in enumerate(targets):
                file[f"link {k}"] = h5py.ExternalLink(target, "/data")
    assert {*linked(master)} == {detector, values, more}


def test_a_damaged_object_hides_no_other_links(tmp_path: Path) -> None:
    (values,) = raw(tmp_path, "values.h5")
    scan = tmp_path / "scan.h5"
    with h5py.File(scan, "w") as file:
        file["a damaged one"] = np.arange(4)
        file["data"] = h5py.ExternalLink(values.name, "/data")
        address = h5py.h5o.get_info(file["a damaged one"].id).addr
    content = bytearray(scan.read_bytes())
    content[address : address + 16] = b"\xff" * 16
    scan.write_bytes(content)
    assert linked(scan) == (values,)


def test_library_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window lists files without the HDF5 library, which a hostile file could crash."""
    (values,) = raw(tmp_path, "values.h5")
    scan = tmp_path / "scan.h5"
    with h5py.File(scan, "w") as file:
        file["data"] = h5py.ExternalLink(values.name, "/data")
    calls: list[InputFile] = []
    monkeypatch.setattr(links, "linked_files", lambda file: calls.append(file) or ())
    assert list(links_behind(scan, by_library=False)) == [values]
    assert values in files_behind(scan, by_library=False) and not calls
    assert list(links_behind(scan)) == [values] and calls


def test_links_of_other_files_are_none(tmp_path: Path) -> None:
    text = tmp_path / "scan.h5"
    text.write_text("no HDF5 file, but values.h5\0")
    raw(tmp_path, "values.h5")
    assert linked(text) == ()


def test_reader_of_a_scan_lists_its_links(tmp_path: Path) -> None:
    scan = nxtomo_with_links(tmp_path)
    assert scan_at(scan, None, False).linked == (tmp_path / "raw" / "eye_0001.h5",)
