"""Import of raw projections: proposals from the files, and the user's answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from engine.raw_import import Draft, ImportPreview, Reading

ROLES = ("array", "flats", "darks", "angles")
"""Roles of a dataset. Each is also the key of the answer that names the dataset."""
NONE, SIGN = "none", "#"
TYPES = (
    *("uint8", "int8", "uint16", "int16", "uint32", "int32"),
    *("float16", "float32", "float64"),
)
KINDS = ("counts", "transmission", "integrals")


@dataclass(frozen=True)
class ImportField:
    """One value that the user can enter.

    Attributes
    ----------
    key : key of the answer
    title, tip : label and tooltip
    choices : allowed values; empty for free text
    """

    key: str
    title: str
    tip: str
    choices: tuple[str, ...] = ()


RAW_FIELDS = (
    ImportField("columns", tr("Columns"), tr("Pixels per image row")),
    ImportField("rows", tr("Rows"), tr("Rows per image")),
    ImportField("dtype", tr("Type"), tr("Data type of the stored values"), TYPES),
    ImportField("byte_order", tr("Byte order"), tr("Byte order of the values"), ("little", "big")),
    ImportField("offset_bytes", tr("Header"), tr("Bytes before the first image")),
)
ARRAY = ImportField("array", tr("Array"), tr("Name of the dataset that contains the projections"))
KIND = ImportField("kind", tr("Values"), tr("Physical quantity that the values represent"), KINDS)
SCALE = ImportField(
    "scale",
    tr("Scale"),
    tr(
        "Factor that converts the stored values to line integrals or transmissions, "
        "for example 0.001"
    ),
)
WHITE = ImportField(
    "white_level", tr("Open beam"), tr("Detector counts without an object in the beam")
)
LAST_FIELDS = (
    ImportField(
        "flats",
        tr("Flats"),
        tr("A folder, a file or the beginning of the file names. Enter “none” if there are none."),
    ),
    ImportField(
        "darks",
        tr("Darks"),
        tr("A folder, a file or the beginning of the file names. Enter “none” if there are none."),
    ),
    ImportField(
        "angles",
        tr("Angles"),
        tr(
            "Angular range in degrees (360 or 180), first angle and step (0:0.5), or a "
            "text file with the angles"
        ),
    ),
    ImportField(
        "beam",
        tr("Beam"),
        tr(
            "“parallel”, or the distances from the source to the axis and to the detector "
            "in mm, for example 100,400"
        ),
    ),
    ImportField(
        "pixel",
        tr("Pixel"),
        tr("Size of a detector pixel in mm, for example 0.05, or 0.05,0.06 for width and height"),
    ),
    ImportField(
        "first_row", tr("First row"), tr("Position of the first image row"), ("top", "bottom")
    ),
    ImportField(
        "axis_column",
        tr("Axis"),
        tr(
            "Detector column of the rotation axis, counted from 0. Leave blank to find it "
            "automatically."
        ),
    ),
)
FIELDS = (*RAW_FIELDS, ARRAY, KIND, SCALE, WHITE, *LAST_FIELDS)


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
    look : the latest preview; None before the first
    fault : reason why there is no preview, or why the last answer cannot be used
    is_busy : True while a preview is being made
    """

    changed = Signal()
    answers_changed = Signal()

    def __init__(self, source: Path) -> None:
        super().__init__()
        self.source = source
        self.answers: dict[str, object] = {}
        self.look: ImportPreview | None = None
        self.fault = ""
        self.is_busy = False
        self._shown: dict[str, object] | None = None

    # User actions

    def say(self, key: str, value: object) -> None:
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
            self.say(was, NONE if was in ("flats", "darks") and was != role else "")
        if role:
            self.say(role, name)

    def take_like(self) -> None:
        """Copy the answers from the description of a file with the same structure."""
        if self.look is not None and self.look.like_said:
            # The user's own answers have priority over those of the other file.
            self.answers = self.look.like_said | self.answers
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
            self.look, self.fault = found, ""
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
        look = self.look
        if look is None or look.like is None or look.like_said.items() <= self.answers.items():
            return ""
        return f"{look.like.parent.name}/{look.like.name}"

    @property
    def draft(self) -> Draft | None:
        """The description that would be written; None before the first preview."""
        return self.look.draft if self.look is not None else None

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
        has_look = self.look is not None and self.is_current and not self.is_busy
        return has_look and self.draft is not None and not (self.fault or self.missing)

    @property
    def fields(self) -> tuple[ImportField, ...]:
        """Fields that apply to this scan."""
        draft = self.draft
        if draft is None:  # these fields help if not even the image size is known
            is_stuck = self.fault or (self.look is not None and self.look.fault)
            if self.look is not None and self.look.datasets:
                return ()  # the user selects one from the list
            return (*RAW_FIELDS, ARRAY) if is_stuck else ()
        # Type and size are only asked for files that do not state them.
        keys = {guess.key for guess in draft.guesses}
        values = (KIND, *self._value_fields(draft))
        is_picked = self.look is not None and bool(self.look.datasets)
        arrays = (ARRAY,) if "array" in keys and not is_picked else ()
        return (*(RAW_FIELDS if draft.shapes else ()), *arrays, *values, *LAST_FIELDS)

    def _value_fields(self, draft: Draft) -> tuple[ImportField, ...]:
        if draft.table["kind"] != "counts":
            return (SCALE,)
        return () if "flats" in draft.table else (WHITE,)

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
        draft = self.draft
        if draft is None:
            return "", ""
        found = next((g for g in draft.guesses if g.key == key), None)
        text, why = (found.text, found.why) if found is not None else ("", "")
        # Width and height are only known together, as one of the shapes that fit the file size.
        if key in ("columns", "rows") and draft.shapes:
            _, rows, columns = draft.shape
            return str(columns if key == "columns" else rows), _size_words(draft) if why else ""
        if key in ("dtype", "byte_order"):
            return str(draft.table.get(key, "")), why
        return text, why

    @property
    def words(self) -> str:
        """State of the import, as a sentence."""
        if self.fault:
            return self.fault
        if self.look is None:
            return tr("Reading the files …")
        if self.look.fault:
            return self.look.fault
        titles = [field.title.lower() for field in FIELDS if field.key in self.missing]
        if titles:
            return tr(
                "Missing: {value}. {remark}",
                value=", ".join(titles),
                remark=self.look.remark,
            ).strip()
        return self.look.remark or tr("Choose the slice that is sharp and not mirrored.")

    @property
    def tone(self) -> str:
        """Colour role of `words`."""
        if self.fault or (self.look is not None and self.look.fault):
            return "missing"
        return "look" if self.missing else "muted"


def _size_words(draft: Draft) -> str:
    """Return the sizes of raw files and the evidence for them, in sentences."""
    (n_views, rows, columns), best = draft.shape, draft.shapes[0]
    words = [
        tr(
            "{n_views:,} views of {rows:,} × {columns:,} pixels. These sizes fit the file size.",
            n_views=n_views,
            rows=rows,
            columns=columns,
        )
    ]
    if best.stated:
        titles = {"columns": tr("Columns"), "rows": tr("Rows"), "views": tr("Views")}
        entered = ", ".join(titles[key] for key in best.stated)
        words.append(tr("Entered: {value}.", value=entered))
    if best.rows_alike is not None:
        percent = 100 * best.rows_alike
        words.append(tr("Similarity of neighbouring rows: {percent:.0f} %.", percent=percent))
    if best.views_alike is not None:
        percent = 100 * best.views_alike
        words.append(tr("Similarity of neighbouring views: {percent:.0f} %.", percent=percent))
    return " ".join(words)
