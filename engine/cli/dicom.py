"""`isocenter dicom`: series for archives and viewers, and sending them to a node."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force, add_identify
from engine.cli.verbs import Verbs, add_verb
from engine.errors import OutputError, SettingsError
from engine.io import can_save, read_volume
from engine.io.dicom.network import CALLING, Node, echo, send
from engine.io.dicom.series_writer import DicomSeriesWriter, write_series
from engine.io.dicom.subject import subject_like
from engine.io.open_input import open_input
from engine.privacy.records import without_names


def add_verbs(verbs: Verbs) -> None:
    """Add the verbs of this file."""
    group = add_verb(verbs, "dicom")
    kinds = group.add_subparsers(dest="kind", metavar="WHAT", required=True)

    p = kinds.add_parser("write", help="write a volume as a folder of DICOM slices")
    p.add_argument("volume", type=Path, metavar="VOLUME")
    p.add_argument("output", type=Path, action=Output, metavar="OUT.dicom")
    p.add_argument(
        "--like",
        type=Path,
        metavar="FILE",
        help="a DICOM image of the same patient, whose patient and study the series belongs to; by "
        "pseudonyms if left out",
    )
    p.add_argument(
        "--same-frame",
        action="store_true",
        help="the image lies where that of --like does: in the same frame of reference",
    )
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_write)

    p = kinds.add_parser("send", help="send DICOM files of a patient to a node (C-STORE)")
    p.add_argument("paths", type=Path, nargs="+", metavar="FILE", help="files, or folders of them")
    _add_node(p)
    p.set_defaults(act=_send)

    p = kinds.add_parser("echo", help="ask a node whether it answers (C-ECHO)")
    _add_node(p)
    p.set_defaults(act=_echo)


def _add_node(p: argparse.ArgumentParser) -> None:
    p.add_argument("--to", required=True, metavar="HOST:PORT", help="where the node listens")
    p.add_argument("--called", default="ANY-SCP", metavar="TITLE", help="its title")
    p.add_argument(
        "--calling", default=CALLING, metavar="TITLE", help="the title we give ourselves"
    )


def _write(arguments: argparse.Namespace, console: Console) -> None:
    if not DicomSeriesWriter.ends(arguments.output):
        raise OutputError(f"{arguments.output.name}: the name of the folder must end with .dicom.")
    if arguments.same_frame and arguments.like is None:
        raise SettingsError("--same-frame wants --like, the image in whose frame this one lies.")
    can_save(arguments.output)
    subject = None
    if arguments.like is not None:
        with open_input(arguments.like) as file:
            subject = subject_like(file, same_frame=arguments.same_frame)
        console.line("Patient: {PatientName}, {PatientID}".format(**subject.attributes))
    volume = read_volume(arguments.volume)
    info = volume.info if arguments.identify else without_names(volume.info)
    write_series(volume, arguments.output, info, subject)
    console.line(f"Series: {arguments.output} ({volume.grid.shape[0]:,} slices)")


def _send(arguments: argparse.Namespace, console: Console) -> None:
    node = _node(arguments)
    n_sent = send(arguments.paths, node, lambda done, of: None)
    console.line(f"{node.name}: has taken {n_sent:,} files.")


def _echo(arguments: argparse.Namespace, console: Console) -> None:
    node = _node(arguments)
    echo(node)
    console.line(f"{node.name}: answers.")


def _node(arguments: argparse.Namespace) -> Node:
    return Node.at(arguments.to, called=arguments.called, calling=arguments.calling)
