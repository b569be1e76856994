"""Films of pictures, frame by frame as Pillow reads them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.core.errors import DataError, UnknownFormatError
from engine.io import write_film


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_frames_come_back_in_order_and_last_as_long_as_said(rng, tmp_path, suffix):
    greys = rng.integers(0, 64, (4, 20, 30, 1), np.uint8) * 4  # few colours: a GIF has them all
    frames = list(np.repeat(greys, 3, axis=3))
    write_film(frames, tmp_path / f"a{suffix}", frame_ms=80)
    with Image.open(tmp_path / f"a{suffix}") as found:
        assert found.info["duration"] == 80
        assert found.info["loop"] == 0
        shown = [np.asarray(each.convert("RGB")) for each in ImageSequence.Iterator(found)]
    np.testing.assert_array_equal(shown, frames)


def test_what_is_no_film_is_refused(tmp_path):
    frame = np.zeros((4, 5, 3), np.uint8)
    with pytest.raises(UnknownFormatError, match=r"expected one of \.gif, \.png"):
        write_film([frame], tmp_path / "a.mp4", frame_ms=80)
    with pytest.raises(DataError, match=r"0 image sizes \(images: 0\)"):
        write_film([], tmp_path / "a.gif", frame_ms=80)
    with pytest.raises(DataError, match="has 2 image sizes"):
        write_film([frame, frame[1:]], tmp_path / "a.gif", frame_ms=80)
    assert not list(tmp_path.iterdir())
