"""User actions on volumes other than the image of the run: open, fuse, close."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.state.models.images.error_images import error_image, has_error, is_computed
from app.state.models.images.open_volume import FILE_KEY, OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.models.inputs import DATA, SCANNER
from app.state.models.run_record import RunRecord
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.reading import title_of
from app.state.services.threads import Task
from app.views.fusion.fusion_state import FusionMode
from app.views.text import image_title
from app.views.volume_facts import looked_through
from engine.core.errors import EngineError
from engine.data import Volume
from engine.results import Result

if TYPE_CHECKING:
    from engine.modalities import Study

Place = Literal["base", "overlay", "compare"]
"""Position of a volume in the view: the base, the overlay over it, or next to it."""


class VolumeChoice(NamedTuple):
    """A volume that can be opened.

    Attributes
    ----------
    key : key of the volume once it is open
    title : title for a menu
    open : opens it as base or overlay
    """

    key: str
    title: str
    open: Callable[[Place], None]


class VolumeCommands(QObject):
    """Opens volumes, slow parts in threads. Results for a closed scan are dropped."""

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self._volumes, self._study = session.volumes, session.study

    # Available volumes

    def opened(self) -> tuple[VolumeChoice, ...]:
        """Return the volumes that are open."""
        return tuple(
            VolumeChoice(each.key, each.name, partial(self.place, each.key))
            for each in self._volumes.items
        )

    def inputs(self) -> tuple[VolumeChoice, ...]:
        """Return the inputs of the study that are volumes, such as its μ-map."""
        return tuple(
            VolumeChoice(
                f"input:{role}",
                f"{title_of(role)}: {found.name}",
                partial(self.open_input, role),
            )
            for role, found in self._study.inputs.items()
            if role not in (DATA, SCANNER) and isinstance(found.content, Volume)
        )

    def iterates(self) -> tuple[VolumeChoice, ...]:
        """Return the stored images of the run."""
        return tuple(
            VolumeChoice(
                f"iterate:{self._session.run.record.job}:{stored.label}",
                image_title(stored.caption),
                partial(self.open_iterate, stored.label),
            )
            for stored in self._session.run.record.images.items
        )

    def results(self) -> tuple[VolumeChoice, ...]:
        """Return the results on disk, newest first."""
        return tuple(
            VolumeChoice(
                f"result:{each.id}",
                f"{self._session.results.names[each.id]}, {each.scan}, "
                f"{each.created:%d %b %Y %H:%M}",
                partial(self.open_result, each),
            )
            for each in self._session.results.items
        )

    # Opening

    def open_input(self, role: str, place: Place) -> None:
        """Open an input of the study at its position in the scanner.

        Parameters
        ----------
        role
            input role; one without a volume is ignored
        place
            "base", "overlay" or "compare"
        """
        found, study = self._study.inputs.get(role), self._study
        if found is None or not isinstance(found.content, Volume):
            return
        from engine.io import is_in_patient_axes

        origin = Origin.of(found.content, study.to_study() if DATA in study.inputs else None)
        # A map without patient axes is in scanner axes, and is not turned to those of the image.
        opened = OpenVolume(
            f"input:{role}",
            title_of(role),
            "input",
            found.content,
            origin,
            has_scanner_axes=not is_in_patient_axes(found.content),
        )
        self._add_at(opened, place)

    def show_input(self, role: str) -> None:
        """Show an input over the image of the run, or alone if there is no image.

        Parameters
        ----------
        role
            input role
        """
        self.open_input(role, "overlay" if self._volumes.image is not None else "base")

    def open_iterate(self, label: str, place: Place) -> None:
        """Open a stored image of the run.

        Parameters
        ----------
        label
            its label; an unknown one is ignored
        place
            "base", "overlay" or "compare"
        """
        record = self._session.run.record
        # By label and not by index: the memory limit may have dropped images meanwhile.
        stored = next((each for each in record.images.items if each.label == label), None)
        if stored is not None:
            key, name = f"iterate:{record.job}:{label}", image_title(stored.caption)
            origin = Origin.of(stored.volume, record.study, record.known_inputs)
            self._add_at(OpenVolume(key, name, "iterate", stored.volume, origin), place)

    def open_result(self, result: Result, place: Place) -> None:
        """Open a result from disk in addition to the image of the run.

        Parameters
        ----------
        result
            the result
        place
            "base", "overlay" or "compare"
        """
        name = self._session.results.names.get(result.id, result.scan)

        def read() -> tuple[Volume, Study, str]:
            return looked_through(result.volume()), result.study, _patient_of(result)

        def take(found: tuple[Volume, Study, str]) -> None:
            volume, study, patient = found
            origin = Origin.of(volume, study, result.record.inputs)
            origin = replace(origin, patient=origin.patient or patient)
            self._add_at(OpenVolume(f"result:{result.id}", name, "result", volume, origin), place)

        self._read(read, take, tr("Result for {scan}", scan=result.scan))

    def open_file(self, path: Path, place: Place) -> None:
        """Open a volume file in addition to the image of the run.

        Parameters
        ----------
        path
            the file
        place
            "base", "overlay" or "compare"
        """

        def read() -> Volume:
            from engine.jobs import ForeignFiles

            found = ForeignFiles(self._commands.loader()).volume(path, ())
            if isinstance(found, str):
                # Impossible: without roles the reader always returns a volume.
                raise TypeError(f"the reader returned the input role {found!r}, expected a volume")
            return looked_through(found)

        def take(volume: Volume) -> None:
            opened = OpenVolume(f"{FILE_KEY}{path}", path.name, "file", volume, Origin.of(volume))
            self._add_at(opened, place)

        self._read(read, take, path.name)

    def _read(self, read: Callable[[], object], take: Callable[..., object], what: str) -> None:
        inputs, record = self._study.inputs, self._session.run.record

        def done(found: object) -> None:
            # `Inputs` is a new object for each scan, so identity shows whether the scan has
            # changed.
            if self._study.inputs is not inputs:
                reason = tr(
                    "{what}: this image is not shown, because another scan is open.", what=what
                )
            # A result can be opened without its scan. It can be of another patient.
            elif not self._follows(record):
                reason = tr(
                    "{what}: this image is not shown, because another image was opened.", what=what
                )
            else:
                take(found)
                return
            self._session.add_log("info", reason)

        self._commands.run_task(
            lambda _: read(),
            done,
            busy=tr("Reading: {what}", what=what),
            failed=tr("The volume cannot be shown."),
        )

    def _follows(self, before: RunRecord) -> bool:
        """Return True if the displayed image is an earlier one, or certainly of its scan."""
        now = self._session.run.record
        if now is before or now.study is None:
            return now is before
        # Before the first image, the open scan decides.
        if before.study is None and not before.images.items:
            return self._study.inputs.is_scan_of(now.study)
        one, other = (Origin.of_scan(each.study, each.known_inputs) for each in (before, now))
        return one.is_same_scan(other) is True

    def _add_at(self, opened: OpenVolume, place: Place) -> None:
        self._volumes.add(opened)
        self.place(opened.key, place)

    # Open volumes

    def place(self, key: str, place: Place) -> None:
        """Show an open volume.

        Parameters
        ----------
        key
            its key
        place
            "base", "overlay" or "compare"; without a base it becomes the base. "compare" shows it
            next to the base, with their difference if both have one unit
        """
        base, fusion = self._volumes.base, self._session.view.fusion
        if place == "base" or base is None:
            self._volumes.set_base(key)
        elif place == "overlay":
            self._volumes.set_overlay(key)
        elif key != base.key:
            self._volumes.set_overlay(key)
            fusion.set_mode("side by side" if fusion.obstacle("compare") else "compare")

    def show_error(self, key: str) -> None:
        """Show the error of the first volume in the slices, or the image again.

        Parameters
        ----------
        key
            `SPREAD` or `RELATIVE`; "" for the image
        """
        volume = self._volumes.base_volume
        if not key or volume is None or volume.error is None or is_computed(volume, key):
            self._volumes.show_error(key)
            self._prepare_frames(key)
            return

        def take(_: Volume) -> None:
            # Another image may be displayed by now; the key then refers to that one.
            self._volumes.show_error(key)
            self._prepare_frames(key)

        self._commands.run_task(
            lambda _: looked_through(error_image(volume, key)),
            take,
            busy=tr("Computing the error of the image"),
            failed=tr("The error of the image cannot be shown."),
        )

    def _prepare_frames(self, key: str) -> None:
        """Compute the errors of all stored images in a thread, so that steps need not wait."""
        stored = [each.volume for each in self._session.run.record.images.items]
        waiting = [each for each in stored if has_error(each) and not is_computed(each, key)]
        if not key or not waiting:
            return

        def prepare(task: Task) -> None:
            for volume in waiting:
                if task.isInterruptionRequested():
                    return
                looked_through(error_image(volume, key))

        self._commands.run_task(
            prepare,
            lambda _: None,
            failed=tr("The error of the image cannot be shown."),
        )

    def set_mode(self, mode: FusionMode) -> None:
        """Set how the two volumes are combined.

        Parameters
        ----------
        mode
            fusion mode; the errors that it needs are computed in a thread
        """
        fusion = self._session.view.fusion
        if mode != "significance" or fusion.obstacle(mode):
            fusion.set_mode(mode)
            return
        self._commands.run_task(
            lambda _: fusion.difference_errors,
            lambda _: fusion.set_mode(mode),
            busy=tr("Computing the error of the difference"),
            failed=tr("The error of the difference cannot be computed."),
        )

    def is_base(self, key: str) -> bool:
        """Return True if a volume is the one that is shown.

        Parameters
        ----------
        key
            its key
        """
        base = self._volumes.base
        return base is not None and base.key == key

    def may_close(self, key: str) -> bool:
        """Return True if a volume can be closed. The image of the run cannot.

        Parameters
        ----------
        key
            its key
        """
        return any(each.key == key for each in self._volumes.others)

    def close(self, key: str) -> None:
        """Close a volume. Files on disk are not touched.

        Parameters
        ----------
        key
            its key
        """
        self._volumes.close(key)


def _patient_of(result: Result) -> str:
    """Return the patient ID in the order of a result; empty if it is not known."""
    try:
        order = result.order
    except EngineError:  # the card of the image states the fault
        return ""
    return "" if order is None else order.patient_id
