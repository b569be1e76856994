"""All mutable state of the window: models of study, run and view, connected to each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.device_choice import DeviceChoice
from app.state.models.images.image_names import name_of_run
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.images.open_volumes import OpenVolumes
from app.state.models.images.patient_order import PatientOrder
from app.state.models.images.volume_origin import Origin
from app.state.models.inputs import DATA
from app.state.models.judgement_draft import JudgementDraft
from app.state.models.key_image_model import KeyImageModel
from app.state.models.messages import MAX_LOG_LINES, Level, LogLine, Problem
from app.state.models.outbox import Outbox
from app.state.models.queue_model import QueueModel
from app.state.models.region_model import RegionModel
from app.state.models.result_list import ResultList
from app.state.models.run_model import RunModel
from app.state.models.run_record import RunRecord
from app.state.models.study_model import StudyModel
from app.ui.theme.formatting import sentence_case
from app.views.state import ViewState
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line
from engine.data import FrameVolume, Volume
from engine.results import Named


class Session(QObject):
    """Owns the models and connects them. No model depends on another one.

    Attributes
    ----------
    device : the device for reconstructions
    study : inputs and protocol
    run : the reconstruction and its images
    results : images of earlier runs on disk
    queue : waiting studies on disk
    regions : regions of the open scan and of others
    key_images : pictures for the report of the displayed result
    draft : judgement of the displayed result that is not signed yet
    order : worklist order of the open scan
    view : display settings of the volume
    volumes : all open volumes, and which of them are shown
    opened_from : file that the study was opened from or saved to; None before
    log : newest lines of the log
    identify : True if the log may contain names of files
    refusal : returns why this window may not run the current settings; empty if it may
    unlock_key : asks for the passphrase of the signing key, before something is signed
    """

    log_added = Signal(object)
    problem_raised = Signal(object)

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__()
        self.device = device
        self.study, self.run, self.view = StudyModel(device), RunModel(), ViewState(self)
        self.results, self.queue = ResultList(), QueueModel()
        self.regions, self.order = RegionModel(), PatientOrder()
        self.outbox = Outbox()
        self.key_images, self.draft = KeyImageModel(), JudgementDraft()
        self.opened_from: Path | None = None
        self.log: deque[LogLine] = deque(maxlen=MAX_LOG_LINES)
        self.identify = False
        self.refusal: Callable[[], str] = lambda: ""
        self.unlock_key: Callable[[], None] = lambda: None
        self.volumes = OpenVolumes(self.view)

        # Another scan may be another patient: no image, volume or order of the old one may stay.
        self.study.scan_replaced.connect(self.run.forget)
        self.study.scan_replaced.connect(self.volumes.forget_others)
        self.study.scan_replaced.connect(self.order.release)
        self.study.inputs_changed.connect(self._follow_inputs)
        for signal in (self.study.protocol_changed, self.volumes.changed):
            signal.connect(self._show_box)
        self.study.protocol_replaced.connect(lambda text: self.add_log("info", text))
        self.run.begun.connect(self._show_blurred_axis)
        self.run.image_selected.connect(self._show_image)
        self.run.reported.connect(self.add_log)
        self.results.changed.connect(self._rename)

    @property
    def doing(self) -> str:
        """Description of the current stage."""
        # Stages that can take minutes say why; the modality provides these sentences.
        record, long_work = self.run.record, self.study.modality.long_work
        if record.total and record.stage in long_work:
            return long_work[record.stage]
        if record.progress_text:
            return f"{record.stage_text}: {record.progress_text}"
        return record.stage_text or tr("Starting the engine")

    def obstacle(self) -> str:
        """Return the reason why no run can start; empty if one can."""
        if self.run.state.is_active:
            return tr("A reconstruction is running.")
        # Files may have been added after the order was chosen.
        others = self.order.obstacle(self.patients())
        return self.refusal() or self.study.obstacle() or others

    def patients(self) -> list[str]:
        """Return the patient IDs that are known from files of the study."""
        contents = (found.content for found in self.study.inputs.values())
        known = (each.patient for each in contents if isinstance(each, Volume))
        return [number for number in known if number]

    def show_file(
        self,
        volume: Volume,
        name: str,
        alias: str = "",
        frames: Sequence[FrameVolume] = (),
        *,
        format: str = "",
        path: Path | None = None,
    ) -> None:
        """Show a volume from a file. It is not a result of a run.

        Parameters
        ----------
        volume
            the volume
        name
            name for the screen of the user who opened it
        alias
            pseudonym for titles and all output; "" uses the name
        frames
            time frames of a dynamic file
        format
            name of the file format; "" if unknown
        path
            the file, to which DICOM objects of its regions refer; None if unknown
        """
        self.run.begin(alias or name)
        self.run.record.file = path
        self.view.set_blurred_axis(None)
        self.view.state_axes("")  # it was set for another file
        facts = {
            "Format": format,
            "Voxels": volume.grid.describe(),
            "Unit": volume.unit or tr("no unit"),
        }
        facts = {key: text for key, text in facts.items() if text}
        self.run.show_stored(volume, name, frames, facts)
        self.add_log("info", f"{alias or name}: {', '.join(facts.values())}")

    def show_result(
        self, record: RunRecord, label: str, volume: Volume, frames: Sequence[FrameVolume] = ()
    ) -> None:
        """Show a stored result. Its scan need not be open.

        Parameters
        ----------
        record
            record of the run that made it
        label
            label of the image
        volume
            the image
        frames
            its time frames
        """
        self.view.set_blurred_axis(None)
        self.run.show_result(record, label, volume, frames)
        ending = record.run.describe_run() if record.run is not None else ""
        self.add_log("info", f"{record.title}: {record.opened} {sentence_case(ending)}.")

    def _show_blurred_axis(self) -> None:
        scanner = self.study.scanner
        self.view.set_blurred_axis(scanner.blurred_axis if scanner is not None else None)

    @property
    def image(self) -> Volume | None:
        """The image of the run, even while another volume is shown."""
        image = self.volumes.image
        return image.volume if image is not None else None

    def _show_image(self, volume: Volume | None, refit: bool) -> None:
        self.volumes.provenance = self.run.record.provenance
        self.volumes.take_image(self._as_open_volume(volume), refit=refit)

    def _as_open_volume(self, volume: Volume | None) -> OpenVolume | None:
        if volume is None:
            return None
        record = self.run.record
        origin = Origin.of(volume, record.study, record.known_inputs)
        name = self.image_name or tr("Image")
        return OpenVolume(IMAGE, name, "image", volume, origin, run=record.started)

    @property
    def image_name(self) -> str:
        """Name of the image of the run, as in all lists of results."""
        record, results = self.run.record, self.results
        if record.run is None or record.study is None:
            return record.local_title
        if record.result_id in results.names:
            return results.names[record.result_id]
        scan = record.study.data.name
        named = Named(record.result_id or IMAGE, scan, record.run, record.when)
        return name_of_run(named, [each for each in results.items if each.scan == scan])

    def _rename(self) -> None:
        """Update the names of open results from the list."""
        self.queue.take_results(self.results.items)
        names = {f"result:{id}": name for id, name in self.results.names.items()}
        if self.run.record.run is not None:
            names[IMAGE] = self.image_name
        self.volumes.rename(names)

    def _follow_inputs(self) -> None:
        """Close volumes that are no longer inputs of the study."""
        # Compare by identity: a file that was read again is another volume with the same name.
        inputs = [found.content for found in self.study.inputs.values()]
        for opened in self.volumes.others:
            if opened.kind == "input" and not any(opened.volume is each for each in inputs):
                self.volumes.close(opened.key)
        self._show_box()

    def _show_box(self) -> None:
        """Draw the reconstructed field of view over an input."""
        base, grid = self.volumes.base, None
        # The grid of unfinished settings may be impossible. The box is then left out.
        if base is not None and base.kind == "input":
            with suppress(EngineError):
                grid = self.study.grid()
        self.view.set_box(grid)

    # Log

    def add_log(self, level: Level, text: str, files: tuple[Path, ...] = ()) -> None:
        """Append a line to the log.

        Parameters
        ----------
        level
            "info", "warning" or "error"
        text
            the line; names of the study's files are replaced by pseudonyms
        files
            other files whose names must be replaced
        """
        line = LogLine(datetime.now().astimezone(), level, self._without_names(text, files))
        self.log.append(line)
        self.log_added.emit(line)

    def _without_names(self, text: str, others: tuple[Path, ...]) -> str:
        files = {role: Path(found.value) for role, found in self.study.inputs.items()}
        # A scanner name has no suffix. Replacing it everywhere would damage ordinary words.
        files = {role: path for role, path in files.items() if path.suffix or role == DATA}
        files |= {f"file {n}": path for n, path in enumerate(others, 1)}
        if self.identify or not files:
            return text
        from engine.protocols.privacy import Names  # late, because it loads the file formats

        return Names.of_files(files).text(text)

    def raise_problem(self, problem: Problem) -> None:
        """Show a problem to the user.

        Parameters
        ----------
        problem
            its text also goes to the log if it is an error
        """
        # Sentences contain names of files and answers of a network.
        problem = replace(
            problem, title=visible_line(problem.title), text=visible_line(problem.text)
        )
        if problem.is_fault:
            self.add_log("error", f"{problem.title} {problem.text}", problem.files)
        self.problem_raised.emit(problem)
