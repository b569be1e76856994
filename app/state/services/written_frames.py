"""The time frames that a file of an image contains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.language.translation import tr
from app.state.models.run_images import ALL_FRAMES, StoredImage
from app.state.models.run_record import RunRecord
from engine.analysis.quality import SuvKind, in_suv
from engine.core.errors import DataError, EngineError
from engine.data import FrameVolume


def frames_of(
    record: RunRecord, stored: StoredImage, target: Path, kind: SuvKind | None = None
) -> tuple[FrameVolume, ...]:
    """Return the frames to write with the image of all frames.

    Frames that did not fit into memory are read from the result.

    Parameters
    ----------
    record
        record of the run
    stored
        image to write; only that of all frames has frames
    target
        file to write
    kind
        SUV to convert to; None: no conversion

    Returns
    -------
    tuple of FrameVolume
        empty if the format holds a single image

    Raises
    ------
    DataError
        if the frames of an opened file are not all in memory
    """
    from engine.io import can_save_frames

    if stored.label != ALL_FRAMES:
        return ()
    try:
        can_save_frames(target, gated=any(each.frame.gate for each in record.images.frames))
    except EngineError:
        return ()
    frames = tuple(record.images.frames)
    opened = max((each.iterations for each in record.images.items if each.frame), default=0)
    # The provenance states all frames; the stored images may be fewer.
    known = record.provenance.get("scan", {}).get("frames")
    expected = opened if known is None else len(known)
    if len(frames) != expected and record.result_id:
        from engine.results import Results

        frames = Results().open(record.result_id).frames()
    if len(frames) < expected and record.is_file:
        raise DataError(
            tr(
                "only {n} of {expected} frames are in memory; export a single frame, or write "
                "all frames with `isocenter export FILE OUT`.",
                n=len(frames),
                expected=expected,
            )
        )
    if kind is None:
        return frames
    whole = stored.volume.info  # only the whole image states dose and times
    return tuple(
        each._replace(volume=in_suv(replace(each.volume, info=whole), kind)) for each in frames
    )
