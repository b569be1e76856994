"""`isocenter dicom`: write DICOM files, and send them to a node."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.cli.console import Console
from engine.cli.dicom.node import add_node, node_of
from engine.cli.dicom.series import series_behind
from engine.cli.dicom.worklist import add_worklist
from engine.cli.error_images import add_error, with_deviations
from engine.cli.outputs import add_force, add_identify, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import OutputError, SettingsError
from engine.core.json_types import Plain
from engine.data.formatting import counted
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io import can_save, read_frames, read_volume, save_frames, scan_file
from engine.io.dicom.capture import write_capture
from engine.io.dicom.enhanced import enhanced_files, write_enhanced
from engine.io.dicom.network import echo, send
from engine.io.dicom.patient_identity import subject_of_image
from engine.io.dicom.series import DicomSeriesWriter, frames_in_series, write_series
from engine.io.dicom.subject import Subject
from engine.io.safety.atomic_write import refuse_impossible
from engine.io.safety.outputs import files_written
from engine.io.siemens.extract import extract, written_with
from engine.io.volumes.volume_saving import note_written
from engine.protocols.privacy.records import without_names

FILE = ".dcm"


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter dicom` with its actions.

    Only `send`, `echo` and `worklist` use the network. The others write files.
    """
    group = add_verb(verbs, "dicom")
    kinds = group.add_subparsers(dest="kind", metavar="ACTION", required=True)

    p = kinds.add_parser("write", help="write a volume as a folder of DICOM slices")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="image to write")
    add_output(
        p,
        "output folder; with --enhanced a file, OUT.dcm",
        metavar="OUT.dicom",
        place=True,
        written=lambda path, _: enhanced_files(path) if _is_file(path) else files_written(path),
    )
    p.add_argument(
        "--enhanced",
        action="store_true",
        help="write all slices of a CT as one Enhanced CT file",
    )
    _add_like(p)
    p.add_argument(
        "--same-frame",
        action="store_true",
        help="use the frame of reference of the --like image",
    )
    add_error(p)
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_write)

    p = kinds.add_parser("capture", help="write a picture of a volume (secondary capture)")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="image to write")
    add_output(p, "output file", metavar="OUT.dcm", default="capture.dcm", place=True)
    _add_like(p)
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_capture)

    p = kinds.add_parser("extract", help="extract raw data of a Siemens scanner from DICOM")
    p.add_argument("raw", type=Path, metavar="RAW", help=".dcm (with its .bf file), .IMA or .ptd")
    add_output(
        p,
        "header: .l.hdr, .s.hdr or .n.hdr; the data file is written next to it",
        metavar="OUT.hdr",
        place=True,
        written=lambda path, _: written_with(path),
    )
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_extract)

    p = kinds.add_parser("send", help="send the DICOM files of one patient to a node (C-STORE)")
    p.add_argument("paths", type=Path, nargs="+", metavar="FILE", help="files or folders")
    add_node(p)
    p.set_defaults(act=_send)

    p = kinds.add_parser("echo", help="test the connection to a node (C-ECHO)")
    add_node(p)
    p.set_defaults(act=_echo)

    add_worklist(kinds)


def _add_like(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--like",
        type=Path,
        metavar="FILE",
        help="DICOM image or order (`dicom worklist --keep`) with the patient and study of the "
        "output (default: pseudonyms)",
    )


def _write(arguments: argparse.Namespace, console: Console) -> None:
    # A folder or a file: the suffix states which one the user expects
    ending = FILE if arguments.enhanced else ".dicom"
    if not arguments.output.name.lower().endswith(ending):
        raise OutputError(f"-o {arguments.output.name}: the output must end with {ending}.")
    if arguments.same_frame and arguments.like is None:
        raise SettingsError(
            "--same-frame needs --like with an image in the same frame of reference."
        )
    # Tested before the volume is read, which can take minutes
    if arguments.enhanced:
        refuse_impossible(arguments.output)
    else:
        can_save(arguments.output)
    volume = read_volume(arguments.volume)
    # A dynamic series has one slice per frame and position, so it is written differently
    frames = () if arguments.enhanced else read_frames(arguments.volume)
    # Header texts may name the patient: without --identify only harmless ones are written
    info = volume.info if arguments.identify else without_names(volume.info)
    if arguments.error:
        volume, frames, info = with_deviations(arguments.volume, volume, frames, info)
    subject = _subject(arguments, console, volume, info, frames, same_frame=arguments.same_frame)
    if arguments.enhanced:
        write_enhanced(volume, arguments.output, info, subject)
        note_written(arguments.output, "Enhanced CT")
        console.line(f"Enhanced CT: {arguments.output} ({counted(volume.grid.shape[0], 'slice')})")
        return
    if frames:
        save_frames(volume, frames, arguments.output, info, subject)
    else:
        write_series(volume, arguments.output, info, subject)
        note_written(arguments.output, DicomSeriesWriter.name)
    of_time = f", {counted(len(frames), 'time frame')}" if frames else ""
    console.line(f"Series: {arguments.output} ({counted(volume.grid.shape[0], 'slice')}{of_time})")


def _is_file(path: Path) -> bool:
    return path.suffix.lower() == FILE


def _subject(
    arguments: argparse.Namespace,
    console: Console,
    volume: Volume,
    info: Plain,
    frames: Sequence[FrameVolume],
    *,
    same_frame: bool = False,
) -> Subject | None:
    """Read the patient from the file of `--like`, and print it."""
    if arguments.like is None:
        return None
    subject = subject_of_image(arguments.like, volume, info, frames, same_frame=same_frame)
    # Printed so that a user notices a wrong --like before the file is sent
    console.line("Patient: {PatientName}, {PatientID}".format(**subject.attributes))
    return subject


def _capture(arguments: argparse.Namespace, console: Console) -> None:
    if not _is_file(arguments.output):
        raise OutputError(f"{arguments.output.name}: the name of the picture must end with .dcm.")
    refuse_impossible(arguments.output)
    volume = read_volume(arguments.volume)
    info = volume.info if arguments.identify else without_names(volume.info)
    frames = frames_in_series(volume, info, read_frames(scan_file(arguments.volume)))
    subject = _subject(arguments, console, volume, info, frames)
    series = series_behind(arguments.volume, arguments.like)
    write_capture(volume, arguments.output, info, subject, series, frames)
    console.line(f"Picture: {arguments.output}")


def _extract(arguments: argparse.Namespace, console: Console) -> None:
    # Header and data are written together, so both must be possible
    for each in written_with(arguments.output):
        refuse_impossible(each)
    n_bytes = extract(arguments.raw, arguments.output, identify=arguments.identify)
    data = written_with(arguments.output)[0]
    console.line(f"Header: {arguments.output}; data: {data.name} ({n_bytes:,} bytes)")


def _send(arguments: argparse.Namespace, console: Console) -> None:
    node = node_of(arguments)
    n_sent = send(arguments.paths, node, lambda done, of: None)
    console.line(f"{node.name}: received {counted(n_sent, 'file')}.")


def _echo(arguments: argparse.Namespace, console: Console) -> None:
    node = node_of(arguments)
    echo(node)
    console.line(f"{node.name}: connection works.")
