"""Tests of folders and files without metadata, which a few answers describe."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import EngineError
from engine.io import read_projections
from engine.raw_import import Answers, answers_of, draft_of, write_draft
from tests.engine.io.volumes.matlab_files import write_matlab_73
from tests.engine.io.xray.esrf_files import edf_bytes
from tests.engine.raw_import.scans import (
    COLUMNS,
    N_VIEWS,
    OPEN,
    ROWS,
    STEP_DEG,
    counts,
    integrals,
    raw_file,
    tiff_folders,
)

MAX_ANSWERS = 5
PARALLEL = Answers(beam="parallel", pixel="0.5")


def answered(source: Path, replies: dict[str, str], **given: object) -> tuple[Path, int]:
    """Answer the questions; return the sidecar and the number of answers."""
    answers: dict[str, object] = dict(given)
    n = len(given)
    while questions := draft_of(source, answers_of(answers)).questions:
        answers[questions[0].key] = replies.get(questions[0].key) or questions[0].proposal
        n += 1
    return write_draft(draft_of(source, answers_of(answers))), n


REPLIES = {"beam": "100,400", "pixel": "0.05", "angles": "360", "rows": str(ROWS)}


@pytest.mark.parametrize(
    ("flats", "returns_views"),
    [("white", False), ("flat_before", True), ("Open Beam", True), ("ref", False)],
)
def test_tiff_folder_with_flats_elsewhere_needs_few_answers(
    tmp_path: Path, flats: str, returns_views: bool
) -> None:
    source = tiff_folders(tmp_path / "scan", flats=flats, returns_views=returns_views)
    sidecar, n = answered(source, REPLIES)
    assert n <= MAX_ANSWERS
    dropped = (sidecar, tmp_path / "scan" / "views", tmp_path / "scan" / "views" / "bean_0007.tif")
    for each in dropped:
        data = read_projections(each)
        assert np.array_equal(data.values, counts())
        assert data.flats is not None
        assert len(data.flats) == 2
        assert data.darks is not None
        assert len(data.darks) == 1
        assert data.geometry.beam == "cone"
        assert data.geometry.pixel_size_mm == pytest.approx((0.05, 0.05))


def test_edf_folder_is_imported_like_tiff(tmp_path: Path) -> None:
    source = tiff_folders(tmp_path / "scan")
    for each in list(source.rglob("*.tif")):
        each.with_suffix(".edf").write_bytes(edf_bytes(tifffile.imread(each)))
        each.unlink()
    sidecar, n = answered(source, REPLIES)
    assert n <= MAX_ANSWERS
    assert '"views/bean_"' in sidecar.read_text()
    for each in (sidecar, source / "views", source / "views" / "bean_0007.edf"):
        data = read_projections(each)
        assert np.array_equal(data.values, counts())
        assert data.flats is not None and len(data.flats) == 2
        assert data.darks is not None and len(data.darks) == 1


def test_tiff_stack_is_preferred_to_edf_of_the_same_names(tmp_path: Path) -> None:
    source = tiff_folders(tmp_path / "scan")
    sidecar, _ = answered(source, REPLIES)
    for each in list(source.rglob("*.tif")):
        each.with_suffix(".edf").write_bytes(edf_bytes(tifffile.imread(each) + np.uint16(7)))
    assert np.array_equal(read_projections(sidecar).values, counts())


def test_raw_file_with_one_known_side_needs_few_answers(tmp_path: Path) -> None:
    path = raw_file(tmp_path, ">u2", 512)
    sidecar, n = answered(path, REPLIES, columns=COLUMNS)
    assert n <= MAX_ANSWERS
    for each in (sidecar, path, tmp_path):
        data = read_projections(each)
        assert np.array_equal(data.values, counts())
        assert data.info["white_level"] == pytest.approx(OPEN, rel=0.02)


def test_numpy_arrays_with_flats_and_angles_are_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "scan.npz"
    white = np.full((2, ROWS, COLUMNS), OPEN)
    theta = np.arange(N_VIEWS) * STEP_DEG
    np.savez_compressed(path, proj=counts(), white_field=white, theta=theta)
    write_draft(draft_of(path, PARALLEL))
    data = read_projections(path)
    assert np.array_equal(data.values, counts())
    assert data.flats is not None
    assert np.allclose(np.rad2deg(data.geometry.angles_rad) % 360, theta)


def matlab(path: Path) -> None:
    from scipy.io import savemat

    turned = integrals().transpose(1, 2, 0)  # like MATLAB programs
    savemat(path, {"proj": turned, "angles": np.arange(N_VIEWS) * STEP_DEG}, do_compression=True)


def matlab_73(path: Path) -> None:
    turned = integrals().transpose(1, 2, 0)
    write_matlab_73(path, {"proj": turned, "angles": np.arange(N_VIEWS) * STEP_DEG})


def mrc(path: Path) -> None:
    import mrcfile

    with mrcfile.new(path) as file:
        file.set_data(integrals())


def hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["entry/data"] = integrals()
        file["entry/theta"] = np.arange(N_VIEWS) * STEP_DEG
        file["entry/title"] = "a scan"
        file["link"] = h5py.SoftLink("/entry/data")


@pytest.mark.parametrize("make", [matlab, matlab_73, mrc, hdf5])
def test_arrays_of_other_programs_are_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    endings = {"matlab": ".mat", "matlab_73": ".mat", "mrc": ".mrc", "hdf5": ".h5"}
    path = tmp_path / f"a{endings[make.__name__]}"
    make(path)
    draft = draft_of(path, PARALLEL)
    assert draft.questions == ()
    write_draft(draft)
    data = read_projections(path)
    assert np.array_equal(data.values, integrals())
    assert np.allclose(np.diff(np.unwrap(data.geometry.angles_rad)), np.deg2rad(STEP_DEG))


def test_one_raw_file_per_view_is_read(tmp_path: Path) -> None:
    for k, image in enumerate(counts()):
        (tmp_path / f"view_{k:03}.raw").write_bytes(image.tobytes())
    write_draft(draft_of(tmp_path, PARALLEL))
    assert np.array_equal(read_projections(tmp_path).values, counts())


def test_two_candidate_arrays_require_a_choice(tmp_path: Path) -> None:
    np.savez(tmp_path / "scan.npz", one=counts(), two=integrals())
    with pytest.raises(EngineError, match=r"2 arrays could be the projections \(one, two\)"):
        draft_of(tmp_path)
    given = Answers(array="two", beam="parallel", pixel="1")
    assert draft_of(tmp_path, given).table["file"] == "scan.npz#two"


def test_numpy_line_integrals_are_recognised(tmp_path: Path) -> None:
    np.save(tmp_path / "scan.npy", integrals())
    draft = draft_of(tmp_path, PARALLEL)
    assert draft.table["kind"] == "integrals"
    assert draft.questions == ()
    sidecar = write_draft(draft)
    assert np.array_equal(read_projections(sidecar).values, integrals())


def test_integer_logarithms_require_a_scale(tmp_path: Path) -> None:
    path = raw_file(tmp_path, "<i2")
    size = {"columns": COLUMNS, "rows": ROWS, "beam": "parallel", "pixel": "0.5"}
    asked = draft_of(path, answers_of(dict(size)))
    assert [each.key for each in asked.questions] == ["scale"]
    write_draft(draft_of(path, answers_of({**size, "scale": 0.001})))
    assert np.allclose(read_projections(path).values, integrals(), atol=2e-3)


def test_existing_file_is_not_overwritten_and_no_partial_file_left(tmp_path: Path) -> None:
    np.save(tmp_path / "scan.npy", integrals())
    draft = draft_of(tmp_path, PARALLEL)
    (tmp_path / "scan.toml").write_text("mine")
    with pytest.raises(EngineError, match="this file already exists"):
        write_draft(draft)
    assert (tmp_path / "scan.toml").read_text() == "mine"
    other = write_draft(draft, tmp_path / "other.toml")
    assert read_projections(other).n_views == N_VIEWS
    with pytest.raises(
        EngineError, match=r"other\.toml already describes this scan; open or correct"
    ):
        write_draft(draft, tmp_path / "second.toml")
    with pytest.raises(EngineError, match="must be saved in"):
        write_draft(draft, tmp_path.parent / "far.toml")
    with pytest.raises(EngineError, match=r"geometry.*kind"):
        write_draft(draft_of(tmp_path), tmp_path / "half.toml")
    assert not (tmp_path / "half.toml").exists()


def test_two_scans_in_one_folder_are_not_mixed(tmp_path: Path) -> None:
    for scan in ("one", "two"):
        for k, image in enumerate(counts()[:20]):
            tifffile.imwrite(tmp_path / f"{scan}_{k:03}.tif", image)
    with pytest.raises(EngineError, match="this folder could contain 2 scans"):
        draft_of(tmp_path)
    draft = draft_of(tmp_path / "two_003.tif", PARALLEL)
    assert draft.table["files"] == "two_"


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [
        ("flat_0.tif", True),
        ("one_flat_0.tif", True),
        ("two_flat_0.tif", False),
        ("flats/0.tif", True),
        ("one_flats/w0.tif", True),
        ("flats/w0.tif", True),
        ("two_flats/0.tif", False),
        ("two/flats/0.tif", False),
        ("one2_white/0.tif", False),
    ],
)
@pytest.mark.parametrize("of_folder", [False, True])
def test_flats_of_another_scan_are_not_used(
    tmp_path: Path, name: str, is_taken: bool, of_folder: bool
) -> None:
    for k, image in enumerate(counts()[:20]):
        tifffile.imwrite(tmp_path / f"one_{k:03}.tif", image)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    tifffile.imwrite(path, np.full((ROWS, COLUMNS), int(OPEN), np.uint16))
    source = tmp_path if of_folder else tmp_path / "one_003.tif"
    assert draft_of(source, PARALLEL).table.get("flats") == (name if is_taken else None)


@pytest.mark.parametrize("given", ["flat", "../flat", "../flat/flat_", "../views/../flat"])
def test_flat_folder_is_accepted_by_any_path(tmp_path: Path, given: str) -> None:
    """Darks in the folder are not flats, and the sidecar has no paths to parent folders."""
    views, references = tmp_path / "views", tmp_path / "flat"
    views.mkdir()
    references.mkdir()
    for k, image in enumerate(counts()[:20]):
        tifffile.imwrite(views / f"one_{k:03}.tif", image)
    for k in range(3):
        for name, value in (("flat", int(OPEN)), ("dark", 7)):
            image = np.full((ROWS, COLUMNS), value, np.uint16)
            tifffile.imwrite(references / f"{name}_{k}.tif", image)
    draft = draft_of(views, PARALLEL.model_copy(update={"flats": given}))
    assert (draft.table["flats"], draft.table["darks"]) == ("flat/flat_", "flat/dark_")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"beam": "400,100"}, "from the source to the axis and to the detector"),
        ({"beam": "fan"}, "'beam' is 'fan', expected"),
        ({"pixel": "-1"}, "numbers above 0"),
        ({"angles": "some"}, "expected the total angle in degrees"),
        ({"flats": "nowhere"}, "there are no images for 'flats' at this path"),
    ],
)
def test_invalid_answer_gives_one_sentence(
    tmp_path: Path, given: dict[str, str], match: str
) -> None:
    np.save(tmp_path / "scan.npy", integrals())
    with pytest.raises(EngineError, match=match) as refusal:
        draft_of(tmp_path, answers_of(dict(given)))
    assert "\n" not in str(refusal.value)


def test_without_a_terminal_one_sentence_names_the_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "scan.npy", integrals())
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["import", str(tmp_path)]) == USER_FAULT
    output = capsys.readouterr()
    assert "not written, because the files lack information. Add --beam, --pixel." in output.err
    assert "the last view is next to the first" in output.out
    assert list(tmp_path.glob("*.toml")) == []
    command = ["import", str(tmp_path), "--beam", "parallel", "--pixel", "0.5", "--clockwise"]
    assert main(command) == DONE
    assert read_projections(tmp_path).n_views == N_VIEWS


def test_terminal_user_is_asked_again_after_an_invalid_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    np.save(tmp_path / "scan.npy", integrals())
    monkeypatch.setattr(sys, "stdin", Terminal("sideways\n100,400\n0.05\n"))
    assert main(["import", str(tmp_path), "--name", "bean.toml"]) == DONE
    assert "'beam' is 'sideways', expected" in capsys.readouterr().out
    data = read_projections(tmp_path / "bean.toml")
    assert data.geometry.beam == "cone"
