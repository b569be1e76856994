"""Convert recordings of live scans to HDF5, also after the program has crashed."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.geometry.xray import XrayGeometry
from engine.live.recording.process import record
from engine.live.recording.records import RecordingFile
from engine.live.recording.shelf import described


def convert_recording(
    path: Path, target: Path, geometry: XrayGeometry | None = None
) -> tuple[str, ...]:
    """Write the scan of a recording to an HDF5 file, which is read back.

    Parameters
    ----------
    path
        file of the recording, which stays
    target
        new file, .h5 (or .nxs for X-ray scans with parallel beams)
    geometry
        geometry of an X-ray scan whose source did not send one

    Returns
    -------
    notes
        sentences about missing or damaged data

    Raises
    ------
    EngineError
        if the recording cannot be read, has no data, or the file cannot be written
    """
    match described(path).kind:
        case "frames":
            from engine.io import save_projections
            from engine.live.ct.recorded import recorded_projections

            file = RecordingFile(path)
            scan = recorded_projections(file, target.absolute().parent, geometry)
            save_projections(scan, target)
            return (*scan.notes, *_faults(file))
        case "events":
            from engine.io import write_listmode
            from engine.live.pet.recorded import recorded_events

            file = RecordingFile(path)
            write_listmode(recorded_events(file), target)
            return _faults(file)
    raise FileFormatError(f"{path.name}: the recording was cut before its first data; discard it.")


def write_recording() -> None:
    """Run the process that writes a recording; its argument is the file."""
    record(Path(sys.argv[1]), _save_after_crash, _load)


def _save_after_crash(path: Path) -> Plain:
    """Save the scan where the crashed program would have saved it; return facts about it."""
    target = RecordingFile(path).facts.get("target")
    if not isinstance(target, str) or not target or Path(target).exists():
        return {}
    with suppress(EngineError):
        convert_recording(path, Path(target))
        return {"saved": target}
    return {}


def _load() -> None:
    # Before a crash: afterwards the computer may be shutting down
    from engine.io import save_projections, write_listmode
    from engine.live.ct.recorded import recorded_projections
    from engine.live.pet.recorded import recorded_events

    for needed in (save_projections, write_listmode, recorded_projections, recorded_events):
        needed.__doc__  # noqa: B018  a lazy name is loaded when it is used


def _faults(file: RecordingFile) -> tuple[str, ...]:
    n = file.extent.damaged
    damaged = (f"{n:,} damaged records were left out.",) if n else ()
    cut = ("The recording was cut; its data up to the cut are used.",) if file.extent.is_cut else ()
    return (*damaged, *cut)
