"""`isocenter simulate`: simulate a scan of a known phantom."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_output, seed
from engine.cli.parser import excludes
from engine.cli.simulate import histogram, projections
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.data.runs.events import Progressed
from engine.io import read_scanner


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter simulate` with one action per kind of scan."""
    p = add_verb(verbs, "simulate")
    kinds = p.add_subparsers(dest="what", metavar="KIND", required=True)
    xray = kinds.add_parser("projections", help="X-ray CT scan")
    projections.add_options(xray)
    xray.set_defaults(act=projections.simulate_projections)
    panels = kinds.add_parser("histogram", help="dual-head PET scan")
    histogram.add_options(panels)
    panels.set_defaults(act=histogram.simulate_histogram)
    p = kinds.add_parser("listmode", help="list-mode PET scan")
    add_output(p, "scan file", metavar="OUT.h5", default="listmode.h5")
    add_force(p)
    p.add_argument("--scanner", default="demo-ring", metavar="S", help="scanner name or S.toml")
    p.add_argument(
        "--phantom",
        default="brain",
        metavar="P",
        help="name of a phantom, see `isocenter phantoms`",
    )
    p.add_argument("--prompts", type=int, default=1_000_000, metavar="N", help="number of prompts")
    p.add_argument(
        "--randoms",
        type=float,
        default=0.2,
        metavar="FRACTION",
        help="share of randoms in the prompts",
    )
    p.add_argument("--seed", type=seed, default=1, metavar="N", help="random seed")
    p.add_argument("--no-attenuation", action="store_true", help="simulate without attenuation")
    p.add_argument(
        "--grey",
        type=Path,
        metavar="MAP",
        help="grey-matter map (NIfTI) instead of a phantom (default: none)",
    )
    p.add_argument(
        "--white", type=Path, metavar="MAP", help="white-matter map (NIfTI) (default: none)"
    )
    excludes(p, "--grey", "--phantom")
    p.set_defaults(act=_simulate)


def _simulate(arguments: argparse.Namespace, console: Console) -> None:
    # Imported here: `isocenter --help` needs none of it
    from engine.io.hdf5.listmode import write_listmode
    from engine.simulate import PHANTOMS, mni_brain, simulate_listmode

    if (arguments.grey is None) != (arguments.white is None):
        raise SettingsError("--grey and --white must be given together.")
    if not 1 <= arguments.prompts <= 2_000_000_000:
        raise SettingsError(f"--prompts {arguments.prompts}: expected 1 to 2,000,000,000.")
    if not 0 <= arguments.randoms < 1:
        raise SettingsError(
            f"--randoms {arguments.randoms}: expected a fraction of at least 0 and less than 1."
        )
    phantom: Any
    if arguments.grey is not None:
        phantom = mni_brain(arguments.grey, arguments.white)
    elif arguments.phantom in PHANTOMS:
        phantom = PHANTOMS[arguments.phantom]()
    else:
        from engine.cli.suggestions import did_you_mean

        meant = did_you_mean(arguments.phantom, PHANTOMS)
        raise SettingsError(
            f"--phantom {arguments.phantom!r}: expected one of {', '.join(PHANTOMS)}.{meant}"
        )
    scanner = read_scanner(arguments.scanner)
    console.log(f"Simulating {arguments.prompts:,} prompts on {scanner.name}")
    data = simulate_listmode(
        phantom,
        scanner,
        n_prompts=arguments.prompts,
        seed=arguments.seed,
        randoms_fraction=arguments.randoms,
        attenuation=not arguments.no_attenuation,
        on_progress=lambda done, total: console.show(Progressed("simulate", done, total)),
    )
    write_listmode(data, arguments.output)
    console.line(
        f"Scan: {arguments.output} ({data.n_prompts:,} prompts, {data.n_delayed:,} delayeds)"
    )
