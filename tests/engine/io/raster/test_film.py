"""Tests of image films, read frame by frame with Pillow."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.core.errors import DataError, ResourceError, UnknownFormatError
from engine.io import mp4_obstacle, write_film


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_frames_are_restored_in_order_with_their_duration(rng, tmp_path, suffix):
    greys = rng.integers(0, 64, (4, 20, 30, 1), np.uint8) * 4  # few enough colours for a GIF
    frames = list(np.repeat(greys, 3, axis=3))
    write_film(frames, tmp_path / f"a{suffix}", frame_ms=80)
    with Image.open(tmp_path / f"a{suffix}") as found:
        assert found.info["duration"] == 80
        assert found.info["loop"] == 0
        shown = [np.asarray(each.convert("RGB")) for each in ImageSequence.Iterator(found)]
    np.testing.assert_array_equal(shown, frames)


def test_unknown_film_format_is_refused(tmp_path):
    frame = np.zeros((4, 5, 3), np.uint8)
    with pytest.raises(UnknownFormatError, match=r"expected one of \.gif, \.png, \.mp4"):
        write_film([frame], tmp_path / "a.avi", frame_ms=80)
    with pytest.raises(DataError, match=r"0 image sizes \(images: 0\)"):
        write_film([], tmp_path / "a.gif", frame_ms=80)
    with pytest.raises(DataError, match="has 2 image sizes"):
        write_film([frame, frame[1:]], tmp_path / "a.gif", frame_ms=80)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [(40, 60), (41, 61)])
def test_mp4_has_all_frames_in_order_at_its_speed(tmp_path, size):
    """H.264 requires even sizes, so at most one row and one column are added."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    rows, columns = size
    levels = [20, 90, 160, 230, 60]
    frames = [np.full((rows, columns, 3), level, np.uint8) for level in levels]
    write_film(frames, tmp_path / "a.mp4", frame_ms=125)
    exe = ffmpeg.get_ffmpeg_exe()
    decode = [exe, "-i", tmp_path / "a.mp4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(decode, capture_output=True, check=True)
    width, height = columns + columns % 2, rows + rows % 2
    log = done.stderr.decode()
    assert "Video: h264" in log and f"{width}x{height}" in log and " 8 fps" in log
    shown = np.frombuffer(done.stdout, np.uint8).reshape(-1, height * width * 3).mean(axis=1)
    assert shown == pytest.approx(levels, abs=3)  # H.264 video stores 219 grey levels
    # With the index first, players can start before they have loaded the whole file.
    data = (tmp_path / "a.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_missing_encoder_is_named_with_its_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.io.raster.film.find_spec", lambda name: None)
    assert "pip install 'isocenter[movie]'" in mp4_obstacle()
    with pytest.raises(DataError, match="need the package imageio-ffmpeg"):
        write_film([np.zeros((4, 6, 3), np.uint8)], tmp_path / "a.mp4", frame_ms=80)
    assert not list(tmp_path.iterdir())


def test_failing_encoder_leaves_no_file(tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", "/nowhere/ffmpeg")
    with pytest.raises(ResourceError, match="could not be encoded as MP4"):
        write_film([np.zeros((4, 6, 3), np.uint8)] * 3, tmp_path / "a.mp4", frame_ms=80)
    assert not list(tmp_path.iterdir())
