"""Save and load regions, tables, labels and DICOM objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from app.analysis.regions.image_frames import frames_reader
from app.analysis.regions.live_figures import RegionFollower
from app.language.translation import tr
from app.state.models.images.open_volume import FILE_KEY
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.ui.theme.file_dialogs import ask_open, ask_save, with_ending
from app.ui.theme.questions import ask, show_reason
from engine.analysis.regions import (
    DicomImage,
    Region,
    RegionSet,
    csv_of,
    dicom_source,
    measure_all,
    read_any,
    segmentation_path,
    write_labels,
    write_measurement_report,
    write_regions,
    write_segmentation,
    write_structure_set,
)
from engine.data import Volume
from engine.protocols.privacy import without_names

TABLES = tr("Tables (*.csv)")
SETS = tr("Regions (*.toml)")
LABELS = tr("NIfTI labels (*.nii.gz *.nii)")
DICOM_FILES = tr("DICOM files (*.dcm)")
BY_COMMAND = tr(
    "DICOM regions must refer to a DICOM series. Save the regions, then run `isocenter regions "
    "IMAGE --regions R.toml --dicom OUT.dcm --like FILE`, where FILE is an image from that series."
)
ALL = tr("Regions, labels and DICOM (*.toml *.nii.gz *.nii *.dcm);;All files (*)")
OTHER_SCAN = tr(
    "These regions were drawn on another scan. They fit only if both scans show the same "
    "patient in the same position. Use them anyway?"
)
OTHER_PATIENT = tr(
    "These regions were drawn on the scan of a different patient, so they cannot be used. "
    "Draw them again on this scan."
)


class RegionFiles:
    """Save and load regions in a thread, after the necessary questions."""

    def __init__(self, parent: QWidget, context: AppContext, live: RegionFollower) -> None:
        self._parent, self._context, self._live = parent, context, live
        self._session, self._model = context.session, context.session.regions

    def copy(self) -> None:
        """Copy the table of the displayed image to the clipboard."""
        # Tabs: spreadsheets split pasted text at them in every country.
        text = csv_of(self._live.found.measured, "\t")
        QApplication.clipboard().setText(text)
        self._session.add_log("info", tr("The region table was copied to the clipboard."))

    def save_table(self) -> None:
        """Save the values of the displayed image."""
        volume = self._session.view.volume
        if volume is not None:
            self._write_table([(self._live.image, volume)])

    def save_series(self) -> None:
        """Save the values of all stored images of the run."""
        items = self._session.run.record.images.items
        self._write_table([(each.caption, each.volume) for each in items])

    def save_regions(self) -> None:
        """Save the regions in a separate file."""
        # Regions are immutable, so this set does not change while a thread writes it.
        regions = self._model.current
        target = self._target(tr("Save regions"), "image.regions.toml", SETS, ".toml")
        if target is not None:
            self._write(target, lambda: write_regions(regions, target))

    def save_labels(self) -> None:
        """Save the regions as an integer label image on the grid of the displayed image."""
        volume, regions = self._session.view.volume, self._model.regions
        target = self._target(tr("Save as labels"), "labels.nii.gz", LABELS, ".nii.gz")
        if target is None or volume is None:
            return

        def report_shared(n_shared: object) -> None:
            if n_shared:
                text = tr(
                    "Voxels in more than one region: {n_shared:,}. The label image assigns each "
                    "of them to the region that covers most of it.",
                    n_shared=n_shared,
                )
                self._session.add_log("warning", text)

        self._write(target, lambda: labels_at(regions, volume, target), report_shared)

    def save_segmentation(self) -> None:
        """Save the regions as a DICOM segmentation of the exported series of the image."""
        self._save_dicom(tr("Save as DICOM segmentation"), "regions.dcm", write_segmentation)

    def save_structures(self) -> None:
        """Save the contours of the regions as a DICOM structure set."""
        self._save_dicom(tr("Save as structure set"), "regions.rtstruct.dcm", write_structure_set)

    def save_report(self) -> None:
        """Save the figures of the regions as a DICOM structured report with its segmentation."""
        self._save_dicom(
            tr("Save as structured report"),
            "regions.sr.dcm",
            write_measurement_report,
            segmentation_path,
        )

    def _save_dicom(
        self,
        title: str,
        name: str,
        write: Callable[[Sequence[Region], DicomImage, Path], object],
        companion: Callable[[Path], Path] | None = None,
    ) -> None:
        """Ask for a file, and write the regions as a DICOM object.

        Parameters
        ----------
        title, name
            title of the file dialog, and suggested name
        write
            function of the engine that writes the object
        companion
            returns a second file that is written; None if there is none
        """
        volume, regions, source = self._session.view.volume, self._model.regions, self._source()
        if volume is None:
            return
        # An image read from DICOM: the object must refer to the slices of that series.
        if volume.patient and source is None:
            return show_reason(
                self._parent, tr("Choose an image from the DICOM series"), BY_COMMAND
            )
        target = self._target(title, name, DICOM_FILES, ".dcm")
        if target is None:
            return
        if companion and not may_write(self._parent, companion(target), self._session):
            return
        record = self._session.run.record
        original = self._session.volumes.suv.original(volume)
        is_own = any(stored.volume is original for stored in record.images.items)
        # Names of files in the provenance of an opened image could identify the patient.
        made_by = record.provenance if is_own and record.provenance else without_names(volume.info)
        order, loader = record.order if is_own else None, self._context.commands.loader
        frames = frames_reader(self._context, volume)
        # The export writes the patient position that the user stated in the views.
        image = self._session.view.positioned(volume)

        def work() -> object:
            if source is None or not volume.patient:
                found = DicomImage.of(image, made_by, order=order, frames=frames())
                return write(regions, found, target)
            # Headers are read in a separate process, as every file of other programs.
            frame = bool(volume.frame_of_reference)
            origin = loader().call(dicom_source, source, frame, about=source)
            found = DicomImage.of(image, made_by, origin.subject, series=origin.series)
            return write(regions, found, target)

        self._write(target, work)

    def _source(self) -> Path | None:
        """Return the file from which the displayed image was opened; None for other images."""
        base = self._session.volumes.base
        if base is not None and base.kind == "file":
            return Path(base.key.removeprefix(FILE_KEY))
        return self._session.run.record.file if self._session.volumes.shows_image else None

    def load(self) -> None:
        """Load regions from a file or a label image."""
        folder = self._context.preferences.folder_last_used
        path = ask_open(self._parent, tr("Load regions"), folder, ALL)
        if path is None:
            return
        self._context.preferences.folder_last_used = str(path.parent)
        loader = self._context.commands.loader
        self._context.commands.run_task(
            # Files of other programs are read in a separate process, so that a damaged one cannot
            # stop the window.
            lambda _: loader().call(read_any, path, about=path),
            self.take,
            busy=tr("Reading {name}", name=path.name),
            failed=tr("{name} contains no usable regions.", name=path.name),
        )

    def take(self, found: RegionSet) -> None:
        """Use regions from a file; regions of another scan need a confirmation.

        Parameters
        ----------
        found
            regions of the file; those of a different patient are refused
        """
        volume = self._session.view.volume
        if volume is None:
            return
        if found.is_of_other_patient(volume.patient):
            return show_reason(self._parent, tr("Different patient"), OTHER_PATIENT)
        is_own = found.is_of(self._model.current.scans)
        if is_own or ask(
            self._parent, tr("Regions from another scan"), OTHER_SCAN, tr("Use anyway")
        ):
            self._model.copy_regions(found, volume)

    def copy_regions(self, title: str, found: RegionSet) -> None:
        """Copy regions from another scan of this session, after a confirmation.

        Parameters
        ----------
        title
            title of the other scan
        found
            its regions; those of a different patient are refused
        """
        volume = self._session.view.volume
        if self._model.are_of_other_patient(title):
            show_reason(self._parent, tr("Different patient"), OTHER_PATIENT)
        elif volume is not None and ask(
            self._parent, tr("Regions from {title}", title=title), OTHER_SCAN, tr("Use anyway")
        ):
            self._model.copy_regions(found, volume)

    def _write_table(self, images: Sequence[tuple[str, Volume]]) -> None:
        regions = self._model.regions
        target = self._target(tr("Save as CSV"), "regions.csv", TABLES, ".csv")
        if target is not None:
            self._write(target, lambda: table_at(regions, images, target))

    def _target(self, title: str, name: str, kinds: str, ending: str) -> Path | None:
        preferences = self._context.preferences
        start = Path(preferences.folder_last_used or Path.home()) / name
        chosen = ask_save(self._parent, title, start, kinds)
        if chosen is None:
            return None
        target = with_ending(chosen, (ending, ending.removesuffix(".gz")))
        if not may_write(self._parent, target, self._session):
            return None
        preferences.folder_last_used = str(target.parent)
        return target

    def _write(
        self,
        target: Path,
        work: Callable[[], object],
        done: Callable[[object], object] = lambda _: None,
    ) -> None:
        def written(result: object) -> None:
            self._session.add_log("info", tr("Saved: {target}", target=target))
            done(result)

        self._context.commands.run_task(
            lambda _: work(),
            written,
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )


def table_at(regions: Sequence[Region], images: Sequence[tuple[str, Volume]], target: Path) -> None:
    """Measure regions in images, and write the table.

    Parameters
    ----------
    regions
        regions to measure
    images
        (name, volume) pairs
    target
        CSV file
    """
    from engine.io import write_atomically

    write_atomically(csv_of(measure_all(regions, images)).encode(), target)


def labels_at(regions: Sequence[Region], volume: Volume, target: Path) -> int:
    """Write labels; return the number of voxels in several regions."""
    return write_labels(regions, volume, target).n_shared
