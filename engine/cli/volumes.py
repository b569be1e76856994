"""`isocenter export` and `convert`: write volumes and scans in other formats."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.error_images import add_error, with_deviations
from engine.cli.outputs import (
    add_complete_events,
    add_force,
    add_identify,
    add_merge_layers,
    add_output,
)
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.core.visible_text import amount
from engine.data.formatting import counted
from engine.data.timing.time_frames import FrameVolume, info_of_frame
from engine.io import (
    WRITERS,
    can_save,
    default_suffixes,
    frame_suffixes,
    read_frames,
    read_histogram,
    read_listmode,
    read_volume,
    save,
    save_frames,
    save_note,
    scan_file,
    write_histogram,
    write_listmode,
)
from engine.io.safety.atomic_write import refuse_impossible
from engine.protocols.privacy.records import without_names
from engine.protocols.run_context.provenance import hash_array

OTHER_OUTPUTS = {".png": "Picture", ".capture.dcm": "Picture", ".gif": "Movie"}
"""Outputs that are not volumes, by the end of their names."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter export` for volumes and `convert` for scans.

    Both read every supported format; `convert` writes the program's own.
    """
    p = add_verb(verbs, "export")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="image to convert")
    add_output(p, f"output file: {default_suffixes(WRITERS)}", place=True)
    p.add_argument(
        "--frame",
        type=int,
        metavar="K",
        help="export only time frame K, from 1 (default: all frames)",
    )
    add_error(p)
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_export)

    p = add_verb(verbs, "convert")
    p.add_argument("data", type=Path, metavar="IN", help="scan to convert")
    add_output(p, "output file", metavar="OUT.h5", default="converted.h5", place=True)
    add_force(p)
    add_identify(p)
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner name, S.toml or crystal map (default: that of the scan)",
    )
    add_complete_events(p)
    p.add_argument(
        "--histogram",
        action="store_true",
        help="write a histogram of the events of a dual-head scanner",
    )
    add_merge_layers(p)
    p.set_defaults(act=_convert)


def _export(arguments: argparse.Namespace, console: Console) -> None:
    # Tested before the volume is read
    can_save(arguments.output)
    volume = read_volume(arguments.volume)
    info = volume.info if arguments.identify else without_names(volume.info)
    for note in volume.notes:
        console.note(f"{note}")
    frames: tuple[FrameVolume, ...] = ()
    if arguments.frame is not None:
        found = _frame(arguments.volume, arguments.frame)
        volume, info = found.volume, info_of_frame(info, found.frame)
        if "output" in info:
            info["output"] = {**info["output"], "sha256": hash_array(volume.values)}
    # Formats without frames get the single image of the file
    elif arguments.output.name.lower().endswith(frame_suffixes()):
        frames = read_frames(scan_file(arguments.volume))
    if arguments.error:
        volume, frames, info = with_deviations(arguments.volume, volume, frames, info)
    note = save_note(volume, arguments.output, info, frames)
    if note:
        console.note(f"{note}")
    if frames:
        save_frames(volume, frames, arguments.output, info)
    else:
        save(volume, arguments.output, info)
    of_time = f" ({amount(len(frames), 'time frame')})" if frames else ""
    name = arguments.output.name.lower()
    title = next((title for end, title in OTHER_OUTPUTS.items() if name.endswith(end)), "Volume")
    console.line(f"{title}: {arguments.output}{of_time}")


def _frame(path: Path, number: int) -> FrameVolume:
    """Return one time frame of a file."""
    frames = read_frames(scan_file(path))
    if not 1 <= number <= len(frames):
        if not frames:
            raise DataError(f"{path.name}: the image has no time frames. Remove --frame {number}.")
        raise DataError(
            f"{path.name}: the file has no time frame {number}. Choose --frame 1 to {len(frames)}."
        )
    return frames[number - 1]


def _convert(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.histogram:
        _count(arguments, console)
        return
    if arguments.merge_layers:
        raise SettingsError(
            "--merge-layers needs --histogram. Add --histogram, or remove --merge-layers."
        )
    data = read_listmode(
        arguments.data, scanner=arguments.scanner, complete_events=arguments.complete_events
    )
    for note in data.notes:
        console.note(f"{note}")
    # Headers may name the patient
    if not arguments.identify:
        data = replace(data, info=without_names(data.info))
    write_listmode(data, arguments.output)
    console.line(f"Scan: {arguments.output} ({counted(data.n_events, 'event')})")


def _count(arguments: argparse.Namespace, console: Console) -> None:
    # Sorting list mode into a histogram can take minutes
    refuse_impossible(arguments.output)
    data = read_histogram(
        arguments.data,
        arguments.scanner,
        complete_events=arguments.complete_events,
        merge_layers=arguments.merge_layers,
    )
    for note in data.notes:
        console.note(f"{note}")
    if not arguments.identify:
        data = replace(data, info=without_names(data.info))
    write_histogram(data, arguments.output)
    console.line(
        f"Scan: {arguments.output} ({data.n_prompts:,.0f} prompts on {data.scanner.n_lors:,} lines)"
    )
