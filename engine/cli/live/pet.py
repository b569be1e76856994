"""Run `isocenter live reconstruct` for list-mode PET."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.cli.console import Console
from engine.cli.live.ending import Ending, ending_in_order, recorder_of
from engine.cli.live.lines import JsonLines, Lines, follow
from engine.cli.live.source import event_source_of, network_note, refuse_given
from engine.core import backend
from engine.core.backend import Backend
from engine.core.errors import DataError, EngineError, ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.corrections import CORRECTIONS
from engine.corrections.base import inputs_of
from engine.data.formatting import counted
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.data.volume import Volume
from engine.io import can_save, save, write_listmode
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.live.core.frame import SourceEvent
from engine.live.pet.opening import attaching
from engine.live.pet.session import LivePetSession
from engine.live.pet.settings import LivePetSettings
from engine.live.pet.updates import LivePetChoices, LivePetUpdate, Moved
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, find_protocol
from engine.protocols.study.assignments import with_settings


def reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    """Follow a source of list mode to its end, then save the outputs.

    Outputs are saved after an error or Ctrl+C too, with the events received so far. SIGTERM and
    SIGHUP act like Ctrl+C.

    Parameters
    ----------
    arguments
        options of `isocenter live reconstruct`
    console
        receives figures and messages

    Raises
    ------
    SettingsError
        if options contradict each other, or no image could be reconstructed
    KeyboardInterrupt
        after Ctrl+C, once the outputs are saved
    EngineError
        any error of the source or of an output
    """
    with ending_in_order() as ending:
        _reconstruct(arguments, console, ending)


def _reconstruct(arguments: argparse.Namespace, console: Console, ending: Ending) -> None:
    protocol = _protocol(arguments)
    options = {
        "--turn": arguments.turn != "full",
        "--weights": arguments.weights != "auto",
        "--find-axis": arguments.find_axis,
    }
    refuse_given(arguments, options, "It is for X-ray scans. Remove it.")
    given = _input_files(arguments)
    source = event_source_of(arguments)  # before any thread starts, because it starts a process
    mode = arguments.mode
    settings = LivePetSettings(mode=mode, newest_s=arguments.newest or 10.0)

    choices = LivePetChoices(protocol, settings, attaching(given))
    on = backend.cpu(arguments.threads)
    lines = _lines(console, network_note(arguments), as_json=arguments.json)
    recorder = recorder_of("events", source.name, arguments.scan, is_replay=arguments.replay)
    with LivePetSession(source, choices, on=on, recorder=recorder) as session:
        fault = follow(session, lines, ending)
    for text in session.take_texts():
        lines.show_text("noticed", text)
    # First: the scan cannot be repeated
    scan, scan_fault = _saved_scan(session, arguments.scan, lines, ending)
    image = session.newest.image
    if image is not None:
        save(image, arguments.output)
        lines.show_text("saved", f"Image: {arguments.output}")
    # After an error the scan has gaps, and a volume of it would look complete
    if scan is not None and arguments.volume is not None and fault is None:
        study = Study(data=arguments.scan, inputs=given, protocol=protocol)
        _reconstruct_recorded(scan, study, arguments, on, console)
        lines.show_text("saved", f"Volume: {arguments.volume}")
    if isinstance(fault, KeyboardInterrupt) and image is not None:
        raise KeyboardInterrupt("the scan was stopped; the image reconstructed so far is saved.")
    if fault is not None:
        raise fault
    if scan_fault is not None:
        raise scan_fault
    if image is None:
        raise SettingsError(
            f"{source.name}: no image could be reconstructed. State: "
            f"{session.newest.state or 'no data'}. Check that the source sends events."
        )


def _saved_scan(
    session: LivePetSession, path: Path | None, lines: Lines[LivePetUpdate], ending: Ending
) -> tuple[ListMode | None, EngineError | None]:
    """Save the scan; return it, or the error, after which the image is still saved."""
    if path is None:
        return None, None
    try:
        scan = session.scan()
        write_listmode(scan, path)
    except DataError:
        return None, None  # no events arrived, as the missing image shows
    except EngineError as e:
        return None, e
    ending.recording_after(session, path)
    lines.show_text("saved", f"Scan: {path}")
    return scan, None


def _protocol(arguments: argparse.Namespace) -> ListModeProtocol:
    named = find_protocol(arguments.protocol) if arguments.protocol else ListModeProtocol()
    protocol = with_settings(named, tuple(arguments.assignments))
    # The live image is updated from single events, which only this protocol describes
    if not isinstance(protocol, ListModeProtocol):
        raise SettingsError(
            f"{arguments.protocol}: a live PET image needs a list-mode PET protocol."
        )
    if arguments.device != "cpu":
        raise SettingsError("Live PET runs only on the CPU. Remove --device cuda.")
    if arguments.geometry is not None:
        raise SettingsError("--geometry is for X-ray scans. Use --scanner for list mode.")
    if arguments.volume is not None and arguments.scan is None:
        raise SettingsError("--volume needs --scan. Add it, or remove --volume.")
    # A sliding window discards old events, which the recorded scan would need
    if arguments.scan is not None and arguments.mode == "sliding":
        raise SettingsError("--scan needs all events. Remove --mode sliding or --scan.")
    # The limits are those of the setting `newest_s`
    if arguments.newest is not None and not 1 <= arguments.newest <= 60:
        raise SettingsError(f"--newest {arguments.newest:g}: expected 1 to 60 s.")
    if arguments.scan is not None and arguments.scan.suffix.lower() not in (".h5", ".hdf5"):
        raise SettingsError(
            f"--scan {arguments.scan}: the name of a list-mode file must end with .h5."
        )
    for output in (arguments.output, arguments.volume):
        if output is not None:
            can_save(output, protocol.modality)
    return protocol


def _input_files(arguments: argparse.Namespace) -> dict[str, Path]:
    found = {role.key: getattr(arguments, f"input_{role.key}") for role in inputs_of(CORRECTIONS)}
    return {key: path for key, path in found.items() if path is not None}


def _reconstruct_recorded(
    scan: ListMode, study: Study, arguments: argparse.Namespace, on: Backend, console: Console
) -> None:
    """Reconstruct the recorded scan like a normal run, and save the volume."""
    output: Path = arguments.volume
    job = Job.create(study, output=output)
    on_progress = None if arguments.json else console.show
    volume: Volume | None = None
    for event in keep(run(study, on=on, on_progress=on_progress, scan=scan), job):
        if not arguments.json:
            console.show(event)
        if isinstance(event, Finished):
            volume = event.volume
            # Checked again: files may have appeared during the scan
            refuse_to_overwrite(files_written(output), (arguments.scan,), force=arguments.force)
            save(volume, output, volume.info)
    if volume is None:
        raise ResourceError("The run ended without a volume. Reconstruct the saved scan.")


class _JsonLines(JsonLines[LivePetUpdate]):
    """Prints JSON lines, with the figures of each motion of the object."""

    def show_event(self, event: SourceEvent) -> None:
        values: Plain = {"event": type(event).__name__.lower(), "text": event.text}
        if isinstance(event, Moved):
            values |= event.motion.to_json()
        self._console.line(json.dumps(values))


def _lines(console: Console, note: str, *, as_json: bool) -> Lines[LivePetUpdate]:
    if as_json:
        return _JsonLines(console, lambda update: _values(update, is_network=bool(note)))
    return Lines(console, _figures, note)


def _values(update: LivePetUpdate, *, is_network: bool) -> Plain:
    values: Plain = {"event": "figures", "state": update.state, "network": is_network}
    return values | update.statistics.to_json()


def _figures(update: LivePetUpdate) -> str:
    figures, begin = update.statistics, f"{update.state}; " if update.state else ""
    # NaN is the only value that differs from itself: the delay is unknown for a replay
    behind = "" if figures.behind_s != figures.behind_s else f", {figures.behind_s:.1f} s behind"
    return (
        f"{begin}{figures.prompts_per_s:,.0f} prompts/s, {figures.delayeds_per_s:,.0f} delayeds/s; "
        f"{counted(figures.events, 'event')}, {figures.dropped:,} lost; "
        f"image of {figures.image_events:,} prompts from {figures.image_from_s:.1f} to "
        f"{figures.image_until_s:.1f} s; "
        f"{figures.refresh_hz:.1f} images/s{behind}; "
        f"{figures.memory_mib:,.0f} MiB"
    )
