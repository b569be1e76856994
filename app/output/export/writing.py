"""Writing an image of the run to a file, with where it comes from."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.language.translation import tr
from app.state.models.run_images import ALL_FRAMES, Kept
from app.state.models.run_record import RunRecord
from engine.analysis.quality import SuvKind, in_suv
from engine.core.errors import DataError, EngineError
from engine.data import FrameVolume, Plain, Volume, bids_times
from engine.jobs.study_index import ImagingOrder, write_for_order
from engine.protocols.privacy import Names
from engine.results import default_export_name

SPARE = 1.1
"""Free space wanted, as a multiple of the file's size before compression."""


def provenance_of(record: RunRecord, kept: Kept, *, identify: bool = False) -> Plain | None:
    """Return what made a kept image; None where only the volume itself knows.

    Of a volume that was read from a file, names go along only if `identify`. One frame of time has
    its own times alone, so that no file takes it for the whole scan.
    """
    made_by = _made_by(record, kept, identify=identify)
    if kept.frame is None or made_by is None:
        return made_by
    scan = {**made_by.get("scan", {}), "frames": [kept.frame.facts()]}
    return made_by | {"scan": scan, **bids_times([kept.frame])}


def _made_by(record: RunRecord, kept: Kept, *, identify: bool) -> Plain | None:
    if record.result is not None and kept.volume is record.result:
        return record.provenance
    if not record.provenance:
        from engine.protocols.privacy import without_names

        info = kept.volume.info if identify else without_names(kept.volume.info)
        image = record.title if record.is_file else kept.label
        return {**info, "image": image, "run": record.title, "finished": False}
    from engine.jobs import hash_array, with_run

    run = record.run_at(record.images.items.index(kept)) if kept in record.images.items else None
    of_image = {} if run is None or kept.frame else with_run({}, run)
    changed: Plain = {
        **({} if kept.frame else {"before_finishing": True, **of_image}),
        "image": kept.label
        if kept.frame
        else tr("{label}, before the final filters", label=kept.label),
        "output": record.provenance.get("output", {}) | {"sha256": hash_array(kept.volume.values)},
    }
    return record.provenance | changed


def export_folder(last_used: str) -> Path:
    """Return the folder to offer: the last one, else one of its own among the documents."""
    from engine.io import exports_folder

    return Path(last_used) if last_used and Path(last_used).is_dir() else exports_folder()


def export_name(record: RunRecord, kept: Kept) -> str:
    """Return the name to offer: scan, protocol and date, the scan by its pseudonym."""
    ended = str(record.provenance.get("ended_utc", ""))
    made = datetime.fromisoformat(ended) if ended else datetime.now(UTC)
    part = "" if kept.volume is record.result else kept.label
    if record.study is None:
        return default_export_name(record.title, "", made)
    scan = Names.title(record.study).partition(",")[0]
    return default_export_name(scan, record.study.protocol.name, made, part)


def free_bytes(folder: Path) -> int | None:
    """Return the free space of a folder, None where it does not exist."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def remark(
    target: Path, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()
) -> str:
    """Return what to know before a volume is written to `target`; empty where there is nothing."""
    from engine.io import save_remark

    try:
        return save_remark(volume, target, provenance, frames)
    except EngineError:
        return ""  # as `obstacle` says


def obstacle(target: Path, volume: Volume, provenance: Plain | None = None) -> str:
    """Return why a volume cannot be written to `target`, empty if it can."""
    from engine.io import can_save, save_remark

    try:
        can_save(target)
        save_remark(volume, target, provenance)
    except EngineError as e:
        return str(e)
    free = free_bytes(target.parent) or 0
    if free < SPARE * volume.values.nbytes:
        return tr(
            "{parent}: not enough free disk space; choose another folder.", parent=target.parent
        )
    return ""


def write(
    volume: Volume,
    target: Path,
    provenance: Plain | None,
    frames: Sequence[FrameVolume] = (),
    order: ImagingOrder | None = None,
) -> Path:
    """Write a volume, or its frames of time, as the command line does; whole or not at all.

    A DICOM series is one of the patient of the order, if there is one.
    """
    from engine.io import save, save_frames

    said = volume.info if provenance is None else provenance
    if order is not None and write_for_order(order, volume, target, said, frames):
        return target
    if frames:
        save_frames(volume, frames, target, said)
    else:
        save(volume, target, provenance)
    return target


def frames_of(
    record: RunRecord, kept: Kept, target: Path, kind: SuvKind | None = None
) -> tuple[FrameVolume, ...]:
    """Return the frames to write with the image of all of them; none where a format holds one.

    Those that memory had no room for are read from the result.
    """
    from engine.io import can_save_frames

    if kept.label != ALL_FRAMES:
        return ()
    try:
        can_save_frames(target, gated=any(each.frame.gate for each in record.images.frames))
    except EngineError:
        return ()
    frames = tuple(record.images.frames)
    opened = max((each.iterations for each in record.images.items if each.frame), default=0)
    known = record.provenance.get("scan", {}).get("frames")
    expected = opened if known is None else len(known)
    if len(frames) != expected and record.result_id:
        from engine.results import Results

        frames = Results().open(record.result_id).frames()
    if len(frames) < expected and record.is_file:
        raise DataError(
            tr(
                "only {n} of the {expected} frames of the file are in memory; write "
                "all with `isocenter export FILE OUT`, or export a single frame.",
                n=len(frames),
                expected=expected,
            )
        )
    if kind is None:
        return frames
    whole = kept.volume.info  # which alone says dose and times
    return tuple(
        each._replace(volume=in_suv(replace(each.volume, info=whole), kind)) for each in frames
    )
