"""Import of raw projections: proposals from the files, and the user's answers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.import_questions import (
    ARRAY,
    FIELDS,
    RAW_FIELDS,
    ImportField,
    fields_of,
    proposal_of,
)
from engine.raw_import import Draft, ImportPreview, Reading

ROLES = ("array", "flats", "darks", "angles")
"""Roles of a dataset. Each is also the key of the answer that names the dataset."""
NONE, SIGN = "none", "#"


class ImportModel(QObject):
    """State of an import: answers so far, and the preview made from them.

    Signals
    -------
    changed : anything
    answers_changed : an answer changed, so a new preview is needed

    Attributes
    ----------
    source : file or folder that the user chose
    answers : answers by key
    preview : the latest preview; None before the first
    fault : reason why there is no preview, or why the last answer cannot be used
    is_busy : True while a preview is being made
    """

    changed = Signal()
    answers_changed = Signal()

    def __init__(self, source: Path) -> None:
        super().__init__()
        self.source = source
        self.answers: dict[str, object] = {}
        self.preview: ImportPreview | None = None
        self.fault = ""
        self.is_busy = False
        self._shown: dict[str, object] | None = None

    # User actions

    def answer(self, key: str, value: object) -> None:
        """Answer a question.

        Parameters
        ----------
        key
            key of the field
        value
            the answer; None or "" removes it, so that the proposal applies again
        """
        answers = {k: v for k, v in self.answers.items() if k != key}
        if value not in (None, ""):
            answers[key] = value
        if answers != self.answers:
            self.answers = answers
            self.answers_changed.emit()
            self.changed.emit()

    def pick(self, reading: Reading) -> None:
        """Choose one of the four combinations of rotation sense and mirroring.

        Parameters
        ----------
        reading
            the preview slice that the user chose
        """
        # The first combination is the default. Choosing it must still be stored as an answer.
        now = bool(self.answers.get("clockwise")), bool(self.answers.get("mirrored"))
        if now != (reading.clockwise, reading.mirrored) or "clockwise" not in self.answers:
            self.answers = self.answers | {
                "clockwise": reading.clockwise,
                "mirrored": reading.mirrored,
            }
            self.answers_changed.emit()
            self.changed.emit()

    def pick_dataset(self, name: str, role: str) -> None:
        """Assign a role to a dataset.

        Parameters
        ----------
        name
            path of the dataset in its file
        role
            one of `ROLES`; "" removes its role
        """
        was = self.role_of(name)
        if role == was:
            return
        # Flats and darks that the program proposed come back unless the answer is an explicit
        # "none".
        if was:
            self.answer(was, NONE if was in ("flats", "darks") and was != role else "")
        if role:
            self.answer(role, name)

    def use_similar(self) -> None:
        """Copy the answers from the description of a file with the same structure."""
        if self.preview is not None and self.preview.similar:
            # The user's own answers have priority over those of the other file.
            self.answers = self.preview.similar | self.answers
            self.answers_changed.emit()
            self.changed.emit()

    # Results of previews

    def begin(self) -> None:
        """Mark the start of a preview."""
        self.is_busy = True
        self.changed.emit()

    def take(self, answers: dict[str, object], found: ImportPreview | str) -> None:
        """Store a preview, or the reason why there is none.

        Parameters
        ----------
        answers
            answers that it was made with; it is dropped if they have changed since
        found
            the preview, or a sentence for the user
        """
        # Previews come from a worker thread. An old one must not replace answers given meanwhile.
        if answers != self.answers:
            return
        self._shown = answers
        if isinstance(found, str):
            self.fault = found
        else:
            self.preview, self.fault = found, ""
        self.changed.emit()

    def end(self) -> None:
        """Mark the end of a preview."""
        self.is_busy = False
        self.changed.emit()

    # Display

    def role_of(self, name: str) -> str:
        """Return the role of a dataset.

        Parameters
        ----------
        name
            path of the dataset in its file

        Returns
        -------
        one of `ROLES`; "" if it has none
        """
        draft = self.draft
        if draft is None:
            return next((role for role in ROLES if self.answers.get(role) == name), "")
        # The draft also holds the roles that the program proposed, which `answers` does not.
        table = draft.table
        angles = table.get("geometry", {}).get("angles", {}).get("file")
        named = (table.get("file"), table.get("flats"), table.get("darks"), angles)
        for role, text in zip(ROLES, named, strict=True):
            if isinstance(text, str) and text.partition(SIGN)[2] == name:
                return role
        return ""

    @property
    def like(self) -> str:
        """Name of the description of a file with the same structure, until it is used."""
        preview = self.preview
        if (
            preview is None
            or preview.like is None
            or preview.similar.items() <= self.answers.items()
        ):
            return ""
        return f"{preview.like.parent.name}/{preview.like.name}"

    @property
    def draft(self) -> Draft | None:
        """The description that would be written; None before the first preview."""
        return self.preview.draft if self.preview is not None else None

    @property
    def is_current(self) -> bool:
        """True if the preview was made with all answers."""
        return self._shown == self.answers

    @property
    def missing(self) -> tuple[str, ...]:
        """Keys of the questions without an answer or a proposal."""
        draft = self.draft
        return tuple(q.key for q in draft.questions if not q.proposal) if draft else ()

    @property
    def is_complete(self) -> bool:
        """True if the description can be written as shown."""
        has_preview = self.preview is not None and self.is_current and not self.is_busy
        return has_preview and self.draft is not None and not (self.fault or self.missing)

    @property
    def fields(self) -> tuple[ImportField, ...]:
        """Fields that apply to this scan."""
        # The user selects arrays from a list if there is one.
        has_list = self.preview is not None and bool(self.preview.datasets)
        if self.draft is not None:
            return fields_of(self.draft, has_picked_array=has_list)
        # These fields help if not even the image size is known.
        is_stuck = self.fault or (self.preview is not None and self.preview.fault)
        return (*RAW_FIELDS, ARRAY) if is_stuck and not has_list else ()

    def guess(self, key: str) -> tuple[str, str]:
        """Return the proposed value of a field.

        Parameters
        ----------
        key
            key of the field

        Returns
        -------
        value and reason, each empty if there is no proposal
        """
        return ("", "") if self.draft is None else proposal_of(self.draft, key)

    @property
    def words(self) -> str:
        """State of the import, as a sentence."""
        if self.fault:
            return self.fault
        if self.preview is None:
            return tr("Reading the files …")
        if self.preview.fault:
            return self.preview.fault
        titles = [field.title.lower() for field in FIELDS if field.key in self.missing]
        if titles:
            return tr(
                "Missing: {value}. {note}",
                value=", ".join(titles),
                note=self.preview.note,
            ).strip()
        return self.preview.note or tr("Choose the slice that is sharp and not mirrored.")

    @property
    def tone(self) -> str:
        """Colour role of `words`."""
        if self.fault or (self.preview is not None and self.preview.fault):
            return "missing"
        return "warning" if self.missing else "muted"
