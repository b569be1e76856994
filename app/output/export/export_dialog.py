"""Dialog that asks for image, format and file of an export."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.output.export.suv_choice import SuvChoice
from app.output.export.writing import free_bytes, note, obstacle
from app.state.models.run_images import ALL_FRAMES, StoredImage
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_save
from app.ui.theme.formatting import sentence_case, size
from app.ui.theme.widgets import button, grow_to_fit, label, set_tone
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from app.views.text import image_title
from engine.data import FrameVolume, Plain
from engine.io import WRITERS, default_suffixes, existing, frame_suffixes, suffixes_of
from engine.jobs.study_index import ImagingOrder, is_dicom

WIDTH_PX = 620


NOT_SHOWN = tr("The views show other volumes.")


class ExportDialog(QDialog):
    """Ask for an export; `chosen` and `target` are the answer.

    Parameters
    ----------
    parent : parent of the dialog
    images : images to choose from
    current : index of the first choice
    folder, name : folder and name without suffix to propose
    made_by : provenance of the images; None if unknown
    order : order with the patient of a DICOM series; None if there is none
    suffix : suffix of the format to propose; "" for the first one
    scan : name of the scan that the images belong to; "" if unknown
    is_shown : False if the views show other volumes
    """

    def __init__(
        self,
        parent: QWidget,
        images: list[StoredImage],
        current: int,
        folder: Path,
        name: str = "image",
        made_by: Plain | None = None,
        order: ImagingOrder | None = None,
        suffix: str = "",
        scan: str = "",
        is_shown: bool = True,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export"))
        self.setMinimumWidth(WIDTH_PX)
        self._images, self._made_by, self._order = images, made_by or None, order
        self._is_shown = is_shown
        self.scan = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.scan.set_full_text(scan)
        self.which = QuietCombo()
        self.which.setAccessibleName(tr("Image"))
        for stored in images:
            self.which.addItem(image_title(stored.label))
        self.which.setCurrentIndex(current)
        self.values = SuvChoice()
        self.format = self._format_box()
        self.detail = label("", "muted", wrap=True)
        self.path = QLineEdit(str(folder / f"{name}{WRITERS[0].suffixes[0]}"))
        self.path.setAccessibleName(tr("File"))
        self._note = label("", "muted", wrap=True)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Save | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.save = self.buttons.button(kinds.Save)
        self.save.setProperty("role", "primary")
        self._lay_out()
        self.path.textChanged.connect(self._check)
        self.which.currentIndexChanged.connect(self._check)
        # The format of the last export is preset, if it still exists.
        known = [each.suffixes[0] for each in WRITERS]
        if suffix in known:
            self.use_format(known.index(suffix))
        self._check()

    @property
    def suffix(self) -> str:
        """Suffix of the selected format."""
        return WRITERS[self.format.currentIndex()].suffixes[0]

    @property
    def chosen(self) -> StoredImage:
        """The image to write."""
        return self._images[self.which.currentIndex()]

    @property
    def target(self) -> Path:
        """The file to write."""
        path = Path(self.path.text())
        try:
            return path.expanduser()
        except RuntimeError:  # "~name" of an unknown user
            return path

    def use_format(self, index: int) -> None:
        """Replace the suffix of the file name by that of a format.

        Parameters
        ----------
        index
            index of the format in `WRITERS`
        """
        self._show_format(index)
        name = self.target.name
        # Suffixes such as ".nii.gz" have two parts, which `Path.suffix` would split.
        for suffix in suffixes_of(WRITERS):
            name = name.removesuffix(suffix)
        self.path.setText(str(self.target.with_name(name + WRITERS[index].suffixes[0])))

    def _format_box(self) -> QuietCombo:
        box = QuietCombo()
        box.setAccessibleName(tr("Format"))
        box.setMaxVisibleItems(len(WRITERS))
        for each in WRITERS:
            box.addItem(f"{each.name} ({each.suffixes[0]})")
        # `activated`, not a change: typing a suffix also selects a format, and must not change
        # the name.
        box.activated.connect(self.use_format)
        return box

    def _show_format(self, index: int) -> None:
        self.format.setCurrentIndex(index)
        self.detail.setText(sentence_case(WRITERS[index].detail))
        self.detail.setVisible(bool(WRITERS[index].detail))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        if self.scan.full_text:
            grid.addWidget(label(tr("Scan"), "caption"), 0, 0)
            grid.addWidget(self.scan, 0, 1)
        grid.addWidget(label(tr("Image"), "caption"), 1, 0)
        grid.addWidget(self.which, 1, 1)
        grid.addWidget(self.values, 2, 1)
        grid.addWidget(label(tr("Format"), "caption"), 3, 0)
        grid.addWidget(self.format, 3, 1)
        grid.addWidget(self.detail, 4, 1)
        self._show_format(0)
        where = QHBoxLayout()
        where.setSpacing(8)
        where.addWidget(self.path, 1)
        where.addWidget(button(tr("Choose …"), self._browse))
        grid.addWidget(label(tr("File"), "caption"), 5, 0)
        grid.addLayout(where, 5, 1)
        grid.addWidget(self._note, 6, 1)
        grid.setRowStretch(7, 1)  # the rows stay together
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(16)
        column.addLayout(grid)
        column.addWidget(self.buttons)

    def _browse(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in suffixes_of(WRITERS))
        chosen = ask_save(
            self, tr("Export to"), self.target, tr("Volumes ({endings})", endings=endings)
        )
        if chosen is not None:
            self.path.setText(str(chosen))

    def _frames_of(self, target: Path) -> tuple[str, list[FrameVolume]]:
        """Return a note about the frames, and those that the file will contain."""
        frames = [FrameVolume(each.frame, each.volume) for each in self._images if each.frame]
        if self.chosen.label != ALL_FRAMES or not frames:
            return "", []
        gated = any(each.frame.gate for each in frames)
        suffixes = frame_suffixes(gated=gated)
        text = (
            tr(
                "{endings} files contain all {n} gates. Other formats contain only their "
                "sum or mean."
            )
            if gated
            else tr(
                "{endings} files contain all {n} frames. Other formats contain only their "
                "sum or mean."
            )
        )
        written = frames if target.name.lower().endswith(suffixes) else []
        return text.format(endings=", ".join(suffixes), n=len(frames)), written

    def _check(self) -> None:
        target, volume = self.target, self.chosen.volume
        self.values.offer(volume)
        # Checked at every key, so that Save is only enabled for a file that can be written.
        text, written = self._frames_of(target)
        fault = obstacle(target, volume, self._made_by, len(written))
        if not fault and not any(each.ends(target) for each in WRITERS):
            fault = tr(
                "The name must end with one of {usual_suffixes}.",
                usual_suffixes=default_suffixes(WRITERS),
            )
        free = free_bytes(target.parent)
        notes = [
            tr(
                "Voxels: {describe}. Size before compression: {size}.",
                describe=volume.grid.describe(),
                size=size(volume.values.nbytes),
            )
        ]
        if not self._is_shown:
            notes.insert(0, NOT_SHOWN)
        if text:
            notes.append(text)
        if free is not None:
            notes.append(tr("Free disk space: {size}.", size=size(free)))
        to_know = note(target, volume, self._made_by or volume.info, written)
        if to_know:
            notes.append(f"{to_know.rstrip('.')}.")
        # Only DICOM files state a patient.
        if self._order is not None and is_dicom(target):
            notes.append(
                tr(
                    "The file will be assigned to patient {name}, {number}.",
                    name=self._order.name,
                    number=self._order.patient_id,
                )
            )
        # The question comes after Save; the note warns before.
        exists = "" if fault else existing(target)
        if exists:
            notes.append(
                tr(
                    "This file already exists ({exists}). You will be asked before it is replaced.",
                    exists=exists,
                )
            )
        self.path.setToolTip(literal_tip(str(target)))
        self._note.setText(fault or " ".join(notes))
        grow_to_fit(self)
        warns = bool(exists or to_know) or not self._is_shown
        set_tone(self._note, "missing" if fault else "warning" if warns else "muted")
        self.save.setEnabled(not fault)
        self.save.setToolTip(literal_tip(fault))
        fits = (i for i, each in enumerate(WRITERS) if each.ends(target))
        index = next(fits, None)  # the first match writes: "a.ome.tif" also ends in ".tif"
        if index is not None:
            self._show_format(index)
