"""Measure the quality report with simulated phantoms: position and figures.

    python -m tests.physics.image_quality [body] [mouse] [--pairs N]

The phantoms are the body of NEMA NU 2 in a whole-body ring and the mouse of NEMA NU 4 in a
small-animal ring. Scans have trues only and use the exact µ-map and the default protocol. The
report must find each phantom by itself; the true position is known.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import engine
from engine.analysis.quality import QUALITY_PHANTOMS, PhantomFacts, QualityReport
from tests.judge.phantoms import Phantom
from tests.judge.scanners import Scanner
from tests.judge.studies import SAFIR, TRUES, JudgeStudy, mouse_phantom, nema_body, ring_300
from tests.judge_scans import cached_pairs, listmode_of, mu_map_of, ring_of

log = logging.getLogger(__name__)
KINDS = {phantom.kind: phantom for phantom in QUALITY_PHANTOMS}


@dataclass(frozen=True)
class Case:
    """A phantom with its grid."""

    phantom: Callable[[], Phantom]
    scanner: Scanner
    kind: str
    diameter_mm: float
    voxel_mm: tuple[float, float, float]


CASES = {
    "body": Case(nema_body, ring_300(240.0), "nema-nu2", 320.0, (4.0, 4.0, 5.0)),
    "mouse": Case(mouse_phantom, SAFIR, "nema-nu4", 40.0, (0.8, 0.8, 1.1)),
}


def report_of(name: str, n_pairs: int, folder: Path) -> QualityReport:
    """Reconstruct a phantom as a user would, and measure it."""
    case = CASES[name]
    study = JudgeStudy(f"quality-{name}", case.phantom(), case.scanner, TRUES)
    pairs = cached_pairs(study, n_pairs)
    ring = ring_of(case.scanner, diameter_mm=case.diameter_mm, voxel_mm=case.voxel_mm)
    protocol = engine.ListModeProtocol()
    mu_map = mu_map_of(study.phantom, protocol.grid.grid_for(ring))
    scan = listmode_of(pairs, ring, pairs.crystals, mu_map=mu_map)
    engine.save(scan, folder / "scan.h5")
    log.info("%s: %d events", name, scan.n_events)
    volume = engine.reconstruct(
        engine.Study(data=folder / "scan.h5", protocol=protocol), on=engine.cpu()
    )
    return KINDS[case.kind].measure(volume, PhantomFacts())


def position_error(report: QualityReport) -> tuple[float, float]:
    """Return the position error of a phantom [mm] and its rotation error [deg]."""
    at = report.at
    if at is None or at.flipped:
        return float("inf"), float("inf")
    turn = (at.turn_deg + 180) % 360 - 180
    return float(np.linalg.norm(at.centre_mm)), abs(turn)


def main(arguments: list[str]) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="*", default=[*CASES], choices=[*CASES])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    chosen = parser.parse_args(arguments)
    out = sys.stdout.write
    for name in chosen.case:
        with tempfile.TemporaryDirectory() as folder:
            report = report_of(name, chosen.pairs, Path(folder))
        millimetres, degrees = position_error(report)
        out(f"\n{report.title}, found {millimetres:.1f} mm and {degrees:.1f}° off its place\n\n")
        out("| figure | value |\n|---|---|\n")
        for figure in report.figures:
            out(f"| {figure.group}, {figure.name} | {figure.text()} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1:])
