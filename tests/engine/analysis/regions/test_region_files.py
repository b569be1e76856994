"""Tests of region sets: files, damage, labels, other scans, and the command."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.analysis.regions import (
    BoxRegion,
    CombinedRegion,
    ContourRegion,
    MaskRegion,
    PolygonRegion,
    Region,
    RegionSet,
    SphereRegion,
    csv_of,
    marks_of,
    measure_all,
    read_regions,
    regions_file_of,
    regions_of,
    write_labels,
    write_regions,
)
from engine.analysis.regions.combined import AnyShape
from engine.analysis.regions.runs import packed, unpacked
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError, EngineError, ResourceError, SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save

GRID = ImageGrid((10, 12, 14), (2.0, 2.0, 2.5), (1.0, 2.0, 3.0))
BALL = SphereRegion(centre_mm=(1, 2, 3), diameter_mm=11)
TWIN = """[[regions]]
name = "A"
shape = {kind = "sphere", centre_mm = [0, 0, 0], diameter_mm = 5}
"""
BOX = BoxRegion(centre_mm=(-6, -3, 3), size_mm=(6, 6, 6))


@pytest.fixture
def volume(rng: np.random.Generator) -> Volume:
    return Volume(rng.gamma(3, 2, GRID.shape).astype(np.float32), GRID, "Bq/mL")


def every_kind(volume: Volume) -> RegionSet:
    corners = ((-3.0, -4.0), (7.0, 0.5), (2.0, 6.0))
    shapes: tuple[AnyShape, ...] = (
        BALL,
        PolygonRegion(axis=1, corners_mm=corners, low_mm=0, high_mm=5),
        MaskRegion.of(volume.values > 8, GRID),
        ContourRegion(within=BOX, rule="fixed", level=7.0, unit="Bq/mL"),
        CombinedRegion(operation="minus", parts=(BALL, ContourRegion(within=BOX))),
    )
    regions = tuple(Region(name=f"Région {k}", shape=each) for k, each in enumerate(shapes))
    return RegionSet(scans=marks_of(volume), regions=regions)


def test_regions_are_restored_exactly(tmp_path: Path, volume: Volume) -> None:
    regions = every_kind(volume)
    write_regions(regions, tmp_path / "a.regions.toml")
    found = read_regions(tmp_path / "a.regions.toml")
    assert found == regions
    images = [("", volume)]
    assert csv_of(measure_all(found.regions, images)) == csv_of(
        measure_all(regions.regions, images)
    )
    assert regions_file_of(Path("x/image.nii.gz")).name == "image.regions.toml"
    assert regions_file_of(Path("x/study.toml")).name == "study.regions.toml"


def test_run_lengths_hold_any_mask_and_refuse_damage(rng: np.random.Generator) -> None:
    for mask in (rng.random((3, 4, 5)) > 0.5, np.ones((2, 2, 2), bool), np.zeros((1, 2, 3), bool)):
        text = packed(mask)
        assert (unpacked(text, mask.shape) == mask).all()
        with pytest.raises(ValueError, match="run lengths"):
            unpacked(text, (mask.shape[0] + 1, *mask.shape[1:]))
        for damaged in (text[:-8], text[:-8] + "AAAAAAA=", "%" + text):
            with pytest.raises(ValueError, match="run lengths"):
                unpacked(damaged, mask.shape)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('data = "scan.h5"', "not a region file"),
        ('format = "isocenter-regions-1"\n[[regions]]\nname = "=cmd()"', "formula"),
        ('format = "isocenter-regions-1"\naxes = "RAS"', "axes"),
        (f'format = "isocenter-regions-1"\n{TWIN}{TWIN}', "two regions have the name 'A'"),
    ],
)
def test_invalid_region_file_is_refused(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=match):
        read_regions(tmp_path / "r.toml")


def test_masks_too_large_for_a_text_are_refused(
    tmp_path: Path, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.analysis.regions.region_file.MAX_TOML_BYTES", 1500)
    write_regions(RegionSet(regions=(Region(name="A", shape=BALL),)), tmp_path / "b.toml")
    (tmp_path / "b.toml").unlink()
    with pytest.raises(ResourceError, match="NIfTI labels"):
        write_regions(every_kind(volume), tmp_path / "a.toml")
    assert not list(tmp_path.iterdir())


def test_file_of_any_bytes_is_read_or_refused(tmp_path: Path, volume: Volume) -> None:
    write_regions(every_kind(volume), tmp_path / "a.toml")
    data = bytearray((tmp_path / "a.toml").read_bytes())
    rng = np.random.default_rng(3)
    for _ in range(60):
        damaged = bytearray(data)
        damaged[int(rng.integers(len(data)))] = int(rng.integers(256))
        (tmp_path / "b.toml").write_bytes(damaged[: int(rng.integers(len(data) // 2, len(data)))])
        try:
            read_regions(tmp_path / "b.toml")
        except EngineError as e:
            assert "b.toml" in str(e)


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
def test_labels_round_trip_in_their_position(tmp_path: Path, volume: Volume, axes: str) -> None:
    volume = replace(volume, info={"axes": axes})
    regions = (Region(name="Ball", shape=BALL, colour="#123456"), Region(name="Box", shape=BOX))
    labels = write_labels(regions, volume, tmp_path / "labels.nii.gz")
    written = nibabel.Nifti1Image.from_filename(tmp_path / "labels.nii.gz")
    assert written.get_data_dtype() == np.int16
    assert np.bincount(labels.values.ravel())[1:].tolist() == [
        int((shape.coverage(volume).share >= 0.5).sum()) for shape in (BALL, BOX)
    ]
    back = regions_of(read_volume(tmp_path / "labels.nii.gz"))
    assert (back.regions[0].name, back.regions[0].colour) == ("Ball", "#123456")
    facing = back.facing(volume)
    for number, region in enumerate(facing.regions, 1):
        found = region.shape.coverage(volume)
        inside = found.within((slice(0, 10), slice(0, 12), slice(0, 14))) > 0.5
        assert (inside == (labels.values == number)).all()


def test_image_without_labels_is_refused(volume: Volume) -> None:
    with pytest.raises(DataError, match="whole numbers"):
        regions_of(volume)
    with pytest.raises(DataError, match="all values of the image are 0"):
        regions_of(replace(volume, values=np.zeros(GRID.shape, np.float32)))


def test_regions_match_all_images_of_their_scan(volume: Volume) -> None:
    info = {"inputs": {"data": {"sha256": "ab12"}}}
    one, other = (replace(volume, values=volume.values + k, info=info) for k in range(2))
    regions = RegionSet(scans=marks_of(one))
    assert regions.is_of(marks_of(other))
    other_scan = replace(volume, info={"inputs": {"data": {"sha256": "cd34"}}})
    assert not regions.is_of(marks_of(other_scan))
    assert not regions.is_of(marks_of(volume))
    assert regions.bound_to(marks_of(other_scan)).is_of(marks_of(other_scan))
    assert marks_of(volume) == marks_of(replace(volume, notes=("read again",)))
    assert not RegionSet().is_of(())


def test_command_measures_and_refuses_regions_of_another_scan(
    tmp_path: Path, volume: Volume, capsys: pytest.CaptureFixture[str]
) -> None:
    image, table, saved = (tmp_path / name for name in ("a.nii.gz", "out.csv", "r.toml"))
    save(volume, image)
    write_regions(every_kind(read_volume(image)), saved)
    words = ["regions", str(image), "--regions", str(saved)]
    assert main([*words, "--csv", str(table), "--labels", str(tmp_path / "l.nii.gz")]) == DONE
    assert "voxels lie in several regions" in capsys.readouterr().err
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    found = measure_all(every_kind(volume).regions, [("", volume)])
    assert [float(row["mean"]) for row in rows] == pytest.approx(
        [each.figures.mean for each in found if each.figures], rel=1e-6
    )
    assert rows[0]["unit of the total"] == "Bq"
    other = tmp_path / "b.nii.gz"
    save(replace(volume, values=volume.values * 2), other)
    assert main(["regions", str(other), "--regions", str(saved)]) == USER_FAULT
    assert "a different scan" in capsys.readouterr().err
    assert main(["regions", str(other), "--regions", str(saved), "--other-scan"]) == DONE
    assert main(["regions", str(image), "--regions", str(tmp_path / "l.nii.gz")]) == DONE
