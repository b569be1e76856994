"""Choose views as key images of the displayed result; read and store them in threads."""

from __future__ import annotations

from threading import Lock

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject
from PySide6.QtGui import QImage, QImageWriter

from app.language.translation import tr
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import (
    TWO_PATIENTS,
    TWO_SCANS,
    TWO_SPACES,
    UNKNOWN_PATIENT,
)
from app.state.models.messages import Problem
from app.state.models.session import Session
from app.state.services.context import AppContext
from app.views.colour.raster_view import RasterView
from app.views.colour.volume_colours import VolumeAppearance
from app.views.colour.windows import Window
from app.views.fusion.fusion_state import FusionMode
from app.views.planes.plane_geometry import slice_index
from app.views.slices.mip_view import MipView
from app.views.slices.printed_views import is_printable, printed
from app.views.slices.slab import SlabKind
from app.views.slices.slice_view import SliceView
from app.views.text import millimetres
from engine.results import Results
from engine.results.reports import (
    MAX_IMAGES,
    KeyImage,
    UsableKeyImages,
    patient_mark,
    usable_key_images,
    write_key_images,
)

FASTEST = 11
"""Compression of Qt, of 100, that packs a PNG in the least time."""
NOT_READ = tr("The key images could not be read.")
NOT_SAVED = tr("The key images were not saved.")
SLABS: dict[SlabKind, str] = {"highest": "maximum", "mean": "mean", "lowest": "minimum"}
COMPARED: dict[FusionMode, str] = {
    "difference": "Difference: second volume minus image",
    "ratio": "Ratio: second volume to image",
    "significance": "Difference, second volume minus image, divided by its error",
}
"""Captions are part of the report, which is English."""
NOTES = {
    TWO_PATIENTS: "the two images belong to different patients",
    TWO_SCANS: "the two images are from different scans, possibly of different patients",
    TWO_SPACES: "the two images have different frames of reference",
    UNKNOWN_PATIENT: "unknown whether both images show the same patient",
}
"""Messages about a pair of volumes, in the language of the window, with their English texts."""
SHOWN = 8
"""Digits of a fingerprint in a caption."""


class KeyImageStorage(QObject):
    """Read the key images of each displayed result, and store every change.

    Parameters
    ----------
    context : context with the displayed result
    parent : deletes this object with itself
    """

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands, self._session = context.commands, context.session
        self._model = context.session.key_images
        self._lock, self._newest = Lock(), 0
        run = self._session.run
        for signal in (run.begun, run.images_changed, run.record_changed, run.result_stored):
            signal.connect(self._follow)
        self._model.edited.connect(self._store)
        self._follow()

    def _follow(self) -> None:
        id = self._session.run.record.result_id
        if id == self._model.result_id:
            return
        self._model.follow(id)
        if not id:
            return
        self._commands.run_task(
            lambda _: usable_key_images(Results().open(id)),
            lambda found: self._use_stored(id, found),
            failed=NOT_READ,
        )

    def _use_stored(self, id: str, found: UsableKeyImages) -> None:
        if found.fault and id == self._model.result_id:
            self._session.raise_problem(Problem(NOT_READ, found.fault))
        self._model.take_stored(id, found.images)

    def _store(self) -> None:
        id, images = self._model.result_id, self._model.images
        self._newest += 1
        number = self._newest

        def work(_: object) -> None:
            # Threads may start in another order; an older state must not replace a newer one.
            with self._lock:
                if number == self._newest:
                    write_key_images(Results().open(id), images)

        self._commands.run_task(work, lambda _: None, failed=NOT_SAVED)


def obstacle(session: Session, view: RasterView) -> str:
    """Return the reason why a view cannot be added to the report; empty if it can.

    Parameters
    ----------
    session
        session with the displayed result
    view
        view to add
    """
    run, volumes, fusion = session.run, session.volumes, session.view.fusion
    if not run.record.result_id:
        return tr("There is no result yet. A result is saved at the end of each run.")
    if not is_printable(view):
        return tr("Only slices and the projection can be added to the report.")
    if session.view.volume is None or not volumes.shows_image:
        return tr("The report shows the image of the run. Show it first.")
    if _frame_text(session) is None and run.selected is not None:
        return tr("The report shows the last image of the run. Select it first.")
    if fusion.has_values and _shows_two_patients(session):
        return TWO_PATIENTS
    if not session.key_images.is_ready:
        return tr("The key images of this result are not read yet.")
    if session.key_images.is_full:
        return tr("A report has at most {n} key images. Remove one first.", n=MAX_IMAGES)
    return ""


def _shows_two_patients(session: Session) -> bool:
    overlay, order = session.volumes.overlay, session.run.record.order
    if session.volumes.pairing_note.warning == TWO_PATIENTS:
        return True
    # The image of a run has no patient ID of its own.
    return overlay is not None and order is not None and not order.is_of(overlay.origin.patient)


def add_key_image(context: AppContext, view: RasterView) -> None:
    """Add a view to the report of the displayed result, or show the reason why it cannot be added.

    Parameters
    ----------
    context
        window with the displayed result
    view
        view to add
    """
    session = context.session
    why = obstacle(session, view)
    if why:
        session.raise_problem(Problem(tr("The view was not added."), why))
        return
    # An order can name the patient of the result later, and then the report compares both.
    overlay = session.volumes.overlay if _second_caption_of(session, view) else None
    mark = "" if overlay is None else patient_mark(overlay.origin.patient)
    session.key_images.add(KeyImage(png_of(printed(view)), caption_of(session, view), mark))


