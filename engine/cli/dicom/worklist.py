"""`isocenter dicom worklist`: query a modality worklist and save an order."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from engine.cli.console import Console
from engine.cli.dicom.node import add_node, node_of
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs
from engine.core.errors import DataError, OutputError, SettingsError
from engine.io.dicom.order import ImagingOrder, is_order
from engine.io.dicom.worklist import WorklistQuery, ask_worklist, parse_day

TODAY, ALL = "today", "all"


def add_worklist(kinds: Verbs) -> None:
    """Add the action `worklist` to `isocenter dicom`.

    Parameters
    ----------
    kinds
        subparsers of `isocenter dicom`
    """
    p = kinds.add_parser(
        "worklist", help="query the modality worklist of a node (C-FIND), and save an order"
    )
    add_node(p)
    p.add_argument(
        "--on",
        default=TODAY,
        metavar="DAY",
        help="date such as 2026-11-26, `today` (default) or `all`",
    )
    p.add_argument("--until", metavar="DAY", help="last day (default: the same day)")
    p.add_argument("--modality", default="", metavar="PT", help="DICOM modality: PT, CT")
    p.add_argument("--patient", default="", metavar="NAME", help="patient name, with * as wildcard")
    p.add_argument("--id", default="", metavar="NUMBER", help="patient ID")
    p.add_argument("--accession", default="", metavar="NUMBER", help="accession number")
    p.add_argument("--station", default="", metavar="TITLE", help="AE title of the scanner")
    p.add_argument(
        "--keep", type=Path, action=Output, written=lambda path, _: (path,), metavar="ORDER.json",
        help="save the matching order for --like; there must be exactly one (default: none)",
    )  # fmt: skip
    add_force(p)
    p.set_defaults(act=_worklist)


def _worklist(arguments: argparse.Namespace, console: Console) -> None:
    # Tested before the query: nodes log every question
    if arguments.keep is not None and not is_order(arguments.keep):
        raise OutputError(f"{arguments.keep.name}: the name of an order file must end with .json.")
    node, question = node_of(arguments), _question(arguments)
    found = ask_worklist(node, question)
    for note in found.notes:
        console.note(f"{note}")
    for order in found.orders:
        console.line(_line(order))
    n = len(found.orders)
    console.line(f"{node.name}: 1 order" if n == 1 else f"{node.name}: {n:,} orders")
    if arguments.keep is None:
        return
    # With several orders the program must not choose a patient
    if n != 1:
        raise DataError(
            f"{arguments.keep.name}: {n:,} orders match, but --keep needs exactly one. Narrow the "
            "query, for example with --accession."
        )
    found.orders[0].write(arguments.keep)
    console.line(f"Order: {arguments.keep}")


def _question(arguments: argparse.Namespace) -> WorklistQuery:
    first = None
    if arguments.on != ALL:
        # The day of the user: a node states dates in its local time without a zone (PS3.5, DA)
        today = datetime.now().astimezone().date()
        first = today if arguments.on == TODAY else parse_day(arguments.on)
    last = first if arguments.until is None else parse_day(arguments.until)
    if first is not None and last is not None and last < first:
        raise SettingsError(f"--until {last} is before the first day, {first}. Enter a later day.")
    return WorklistQuery(
        first,
        last,
        arguments.modality,
        arguments.patient,
        arguments.id,
        arguments.accession,
        arguments.station,
    )


def _line(order: ImagingOrder) -> str:
    when = f"{order.when:%Y-%m-%d %H:%M}" if order.when is not None else "no date"
    parts = (order.modality, order.what, f"accession {order.accession}" if order.accession else "")
    details = ", ".join(part for part in parts if part)
    return f"{when}  {order.name} ({order.patient_id})  {details}"
