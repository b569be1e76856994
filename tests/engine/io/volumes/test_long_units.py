"""Files and result records have the same limit for the length of a unit."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError, FileFormatError, LongUnitError
from engine.data import volume as volumes
from engine.data.formatting import MAX_UNIT_CHARACTERS
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.results.result_record import ResultRecord

GRID = ImageGrid((2, 3, 4), (2.0, 2.0, 2.0))


def image(n: int) -> Volume:
    """Return an image with a unit of `n` characters."""
    return Volume(np.ones(GRID.shape, np.float32), GRID, "u" * n)


@pytest.mark.parametrize("suffix", [".h5", ".mha", ".nrrd"])
def test_file_with_a_too_long_unit_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """Formerly a unit of 150 characters was read, and writing the record of the run failed."""
    longest, longer = tmp_path / f"longest{suffix}", tmp_path / f"longer{suffix}"
    save(image(MAX_UNIT_CHARACTERS), longest, None)
    assert read_volume(longest).unit == "u" * MAX_UNIT_CHARACTERS
    with monkeypatch.context() as patch:  # as another program could write it
        patch.setattr(volumes, "MAX_UNIT_CHARACTERS", 150)
        save(image(150), longer, None)
    with pytest.raises(FileFormatError) as refused:
        read_volume(longer)
    text = "the unit of its values has 150 characters, expected at most 100; shorten the unit"
    assert text in str(refused.value) and "longer" in str(refused.value)


def test_volume_in_memory_has_the_same_limit() -> None:
    with pytest.raises(DataError, match="has 101 characters, expected at most 100"):
        image(MAX_UNIT_CHARACTERS + 1)
    assert ResultRecord.model_fields["unit"].metadata[0].max_length == MAX_UNIT_CHARACTERS


def test_error_can_be_sent_to_another_process() -> None:
    fault = LongUnitError("The unit has 150 characters.", 150)
    other = pickle.loads(pickle.dumps(fault))
    assert (str(other), other.n) == (str(fault), 150)
