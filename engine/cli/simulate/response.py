"""`isocenter response build` and `import`: the response matrix of a dual-head scanner."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force, add_merge_layers
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.data.runs.events import Progressed, StageStarted
from engine.io import read_scanner
from engine.io.safety.locks import only_writer

if TYPE_CHECKING:
    from engine.data.layered_response import StoredResponse
    from engine.geometry.dual_head import DualHead

SCANNERS = "dhapet, demo-panels, test-panels, adac"
UNLIKE = 0.3
"""Error of a row, relative, above which an imported matrix is doubted."""


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "response")
    kinds = p.add_subparsers(dest="what", metavar="WHAT", required=True)
    p = kinds.add_parser("build", help="integrate it, or track photons")
    _add_common(p)
    p.add_argument("--points", type=int, metavar="N", help="of each orientation, a power of two")
    p.add_argument(
        "--photons", type=int, metavar="N", help="track N pairs from every voxel, layers as one"
    )
    p.add_argument(
        "--no-scatter",
        action="store_true",
        help="every first interaction counts, whatever its energy",
    )
    p.add_argument("--seed", type=int, metavar="N", help="of the points or the photons")
    add_merge_layers(p)
    p.set_defaults(act=_build)
    p = kinds.add_parser("import", help="fold a matrix computed elsewhere")
    p.add_argument("matrix", type=Path, help="dense .npy, or .npz of scipy.sparse")
    _add_common(p)
    p.add_argument(
        "--voxel", type=float, nargs=3, metavar=("X", "Y", "Z"), help="mm, to be compared"
    )
    p.set_defaults(act=_import)


def _add_common(p: argparse.ArgumentParser) -> None:
    p.add_argument("-o", "--output", type=Path, action=Output, required=True, metavar="OUT.h5")
    add_force(p)
    p.add_argument("--scanner", default="dhapet", metavar="S", help=f"{SCANNERS} or S.toml")
    p.add_argument("--threshold", type=float, default=1e-3, help="smallest part of a row's maximum")


def panels_of(name: str, console: Console, *, merge_layers: bool) -> DualHead:
    """Read two panels; several layers of crystals become one where they are merged."""
    from engine.data.histogram import one_layer
    from engine.geometry.dual_head import DualHead

    scanner = read_scanner(name)
    if not isinstance(scanner, DualHead):
        raise SettingsError(f"--scanner {name}: not a dual-head scanner; want one of {SCANNERS}.")
    n_layers = scanner.settings.n_layers
    if not merge_layers or n_layers == 1:
        return scanner
    console.line(f"note: The {n_layers} layers of crystals are taken as one.")
    return one_layer(scanner)


def _build(arguments: argparse.Namespace, console: Console) -> None:
    from engine.core.settings import parse
    from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
    from engine.modalities.dual_head_pet.response.layered import build_response
    from engine.modalities.dual_head_pet.response.tracking import TrackedResponse, build_tracked

    _refuse_points_of_photons(arguments)
    as_one = arguments.merge_layers or arguments.photons is not None
    scanner = panels_of(arguments.scanner, console, merge_layers=as_one)
    values: Plain = {"threshold": arguments.threshold, "scatter": not arguments.no_scatter}
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    console.show(StageStarted("response", f"Response of {scanner.name}, {scanner.describe()}"))

    def on_progress(done: int, total: int) -> None:
        console.show(Progressed("response", done, total))

    matrix: StoredResponse
    with only_writer(arguments.output), parts_kept():
        if arguments.photons is not None:
            values["n_pairs"] = arguments.photons
            tracked = parse(TrackedResponse, values, where="response")
            matrix = build_tracked(scanner, tracked, arguments.output, on_progress=on_progress)
        else:
            values |= {} if arguments.points is None else {"n_points": arguments.points}
            integrated = parse(AnalyticResponse, values, where="response")
            matrix = build_response(scanner, integrated, arguments.output, on_progress=on_progress)
    console.close()
    _report(matrix, arguments.output, console)


@contextmanager
def parts_kept() -> Iterator[None]:
    """Say how a response goes on whose making was interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        way = "what is done of the response is kept, and the same command goes on."
        raise KeyboardInterrupt(way) from None


def _refuse_points_of_photons(arguments: argparse.Namespace) -> None:
    """Refuse an option that would be left out without a word."""
    if arguments.photons is not None and arguments.points is not None:
        raise SettingsError(
            "--points belongs to a response that is integrated; leave it or --photons out."
        )


def _import(arguments: argparse.Namespace, console: Console) -> None:
    from engine.io.hdf5.response import write_response
    from engine.modalities.dual_head_pet.response.importing import import_response

    matrix = import_response(
        arguments.matrix,
        panels_of(arguments.scanner, console, merge_layers=True),
        voxel_mm=tuple(arguments.voxel) if arguments.voxel else None,
        threshold=arguments.threshold,
    )
    write_response(matrix, arguments.output)
    if matrix.errors.max() > UNLIKE:
        console.line(
            "note: elements differ much from their images under the symmetries: the matrix is of "
            "few counts or of some voxels only, or its lines or voxels are in another order."
        )
    _report(matrix, arguments.output, console)


def _report(matrix: StoredResponse, path: Path, console: Console) -> None:
    n_layers = matrix.scanner.settings.n_layers
    pairs = f" of {n_layers**2} pairs of layers" if n_layers > 1 else ""
    console.line(
        f"Matrix: {path} ({len(matrix.orientations):,} orientations{pairs}, {matrix.n_nonzero:,} "
        f"non-zeros, error at most {100 * matrix.errors.max():.2g} %, dropped at most "
        f"{100 * matrix.dropped.max():.2g} %)"
    )
