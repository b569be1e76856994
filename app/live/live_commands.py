"""Commands for a running scan: demo, save, full reconstruction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.live.connect_card import EVENTS, FRAMES
from app.live.live_page import LivePage, Model
from app.live.live_request import LiveRequest
from app.live.pet_request import PetRequest
from app.live.watch_page import WatchActions
from app.output.export.writing import export_folder
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.demo_maker import make_demo_in_process
from app.state.services.saving import may_write
from app.state.services.slice_saving import SlicesOnShow, keep_slices
from app.ui.theme.file_dialogs import ask_save
from engine.core.errors import EngineError
from engine.modalities import DEMOS, CtProtocol, ListModeProtocol, Study

DEMO_FRAMES, DEMO_PACE = 24.0, 3.0
"""Frames per second, and seconds of list mode per second; the image sharpens for 10 to 20 s."""
DEMO_KINDS = {FRAMES: CtProtocol, EVENTS: ListModeProtocol}
FILE_NAME, KINDS = "live-scan.h5", tr("Scans (*.h5 *.nxs)")
IMAGE_NAME, IMAGE_KINDS = "live-image.nii.gz", tr("Images (*.nii.gz *.h5 *.mha *.nrrd)")
LOST = tr("This scan has not been saved. Save it first, or discard it.")
NOT_SAVED, NO_IMAGE = tr("The scan could not be saved."), tr("The image could not be saved.")


class LiveCommands(QObject):
    """Commands of the page of a running scan.

    Parameters
    ----------
    context : context of the window
    window : parent of dialogs
    leave : shows the images again
    open_and_start : opens a study and reconstructs it
    confirm : asks with a title, a text and the label of the button that confirms
    """

    def __init__(
        self,
        context: AppContext,
        window: QWidget,
        *,
        leave: Callable[[], object],
        open_and_start: Callable[[Study], object],
        confirm: Callable[[str, str, str], bool],
    ) -> None:
        super().__init__(window)
        self._context, self._window, self._leave = context, window, leave
        self._open_and_start, self._confirm = open_and_start, confirm
        self._is_making = False
        actions = WatchActions(
            leave=leave,
            keep_scan=self.keep,
            reconstruct=self.reconstruct,
            another=self.another,
            keep_images=self.keep_images,
        )
        self.page = LivePage(context, actions, self.try_demo)

    @property
    def model(self) -> Model:
        """Model of the current or last scan."""
        return self.page.model

    def try_demo(self, kind: int = FRAMES) -> None:
        """Play a demo scan, which is simulated once and then stored.

        Parameters
        ----------
        kind
            `FRAMES` or `EVENTS`
        """
        # A second click during the simulation must not start another one.
        if self._is_making or not self.may_forget():
            return
        self._is_making = True
        # After the demo the card offers the same kind of scan.
        self.page.card.kind.setCurrentIndex(kind)
        demo = DEMOS[DEMO_KINDS[kind]().modality]
        self.page.show_making(demo.busy)
        self._context.commands.run_task(
            # The simulation runs in a separate process, which can be stopped at any time.
            partial(make_demo_in_process, demo=demo),
            partial(self._play_demo, kind),
            busy=demo.busy,
            failed=tr("The demo could not be started."),
            stoppable=True,
            on_progress=self.page.making.show_progress,
            on_end=self._finish_demo,
        )

    def _play_demo(self, kind: int, study: Study | None) -> None:
        if study is None:
            return
        if kind == EVENTS:
            # The demo brings its own protocol, because the current study can be of another
            # modality.
            files, protocol = dict(study.inputs), study.protocol
            if isinstance(protocol, ListModeProtocol):
                data = str(study.data)
                self.page.start(PetRequest(data, rate=DEMO_PACE, files=files, protocol=protocol))
        else:
            data = str(study.data)
            self.page.start(LiveRequest(data, replay=True, rate=DEMO_FRAMES, finds_axis=True))

    def _finish_demo(self) -> None:
        self._is_making = False
        self.page.show_making("")

    def another(self) -> None:
        """Close the scan; ask first if it is not saved."""
        is_unsaved = not self.model.is_saved and self.model.has_scan
        if self.may_forget():
            if is_unsaved:
                self.model.discard()
            self.model.forget()

    def may_forget(self) -> bool:
        """Ask before an unsaved scan is discarded; return True if it may be."""
        if self.model.is_saved or not self.model.has_scan:
            return True
        if not self._confirm(tr("Scan not saved"), LOST, tr("Discard")):
            return False
        # The user has agreed to the loss and is not asked twice.
        self.model.is_saved = True
        return True

    def keep(self) -> None:
        """Ask for a file and save the scan."""
        folder = Path(self._context.preferences.export_folder or Path.home())
        path = ask_save(self._window, tr("Save the scan"), folder / FILE_NAME, KINDS)
        if path is None or not may_write(self._window, path, self._context.session):
            return
        self._context.preferences.export_folder = str(path.parent)
        self._write(path, lambda path: None)

    def reconstruct(self) -> None:
        """Save the scan in the export folder, and reconstruct it."""
        try:
            folder = export_folder(self._context.preferences.export_folder)
            # A full reconstruction asks for no name: the scan must be on disk as soon as possible.
            path = _unused_scan_path(folder, datetime.now().astimezone())
        except EngineError as e:
            self._context.session.raise_problem(Problem(NOT_SAVED, str(e)))
            return
        self._write(path, self._reconstruct)

    def _write(self, path: Path, then: Callable[[Path], object]) -> None:
        model = self.model
        try:
            # Stops the source first: a file must not grow while it is written.
            write = model.writer()
        except EngineError as e:
            self._context.session.raise_problem(Problem(NOT_SAVED, str(e)))
            return

        def written(_: object) -> None:
            model.mark_saved()
            self._context.session.add_log("info", tr("Scan saved: {path}", path=path))
            then(path)

        self._context.commands.run_task(
            lambda _: write(path), written, busy=tr("Saving the scan"), failed=NOT_SAVED
        )

    def _reconstruct(self, path: Path) -> None:
        study = self.model.study_of(path)
        self._leave()
        self._open_and_start(study)

    def keep_images(self) -> None:
        """Save the displayed images to files."""
        if self.model is self.page.pet_model:
            self._keep_volume()
            return
        images = self.page.slices.on_show
        # The button is disabled without images, but the command can also come from a menu.
        if images is not None:
            made = self.page.slices_model.provenance(images)
            shown = SlicesOnShow(images.values, images.planes, "1/mm", made)
            keep_slices(self._window, self._context, shown)

    def _keep_volume(self) -> None:
        volume, preferences = self.page.pet.on_show, self._context.preferences
        folder = Path(preferences.export_folder or Path.home())
        path = ask_save(self._window, tr("Save the image"), folder / IMAGE_NAME, IMAGE_KINDS)
        if volume is None or path is None:
            return
        if not may_write(self._window, path, self._context.session):
            return

        def write() -> None:
            from engine.io import can_save, save

            # An unknown suffix is reported before any value is computed.
            can_save(path)
            save(volume, path, volume.info)

        def written(_: object) -> None:
            preferences.export_folder = str(path.parent)
            self._context.session.add_log("info", tr("Image saved: {path}", path=path))

        self._context.commands.run_task(
            lambda _: write(), written, busy=tr("Saving the image"), failed=NO_IMAGE
        )

    def shut_down(self) -> None:
        """Close the source."""
        self.model.stop()


def _unused_scan_path(folder: Path, now: datetime) -> Path:
    """Return an unused name for a scan that ended now."""
    stem = f"live-scan-{now:%Y-%m-%d-%H%M%S}"
    names = (f"{stem}{more}.h5" for more in ("", *(f"-{k}" for k in range(2, 100))))
    return next(folder / name for name in names if not (folder / name).exists())
