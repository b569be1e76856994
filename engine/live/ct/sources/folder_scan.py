"""Convert the images of a folder to frames: read them, number them, and add planned angles.

An image that its own directory describes as unfinished is read again until it is complete. So is
one that ends with a row of zeros, because a writer may reserve space first. An image that stays
incomplete is reported. If its writer may not have finished, an image is used only if no value is
zero, since it is then written completely.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import EngineError
from engine.data.planned_scan import PlannedScan
from engine.io.folder import names_in
from engine.io.safety.open_input import open_input
from engine.io.xray.find import DESCRIBING, planned_in
from engine.io.xray.tiff import tiff_of
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import Arrival, Frame, FrameKind, Noticed, Resumed, SourceEvent
from engine.live.ct.frame_checks import Screening
from engine.live.ct.missing import MissingNumbers
from engine.live.ct.sources.arriving_files import ArrivingFile, ArrivingFiles, FolderListing
from engine.live.ct.sources.image_kinds import kind_of

AT_ONCE = 8
"""Number of images that are read in one call."""
ABOVE_SHARE, MAX_ABOVE_S = 50, 5.0
"""Settings above the folder are looked up so rarely that this takes a fiftieth of the time."""
AGAIN_S = 0.2
"""Time until an incomplete image is read again."""
ZEROS_S = 2.0
"""Time after which zeros at the end of an unchanged image count as real."""
FAULT_S = 10.0
"""Time after which an unreadable, unchanged image is reported."""


class FolderScan:
    """One scan in a folder.

    Attributes
    ----------
    plan : plan of the scan from its settings file, None without one
    n_taken : number of images that were read
    """

    def __init__(self, files: ArrivingFiles, name: str, loader: Calls) -> None:
        self.plan: PlannedScan | None = None
        self.n_read = 0
        self._files, self._name, self._loader = files, name, loader
        self._screening = Screening(name)
        self._missing = MissingNumbers(name)
        self._first: dict[str, int] = {}
        self._reported: set[str] = set()
        self._tried, self._above_at_s = 0, 0.0
        self._shape: tuple[int, int] | None = None
        # Some detectors have rows that are always zero
        self._zeros = RowsOfZeros()

    @property
    def n_planned(self) -> int:
        """Number of planned projections, 0 without a plan."""
        return 0 if self.plan is None else self.plan.geometry.n_views

    @property
    def is_complete(self) -> bool:
        """True if all planned projections have arrived."""
        # Some scanners plan one more projection than they write
        least = self.n_planned - (self.plan is not None and self.plan.may_lack_last)
        return self.n_planned > 0 and self._missing.n_arrived >= least

    def prepare(self) -> None:
        """Start the reader of images before the first one arrives."""
        self._loader.call(_images_at, [], about=self._name)

    def frames_of_images(
        self, listing: FolderListing, now_s: float, stop: Event
    ) -> Iterator[Arrival]:
        """Yield the frames of complete images, and messages about them.

        Parameters
        ----------
        listing
            result of a look at the folder
        now_s
            time of the look, by `time.monotonic` [s]
        stop
            set by the consumer to end the iteration
        """
        if listing.starts_new_scan:
            yield self._restarted("images have the names of earlier ones")
        for file in listing.removed:
            yield Noticed(f"{self._name}: {file.path.name} was removed before it was read.")
        # In small groups, so that the first images are used before the last are read
        for start in range(0, len(listing.complete), AT_ONCE):
            if stop.is_set():
                return
            files = listing.complete[start : start + AT_ONCE]
            images = self._loader.call(_images_at, [each.path for each in files], about=self._name)
            for file, (values, fault) in zip(files, images, strict=True):
                # The numbers of all images so far would shift, so everything is read again
                if file.number < self._first.get(file.series, 0):
                    self._files.restart()
                    yield self._restarted(f"{file.path.name} is numbered before the first image")
                    return
                # The size was right, but the file system may not show all bytes yet
                if not file.is_sure and (values is None or not values.all()):
                    self._files.count_mistake()
                elif values is None or not self._zeros.are_written(values, now_s - file.since_s):
                    yield from self._unfinished(file, fault, now_s)
                else:
                    if values.ndim == 2:
                        # Settings of several formats fit only with the size of the images
                        self._shape = (int(values.shape[0]), int(values.shape[1]))
                        yield from self._read_settings()
                    yield from self._frame(file, values)
        yield from self._read_settings()  # settings may arrive after all images
        yield from self._missing.late(now_s)

    def _restarted(self, why: str) -> SourceEvent:
        self.plan, self._shape, self._tried, self._above_at_s = None, None, 0, 0.0
        self._first, self._reported = {}, set()
        self._screening.restart()
        self._missing = MissingNumbers(self._name)
        return Resumed(f"{self._name}: {why}; the scan starts again.", is_new_scan=True)

    def _unfinished(self, file: ArrivingFile, fault: str, now_s: float) -> Iterator[Noticed]:
        self._files.wait_for(file, fault or "its last rows have only zeros", now_s + AGAIN_S)
        if fault and now_s - file.since_s > FAULT_S:
            yield from self._notice_once(f"{fault} It is not used until it changes.")

    def _read_settings(self) -> Iterator[Arrival]:
        """Read the plan of the scan once a settings file exists; tried once per listing."""
        if self.plan is not None or self._tried == self._files.n_listed or self._shape is None:
            return
        self._tried, shape = self._files.n_listed, self._shape
        try:
            found = planned_in(self._files.settings, shape) or self._above(shape)
        except EngineError as e:
            yield from self._notice_once(f"the settings cannot be used yet: {e}")
            return
        if found is None:
            return
        path, self.plan = found
        yield Noticed(
            f"{self._name}: {path.name} plans {self.n_planned:,} projections ({self.plan.format})."
        )
        # A scanner that corrects flats itself states the level of the open beam
        if self.plan.white_level is not None:
            level = np.full(shape, self.plan.white_level, np.float32)
            yield Frame(FrameKind.FLAT, 0, None, level, monotonic())

    def _above(self, shape: tuple[int, int]) -> tuple[Path, PlannedScan] | None:
        """Return the plan of a settings file in the parent folder that names this folder."""
        begun = monotonic()
        if begun < self._above_at_s:
            return None
        folder = self._files.folder.absolute()
        above = [folder.parent / name for name in names_in(folder.parent)]
        found = planned_in(
            [path for path in above if path.name.lower().endswith(DESCRIBING)], shape
        )
        self._above_at_s = begun + min(ABOVE_SHARE * (monotonic() - begun), MAX_ABOVE_S)
        return found if found is not None and found[1].folder == folder.name else None

    def _frame(self, file: ArrivingFile, values: Array) -> Iterator[Arrival]:
        self._files.discard(file)
        self.n_read += 1
        kind = kind_of(file.series, self.plan)
        if values.ndim != 2:
            yield from self._notice_once(
                f"{file.path.name} has {len(values)} pages, expected one. It is not used."
            )
            return
        if kind is None:
            yield from self._notice_once(
                f"{file.path.name} and its series do not belong to the scan. They are not used."
            )
            return
        # Frames count from 0, file names often from 1
        index = file.number - self._first_number(file)
        if kind == FrameKind.PROJECTION:
            if self.plan is not None and index >= self.n_planned:
                yield from self._notice_once(
                    f"{file.path.name} comes after the {self.n_planned:,} planned "
                    "projections. It is not used."
                )
                return
            self._missing.arrived(index, file.path.name)
        yield from self._screening.screened(
            Frame(kind, index, self._angle(kind, index), values, monotonic())
        )

    def _first_number(self, file: ArrivingFile) -> int:
        """Return the first number of a series; with a plan, numbers start with 0 or 1."""
        if file.series not in self._first:
            first = self._files.first_number(file.series)
            # A larger first number with a plan: the images before it have not arrived yet
            self._first[file.series] = 0 if first > 1 and self.plan is not None else first
        return self._first[file.series]

    def _angle(self, kind: FrameKind, index: int) -> float | None:
        if self.plan is None or kind != FrameKind.PROJECTION:
            return None
        return float(self.plan.geometry.angles_rad[index])

    def _notice_once(self, text: str) -> Iterator[Noticed]:
        if text not in self._reported:
            self._reported.add(text)
            yield Noticed(f"{self._name}: {text}")


def _images_at(paths: list[Path]) -> list[tuple[Array | None, str]]:
    """Return the images of files, or the reasons why they cannot be read."""
    # Imported in the reader's process before the first image, which is then read at once
    import tifffile  # noqa: F401  once, and before the first image arrives

    return [_image_at(path) for path in paths]


def _image_at(path: Path) -> tuple[Array | None, str]:
    try:
        with open_input(path) as file:
            return tiff_of(file), ""
    except EngineError as e:
        return None, str(e)


class RowsOfZeros:
    """Rows of zeros: of a file that is not completely written, or of the detector.

    They belong to the detector if a file with them stays unchanged. From then on such rows are
    expected.
    """

    def __init__(self) -> None:
        self._expected: Array | None = None

    def are_written(self, values: Array, unchanged_s: float) -> bool:
        """Return True if an image is completely written.

        Parameters
        ----------
        values
            image, [row, column] or with a leading axis of pages
        unchanged_s
            time without a change of the file [s]
        """
        zeros = np.asarray(~values.any(axis=-1))
        if not zeros.any():
            return True
        expected = self._expected
        if expected is not None and expected.shape == zeros.shape and not (zeros & ~expected).any():
            return True
        if unchanged_s > ZEROS_S:
            self._expected = np.asarray(zeros)
            return True
        return False
