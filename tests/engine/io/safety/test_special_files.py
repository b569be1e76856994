"""Special files, and files that change while they are read, are refused without waiting."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError, ResourceError
from engine.io import inspect, read_listmode, read_projections, read_scanner, read_volume
from engine.io.safety import budget as budgets
from engine.io.safety.budget import max_unpacked_bytes, refuse_large_data
from engine.io.safety.open_input import InputFile, open_input
from engine.io.text.word_list import FileWords
from tests.engine.io.listmode import test_safir
from tests.engine.io.xray.xray_files import flexray, nikon
from tests.farm import traps
from tests.farm.formats import KINDS, Kind

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows does not allow such file names")
NAMES = ("a.l", "a.h5", "a.nii", "a.toml", "a.txt", "a.mat", "a.tif", "a.clm.safir")


@pytest.mark.parametrize("trap", traps.TRAPS, ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_special_file_is_refused_at_once(tmp_path: Path, trap: traps.Trap, name: str) -> None:
    trap(tmp_path / name)
    for read in (read_listmode, read_volume, read_projections, lambda p: read_scanner(str(p))):
        with pytest.raises(EngineError, match=name.partition(".")[0]):
            read(tmp_path / name)
    assert inspect(tmp_path / name).faults


def test_pipe_and_device_are_named(tmp_path: Path) -> None:
    traps.fifo(tmp_path / "a.h5")
    traps.zeros(tmp_path / "b.toml")
    with pytest.raises(FileFormatError, match=r"a\.h5: this is a pipe\. Choose a regular file"):
        InputFile(tmp_path / "a.h5")
    with pytest.raises(FileFormatError, match=r"b\.toml: this is a device\. Choose a regular file"):
        InputFile(tmp_path / "b.toml")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_pipes_and_devices_next_to_a_scan_change_nothing(tmp_path: Path, kind: Kind) -> None:
    path = kind.make(tmp_path)
    for k, name in enumerate(traps.BESIDE):
        (traps.fifo if k % 2 else traps.zeros)(tmp_path / name)
    kind.read(path)


def test_angle_list_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    path = nikon(tmp_path)
    traps.fifo(tmp_path / f"{path.stem}.ang")
    with pytest.raises(FileFormatError, match="a pipe"):
        read_projections(path)


@pytest.mark.parametrize("size", [0, 40, 5000])
def test_file_that_changes_while_read_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(4096))
    refused = pytest.raises(FileFormatError, match=r"a\.bin: changed during reading")
    with refused, open_input(path) as file:
        words = FileWords(file, np.dtype("<u4"))
        os.truncate(path, size)
        words[:].sum()


def test_file_written_while_open_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(64))
    with (
        pytest.raises(FileFormatError, match="changed during reading, with the same size"),
        open_input(path),
    ):
        path.write_bytes(bytes(64))
        os.utime(path, ns=(1, 1))


def test_path_redirected_while_open_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"two")
    with pytest.raises(FileFormatError, match="changed"), open_input(tmp_path / "a") as file:
        (tmp_path / "b").replace(tmp_path / "a")
        file.refuse_replaced()


def test_links_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").hardlink_to(tmp_path / "a")
    found = set()
    for name in "abc":
        with open_input(tmp_path / name) as file:
            found.add(file.identity)
    assert len(found) == 1


def test_pieces_equal_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    numbers = np.arange(100, dtype="<u2")
    path.write_bytes(b"head" + numbers.tobytes())
    with open_input(path) as file:
        words = FileWords(file, np.dtype("<u2"), 4)
        assert len(words) == 100
        assert np.array_equal(words[10:20], numbers[10:20])
        assert int(words[99]) == 99
        stream = file.stream()
        stream.seek(-4, os.SEEK_END)
        assert stream.read() == numbers[-2:].tobytes()
        assert file.read(4) == b"head"


def test_unavailable_memory_is_not_allocated(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"a.h5: reading needs .* GiB of memory"):
        refuse_large_data(2**60, "a.h5")
    path = tmp_path / "a"
    path.write_bytes(b"x")
    with pytest.raises(ResourceError), open_input(path) as file:
        file.array("<f8", (2**40, 2**20))


def test_unpacked_size_is_limited() -> None:
    assert max_unpacked_bytes(10) == 10 * budgets.DEFLATE_MOST
    assert max_unpacked_bytes(2**20) == budgets.ALWAYS_UNPACKED
    assert max_unpacked_bytes(2**30) == budgets.MAX_COMPRESSION * 2**30


def test_image_belongs_only_to_the_scan_that_names_it(tmp_path: Path) -> None:
    """A sidecar does not claim the other images in its folder."""
    from tests.engine.io.xray.test_xray_sidecar import write

    write(tmp_path)
    (tmp_path / "photo.tif").write_bytes(b"II*\0" + bytes(60))
    with pytest.raises(EngineError, match=r"photo\.tif"):
        read_projections(tmp_path / "photo.tif")


def test_error_for_an_image_of_several_scans_names_it(tmp_path: Path) -> None:
    flexray(tmp_path)
    settings = (tmp_path / "scan settings.txt").read_text()
    (tmp_path / "other settings.txt").write_text(settings)
    with pytest.raises(FileFormatError, match=r"scan_000000.tif: found the settings of 2 scans"):
        read_projections(tmp_path / "scan_000000.tif")


def test_second_signature_of_safir_is_read(tmp_path: Path) -> None:
    test_safir.write_map(tmp_path / "crystal_map.txt")
    path = test_safir.write(tmp_path, test_safir.RECORDS)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"MUPET", b"SAFIR"))
    assert read_listmode(path).n_events == 3
