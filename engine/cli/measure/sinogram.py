"""`isocenter sinogram`: sort events of a ring scanner into sinograms, and back."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import add_complete_events, add_force, add_identify, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.data.formatting import counted
from engine.data.sinogram import Sinogram, binned, events_of
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import SINOGRAM_READERS, read_listmode, read_sinogram, write_listmode
from engine.io.interfile.sinogram import SUFFIX
from engine.io.interfile.sinogram_writer import files_of, write_sinogram
from engine.io.safety.open_input import open_input
from engine.protocols.privacy.records import without_names

LISTS = (".h5", ".hdf5")


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter sinogram`.

    The direction follows from the input: list mode becomes a sinogram, a sinogram list mode.
    """
    p = add_verb(verbs, "sinogram")
    p.add_argument("data", type=Path, metavar="IN", help="list mode or sinogram (.hs)")
    help_out = "sinogram OUT.hs (with data in OUT.s); from a sinogram: list mode OUT.h5"
    add_output(p, help_out, place=True, written=_written)
    add_force(p)
    add_identify(p)
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner name, S.toml or crystal map (default: that of the scan)",
    )
    add_complete_events(p)
    p.add_argument(
        "--span", type=int, default=1, metavar="N", help="axial compression, an odd number"
    )
    p.add_argument("--mash", type=int, default=1, metavar="N", help="number of views to sum")
    p.add_argument(
        "--max-ring-difference",
        type=int,
        metavar="D",
        help="largest ring difference (default: all)",
    )
    p.add_argument(
        "--delayeds", action="store_true", help="sort delayed coincidences instead of prompts"
    )
    p.add_argument("--sum-times", action="store_true", help="discard time of flight")
    p.set_defaults(act=_sinogram)


def _written(output: Path, _: argparse.Namespace) -> tuple[Path, ...]:
    """Return the files of the output: header and data of a sinogram, or a list-mode file."""
    return files_of(output) if output.suffix.lower() == SUFFIX else (output,)


def _sinogram(arguments: argparse.Namespace, console: Console) -> None:
    # Recognised by content: sinograms and list mode share suffixes
    with open_input(arguments.data) as file:
        is_sinogram = SINOGRAM_READERS.accepting(file) is not None
    if is_sinogram:
        _list(arguments, console)
    else:
        _count(arguments, console)


def _count(arguments: argparse.Namespace, console: Console) -> None:
    data = read_listmode(
        arguments.data, scanner=arguments.scanner, complete_events=arguments.complete_events
    )
    if not isinstance(data.scanner, RingScanner):
        raise SettingsError(
            f"{arguments.data.name}: {data.scanner.name!r} is not a ring scanner (type: "
            f"{type(data.scanner).__name__}, expected: RingScanner). For a dual-head scanner use "
            "`isocenter convert --histogram`."
        )
    layout = SinogramLayout.of(
        data.scanner,
        span=arguments.span,
        mashed=arguments.mash,
        max_difference=arguments.max_ring_difference,
    )
    # Delayeds measure randoms, which have no preferred time difference
    timed = not (arguments.sum_times or arguments.delayeds)
    found = binned(data, layout, delayed=arguments.delayeds, timed=timed)
    for note in (*data.notes, *found.notes):
        console.note(f"{note}")
    write_sinogram(found, arguments.output)
    console.line(f"Sinogram: {arguments.output} ({found.n_prompts:,.0f} counts, {_bins(found)})")


def _bins(data: Sinogram) -> str:
    timed = "" if data.timed is None else f", {data.timed.n_times} TOF bins"
    return f"{data.layout.describe()}{timed}"


def _list(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.output.suffix.lower() not in LISTS:
        raise SettingsError(
            f"{arguments.output.name}: the name of a list-mode file must end with .h5."
        )
    a = arguments
    given = {
        "--span": a.span != 1,
        "--mash": a.mash != 1,
        "--max-ring-difference": a.max_ring_difference is not None,
        "--delayeds": a.delayeds,
        "--sum-times": a.sum_times,
        "--scanner": a.scanner is not None,
        "--use-complete-events": a.complete_events,
    }
    if useless := [option for option, is_given in given.items() if is_given]:
        raise SettingsError(
            f"{a.data.name}: {', '.join(useless)} has no effect on a sinogram, only on list mode. "
            "Remove it."
        )
    data = read_sinogram(arguments.data)
    # Without the order, TOF bins could be mirrored, which is worse than none
    if data.timed is not None and not data.timed.is_ordered:
        console.line(
            "note: Time of flight is discarded: the file does not state the order of its bins."
        )
    events = events_of(data)
    # The header of the sinogram may name the patient
    if not arguments.identify:
        events = replace(events, info=without_names(events.info))
    write_listmode(events, arguments.output)
    console.line(f"Scan: {arguments.output} ({counted(events.n_events, 'event')})")
