"""`isocenter simulate projections`: an X-ray scan of a known phantom."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_output, add_threads, is_there, seed
from engine.cli.parser import excludes, needs
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.data.formatting import counted
from engine.data.runs.events import Progressed

if TYPE_CHECKING:
    from engine.geometry.xray import XrayGeometry
    from engine.simulate.phantom import ShapePhantom
    from engine.simulate.voxels import VoxelPhantom

PHANTOMS = ("head", "tooth", "jaw", "thorax", "spheres")
ORBITS = ("circle", "short", "fan", "helix", "parallel")
FORMATS = (".h5", ".nxs", ".toml")
VIEWS = 360
LIMITS = {
    "--scale": (1e-3, 1e3, ""),
    "--pixel": (1e-5, 1e4, "mm"),
    "--source-axis": (0.01, 1e6, "mm"),
    "--source-detector": (0.01, 1e6, "mm"),
    "--axis-column": (-1e5, 1e5, ""),
    "--roll": (-360, 360, "°"),
    "--pitch": (-1e5, 1e5, "mm"),
    "--untold-shift": (-1e5, 1e5, ""),
    "--photons": (0, 1e15, ""),
    "--flats": (0, 10_000, ""),
    "--dead": (0, 1, ""),
    "--hot": (0, 1, ""),
    "--rings": (0, 1, ""),
    "--hardening": (0, 1, ""),
    "--oversample": (1, 64, ""),
}
"""Lowest and highest value of each option with its unit: far beyond any scanner.

