"""Dialogs of the window, each imported when it opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.shell.dialogs.file_choice import FileChoice
from app.state.models.inputs import DATA, SCANNER
from app.state.services.context import AppContext
from app.state.services.queueing.queue_intake import QueueAnswer
from app.state.services.saving import ask_target
from app.ui.theme.questions import ask, ask_text
from app.workspace.steps.saving_protocols import save_as

if TYPE_CHECKING:
    from app.analysis.calibrate.normalise_dialog import NormaliseDialog
    from app.workspace.queue.queue_dialog import QueueDialog
    from engine.core.errors import FolderItem
    from engine.jobs import QueueEntry


class Dialogs(QObject):
    """Opens the dialogs of the window, which call the commands.

    Attributes
    ----------
    files : asks for files and folders to open
    """

    def __init__(
        self,
        parent: QWidget,
        context: AppContext,
        resume: Callable[[str], object] = lambda _: None,
        show_queue: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(parent)
        self._parent, self._context = parent, context
        self._resume, self._show_queue = resume, show_queue
        self.files = FileChoice(parent, context.preferences)
        # Commands ask by signals, so that they do not depend on widgets.
        context.commands.import_requested.connect(self.import_scan)
        context.commands.making_requested.connect(self.make)
        context.commands.item_requested.connect(self.choose_item)
        context.queue.intake.begun.connect(self.queue)
        self._normalising: NormaliseDialog | None = None
        self._queue: QueueDialog | None = None

    def _import_for_queue(self, entry: QueueEntry) -> None:
        """Ask for the description of the data of a queued scan; the scan then waits its turn."""
        from app.workspace.steps.import_dialog import ImportDialog

        intake = self._context.queue.intake

        def described(path: Path, fingerprint: str) -> None:
            intake.answer((entry,), QueueAnswer(imported=path, fingerprint=fingerprint))

        source = entry.to_study().data
        ImportDialog(self._queue, self._context, source, described).open()

    def choose_item(self, folder: Path, items: tuple[FolderItem, ...]) -> None:
        """Ask for one of several scans and images in a folder, and open it.

        Parameters
        ----------
        folder
            folder of the items
        items
            scans and images to choose from
        """
        from app.shell.dialogs.folder_dialog import FolderDialog

        open_item = partial(self._context.commands.offer, "")
        paths = tuple(item.path for item in items)
        queue_all = partial(self._context.queue.intake.add, paths)
        FolderDialog(self._parent, folder, items, open_item, queue_all).open()

    def import_scan(self, path: Path) -> None:
        """Ask for the missing description of raw data or images.

        Parameters
        ----------
        path
            file or one image of a stack
        """
        from app.workspace.steps.import_dialog import ImportDialog

        ImportDialog(self._parent, self._context, path).open()

    def confirm(self, title: str, text: str, yes: str) -> bool:
        """Ask a question with "no" as the default answer.

        Parameters
        ----------
        title, text
            title and question
        yes
            label of the button that confirms

        Returns
        -------
        bool
            True if the user confirms
        """
        return ask(self._parent, title, text, yes)

    def save_study(self) -> None:
        """Ask for a file and save the study."""
        start = Path(self._context.preferences.folder_last_used) / "study.toml"
        session = self._context.session
        target = ask_target(self._parent, session, tr("Save study"), start, tr("Studies (*.toml)"))
        if target is not None:
            self._context.commands.save_study(target)

    def save_protocol(self) -> None:
        """Ask for a name and save the protocol."""
        base = self._context.session.study.base.name
        name = ask_text(self._parent, tr("Save protocol"), tr("Protocol name"), base).strip()
        if name:
            save_as(self._parent, self._context, name)

    def protocols(self) -> None:
        """Show and manage the saved protocols."""
        from app.workspace.steps.protocols_dialog import ProtocolsDialog

        ProtocolsDialog(self._parent, self._context).open()

    def report(self) -> None:
        """Sign off the displayed result; save, print or send its report."""
        from app.output.report.report_dialog import ReportDialog

        ReportDialog(self._parent, self._context).open()

    def settings(self) -> None:
        """Show the settings."""
        from app.shell.dialogs.settings_dialog import SettingsDialog

        SettingsDialog(self._parent, self._context).open()

    def storage(self) -> None:
        """Show the disk space of jobs, results and caches."""
        from app.shell.dialogs.storage_dialog import StorageDialog

        StorageDialog(self._parent, self._context, self.confirm).open()

    def queue(self) -> None:
        """Show the queue in a non-modal window; there is only one."""
        from app.workspace.queue.queue_dialog import QueueDialog

        if self._queue is None:
            made = self._queue = QueueDialog(self._parent, self._context)
            intake = self._context.queue.intake
            made.files_wanted.connect(lambda: self.files.scans(intake.add))
            made.folder_wanted.connect(lambda: self.files.folder(lambda path: intake.add((path,))))
            made.scanner_wanted.connect(
                lambda: self.files.for_role(SCANNER, made.question.use_scanner)
            )
            made.import_wanted.connect(self._import_for_queue)
        self._queue.show()
        # `show` does nothing for a window that is open behind another one.
        self._queue.raise_()
        self._queue.activateWindow()

    def studies(self) -> None:
        """Show all studies, and the worklist."""
        from app.workspace.study_list.studies_dialog import StudiesDialog

        StudiesDialog(self._parent, self._context, self._resume, self._show_queue).open()

    def tune(self) -> None:
        """Search the fastest kernels for this machine."""
        from app.run.tuning.tuning_dialog import TuningDialog

        TuningDialog(self._parent, self._context).open()

    def make(self, page: str) -> None:
        """Open the dialog that creates an input file.

        Parameters
        ----------
        page
            "normalise", "calibrate", "measure_resolution" or "describe_tracer"
        """
        pages: dict[str, Callable[[], None]] = {
            "normalise": self.normalise,
            "calibrate": self.calibrate,
            "measure_resolution": self.measure_resolution,
            "describe_tracer": self.describe_tracer,
        }
        pages[page]()

    def calibrate(self) -> None:
        """Measure a calibration in the displayed image."""
        from app.analysis.calibrate.calibrate_dialog import CalibrateDialog

        CalibrateDialog(self._parent, self._context).open()

    def measure_resolution(self) -> None:
        """Measure the resolution of a scanner with point sources."""
        from app.analysis.calibrate.resolution_dialog import ResolutionDialog

        ResolutionDialog(self._parent, self._context).open()

    def describe_tracer(self) -> None:
        """Enter tracer, dose and body data of the open scan."""
        from app.workspace.steps.tracer_dialog import TracerDialog

        # The dialog compares the entries with facts of the scan.
        if DATA in self._context.session.study.inputs:
            TracerDialog(self._parent, self._context).open()

    def normalise(self) -> None:
        """Create a normalisation in a non-modal dialog; there is only one."""
        from app.analysis.calibrate.normalise_dialog import NormaliseDialog

        if self._normalising is None:
            made = self._normalising = NormaliseDialog(self._parent, self._context)
            # The dialog deletes itself, so the reference must go too.
            made.finished.connect(self._forget_normalising)
        self._normalising.show()
        self._normalising.raise_()
        self._normalising.activateWindow()

    def _forget_normalising(self) -> None:
        self._normalising = None

    def may_close(self) -> bool:
        """Ask before a running normalisation is lost; return True if the window may close."""
        return self._normalising is None or self._normalising.may_close()

    def guide(self) -> None:
        """Open the guide in a non-modal window."""
        from app.shell.help.guide import GuideWindow

        guide = GuideWindow(self._parent)
        guide.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        guide.show()

    def help(self) -> None:
        """Open the help."""
        from app.shell.help.help_dialog import HelpDialog

        HelpDialog(self._parent).open()

    def support_bundle(self) -> None:
        """Collect a support bundle, show its content, and save it."""
        from app.shell.dialogs.support_dialog import collect_bundle

        collect_bundle(self._parent, self._context)

    def about(self) -> None:
        """Show version and licence."""
        from app.shell.help.about_box import about_box

        about_box(self._parent).open()
