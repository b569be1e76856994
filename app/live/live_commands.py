"""What is done with a running scan besides looking: a demo, a file of it, its whole volume."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.control.context import AppContext
from app.control.demo_maker import make_demo_apart
from app.control.saving import may_write
from app.control.slice_saving import SlicesOnShow, keep_slices
from app.live.live_page import LivePage
from app.live.live_request import LiveRequest
from app.look.file_dialogs import ask_save
from app.models.messages import Problem
from engine.errors import EngineError
from engine.modalities import DEMOS, CtProtocol, Study

DEMO_RATE = 24.0
"""Frames in a second: the slices sharpen for some ten seconds."""
FILE_NAME, KINDS = "live-scan.h5", "Projections (*.h5 *.nxs)"
LOST = "The views of this scan are only in this window. Keep them in a file first, or give them up."


class LiveCommands(QObject):
    """Carries out what the page of a running scan asks for.

    Parameters
    ----------
    context : of the window
    window : that dialogs belong to
    leave : shows the images again
    open_scan : opens a file, and calls back when it can be reconstructed
    confirm : asks, with a title, a text and the word that does it
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
        self.page = LivePage(
            context,
            demo=self.try_demo,
            leave=leave,
            keep_scan=lambda: self.keep(),
            reconstruct=lambda: self.keep(self._reconstruct),
            another=self.another,
            keep_slices=self.keep_slices,
        )
        self.model = self.page.model

    def try_demo(self) -> None:
        """Simulate a scan, unless it is there already, and play it."""
        if self._is_making or not self.may_forget():
            return
        self._is_making = True
        demo = DEMOS[CtProtocol().modality]
        self.page.card.say(demo.busy)
        self._context.commands.run_task(
            partial(make_demo_apart, demo=demo),
            self._play,
            busy=demo.busy,
            failed="No demo.",
            stoppable=True,
            on_end=self._made,
        )

    def _play(self, study: Study | None) -> None:
        if study is not None:
            request = LiveRequest(str(study.data), replay=True, rate=DEMO_RATE, finds_axis=True)
            self.model.start(request)

    def _made(self) -> None:
        self._is_making = False
        self.page.card.say("")

    def another(self) -> None:
        """Let go of the scan, unless it would be lost."""
        if self.may_forget():
            self.model.forget()

    def may_forget(self) -> bool:
        """Ask before views go that lie nowhere else."""
        if self.model.is_kept or not self.model.has_scan:
            return True
        if not self._confirm("Scan not kept", LOST, "Give it up"):
            return False
        self.model.is_kept = True
        return True

    def keep(self, then: Callable[[Path], object] = lambda path: None) -> None:
        """Write the scan to a file that the user names; then call back."""
        folder = Path(self._context.preferences.export_folder or Path.home())
        path = ask_save(self._window, "Keep the scan", folder / FILE_NAME, KINDS)
        if path is None or not may_write(self._window, path, self._context.session):
            return
        try:
            scan = self.model.scan()
        except EngineError as e:
            self._context.session.raise_problem(Problem("The scan cannot be kept.", str(e)))
            return

        def write() -> Path:
            from engine.io import save_projections

            save_projections(scan, path)
            return path

        def written(path: Path) -> None:
            self.model.is_kept = True
            self._context.preferences.export_folder = str(path.parent)
            self._context.session.add_log("info", f"Scan kept: {path}")
            then(path)

        self._context.commands.run_task(
            lambda _: write(), written, busy="Keeping the scan", failed="The scan cannot be kept."
        )

    def keep_slices(self) -> None:
        """Write the slices on show to files."""
        images = self.page.on_show
        if images is not None:
            made = self.model.provenance(images)
            shown = SlicesOnShow(images.values, images.planes, "1/mm", made)
            keep_slices(self._window, self._context, shown)

    def _reconstruct(self, path: Path) -> None:
        """Open the scan that was kept, and reconstruct it as any other."""
        protocol = self.model.protocol()
        self._leave()
        self._open_and_start(Study(data=path, protocol=protocol))

    def shut_down(self) -> None:
        """Let go of the source."""
        self.model.stop()
