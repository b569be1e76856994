"""Tests of outputs: they are compared with the inputs by file identity, not by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.core.errors import OutputError
from engine.io.safety import outputs
from engine.io.safety.outputs import existing, files_written, refuse_inputs, refuse_to_overwrite


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "scan.h5"
    path.write_bytes(b"raw")
    return path


def spellings(scan: Path) -> dict[str, Path]:
    folder = scan.parent
    (folder / "link.h5").symlink_to(scan.name)
    (folder / "two").symlink_to("link.h5")
    (folder / "twin.h5").hardlink_to(scan)
    (folder / "folder link").symlink_to(folder)
    return {
        "path": scan,
        "relative": Path(os.path.relpath(scan)),
        "with dots": folder / "folder link" / ".." / folder.name / "scan.h5",
        "link": folder / "link.h5",
        "link to a link": folder / "two",
        "hard link": folder / "twin.h5",
        "folder that is a link": folder / "folder link" / "scan.h5",
    }


def test_input_is_recognised_under_any_name(scan: Path) -> None:
    for spelling, output in spellings(scan).items():
        for force in (False, True):
            with pytest.raises(OutputError, match="never overwritten") as fault:
                refuse_to_overwrite([output], [scan], force=force)
            assert str(output) in str(fault.value), spelling


def test_other_spelling_is_the_same_file_if_case_is_ignored(scan: Path) -> None:
    output = scan.with_name("SCAN.H5")
    if not output.exists():
        refuse_to_overwrite([output], [scan])
        pytest.skip("this file system distinguishes upper and lower case")
    with pytest.raises(OutputError, match="never overwritten"):
        refuse_to_overwrite([output], [scan], force=True)


def test_link_created_meanwhile_is_detected(scan: Path) -> None:
    output = scan.with_name("image.h5")
    refuse_to_overwrite([output], [scan])
    output.symlink_to(scan)
    with pytest.raises(OutputError, match="never overwritten"):
        refuse_inputs([output], [scan])


def test_existing_file_needs_force_and_is_described(scan: Path, tmp_path: Path) -> None:
    output = tmp_path / "image.h5"
    output.write_bytes(bytes(1234))
    with pytest.raises(
        OutputError, match=r"image.h5: this file already exists \(1,234 bytes, 20\d\d-"
    ):
        refuse_to_overwrite([output], [scan])
    refuse_to_overwrite([output], [scan], force=True)


def test_two_outputs_never_share_a_file(tmp_path: Path) -> None:
    image = files_written(tmp_path / "image.nii.gz")
    assert [path.name for path in image] == ["image.nii.gz", "image.provenance.json"]
    with pytest.raises(OutputError, match="two outputs"):
        refuse_to_overwrite([*image, tmp_path / "image.provenance.json"], [], force=True)


def test_every_file_of_a_written_scan_is_checked(tmp_path: Path) -> None:
    names = {path.name for path in files_written(tmp_path / "a.toml")}
    assert names == {"a.toml", "a.geom", "a.raw", "a_flats.raw", "a_darks.raw"}


def test_devices_are_not_files_to_protect() -> None:
    assert existing(Path("/dev/null")) == ""
    assert existing(Path("n" * 300)) == ""


@pytest.mark.parametrize(
    ("name", "n_frames", "needed"),
    [("a.nii", 0, 1000), ("a.NRRD", 0, 1000), ("a.nii", 7, 7000), ("a.nii.gz", 0, 50),
     ("a.dcm", 0, 50), ("a.dcm", 7, 350)],
)  # fmt: skip
def test_image_needs_the_space_of_its_format_and_frames(
    tmp_path: Path, name: str, n_frames: int, needed: int
) -> None:
    need = outputs.output_need(str(tmp_path / "new folder" / name), 1000, n_frames)
    assert need is not None and (need.n_bytes, need.what) == (needed, name)
    assert outputs.output_need("", 1 << 60) is None
