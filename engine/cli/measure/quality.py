"""`isocenter quality`: measure image quality with a phantom, as text, JSON, CSV or PDF."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.analysis.quality.phantoms import QUALITY_PHANTOMS, PhantomFacts
from engine.analysis.quality.quality_report import Placement, QualityReport
from engine.analysis.quality.report_pages import report_bytes, with_source
from engine.cli.console import Console
from engine.cli.measure.number_lists import numbers_of
from engine.cli.outputs import Output, add_force
from engine.cli.parser import needs
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.data.volume import Volume
from engine.io import read_volume
from engine.io.safety.atomic_write import write_all

SUFFIXES = (".pdf", ".json", ".csv")
KINDS = {phantom.kind: phantom for phantom in QUALITY_PHANTOMS}
FACTS = {
    "--contrast": "contrast",
    "--cold": "cold",
    "--expected": "expected",
    "--truth": "truth",
    "--place": "at",
}
"""Option of each fact that only some phantoms use."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter quality`.

    Each phantom has its own measurements. Without `-o` they are printed only.
    """
    p = add_verb(verbs, "quality")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="image of the phantom")
    p.add_argument(
        "--phantom", choices=tuple(KINDS), required=True,
        help="; ".join(f"{p.kind}: {p.text}" for p in QUALITY_PHANTOMS),
    )  # fmt: skip
    p.add_argument(
        "-o", "--output", type=Path, action=Output, metavar="OUT",
        written=lambda path, _: _files(path),
        help="report: .json, .csv, or .pdf with a .json file next to it (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--truth",
        type=Path,
        metavar="VOLUME",
        help="true activity distribution, if known (default: none)",
    )
    p.add_argument(
        "--contrast",
        type=float,
        default=4.0,
        metavar="A",
        help="activity ratio of hot spheres to background (default: %(default)g)",
    )
    p.add_argument(
        "--cold", metavar="MM,...", help="diameters of cold spheres, such as 28,37 (default: none)"
    )
    p.add_argument(
        "--expected",
        type=float,
        metavar="V",
        help="true value of a uniform phantom (default: none)",
    )
    p.add_argument(
        "--place", metavar="X,Y,Z", help="origin of the phantom [mm] (default: detected)"
    )
    p.add_argument(
        "--turn", type=float, default=0.0, metavar="DEG", help="with --place: rotation about z"
    )
    p.add_argument("--other-end", action="store_true", help="with --place: rotated by 180° about y")
    add_force(p)
    for option, fact in FACTS.items():
        needs(p, option, *(f"--phantom {k.kind}" for k in QUALITY_PHANTOMS if fact in k.uses))
    needs(p, "--turn", "--place")
    needs(p, "--other-end", "--place")
    p.set_defaults(act=_quality)


def _quality(arguments: argparse.Namespace, console: Console) -> None:
    output: Path | None = arguments.output
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise SettingsError(
            f"{output.name}: the name of a report must end with .pdf, .json or .csv."
        )
    volume = read_volume(arguments.volume)
    truth = None if arguments.truth is None else read_volume(arguments.truth)
    facts = PhantomFacts(
        contrast=arguments.contrast,
        cold=_diameters(arguments.cold) if arguments.cold else (),
        expected=arguments.expected,
        truth=truth,
        at=_placement(arguments),
    )
    # The library does not have the file name
    try:
        report = KINDS[arguments.phantom].measure(volume, facts)
    except DataError as e:
        raise DataError(f"{arguments.volume.name}: {e}") from e
    # The report names the image that it is about
    report = with_source(report, volume)
    _show(report, console)
    if arguments.output is not None:
        _write(report, volume, arguments.output)
        console.line(f"Report: {', '.join(str(path) for path in _files(arguments.output))}")


def _show(report: QualityReport, console: Console) -> None:
    console.line(f"{report.title}: {report.placement}")
    for group in dict.fromkeys(f.group for f in report.figures):
        console.line(group)
        for figure in report.figures:
            if figure.group == group:
                noise = figure.noise_text()
                noise = f"{figure.text():<22} noise {noise}" if noise else figure.text()
                console.line(f"  {figure.name:<28} {noise}")
    for note in report.notes:
        console.line(f"note: {note}")


def _write(report: QualityReport, volume: Volume, output: Path) -> None:
    """Write all files of a report, or none."""
    files = _files(output)
    # Both files or none: a PDF without its figures cannot be compared later
    write_all({path: report_bytes(report, volume, path.suffix.lower()) for path in files})


def _files(output: Path) -> tuple[Path, ...]:
    """Return the files of a report. A PDF has a JSON file with the figures next to it."""
    if output.suffix.lower() == ".pdf":
        return output.with_suffix(".json"), output
    return (output,)


def _diameters(text: str) -> tuple[float, ...]:
    if found := numbers_of(text):
        return found
    raise SettingsError(f"--cold {text!r}: expected numbers separated by commas, in mm.")


def _placement(arguments: argparse.Namespace) -> Placement | None:
    if arguments.place is None:
        return None
    if not (found := numbers_of(arguments.place, 3)):
        raise SettingsError(f"--place {arguments.place!r}: expected X,Y,Z in mm.")
    x, y, z = found
    return Placement((x, y, z), arguments.turn, arguments.other_end)
