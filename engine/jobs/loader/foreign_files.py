"""All questions about files of other programs, answered by the loader's process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io import read_scanner
from engine.io.any_file import format_of_volume
from engine.jobs.checkpoint.job import refuse_replaced_scan
from engine.jobs.checkpoint.origin import refuse_other_files
from engine.jobs.loader.loader import Calls, never
from engine.modalities.opening import (
    AuxiliaryFile,
    auxiliary_at,
    fingerprint_at,
    frames_at,
    is_scan_at,
    lacks_linked_files_at,
    scan_at,
    volume_at,
)
from engine.modalities.recognise import Recognised, purpose_of
from engine.modalities.scan_summary import ScanSummary
from engine.modalities.studies import Study, read_protocol, read_study
from engine.protocols.study.protocol import Protocol
from engine.raw_import import ImportPreview, may_import, preview_of

T = TypeVar("T")


class ForeignFiles:
    """Reads files for a caller that can stop the reading.

    Parameters
    ----------
    loader
        executes the calls
    stopped
        polled during each call; True ends it with `ReadingStoppedError`
    """

    def __init__(self, loader: Calls, stopped: Callable[[], bool] = never) -> None:
        self._loader, self._stopped = loader, stopped

    def recognise(self, path: Path) -> Recognised:
        """Return the purpose of a file.

        Parameters
        ----------
        path
            file or folder

        Raises
        ------
        EngineError
            if no reader knows the file, or it is damaged
        """
        return self._ask(purpose_of, path)

    def scan(
        self, path: Path, scanner: str | None, *, complete_events: bool = False
    ) -> ScanSummary:
        """Read the summary of a scan.

        Parameters
        ----------
        path
            file or folder of the scan
        scanner
            name or file of the scanner; None if the scan states its own
        complete_events
            True to accept list mode that ends within an event, without that event
        """
        return self._ask(scan_at, path, scanner, complete_events)

    def fingerprint(self, path: Path) -> str:
        """Return the fingerprint of a scan as it is now, without reading all of it.

        Parameters
        ----------
        path
            file or folder of the scan
        """
        return self._ask(fingerprint_at, path)

    def is_scan_of(self, path: Path, fingerprint: str) -> bool:
        """Return True if a scan has a fingerprint, also one that an earlier version wrote.

        Parameters
        ----------
        path
            file or folder of the scan
        fingerprint
            fingerprint in a tracer file
        """
        return self._ask(is_scan_at, path, fingerprint)

    def lacks_linked_files(self, path: Path, fingerprint: str) -> bool:
        """Return True if a fingerprint differs because it lacks files that a scan refers to.

        Parameters
        ----------
        path
            file or folder of the scan
        fingerprint
            fingerprint that differs from that of the scan
        """
        return self._ask(lacks_linked_files_at, path, fingerprint)

    def refuse_replaced_scan(self, path: Path, job: Path) -> None:
        """Refuse a job of an earlier version if its files are not those that it began with.

        Parameters
        ----------
        path
            scan of the job
        job
            folder of the job

        Raises
        ------
        DataError, SettingsError
            as `engine.jobs.checkpoint.job.Job.refuse_replaced_scan`
        """
        self._ask(refuse_replaced_scan, path, job)

    def refuse_other_files(self, study: Study, then: dict[str, Plain]) -> None:
        """Refuse a study without fingerprint if its files are not those of its image.

        Parameters
        ----------
        study
            study of the image
        then
            description of each file of the image by role

        Raises
        ------
        EngineError
            as `engine.jobs.checkpoint.origin.refuse_other_files`
        """
        self._ask(refuse_other_files, study.data, study, then)

    def scanner(self, name_or_path: str) -> Scanner:
        """Read a scanner by its name, or from its file."""
        path = Path(name_or_path)
        about = path if path.exists() else name_or_path
        return self._loader.call(read_scanner, name_or_path, about=about, stopped=self._stopped)

    def auxiliary(self, role: str, path: Path, scanner: Scanner | None) -> AuxiliaryFile:
        """Read an auxiliary file.

        Parameters
        ----------
        role
            key of the input role
        path
            file or folder
        scanner
            scanner that the content has to fit; None for a kind of scan without one
        """
        return self._ask(auxiliary_at, path, role, scanner)

    def volume(self, path: Path, roles: tuple[str, ...]) -> Volume | str:
        """Read a volume.

        Parameters
        ----------
        path
            file or folder
        roles
            keys of the input roles for which the user may intend the file

        Returns
        -------
        volume
            the volume, or the key of the role to which the file belongs
        """
        return self._ask(volume_at, path, roles)

    def volume_format(self, path: Path) -> str:
        """Return the exact format of a volume file."""
        return self._ask(format_of_volume, path)

    def frames(self, path: Path) -> tuple[FrameVolume, ...]:
        """Read the frames of a dynamic volume; an empty tuple for other files."""
        return self._ask(frames_at, path)

    def study(self, path: Path) -> Study:
        """Read a study file."""
        return self._ask(read_study, path)

    def protocol(self, path: Path) -> Protocol:
        """Read a protocol file."""
        return self._ask(read_protocol, path)

    def may_import(self, path: Path) -> bool:
        """Return True if a file without a reader can be imported as projections."""
        return self._ask(may_import, path)

    def import_preview(self, path: Path, answers: dict[str, object]) -> ImportPreview:
        """Return a preview of raw projections, with images.

        Parameters
        ----------
        path
            file or folder of raw projections
        answers
            settings that the user has entered so far
        """
        return self._ask(preview_of, path, answers)

    def _ask(self, function: Callable[..., T], path: Path, *more: object) -> T:
        return self._loader.call(function, path, *more, about=path, stopped=self._stopped)
