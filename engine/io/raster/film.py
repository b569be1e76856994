"""Write movies of existing images: GIF for slides, animated PNG without loss, MP4 for players.

GIF has 256 colours per frame, so images with many colours lose some. Its frames last multiples of
10 ms, at least 20 ms. MP4 (H.264) needs the package imageio-ffmpeg, whose encoder runs as a program
of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, ResourceError, UnknownFormatError
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import open_input

MP4 = ".mp4"
FILM_SUFFIXES = (".gif", ".png", MP4)
NO_MP4 = (
    "MP4 movies need the package imageio-ffmpeg; install it with `pip install 'isocenter[movie]'`, "
    "or choose GIF or PNG."
)
RAW = ("-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24")
"""Options of FFmpeg for the images."""
H264 = ("-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
"""Options of FFmpeg for the movie: at this rate factor, images look unchanged."""
LONGEST = 200
"""Letters of a reason in a message."""
GIF_STEP_MS = 10
COLOURS = 256
Frame = NDArray[np.uint8]


def write_film(frames: Sequence[Frame], path: Path, *, frame_ms: float) -> None:
    """Write images as a movie, completely or not at all. GIF and PNG repeat without end.

    Parameters
    ----------
    frames
        images (rows, columns, 3) in red, green and blue, all of one size
    path
        file with suffix ".gif", ".mp4", or ".png" for an animated PNG
    frame_ms
        duration of each image [ms]

    Raises
    ------
    UnknownFormatError
        if the suffix is another one
    DataError
        if there is no image, the sizes differ, or the package for MP4 is missing
    ResourceError
        if the encoder of MP4 fails
    """
    write_atomically(film(frames, path.suffix.lower(), frame_ms=frame_ms), path)


def film(frames: Sequence[Frame], suffix: str, *, frame_ms: float) -> bytes:
    """Return the bytes of a movie.

    Parameters
    ----------
    frames
        images (rows, columns, 3), all of one size
    suffix
        ".gif", ".png" or ".mp4"
    frame_ms
        duration of each image [ms]; GIF rounds it to 10 ms

    Raises
    ------
    UnknownFormatError
        if the suffix is another one
    DataError
        if there is no image, the sizes differ, or the package for MP4 is missing
    ResourceError
        if the encoder of MP4 fails
    """
    from PIL import Image

    if suffix not in FILM_SUFFIXES:
        raise UnknownFormatError(
            f"the suffix of the movie is {suffix!r}, expected one of {', '.join(FILM_SUFFIXES)}; "
            "change the file name."
        )
    # A window that was resized during recording gives images of several sizes.
    sizes = {each.shape for each in frames}
    if len(sizes) != 1:
        raise DataError(
            f"the movie has {len(sizes)} image sizes (images: {len(frames)}), expected images of "
            "a single size; record it again without resizing the window."
        )
    if suffix == MP4:
        return _mp4(frames, frame_ms)
    images = [Image.fromarray(each) for each in frames]
    if suffix == ".gif":
        # Dithering would look like noise, and it flickers from frame to frame.
        none = Image.Dither.NONE
        images = [each.quantize(COLOURS, dither=none) for each in images]
        # Many browsers show frames of less than 20 ms as if they had 100 ms.
        frame_ms = max(round(frame_ms / GIF_STEP_MS), 2) * GIF_STEP_MS
    buffer = BytesIO()
    kind = suffix.removeprefix(".").upper()
    images[0].save(
        buffer, kind, save_all=True, append_images=images[1:], duration=round(frame_ms), loop=0
    )
    return buffer.getvalue()


def mp4_obstacle() -> str:
    """Return the reason why no MP4 can be written; empty if one can."""
    return "" if find_spec("imageio_ffmpeg") is not None else NO_MP4


def _mp4(frames: Sequence[Frame], frame_ms: float) -> bytes:
    """Return a movie in H.264, which every player and presentation opens."""
    if why := mp4_obstacle():
        raise DataError(why)
    from imageio_ffmpeg import get_ffmpeg_exe

    height, width, _ = frames[0].shape
    # Colours have half the resolution in H.264, so both lengths are even.
    spare = ((0, height % 2), (0, width % 2), (0, 0))
    size = f"{width + width % 2}x{height + height % 2}"
    # The index goes to the start of the file, which needs a file that the encoder can rewrite. The
    # log is a file, too, because a full pipe would stop the encoder.
    with TemporaryDirectory(prefix="isocenter-movie-") as folder, TemporaryFile() as errors:
        target = Path(folder) / f"movie{MP4}"
        try:
            command = [get_ffmpeg_exe(), *RAW, "-s", size, "-r", f"{1000 / frame_ms:.6g}"]
            command += ["-i", "-", *H264, str(target)]
            with Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=errors) as encoder:
                for frame in frames:
                    _stdin(encoder).write(np.pad(frame, spare, mode="edge").tobytes())
                _stdin(encoder).close()
            if encoder.returncode:
                raise RuntimeError(f"exit code {encoder.returncode}")
        except (OSError, RuntimeError) as e:
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").splitlines()[-1:]
            raise ResourceError(
                "the movie could not be encoded as MP4; choose GIF or PNG. Reason: "
                f"{' '.join([str(e), *last])[:LONGEST]}."
            ) from e
        with open_input(target) as file:
            return file.read()


def _stdin(encoder: Popen[bytes]) -> IO[bytes]:
    if encoder.stdin is None:
        raise RuntimeError("the encoder has no input")
    return encoder.stdin
