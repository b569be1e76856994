"""`isocenter simulate histogram`: a dual-head scan of a known phantom."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_merge_layers, add_output, add_threads, seed
from engine.cli.simulate.response import panels_of, resume_hint
from engine.core.errors import SettingsError
from engine.data.runs.events import Progressed, StageStarted

if TYPE_CHECKING:
    from engine.data.layered_response import StoredResponse
    from engine.simulate.phantom import Phantom

LARGEST_RADIUS_MM, FILLED = 20.0, 0.94
"""Largest radius of the Derenzo phantom in mm, and its largest share of the panel width."""


def add_options(p: argparse.ArgumentParser) -> None:
    """Add the options of the verb.

    Parameters
    ----------
    p
        parser of `isocenter simulate histogram`
    """
    add_output(p, "scan file", metavar="OUT.h5", default="histogram.h5")
    add_force(p)
    p.add_argument("--scanner", default="demo-panels", metavar="S", help="scanner name or S.toml")
    p.add_argument(
        "--response",
        type=Path,
        metavar="R.h5",
        help="stored response (default: computed and cached)",
    )
    p.add_argument(
        "--phantom",
        default="derenzo",
        metavar="P",
        help="name of a phantom, see `isocenter phantoms`",
    )
    p.add_argument(
        "--prompts", type=float, default=2_000_000, metavar="N", help="number of prompts"
    )
    p.add_argument(
        "--randoms",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="share of randoms in the prompts",
    )
    p.add_argument("--seed", type=seed, default=1, metavar="N", help="random seed")
    add_merge_layers(p)
    add_threads(p)


def simulate_histogram(arguments: argparse.Namespace, console: Console) -> None:
    """Simulate a dual-head scan and write it.

    Parameters
    ----------
    arguments
        options of `isocenter simulate histogram`
    console
        receives the progress

    Raises
    ------
    SettingsError
        if the scanner or the phantom is not valid
    """
    from engine.core import backend
    from engine.io import write_histogram
    from engine.io.safety.atomic_write import refuse_impossible
    from engine.simulate import histogram

    # Tested before the response is computed, which can take minutes
    refuse_impossible(arguments.output)
    on = backend.cpu(arguments.threads)
    response = _response(arguments, on.threads, console)
    x, _, z = (float(v) for v in response.scanner.grid.size_mm)
    # The rods have to stay within the panels, or the outer ones are cut off
    radius_mm = min(LARGEST_RADIUS_MM, FILLED * min(x, z) / 2)
    phantom = _phantom(arguments.phantom, radius_mm)
    console.log(f"Simulating {arguments.prompts:,.0f} prompts on {response.scanner.name}")
    data = histogram.simulate_histogram(
        phantom,
        response,
        n_prompts=arguments.prompts,
        randoms_fraction=arguments.randoms,
        seed=arguments.seed,
        on=on,
        on_progress=lambda done, total: console.show(Progressed("simulate", done, total)),
    )
    if arguments.phantom == "derenzo":
        # Recorded, so that programs that show the scan know where its rods are
        data = replace(data, info=data.info | {"rods": {"radius_mm": radius_mm, "along": "y"}})
    write_histogram(data, arguments.output)
    console.line(
        f"Scan: {arguments.output} ({data.n_prompts:,.0f} prompts, {data.n_delayeds:,.0f} delayeds)"
    )


def _response(arguments: argparse.Namespace, threads: int, console: Console) -> StoredResponse:
    from engine.core.paths import cached_dir
    from engine.io.hdf5.response import read_response, read_response_scanner
    from engine.modalities.dual_head_pet import response_cache
    from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

    given, merge = arguments.response, arguments.merge_layers
    # A response of one layer fits only a scanner with merged layers
    if given is not None and read_response_scanner(given).settings.n_layers == 1:
        merge = True
    scanner = panels_of(arguments.scanner, console, merge_layers=merge)
    if given is not None:
        return read_response(given, scanner, any_image=True)
    folder, settings = cached_dir("response"), AnalyticResponse()
    found = response_cache.find(folder, scanner, settings)
    if found is not None:
        return found
    console.show(StageStarted("response", f"Response of {scanner.name}, computed once and cached"))
    with resume_hint():
        return response_cache.build(
            folder,
            scanner,
            settings,
            threads=threads,
            on_progress=lambda done, total: console.show(Progressed("response", done, total)),
        )


def _phantom(name: str, radius_mm: float) -> Phantom:
    from engine.simulate import PHANTOMS, derenzo

    if name == "derenzo":
        return derenzo(radius_mm=radius_mm, along="y")
    if name not in PHANTOMS:
        from engine.cli.suggestions import did_you_mean

        meant = did_you_mean(name, PHANTOMS)
        raise SettingsError(f"--phantom {name!r}: expected one of {', '.join(PHANTOMS)}.{meant}")
    return PHANTOMS[name]()
