"""Collimators and crystal of a camera, their files in the format of STIR, and a μ-map.

A hole of a parallel collimator has the diameter d and the length L. From a point at the distance h
its image is the overlap of two discs of diameter d (1 + (h + gap) / L), averaged over all places
of the holes (Metz, Atkins & Beck, Phys Med Biol 25 (1980) 1059). The holes with walls t detect the
share (0.238 d² / (L (d + t)))² of the photons, at any distance (Anger, Instrumentation in Nuclear
Medicine (1967) 485).

A pinhole of diameter d projects a point at the depth h to a disc of diameter d (1 + F / h), F
behind the hole, and passes the share d² cos³θ / (16 h²).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from math import cos, pi, radians, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import DataError, FileFormatError
from engine.data.input_role import InputRole
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input, read_text

if TYPE_CHECKING:
    from engine.data.volume import Volume

MAX_BYTES = 1_000_000
NAMES_A_MAP = re.compile(r"(mu|att)[-_ ]?map.*\.hv$", re.IGNORECASE)


@dataclass(frozen=True)
class Pinholes:
    """Pinholes of a rotating collimator, one for each view.

    Attributes
    ----------
    radius_mm : distance of the hole from the axis of rotation
    places_mm : (along the columns, away from the axis, along z) of each hole, from the middle
    diameter_mm : diameter of the holes
    least_cos : cosine of the largest angle at which a hole passes photons
    """

    radius_mm: float
    places_mm: tuple[tuple[float, float, float], ...]
    diameter_mm: float
    least_cos: float

    def describe(self) -> str:
        """Return the holes as text."""
        n, d = len(self.places_mm), self.diameter_mm
        return f"{n} pinholes of {d:g} mm, {self.radius_mm:g} mm from the axis"


@dataclass(frozen=True)
class Crystal:
    """Crystal of a pinhole camera.

    Attributes
    ----------
    sigma_mm : standard deviation of its resolution
    thickness_mm : its thickness
    step_deg : angle between views
    n_views : number of views
    """

    sigma_mm: float
    thickness_mm: float
    step_deg: float
    n_views: int

    def describe(self) -> str:
        """Return the crystal as text."""
        return f"crystal of {self.thickness_mm:g} mm, σ = {self.sigma_mm:g} mm"


def _has(mark: bytes, file: InputFile) -> bool:
    return mark in file.head.lower()


def _attach(name: str, scan: Any, content: Any) -> Any:
    return replace(scan, **{name: content})


def read_collimator(path: Path) -> Pinholes:
    """Read the holes; lengths in the file are in cm."""
    text = read_text(path, MAX_BYTES)
    radius = 10 * _number(text, "Collimator radius(cm)", path)
    holes = [line.split()[1:] for line in text.splitlines() if re.match(r"\s*h\d+:", line)]
    if len(holes) != _number(text, "Number of holes", path):
        raise FileFormatError(f"{path.name}: has {len(holes)} holes, but states another number.")
    try:
        for at, hole in enumerate(holes, 1):
            is_plain = hole[4:6] == ["round", hole[6]] and not any(map(float, hole[7:9]))
            if int(hole[0]) != at or not is_plain or hole[5:] != holes[0][5:]:
                raise ValueError(f"hole {at} must be one for its view, round, upright and alike")
        numbers = [[10 * float(each) for each in hole[1:4]] for hole in holes]
        wide, limit = 10 * float(holes[0][5]), max(float(each) for each in holes[0][9:11])
        if not (0 < wide < radius and 0 < limit <= 90):
            raise ValueError("sizes or angles are impossible")
    except (ValueError, IndexError) as e:
        raise FileFormatError(f"{path.name}: cannot be used ({e}); correct the file.") from e
    places = tuple((x, y, z) for x, y, z in numbers)
    return Pinholes(radius, places, wide, cos(radians(limit)))


def read_crystal(path: Path) -> Crystal:
    """Read the resolution and the views; lengths in the file are in cm."""
    text = read_text(path, MAX_BYTES)
    keys = "Sigma(cm)", "Crystal thickness (cm)"
    sigma, thick = (10 * _number(text, key, path) for key in keys)
    step, n_views = _number(text, "incr(deg)", path), _number(text, "Nangles", path)
    if sigma < 0 or thick < 0 or step <= 0:
        raise FileFormatError(f"{path.name}: a length or an angle is negative; correct the file.")
    return Crystal(sigma, thick, step, int(n_views))


def _number(text: str, key: str, path: Path) -> float:
    found = re.search(rf"^\s*{re.escape(key)}\s*:\s*(\S+)\s*$", text, re.MULTILINE)
    try:
        return float(found[1]) if found else float("")
    except ValueError as e:
        raise FileFormatError(f"{path.name}: {key!r} has no number; correct the file.") from e


def parallel_share(hole_mm: float, length_mm: float, wall_mm: float) -> float:
    """Return the share of all photons that round parallel holes pass."""
    open_share = pi * hole_mm**2 / (2 * sqrt(3) * (hole_mm + wall_mm) ** 2)
    return float(open_share * hole_mm**2 / (16 * length_mm**2))


def _read_map(path: Path, scanner: Any) -> Volume:
    from engine.io import read_volume
    from engine.io.auxiliary.mu_units import HOUNSFIELD, in_per_mm, recognised

    volume = read_volume(path)
    found = recognised(volume, path.name)
    if found is None or found.unit == HOUNSFIELD or (volume.values < 0).any():
        raise DataError(
            f"{path.name}: the values are no attenuation coefficients in 1/mm or 1/cm at the "
            "energy of the photons; convert the map."
        )
    return in_per_mm(volume, found, path.name)


COLLIMATOR = InputRole(
    key="pinholes", title="Pinhole collimator", suffixes=(".txt",), of_scanner=True,
    text="Pinholes of the collimator, as text for STIR",
    without="File with the pinholes. Without it, the collimator has parallel holes.",
    read=lambda path, scanner: read_collimator(path), describe=Pinholes.describe,
    attach=partial(_attach, "holes"), accepts=partial(_has, b"#holes#"),
)  # fmt: skip
CRYSTAL = InputRole(
    key="crystal", title="Crystal", suffixes=(".txt",), of_scanner=True,
    text="Crystal and views of a pinhole camera, as text for STIR",
    without="File with crystal and views of a pinhole camera. Parallel holes need none.",
    read=lambda path, scanner: read_crystal(path), describe=Crystal.describe,
    attach=partial(_attach, "crystal"), accepts=partial(_has, b"#intrinsic psf#"),
)  # fmt: skip
PHOTON_MAP = InputRole(
    key="photon-map", title="μ-map of SPECT", suffixes=(".hv", ".nii", ".nii.gz", ".h5"),
    text="Attenuation map [1/mm or 1/cm] at the energy of the photons",
    without="Attenuation map. Without it, the image is not corrected for attenuation.",
    read=_read_map, attach=partial(_attach, "mu_map"), is_aligned_with_patient=True,
    describe=lambda mu_map: f"{mu_map.grid.describe()}, up to {mu_map.values.max():.4f} 1/mm",
)  # fmt: skip
ROLES = (COLLIMATOR, CRYSTAL, PHOTON_MAP)


def files_next_to(header: Path) -> dict[str, Path]:
    """Return the auxiliary files in the folder of a header by the key of their role."""
    found: dict[str, list[Path]] = {role.key: [] for role in ROLES}
    for path in entries(header.parent):
        if NAMES_A_MAP.search(path.name):
            found[PHOTON_MAP.key].append(path)
        elif path.suffix.lower() == ".txt" and path.is_file() and path.stat().st_size:
            with open_input(path) as file:
                for role in (COLLIMATOR, CRYSTAL):
                    if role.accepts(file):
                        found[role.key].append(path)
    # Of several files of a kind the user must choose one.
    return {key: paths[0] for key, paths in found.items() if len(paths) == 1}
