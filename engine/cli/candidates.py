"""`isocenter inspect --candidates`: contact sheet of slices for several axes or rolls."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force, add_identify, add_threads
from engine.cli.parser import excludes, needs
from engine.core.errors import SettingsError

WORDS = {
    "axis": ("axis at column {:g}", "steps.centre.column"),
    "roll": ("roll {:g}°", "steps.roll.degrees"),
}


def add_options(p: argparse.ArgumentParser) -> None:
    """Add the options of `--candidates`.

    Parameters
    ----------
    p
        parser of `isocenter inspect`
    """
    group = p.add_argument_group("candidates of a CT scan")
    group.add_argument(
        "--candidates",
        choices=tuple(WORDS),
        help="try several values and write a contact sheet (default: none)",
    )
    group.add_argument(
        "-o",
        "--output",
        type=Path,
        action=Output,
        metavar="SHEET.png",
        help="contact sheet (default: none)",
    )
    group.add_argument(
        "--around", type=float, metavar="V", help="central value (default: the estimated value)"
    )
    group.add_argument(
        "--step", type=float, metavar="S", help="step (default: 0.5 columns or 0.25°)"
    )
    group.add_argument("--number", type=int, default=9, metavar="N", help="number of values")
    group.add_argument(
        "--protocol",
        metavar="P",
        help="protocol name or P.toml (default: the standard CT protocol)",
    )
    add_threads(group)
    add_force(p)
    add_identify(p)
    for option in (
        "-o", "--around", "--step", "--number", "--protocol", "--threads", "--identify"
    ):  # fmt: skip
        needs(p, option, "--candidates")
    excludes(p, "--candidates", "--json", "--scanner")


def write_candidates(arguments: argparse.Namespace, console: Console) -> None:
    """Reconstruct slices with several values of a parameter and write the contact sheet.

    Parameters
    ----------
    arguments
        options of `isocenter inspect --candidates`
    console
        receives the tried values and the option for another choice

    Raises
    ------
    SettingsError
        if there is not exactly one scan, no PNG output, or no CT protocol
    """
    # Imported here: `isocenter inspect` without --candidates loads no reconstruction
    from engine.core import backend
    from engine.data.runs.events import Progressed
    from engine.io import read_projections
    from engine.io.raster.contact_sheet import contact_sheet
    from engine.io.safety.atomic_write import write_atomically
    from engine.modalities.studies import find_protocol
    from engine.modalities.xray_ct.parameter_sweep import candidates
    from engine.modalities.xray_ct.protocol import CtProtocol
    from engine.protocols.privacy import pseudonym_of

    if len(arguments.files) != 1 or arguments.output is None:
        raise SettingsError("--candidates needs exactly one scan and -o SHEET.png.")
    if arguments.output.suffix.lower() != ".png":
        raise SettingsError(
            f"{arguments.output.name}: the name of the contact sheet must end with .png."
        )
    protocol = find_protocol(arguments.protocol) if arguments.protocol else CtProtocol()
    if not isinstance(protocol, CtProtocol):
        raise SettingsError(f"{arguments.protocol}: --candidates needs an X-ray CT protocol.")
    path: Path = arguments.files[0]
    found = candidates(
        read_projections(path),
        protocol,
        of=arguments.candidates,
        on=backend.cpu(arguments.threads),
        around=arguments.around,
        step=arguments.step,
        n=arguments.number,
        on_progress=lambda done, total: console.show(Progressed("candidates", done, total)),
    )
    words, key = WORDS[arguments.candidates]
    tried, best = found.candidates, found.best
    for one in tried:
        console.line(f"  {words.format(one.value)}{'   *' if one is best else ''}")
    # The sheet is an image that users share, so it has no file name unless they ask for it
    name = path.name if arguments.identify else pseudonym_of(path)
    sheet = contact_sheet(
        [one.image for one in tried if one.image is not None],
        [words.format(one.value) for one in tried],
        marked=tried.index(best),
        footer=f"{name}: {words.format(round(found.value, 2))} ({found.method})",
    )
    write_atomically(sheet, arguments.output)
    console.line(f"Sheet: {arguments.output}")
    console.line(f"* {words.format(round(found.value, 2))} ({found.method})")
    console.line(f"To use another value: --set {key}={tried[0].value:g}")
