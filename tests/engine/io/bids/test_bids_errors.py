"""Tests of error maps in BIDS datasets: derivatives that follow the published schema."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.error_map import ErrorMap
from engine.data.error_volume import deviations_of
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.io import read_volume, save, save_frames
from tests.engine.io.bids.test_bids import GRID, INFO, SUBJECT, fits, schema, volume

__all__ = ["schema"]

N = 8
ERROR = f"derivatives/isocenter/{SUBJECT}/pet/{SUBJECT}_desc-std_pet"
Schema = dict[str, dict[str, dict[str, dict[str, object]]]]


def with_error(seed: int) -> Volume:
    rng = np.random.default_rng(seed)
    image = volume(seed=seed)
    draws = [image.values + rng.normal(0, 1, GRID.shape).astype(np.float32) for _ in range(N)]
    return replace(image, error=ErrorMap.of(image.values, draws, seed=3))


def spread(image: Volume) -> np.ndarray:
    assert image.error is not None
    return image.error.standard_deviation


def test_nibabel_reads_the_standard_deviation(tmp_path: Path) -> None:
    image = with_error(1)
    save(image, tmp_path / "a.bids")

    raw = nibabel.load(tmp_path / "a.bids" / SUBJECT / "pet" / f"{SUBJECT}_pet.nii.gz")
    error = nibabel.load(tmp_path / "a.bids" / f"{ERROR}.nii.gz")

    np.testing.assert_array_equal(np.asarray(raw.dataobj).T, image.values)
    np.testing.assert_array_equal(np.asarray(error.dataobj).T, spread(image))
    np.testing.assert_array_equal(error.affine, raw.affine)
    assert error.header.get_intent() == ("estimate", (), "standard deviat")
    assert raw.header.get_intent() == ("none", (), "")


def test_sidecar_states_method_number_seed_and_unit(tmp_path: Path, schema: Schema) -> None:
    save(with_error(1), tmp_path / "a.bids")

    text = json.loads((tmp_path / "a.bids" / f"{ERROR}.json").read_text("utf-8"))

    assert text["Units"] == "Bq/mL"
    assert text["Sources"] == [f"bids:raw:{SUBJECT}/pet/{SUBJECT}_pet.nii.gz"]
    ours = {key: text.pop(key) for key in list(text) if key.startswith("Error")}
    assert ours == {
        "ErrorMethod": "bootstrap",
        "ErrorStatistic": "standard deviation",
        "ErrorReplicates": N,
        "ErrorSeed": 3,
    }
    for key in text:
        if key != "Sources":
            assert fits(text[key], schema["objects"]["metadata"][key]), key
    raw = json.loads(
        (tmp_path / "a.bids" / SUBJECT / "pet" / f"{SUBJECT}_pet.json").read_text("utf-8")
    )
    assert raw.items() <= text.items()
    assert not {"Sources", "SkullStripped", "ErrorSeed"} & set(raw)


def test_published_schema_allows_such_derivatives(tmp_path: Path) -> None:
    rules = pytest.importorskip("bidsschematools.rules")
    published = pytest.importorskip("bidsschematools.schema").load_schema()
    files = published.rules.files.deriv.imaging
    patterns = [each["regex"] for each in rules.regexify_filename_rules(files, published, level=1)]
    save(with_error(1), tmp_path / "a.bids")
    derivative = tmp_path / "a.bids" / "derivatives" / "isocenter"

    images = [path.relative_to(derivative).as_posix() for path in derivative.rglob("*_pet.*")]

    assert len(images) == 2
    for name in images:
        assert any(re.match(pattern, name) for pattern in patterns), name
        wrong = name.replace("_desc-", "_stat-")
        assert not any(re.match(pattern, wrong) for pattern in patterns), wrong
    text = json.loads((derivative / "dataset_description.json").read_text("utf-8"))
    assert text["DatasetType"] == "derivative"
    assert text["GeneratedBy"][0]["Name"] == "Isocenter"
    # The source link points to the raw dataset.
    assert (derivative / text["DatasetLinks"]["raw"]).resolve() == (tmp_path / "a.bids").resolve()


def test_frames_have_their_errors_in_one_file(tmp_path: Path) -> None:
    frames = [FrameVolume(TimeFrame(1000 * k, 1000 * k + 1000), with_error(k)) for k in (1, 2)]
    save_frames(volume(), frames, tmp_path / "a.bids", INFO)

    error = np.asarray(nibabel.load(tmp_path / "a.bids" / f"{ERROR}.nii.gz").dataobj)

    for t, each in enumerate(frames):
        np.testing.assert_array_equal(error[..., t].T, spread(each.volume))
    # If one frame has no error map, no error file is written: it would have a gap.
    mixed = [frames[0], frames[1]._replace(volume=volume(seed=2))]
    save_frames(volume(), mixed, tmp_path / "b.bids", INFO)
    assert not (tmp_path / "b.bids" / "derivatives").exists()


def test_dataset_opens_as_its_image(tmp_path: Path) -> None:
    image = with_error(1)
    save(image, tmp_path / "a.bids")

    np.testing.assert_array_equal(read_volume(tmp_path / "a.bids").values, image.values)
    found = read_volume(tmp_path / "a.bids" / "derivatives")
    np.testing.assert_array_equal(found.values, spread(image))


def test_error_image_cannot_be_a_raw_image(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = with_error(1)
    save(image, tmp_path / "image.h5")

    code = main(["export", str(tmp_path / "image.h5"), str(tmp_path / "a.bids"), "--error"])

    assert code == USER_FAULT
    assert "its error map becomes part of the dataset" in capsys.readouterr().err
    with pytest.raises(DataError, match="shows the standard deviation from 8 replicates"):
        save(deviations_of(image), tmp_path / "a.bids")
    assert not (tmp_path / "a.bids").exists()
    assert main(["export", str(tmp_path / "image.h5"), str(tmp_path / "a.bids")]) == DONE
    assert "stores no error map" not in capsys.readouterr().err
    assert (tmp_path / "a.bids" / f"{ERROR}.json").exists()