The Poisson generator ends at 9e18. More images or rays would only fill the memory."""


def add_options(p: argparse.ArgumentParser) -> None:
    """Add the options of the verb.

    Parameters
    ----------
    p
        parser of `isocenter simulate projections`
    """
    add_output(p, "scan file", metavar="OUT.h5|.nxs|.toml", default="xray.h5")
    add_force(p)
    p.add_argument(
        "--phantom", default="head", metavar="P",
        help=f"{', '.join(PHANTOMS)}, or a volume in 1/mm or HU (NIfTI, HDF5)",
    )  # fmt: skip
    p.add_argument("--scale", type=float, default=1.0, metavar="S", help="scale of the phantom")
    p.add_argument("--seed", type=seed, default=1, metavar="N", help="random seed")
    _add_orbit(p.add_argument_group("orbit and detector"))
    _add_counting(p.add_argument_group("counting"))
    _refuse_useless(p)


def _refuse_useless(p: argparse.ArgumentParser) -> None:
    """Refuse options that another option makes useless."""
    counting = ("--photons", "--flats", "--dead", "--hot", "--rings", "--hardening", "--seed")
    excludes(p, "--noiseless", *counting)
    placing = ("--source-axis", "--source-detector", "--roll", "--axis-column", "--pitch")
    # The file states the place of the detector in each view
    for option in placing:
        excludes(p, option, "--orbit *.geom")
    excludes(p, "--source-axis", "--orbit parallel")
    excludes(p, "--source-detector", "--orbit parallel")
    excludes(p, "--roll", "--orbit helix")
    needs(p, "--pitch", "--orbit helix")


def _add_orbit(orbit: argparse._ArgumentGroup) -> None:
    orbit.add_argument(
        "--orbit", default="circle", metavar="O", help=f"{', '.join(ORBITS)}, or ORBIT.geom"
    )
    orbit.add_argument("--views", type=int, default=VIEWS, metavar="N", help="number of views")
    orbit.add_argument(
        "--detector",
        type=int,
        nargs=2,
        default=(128, 128),
        metavar=("COLS", "ROWS"),
        help="detector pixels",
    )
    orbit.add_argument("--pixel", type=float, default=3.0, metavar="MM", help="pixel size")
    orbit.add_argument(
        "--source-axis", type=float, default=1000.0, metavar="MM",
        help="distance from the source to the axis",
    )  # fmt: skip
    orbit.add_argument(
        "--source-detector", type=float, default=1500.0, metavar="MM",
        help="distance from the source to the detector",
    )  # fmt: skip
    orbit.add_argument(
        "--axis-column",
        type=float,
        metavar="C",
        help="detector column of the axis (default: the centre)",
    )
    orbit.add_argument("--roll", type=float, default=0.0, metavar="DEG", help="detector roll")
    orbit.add_argument("--pitch", type=float, default=100.0, metavar="MM", help="pitch of a helix")
    orbit.add_argument(
        "--untold-shift", type=float, default=0.0, metavar="C",
        help="detector shift that is not in the file [columns]",
    )  # fmt: skip


def _add_counting(counts: argparse._ArgumentGroup) -> None:
    counts.add_argument("--noiseless", action="store_true", help="write line integrals, not counts")
    counts.add_argument(
        "--photons",
        type=float,
        default=20_000.0,
        metavar="N",
        help="counts per pixel in the open beam",
    )
    counts.add_argument(
        "--flats", type=int, default=10, metavar="N", help="number of flat and of dark images"
    )
    counts.add_argument(
        "--dead", type=float, default=0.0, metavar="SHARE", help="share of dead pixels"
    )
    counts.add_argument(
        "--hot", type=float, default=0.0, metavar="SHARE", help="share of hot pixels"
    )
    counts.add_argument(
        "--rings", type=float, default=0.0, metavar="SHARE", help="gain drift (ring artefacts)"
    )
    counts.add_argument(
        "--hardening", type=float, default=0.0, metavar="H", help="beam hardening, 0 to 1"
    )
    counts.add_argument(
        "--oversample", type=int, default=1, metavar="K", help="rays per pixel along each side"
    )
    add_threads(counts)


def simulate_projections(arguments: argparse.Namespace, console: Console) -> None:
    """Simulate an X-ray scan and write it.

    Parameters
    ----------
    arguments
        options of `isocenter simulate projections`
    console
        receives the progress

    Raises
    ------
    SettingsError
        if an option, the phantom or the format is not valid
    """
    from dataclasses import replace

    from engine.io import save_projections
    from engine.io.xray.hdf5.nxtomo_writer import nxtomo_angles
    from engine.simulate.xray import Detector, simulate_integrals, simulate_xray

    a = arguments
    _refuse_limits(a)
    if a.output.suffix.lower() not in FORMATS:
        raise SettingsError(
            f"{a.output.name}: the name of a scan must end with {', '.join(FORMATS)}."
        )
    phantom, geometry = _phantom(a.phantom, a.scale), _orbit(a)
    if a.output.suffix.lower() == ".nxs":
        nxtomo_angles(
            geometry, a.output
        )  # fail before the work, if the angles do not fit the format
    n_rows, n_columns = geometry.shape
    console.log(f"Simulating {counted(geometry.n_views, 'view')} of {n_columns} × {n_rows} pixels")
    common: Plain = {
        "oversample": a.oversample,
        "threads": a.threads,
        "on_progress": lambda done, total: console.show(Progressed("simulate", done, total)),
    }
    # The data come from the shifted detector, while the file states the nominal one
    stands = geometry.shifted(columns=a.untold_shift)
    if a.noiseless:
        data = simulate_integrals(phantom, stands, **common)
    else:
        detector = Detector(
            photons=a.photons, dead_share=a.dead, hot_share=a.hot, ring_spread=a.rings
        )
        data = simulate_xray(
            phantom, stands, seed=a.seed, detector=detector, n_flats=a.flats, n_darks=a.flats,
            hardening=a.hardening, **common,
        )  # fmt: skip
    data = replace(data, geometry=geometry)
    save_projections(data, a.output)
    console.line(f"Scan: {a.output}")


def _refuse_limits(a: argparse.Namespace) -> None:
    """Refuse numbers beyond `LIMITS`."""
    for option, (least, most, unit) in LIMITS.items():
        value = getattr(a, option.lstrip("-").replace("-", "_"))
        unit = f" {unit}".rstrip()
        if value is not None and value > most:
            raise SettingsError(f"{option} {value:g}: expected at most {most:g}{unit}; reduce it.")
        if value is not None and value < least:
            raise SettingsError(f"{option} {value:g}: expected at least {least:g}{unit}.")


def phantom_makers() -> dict[str, Callable[[], ShapePhantom]]:
    """Return the built-in phantoms of X-ray scans by name."""
    from engine.simulate.anatomy import thorax
    from engine.simulate.jaw import jaw
    from engine.simulate.phantoms import cylinder_with_spheres
    from engine.simulate.xray_phantoms import shepp_logan, tooth

    makers = (lambda: shepp_logan(per_mm=0.02), tooth, jaw, thorax, cylinder_with_spheres)
    return dict(zip(PHANTOMS, makers, strict=True))


def _phantom(name: str, scale: float) -> ShapePhantom | VoxelPhantom:
    from engine.simulate.phantom import ShapePhantom
    from engine.simulate.phantoms import scaled
    from engine.simulate.voxels import attenuation_of

    makers = phantom_makers()
    if name in makers:
        made = makers[name]()
        return ShapePhantom(made.name, scaled(made.shapes, scale))
    if not is_there(name):
        from engine.cli.suggestions import did_you_mean

        meant = did_you_mean(name, makers)
        raise SettingsError(
            f"--phantom {name!r}: expected one of {', '.join(makers)}, or a volume.{meant}"
        )
    # A volume has its own voxel size
    if scale != 1:
        raise SettingsError(
            "--scale works only with the built-in phantoms. Remove it, and use a volume of the "
            "right size."
        )
    return attenuation_of(Path(name))


def _orbit(a: argparse.Namespace) -> XrayGeometry:
    from engine.geometry import orbits
    from engine.io.safety.open_input import open_input
    from engine.io.xray.vectors import geometry_of, read_vectors

    columns, rows = a.detector
    # 2^32 pixels are 16 GiB of float32
    if min(a.views, columns, rows) < 1 or a.views * columns * rows > 2**32:
        raise SettingsError(
            f"{a.views} views of {columns} × {rows} pixels: expected 1 to 2^32 pixels in total."
        )
    # A fan beam has one detector row
    shape = (1 if a.orbit == "fan" else rows, columns)
    if Path(a.orbit).suffix == ".geom":
        with open_input(Path(a.orbit)) as file:
            found = geometry_of(read_vectors(file), "cone", shape, file.path)
        if a.views not in (VIEWS, found.n_views):
            raise SettingsError(
                f"--views {a.views}: {Path(a.orbit).name} has {found.n_views} views. Remove it."
            )
        return found
    if a.orbit not in ORBITS:
        raise SettingsError(
            f"--orbit {a.orbit!r}: expected one of {', '.join(ORBITS)}, or ORBIT.geom."
        )
    common: Plain = {"shape": shape, "pixel_mm": a.pixel, "axis_column": a.axis_column}
    roll = float(np.radians(a.roll))
    if a.orbit == "parallel":
        # Synchrotron scans cover half a rotation, with rows from the top
        half = orbits.circle(a.views, first_rad=-np.pi / 2, range_rad=np.pi)
        return orbits.parallel(half, roll_rad=roll, **common).flipped(rows=True)
    common |= {"source_axis_mm": a.source_axis, "source_detector_mm": a.source_detector}
    if a.orbit == "helix":
        # Two rotations, so that the middle of the helix is complete
        return orbits.helical(
            orbits.circle(a.views, range_rad=4 * np.pi), pitch_mm=a.pitch, **common
        )
    # Parker (1982): a short scan needs half a rotation plus the fan angle
    fan = np.arctan2(columns * a.pixel / 2, a.source_detector)
    turn = np.pi + 2 * fan if a.orbit == "short" else 2 * np.pi
    angles = orbits.circle(a.views, range_rad=float(turn))
    return orbits.circular_cone(angles, roll_rad=roll, **common)
