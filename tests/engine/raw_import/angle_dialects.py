"""Write folders of projections with uneven angles in 20 dialects.

The list of dialects and the seeds were fixed before the parser was written. Each folder contains
analytic projections of balls (parallel rays), a flat and a dark image, and the angles as text, in
an array, or in the names of the files. The angles are those of two speeds, of a jittering encoder,
of a random order, of the golden ratio, interlaced, measured twice, or with a missing wedge.

This module does not import the engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tifffile
from numpy.typing import NDArray

Angles = NDArray[np.float64]

SEEDS = range(5)
N_ROWS, N_COLUMNS = 4, 40
OPEN_BEAM = 20_000.0
BALLS = ((0.0, 0.0, 0.0, 16.0, 0.02), (6.0, 4.0, 0.0, 3.0, 0.02), (2.0, -9.0, 0.0, 2.0, 0.03))
"""Centre (x, y, z) [mm], radius [mm], added attenuation [1/mm]."""
GOLDEN_DEG = 180.0 * (np.sqrt(5.0) - 1.0) / 2.0


def _two_speeds(n: int, _: np.random.Generator) -> Angles:
    """Return steps of 2 degrees, then of 4."""
    half = n // 2
    return np.concatenate([2.0 * np.arange(half), 2.0 * half + 4.0 * np.arange(n - half)])


def _jitter(n: int, rng: np.random.Generator) -> Angles:
    return 180.0 / n * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) + 1.0


def _missing_wedge(n: int, _: np.random.Generator) -> Angles:
    angles = 180.0 / (n + 10) * np.arange(n + 10)
    return np.delete(angles, slice(n // 3, n // 3 + 10))


def _golden(n: int, _: np.random.Generator) -> Angles:
    return np.asarray(np.arange(n) * GOLDEN_DEG % 180.0)


def _interlaced(n: int, _: np.random.Generator) -> Angles:
    step = 180.0 / n
    return np.concatenate([np.arange(k, n, 4) * step for k in range(4)])


def _each_twice(n: int, _: np.random.Generator) -> Angles:
    return np.repeat(np.arange((n + 1) // 2) * 360.0 / n, 2)[:n]


def _shuffled(n: int, rng: np.random.Generator) -> Angles:
    return rng.permutation(180.0 / n * np.arange(n))


ORDERS = (_two_speeds, _jitter, _missing_wedge, _golden, _interlaced, _each_twice, _shuffled)


def _lines(*lines: str, end: str = "\n") -> str:
    return end.join(lines) + end


def _title_line(a: Angles) -> str:
    return _lines("angle (deg)", *(f"{x:.4f}" for x in a))


def _decimal_comma(a: Angles) -> str:
    return _lines(*(f"{x:.4f}".replace(".", ",") for x in a), end="\r\n")


def _counter_and_angle(a: Angles) -> str:
    return _lines(*(f"{k}\t{x:.4f}" for k, x in enumerate(a)))


def _one_line(a: Angles) -> str:
    return " ".join(f"{x:.4f}" for x in a)


def _csv(a: Angles) -> str:
    rows = (f"{k},{x:.4f},{0.25 + 0.001 * (k % 3):.3f}" for k, x in enumerate(a))
    return _lines("index,angle_deg,exposure_s", *rows)


def _german_csv(a: Angles) -> str:
    rows = (f'"{k + 1}";"{x:.4f}"'.replace(".", ",") for k, x in enumerate(a))
    return _lines('"Bild";"Winkel [°]"', *rows, end="\r\n")


def _neutron_log(a: Angles) -> str:
    rows = (
        f"Sun Feb 10 00:{k // 60:02d}:{k % 60:02d} 2019   Projection:  {k}  angle: {x:.4f}   "
        f"Monitor 3 before:  {4577907 + 811 * k}   Monitor 3 after:  {4720271 + 797 * k}"
        for k, x in enumerate(a)
    )
    return _lines(
        " TIME STAMP  IMAGE TYPE  IMAGE COUNTER  COUNTS BM3 before image  COUNTS BM3 after image",
        "",
        *rows,
    )


def _comments(a: Angles) -> str:
    head = ("# sample: bean, 2 of 7", "# 35 kV, filter 0.5 mm Al", "% angles in degrees")
    return _lines(*head, *(f"{x:.4f}  ; view {k}" for k, x in enumerate(a)))


def _radians(a: Angles) -> str:
    return _lines("theta [rad]", *(f"{x:.7f}" for x in np.radians(a)))


def _milli_degrees(a: Angles) -> str:
    return _lines("# stage position (mdeg)", *(f"{1000 * x:.0f}" for x in a))


def _key_value(a: Angles) -> str:
    return _lines(
        "[scan]", "kV = 40", f"views = {len(a)}", "[angles]",
        *(f"angle_{k:04d} = {x:.4f} deg" for k, x in enumerate(a)),
    )  # fmt: skip


def _python_list(a: Angles) -> str:
    return "angles = [" + ", ".join(f"{x:.4f}" for x in a) + "]\n"


def _wrapped(a: Angles) -> str:
    texts = [f"{x:10.4f}" for x in a]
    return _lines(*("".join(texts[k : k + 8]) for k in range(0, len(texts), 8)))


def _fortran(a: Angles) -> str:
    return _lines(*(f"  {x:.8E}".replace("E", "D") for x in a))


def _nikon_like(a: Angles) -> str:
    return _lines("Proj\tAngle(deg)", *(f"{k}:\t{x:.4f}" for k, x in enumerate(a)), end="\r\n")


def _file_and_angle(a: Angles) -> str:
    return _lines("file angle", *(f"scan_{k:04d}.tif {x:.4f}" for k, x in enumerate(a)))


def _with_references(a: Angles) -> str:
    """Return all images in time order: a dark, a flat, then the views."""
    kinds = [("dark", 0.0), ("flat", 0.0), *(("projection", x) for x in a)]
    rows = (f"{k};{kind};{x:.4f};{12.5 * k:.1f}" for k, (kind, x) in enumerate(kinds))
    return _lines("image;kind;angle;time", *rows)


def _json(a: Angles) -> str:
    views = [{"number": k, "rotation_deg": round(float(x), 4)} for k, x in enumerate(a)]
    return json.dumps({"sample": "bean", "views": views}, indent=1)


TEXTS: dict[str, tuple[str, Callable[[Angles], str], str]] = {
    "title line": ("angles.txt", _title_line, "utf-8"),
    "decimal comma": ("winkel.txt", _decimal_comma, "utf-8"),
    "counter and angle": ("positions.txt", _counter_and_angle, "utf-8"),
    "one line": ("angles.txt", _one_line, "utf-8"),
    "csv": ("scan.csv", _csv, "utf-8-sig"),
    "german csv": ("Messung.csv", _german_csv, "cp1252"),
    "neutron log": ("scan_log.txt", _neutron_log, "utf-8"),
    "comments": ("list.dat", _comments, "utf-8"),
    "radians": ("theta.txt", _radians, "utf-16"),
    "milli-degrees": ("stage.log", _milli_degrees, "utf-8"),
    "key and value": ("scan.ini", _key_value, "utf-8"),
    "python list": ("angles.py.txt", _python_list, "utf-8"),
    "wrapped": ("angles.txt", _wrapped, "utf-8"),
    "fortran": ("tilt.rawtlt", _fortran, "ascii"),
    "nikon-like": ("bean.ang", _nikon_like, "utf-8"),
    "file and angle": ("index.txt", _file_and_angle, "utf-8"),
    "with references": ("images.csv", _with_references, "utf-8"),
    "json": ("scan.json", _json, "utf-8"),
}
"""Dialect -> name of the text file, the function that writes it, and its encoding."""
NAMES: dict[str, Callable[[int, float], str]] = {
    "in names": lambda k, x: f"bean_{x:.4f}_{k:03d}.tif",
    "counter and angle in names": lambda k, x: f"IMAT_0042_bean_{k:03d}_{x:.4f}.tif",
}
"""Dialect -> function that returns an image's name from its number and angle."""
DIALECTS = (*TEXTS, *NAMES)
ROUNDING_DEG = 1.1e-3
"""Millidegrees are integers; all other dialects have at least four decimals."""


