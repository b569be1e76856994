"""`isocenter response`: compute or import the response matrix of a dual-head scanner."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_merge_layers, add_output, seed
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
"""Relative error of a row that triggers a warning for an imported matrix."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter response`, which computes or imports a response matrix.

    The matrix depends on the scanner only, so it is computed once and stored.
    """
    p = add_verb(verbs, "response")
    kinds = p.add_subparsers(dest="what", metavar="ACTION", required=True)
    p = kinds.add_parser("build", help="compute the matrix by integration or photon tracking")
    _add_common(p)
    p.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="points per orientation, a power of two (default: 131072)",
    )
    p.add_argument(
        "--photons",
        type=int,
        metavar="N",
        help="track N photon pairs per voxel; merges all crystal layers (default: "
        "integration, no tracking)",
    )
    p.add_argument(
        "--no-scatter",
        action="store_true",
        help="accept every first interaction at any energy",
    )
    p.add_argument(
        "--seed", type=seed, metavar="N", help="random seed of the points or photons (default: 1)"
    )
    add_merge_layers(p)
    p.set_defaults(act=_build)
    p = kinds.add_parser("import", help="import a matrix from another program")
    p.add_argument("matrix", type=Path, metavar="MATRIX", help="dense .npy, or scipy.sparse .npz")
    _add_common(p)
    p.add_argument(
        "--voxel",
        type=float,
        nargs=3,
        metavar=("X", "Y", "Z"),
        help="voxel size in mm, to check the matrix (default: not checked)",
    )
    p.set_defaults(act=_import)


def _add_common(p: argparse.ArgumentParser) -> None:
    add_output(p, "response file", metavar="OUT.h5", default="response.h5")
    add_force(p)
    p.add_argument(
        "--scanner", default="dhapet", metavar="S", help=f"scanner: {SCANNERS} or S.toml"
    )
    p.add_argument(
        "--threshold", type=float, default=1e-3, metavar="T",
        help="discard elements below this share of the maximum of their row (default: %(default)g)",
    )  # fmt: skip


def panels_of(name: str, console: Console, *, merge_layers: bool) -> DualHead:
    """Read a dual-head scanner.

    Parameters
    ----------
    name
        name of the scanner, or its file
    console
        receives a note if layers are merged
    merge_layers
        True to merge all crystal layers into one

    Raises
    ------
    SettingsError
        if the scanner is not a dual-head scanner
    """
    from engine.data.histogram import one_layer
    from engine.geometry.dual_head import DualHead

    scanner = read_scanner(name)
    if not isinstance(scanner, DualHead):
        raise SettingsError(
            f"--scanner {name}: not a dual-head scanner; expected one of {SCANNERS}."
        )
    n_layers = scanner.settings.n_layers
    if not merge_layers or n_layers == 1:
        return scanner
    console.note(f"The {n_layers} crystal layers are merged.")
    return one_layer(scanner)


def _build(arguments: argparse.Namespace, console: Console) -> None:
    from engine.core.settings import parse
    from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
    from engine.modalities.dual_head_pet.response.layered import build_response
    from engine.modalities.dual_head_pet.response.tracking import TrackedResponse, build_tracked

    _refuse_unused_points(arguments)
    # Photon tracking supports a single crystal layer only
    as_one = arguments.merge_layers or arguments.photons is not None
    scanner = panels_of(arguments.scanner, console, merge_layers=as_one)
    values: Plain = {"threshold": arguments.threshold, "scatter": not arguments.no_scatter}
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    console.show(StageStarted("response", f"Response of {scanner.name}, {scanner.describe()}"))

    def on_progress(done: int, total: int) -> None:
        console.show(Progressed("response", done, total))

    matrix: StoredResponse
    # Two processes would write the same parts of an unfinished matrix
    with only_writer(arguments.output), resume_hint():
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
def resume_hint() -> Iterator[None]:
    """Add to an interruption how to continue the computation."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("run the same command again to continue.") from None


def _refuse_unused_points(arguments: argparse.Namespace) -> None:
    """Refuse `--points` with `--photons`, which would ignore it."""
    if arguments.photons is not None and arguments.points is not None:
        raise SettingsError("--points and --photons cannot be combined. Remove one of them.")


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
    # Rows that are equal by symmetry differ this much only if the matrix has another layout
    if matrix.errors.max() > UNLIKE:
        console.note(
            "the matrix does not have the symmetries of the scanner. It has few counts, "
            "covers only some voxels, or its lines or voxels are in another order."
        )
    _report(matrix, arguments.output, console)


def _report(matrix: StoredResponse, path: Path, console: Console) -> None:
    n_layers = matrix.scanner.settings.n_layers
    pairs = f" for {n_layers**2} layer pairs" if n_layers > 1 else ""
    console.line(
        f"Matrix: {path} ({len(matrix.orientations):,} orientations{pairs}, {matrix.n_nonzero:,} "
        f"non-zeros, error at most {100 * matrix.errors.max():.2g} %, dropped at most "
        f"{100 * matrix.dropped.max():.2g} %)"
    )