def caption_of(session: Session, view: RasterView) -> str:
    """Return plane, position, window, unit and second volume of a view, without names of files.

    Parameters
    ----------
    session
        session with the displayed volumes
    view
        slice or projection
    """
    state, frame = session.view, _frame_text(session)
    parts = [_place_text(view)]
    if isinstance(view, SliceView) and state.slab_now.kind and state.volume is not None:
        orientation, slab = view.orientation, state.slab_now
        centre = slice_index(
            state.volume.grid, orientation.normal, view.plane_point[orientation.normal]
        )
        n = len(slab.range(state.volume.grid, orientation.normal, centre))
        thick = millimetres(n * state.volume.grid.voxel_mm[orientation.normal])
        parts.append(f"{SLABS[slab.kind]} of {thick} {state.length_unit}")
    if frame is not None:
        parts.append(f"frame {frame}")
    fusion = state.fusion
    shows_own = _part_of(view) == "both" and not _is_compared(session, view)
    if shows_own and not (fusion.blinks and fusion.blinks_up):
        parts.append(_window_text(state, view.shown_window()))
    return ", ".join([*parts, *_second_caption_of(session, view)])


def _part_of(view: RasterView) -> str:
    return view.part if isinstance(view, SliceView) else "both"


def _has_second(session: Session, view: RasterView) -> bool:
    fusion = session.view.fusion
    return fusion.has_values and (isinstance(view, SliceView) or not fusion.compares)


def _is_compared(session: Session, view: RasterView) -> bool:
    """Return True if a view shows the difference or the ratio of two volumes."""
    fusion = session.view.fusion
    compares = fusion.compares and not fusion.obstacle(fusion.mode)
    return _part_of(view) == "difference" or (_has_second(session, view) and compares)


def _place_text(view: RasterView) -> str:
    if isinstance(view, MipView):
        return f"Maximum intensity projection from {view.degrees:.0f}°"
    if not isinstance(view, SliceView):
        return ""
    axis = view.orientation.normal
    at = millimetres(view.plane_point[axis])
    return f"{view.plane.capitalize()}, {'xyz'[axis]} = {at} {view.state.length_unit}"


def _window_text(appearance: VolumeAppearance, window: Window) -> str:
    low, high = (appearance.shown_number(end) for end in window)
    colours = appearance.colour_map.replace("_", " ")
    return f"{low} to {high} {appearance.shown_unit or '(no unit)'} ({colours})"


def _second_caption_of(session: Session, view: RasterView) -> list[str]:
    """Return the caption of the second volume; empty if the view does not show it."""
    if not _has_second(session, view):
        return []
    fusion, overlay = session.view.fusion, session.volumes.overlay
    part, is_compared = _part_of(view), _is_compared(session, view)
    name = _name_without_files(overlay) if overlay is not None else "second volume"
    warning = _scan_texts(session)
    if is_compared:
        mode: FusionMode = "difference" if part == "difference" else fusion.mode
        appearance = fusion.compared
        return [f"{COMPARED[mode]}: {name}", _window_text(appearance, appearance.window), *warning]
    if part == "both" and (fusion.is_side_by_side or (fusion.blinks and not fusion.blinks_up)):
        return []
    if fusion.compares:  # the views show only the image and the reason
        return []
    share = f", {100 * fusion.opacity:.0f} %" if fusion.mode == "blend" and part == "both" else ""
    return [f"{name}{share}", _window_text(fusion, fusion.window), *warning]


def _name_without_files(opened: OpenVolume) -> str:
    """Return a name without those of files, which can identify a patient."""
    key = opened.key.partition(":")[2]
    if opened.kind == "error":
        return "error of the image"
    if opened.kind == "input":
        return f"second volume: {key.replace('_', ' ')}"
    return f"second volume: result {key}" if opened.kind == "result" else "second volume"


def _scan_texts(session: Session) -> list[str]:
    """Return the scan of the second volume, unless it is that of the image."""
    base, overlay = session.volumes.base, session.volumes.overlay
    if base is None or overlay is None or overlay.kind == "error":
        return []
    note, scan = session.volumes.pairing_note, overlay.origin.fingerprint or overlay.origin.digest
    labels = [text for words, text in NOTES.items() if any(words in each for each in note)]
    if labels and scan and base.origin.is_same_scan(overlay.origin) is not True:
        labels.append(f"scan of the second volume: fingerprint {scan[:SHOWN]}")
    return labels


def _frame_text(session: Session) -> str | None:
    """Return the displayed time frame; None for another image."""
    selected, items = session.run.selected, session.run.record.images.items
    if selected is None or selected >= len(items):
        return None
    frame = items[selected].frame
    return None if frame is None else frame.describe()


def png_of(image: QImage) -> bytes:
    """Return an image as a PNG, packed in little time.

    Parameters
    ----------
    image
        the image
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    writer.setCompression(FASTEST)
    writer.write(image)
    return bytes(buffer.data().data())