@dataclass(frozen=True)
class Case:
    """One folder.

    Attributes
    ----------
    dialect : format of the angles
    seed : seed of the angles
    folder : contains the images and the text file
    angles_deg : (n_views,) true angle of each view, in the order of the image numbers
    """

    dialect: str
    seed: int
    folder: Path
    angles_deg: Angles


def angles_of_case(dialect: str, seed: int) -> Angles:
    """Return the uneven angles of a case; every dialect has five of the seven orders."""
    number = DIALECTS.index(dialect)
    rng = np.random.default_rng([number, seed])
    n = int(rng.integers(30, 48))
    angles = ORDERS[(number + seed) % len(ORDERS)](n, rng)
    return np.round(angles, 4)


def projections(angles_deg: Angles) -> NDArray[np.uint16]:
    """Return counts (view, row, column) of the balls for source angles in degrees."""
    u = np.arange(N_COLUMNS) - (N_COLUMNS - 1) / 2
    v = np.arange(N_ROWS) - (N_ROWS - 1) / 2
    total = np.zeros((len(angles_deg), N_ROWS, N_COLUMNS))
    for k, angle in enumerate(np.radians(angles_deg)):
        for x, y, z, radius, mu in BALLS:
            across = u[None, :] - (y * np.cos(angle) - x * np.sin(angle))
            inside = np.maximum(radius**2 - across**2 - (v[:, None] - z) ** 2, 0)
            total[k] += 2 * mu * np.sqrt(inside)
    return np.asarray(np.rint(OPEN_BEAM * np.exp(-total)), np.uint16)


def write_case(folder: Path, dialect: str, seed: int) -> Case:
    """Write the folder of a case, and return it."""
    angles = angles_of_case(dialect, seed)
    folder.mkdir(parents=True)
    images = projections(angles)
    if dialect in TEXTS and seed:  # one file with many pages is faster
        tifffile.imwrite(folder / "scan.tif", images)
    else:
        name_of = NAMES.get(dialect, lambda k, _: f"scan_{k:04d}.tif")
        for k, (image, angle) in enumerate(zip(images, angles, strict=True)):
            tifffile.imwrite(folder / name_of(k, float(angle)), image)
    tifffile.imwrite(folder / "flat_0.tif", np.full(images.shape[1:], OPEN_BEAM, np.uint16))
    tifffile.imwrite(folder / "dark_0.tif", np.zeros(images.shape[1:], np.uint16))
    if dialect in TEXTS:
        name, write, encoding = TEXTS[dialect]
        (folder / name).write_bytes(write(angles).encode(encoding))
    return Case(dialect, seed, folder, angles)
