"""Tests of Zeiss scans: a real microscope scan, and synthetic streams."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import olefile
import pytest

from engine.core.backend import cpu
from engine.core.errors import FileFormatError
from engine.io import inspect, read_projections
from engine.io.safety.open_input import open_input
from engine.io.xray.zeiss import Zeiss, read_streams
from engine.jobs.reconstruction import reconstruct
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from tests.engine.io.xray.compound_files import write_compound

N, ROWS, COLUMNS = 40, 48, 48


@pytest.fixture
def chip(shared_data: Path) -> Path:
    path = shared_data / "formats" / "zeiss-txrm" / "txrm_test_chip_tomo.txrm"
    if not path.exists():
        pytest.skip("the shared Zeiss scan is not installed")
    return path


def test_real_scan_has_its_angles_and_pixels(chip: Path) -> None:
    data = read_projections(chip)
    assert data.shape == (7, 256, 256)
    assert data.kind == "counts"
    assert data.geometry.beam == "parallel"
    assert data.geometry.pixel_size_mm == pytest.approx((0.15578948e-3,) * 2, rel=1e-6)
    turned = np.rad2deg(np.unwrap(data.geometry.angles_rad))
    assert turned[0] - turned == pytest.approx(np.arange(7) * 15.0, abs=0.01)
    assert inspect(chip).usable
    with olefile.OleFileIO(chip) as tree:  # read the third projection with olefile only
        third = np.frombuffer(tree.openstream("ImageData1/Image3").read(), "<u2")
    assert np.array_equal(data.values[2].ravel(), third)
    assert any("mirror" in note for note in data.notes)


def test_truncated_file_gives_one_sentence(chip: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.txrm"
    cut.write_bytes(chip.read_bytes()[: chip.stat().st_size // 2])
    with pytest.raises(FileFormatError, match=r"cut\.txrm: .*copy the file again"):
        read_projections(cut)


def streams(moved_columns: int = 1, moved_rows: int = 1, **changes: bytes) -> dict[str, bytes]:
    """Return a cone-beam scan of a block; views are moved by the recorded shifts times a sign."""
    rng = np.random.default_rng(16)
    x, y = rng.integers(-4, 5, N), rng.integers(-3, 4, N)
    y[0] = -x[0] or 2
    block = np.full((ROWS, COLUMNS), 1000, np.uint16)
    block[8:15, 14:30] = 400
    block[10:12, 18:22] = 300
    views = [
        np.roll(block, (-moved_rows * b, -moved_columns * a), (0, 1))
        for a, b in zip(x, y, strict=True)
    ]
    numbers = {
        "ImageWidth": COLUMNS,
        "ImageHeight": ROWS,
        "ImagesTaken": N,
        "NoOfImages": N + 5,
        "DataType": 5,
        "AcquisitionMode": 0,
        "XrayGeometry": 1,
    }
    found = {f"ImageInfo/{name}": np.int32(n).tobytes() for name, n in numbers.items()}
    found |= {
        "ImageInfo/PixelSize": np.float32(20).tobytes(),
        "ImageInfo/Angles": np.linspace(-180, 171, N, dtype="<f4").tobytes(),
        "ImageInfo/StoRADistance": np.full(N, -50, "<f4").tobytes(),
        "ImageInfo/DtoRADistance": np.full(N, 150, "<f4").tobytes(),
        "Alignment/X-Shifts": x.astype("<f4").tobytes(),
        "Alignment/Y-Shifts": y.astype("<f4").tobytes(),
        "ReferenceData/Image": np.full((ROWS, COLUMNS), 1000, "<f4").tobytes(),
        "ReferenceData/DataType": np.int32(10).tobytes(),
    }
    found |= {f"ImageData1/Image{k + 1}": view.tobytes() for k, view in enumerate(views)}
    return found | changes


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, -1), (-1, 1)])
def test_cone_has_its_distances_and_its_shifts_are_reverted(columns: int, rows: int) -> None:
    data = read_streams(streams(columns, rows).get, Path("cone.txrm"))
    g = data.geometry
    assert g.source_axis_mm == pytest.approx(50)
    assert g.source_detector_mm == pytest.approx(200)
    assert g.pixel_size_mm == pytest.approx((0.08, 0.08))  # 20 µm, magnified 4 times
    assert data.flats is not None
    assert data.flats.mean() == 1000
    assert any("40 of 45" in note for note in data.notes)
    # The corner of the block is at the same position in space, for either sign.
    corner = np.array([np.argwhere(view < 900).min(axis=0) for view in data.values])
    detector = np.einsum("vi,vi->v", g.detector_mm, g.u_mm) / 0.08**2
    assert np.ptp(corner[:, 1] + detector) == pytest.approx(0, abs=1e-6)
    assert np.ptp(corner[:, 0] + g.detector_mm[:, 2] / 0.08) == pytest.approx(0, abs=1e-6)


def test_shifts_that_the_views_contradict_are_ignored() -> None:
    data = read_streams(streams(0, 0).get, Path("cone.txrm"))
    assert data.geometry.is_circular
    assert sum("do not confirm" in note for note in data.notes) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ImageInfo/AcquisitionMode": np.int32(1)}, "not a scan"),
        ({"ImageInfo/OriginalDataRefCorrected": np.int32(1)}, "divided by their reference"),
        ({"ImageInfo/DataType": np.int32(3)}, "the data type is 3"),
        ({"ImageInfo/Angles": np.zeros(3, "<f4")}, "'ImageInfo/Angles' is 3, expected 40"),
        ({"ImageData1/Image7": np.zeros(5, "<u2")}, "Image7' has 10 bytes"),
        ({"ImageInfo/PixelSize": np.float32(0)}, "PixelSize is 0"),
    ],
)
def test_file_that_is_not_a_scan_is_named(changes: dict[str, np.ndarray], words: str) -> None:
    content = streams() | {name: value.tobytes() for name, value in changes.items()}
    with pytest.raises(FileFormatError, match=words):
        read_streams(content.get, Path("other.txrm"))


def test_compound_file_gives_the_scan_of_its_streams(tmp_path: Path) -> None:
    path = write_compound(tmp_path / "a.txrm", streams())
    data, expected = read_projections(path), read_streams(streams().get, path)
    np.testing.assert_array_equal(data.values, expected.values)
    np.testing.assert_array_equal(data.geometry.detector_mm, expected.geometry.detector_mm)
    assert data.notes == expected.notes


def test_other_compound_files_are_not_recognised(tmp_path: Path) -> None:
    other = write_compound(tmp_path / "letter.doc", {"Word/Document": b"words"})
    with open_input(other) as file:
        assert not Zeiss.accepts(file)
    with pytest.raises(FileFormatError, match="mosaic"):
        mosaic = {f"ImageInfo/{n}": np.int32(2).tobytes() for n in ("MosiacRows", "MosiacColumns")}
        read_streams((streams() | mosaic).get, Path("mosaic.txrm"))


def chords(turned_rad: np.ndarray, place_mm: tuple[float, float], radius_mm: float) -> np.ndarray:
    """Return counts behind a ball that turned by +θ with the object; source at (0, −50, 0).

    Written for this test from CIL's definition of the format: row 0 is the lowest, columns go to
    the right as seen from the source, the detector is at y = +150 mm, and its pixels are 4 times
    the voxel of 20 µm.
    """
    source, side = np.array([0.0, -50.0, 0.0]), 0.02 * 4
    columns = (np.arange(COLUMNS) - (COLUMNS - 1) / 2) * side
    rows = (np.arange(ROWS) - (ROWS - 1) / 2) * side
    ends = np.stack(
        np.broadcast_arrays(columns[None, :], np.full((1, 1), 150.0), rows[:, None]), axis=-1
    )
    direction = ends - source
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    counts = []
    for angle in turned_rad:
        x, y = place_mm
        centre = np.array(
            [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), 0.0]
        )
        along = direction @ (centre - source)
        distance2 = np.sum((centre - source) ** 2) - along**2
        chord = 2 * np.sqrt(np.maximum(radius_mm**2 - distance2, 0))
        counts.append(np.rint(50_000 * np.exp(-2.0 * chord)))
    return np.array(counts, np.uint16)


def test_ball_is_reconstructed_at_its_position(tmp_path: Path) -> None:
    """A mirrored rotation would put the ball at y = −0.1 mm and blur it."""
    place, n_views = (0.18, 0.12), N
    degrees = np.arange(n_views) * 360.0 / n_views
    views = chords(np.deg2rad(degrees), place, 0.06)
    content = streams()
    for k, view in enumerate(views):
        content[f"ImageData1/Image{k + 1}"] = view.astype("<u2").tobytes()
    content["ImageInfo/Angles"] = degrees.astype("<f4").tobytes()
    content["ReferenceData/Image"] = np.full((ROWS, COLUMNS), 50_000, "<f4").tobytes()
    del content["Alignment/X-Shifts"], content["Alignment/Y-Shifts"]
    path = write_compound(tmp_path / "ball.txrm", content)
    options = ("steps.centre.use=off", "steps.bad_pixels.use=off", "steps.rings.use=off")
    protocol = with_settings(CtProtocol(), options)
    volume = reconstruct(Study(data=path, protocol=protocol), on=cpu(2))
    grid = volume.grid
    heavy = np.where(volume.values > volume.values.max() / 2, volume.values, 0)
    x, y = (
        float(np.sum(heavy * grid.centres_mm(axis).reshape(shape)) / heavy.sum())
        for axis, shape in ((0, (1, 1, -1)), (1, (1, -1, 1)))
    )
    # A voxel is 0.02 mm; a mirror image is 0.24 mm away.
    assert (x, y) == pytest.approx(place, abs=0.02)
