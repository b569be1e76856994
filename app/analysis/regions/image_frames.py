"""The time frames of the displayed image, because DICOM stores them as the series of the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from app.state.models.images.open_volume import FILE_KEY
from app.state.services.context import AppContext
from app.state.services.written_frames import frames_of
from engine.data import FrameVolume, Volume

Frames = Sequence[FrameVolume]
SERIES, RESULT_KEY = Path("image.dicom"), "result:"


def frames_reader(context: AppContext, shown: Volume) -> Callable[[], Frames]:
    """Return a function that returns the time frames or gates of an image, for another thread.

    The function raises an `EngineError` if the frames cannot be read.

    Parameters
    ----------
    context
        context with the image
    shown
        image as the view shows it, such as in SUV; its frames are in the same unit
    """
    session = context.session
    volumes, record = session.volumes, session.run.record
    original = volumes.suv.original(shown)
    whole = record.provenance or (original.info if original is not None else {})
    convert = volumes.suv.converter(whole)
    read = _reader(context, original)

    def frames() -> Frames:
        found = read()
        if original is shown:
            return found
        return tuple(each._replace(volume=convert(each.volume)) for each in found)

    return frames


def _reader(context: AppContext, original: Volume | None) -> Callable[[], Frames]:
    session, base = context.session, context.session.volumes.base
    record = session.run.record
    stored = next((each for each in record.images.items if each.volume is original), None)
    if stored is not None:
        return lambda: frames_of(record, stored, SERIES)
    if base is None or base.volume is not original:
        return tuple
    if base.kind == "result":
        from engine.results import Results

        return lambda: Results().open(base.key.removeprefix(RESULT_KEY)).frames()
    if base.kind == "file":
        from engine.io import read_frames

        path, loader = Path(base.key.removeprefix(FILE_KEY)), context.commands.loader
        return lambda: loader().call(read_frames, path, about=path)
    return tuple
