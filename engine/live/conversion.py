"""Convert recordings of live scans to HDF5, also after the program has crashed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from time import monotonic

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.geometry.xray import XrayGeometry
from engine.io.safety.atomic_write import folder_to_disk
from engine.live.recording.process import record
from engine.live.recording.recording_list import described, prepared_file
from engine.live.recording.records import RecordingFile

MAX_PREPARED_BYTES = 2**26
"""Largest recording that is converted before its end."""
SPARE_BYTES = 2**30
"""Free space on the disk below which the recording alone uses it."""
REST = 20
"""Rest after a conversion before the end, in units of its duration."""


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
        geometry of an X-ray scan, if its source did not send one

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
    raise FileFormatError(f"{path.name}: the recording contains no data; discard it.")


class Rescue:
    """Save the scan of a recording after a crash, in the file that the program had chosen.

    A small scan is converted during each pause of the data. It is then complete soon after a crash.

    Parameters
    ----------
    path : file of the recording
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: Path | None = None
        self._size = self._tried = -1
        self._next_s, self._is_over = 0.0, False
        self._lock = Lock()

    def load(self) -> None:
        """Load all modules, since the computer may be shutting down after a crash."""
        from engine.io import save_projections, write_listmode
        from engine.io.hdf5.writer import image_of
        from engine.live.ct.recorded import recorded_projections
        from engine.live.pet.recorded import recorded_events

        for needed in (save_projections, write_listmode, recorded_projections, recorded_events):
            needed.__doc__  # noqa: B018  a lazy name is loaded when it is used
        # An empty file in memory: the HDF5 library loads slowly, and prepares at its first use
        image_of(lambda _: None)

    def prepare(self) -> None:
        """Convert a small scan to a hidden file, at most a twentieth of the time."""
        begun_s = monotonic()
        if begun_s < self._next_s:
            return
        with self._lock, suppress(EngineError, OSError):
            if self._is_over:
                return
            size = RecordingFile(self._path).n_bytes
            if size > MAX_PREPARED_BYTES or disk_usage(self._path.parent).free < SPARE_BYTES:
                self._discard()
            elif size != self._tried and (target := self._target()) is not None:
                self._discard()
                self._tried = size
                self._made = prepared_file(self._path, target.suffix)
                convert_recording(self._path, self._made)
                # Data that arrived meanwhile may be missing
                self._size = size if RecordingFile(self._path).n_bytes == size else -1
        self._next_s = monotonic() + REST * (monotonic() - begun_s)

    def save(self) -> Plain:
        """Save the scan; return facts about it."""
        with self._lock, suppress(EngineError, OSError):
            target = self._target()
            if target is None:
                return {}
            if not self._is_linked(target):
                convert_recording(self._path, target)
            return {"saved": str(target)}
        return {}

    def discard(self) -> None:
        """Delete the hidden file, and prepare no other one."""
        with self._lock, suppress(OSError):
            self._is_over = True
            self._discard()

    def _target(self) -> Path | None:
        target = RecordingFile(self._path).facts.get("target")
        if not isinstance(target, str) or not target or Path(target).exists():
            return None
        return Path(target)

    def _is_linked(self, target: Path) -> bool:
        if self._made is None or RecordingFile(self._path).n_bytes != self._size:
            return False
        try:
            os.link(self._made, target)  # unlike a new name, a link never replaces a file
        except OSError:  # some network drives have no links
            return False
        folder_to_disk(target.parent)
        return True

    def _discard(self) -> None:
        self._size = -1
        if self._made is not None:
            self._made.unlink(missing_ok=True)


def write_recording() -> None:
    """Run the process that writes a recording; its argument is the file."""
    path = Path(sys.argv[1])
    try:
        record(path, Rescue(path))
    finally:
        # A thread may be loading the HDF5 library. Its clean-up would then never end
        os._exit(0)


def _faults(file: RecordingFile) -> tuple[str, ...]:
    n = file.extent.damaged
    damaged = (f"{n:,} damaged records were left out.",) if n else ()
    cut = (
        ("The recording ends abruptly; the data up to this point are used.",)
        if file.extent.is_cut
        else ()
    )
    return (*damaged, *cut)
