"""Rigid registration of a μ-map to the emission image, with a quality check.

From coarse points to fine ones, Powell's method (SciPy) looks for the greatest likeness over the
six numbers of the motion. It starts where the map lies, and where the middles of both bodies meet;
the better one is followed. The points lie by chance, and so does a part of the error: the last
search is made with several sets of them, and its motions' mean is what is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.analysis.registration.similarity import SEED, Likeness
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.rigid_motion import RigidMotion, motion_of

Numbers = NDArray[np.float64]
Weights = NDArray[np.float32] | NDArray[np.bool_]
Light = Literal["green", "yellow", "red"]
LEVELS_MM = (16.0, 10.0, 5.0)
"""Distances of points, one after the other."""
PRECISION = (0.2, 0.05, 0.01)
"""At which each level ends [mm, degrees]."""
SETS = 3
"""Sets of points in the last search."""
FLAT, LAST_FLAT = 1e-5, 1e-6
"""Part of the likeness by which a step must gain for another to follow, then in the last search."""
SPANS = (10.0, 10.0, 10.0, 4.0, 4.0, 4.0)
"""First steps of the search [mm, degrees]."""
STILL_MM, STILL_DEG = 2.0, 1.0
"""Smaller motions are in place: below the resolution of a PET."""
FAR_MM, FAR_DEG = 30.0, 10.0
"""Larger ones are not those of a patient between two scans."""
LEAST_LIKENESS, NO_LESS = 0.1, 0.98
"""And the part of the likeness before the motion that it must have after it."""
BODY_PER_MM = 0.003


@dataclass(frozen=True)
class Registered:
    """Result of a registration.

    Attributes
    ----------
    motion : motion of the map onto the image
    before, after : likeness of the map where it lay, and where it belongs, 0 to 1
    """

    motion: RigidMotion
    before: float
    after: float

    @property
    def light(self) -> Light:
        """Green: in place; yellow: moved, so look; red: not to be trusted."""
        moved, turned = self.motion.distance_mm, self.motion.angle_deg
        is_better = self.after >= max(LEAST_LIKENESS, NO_LESS * self.before)
        if not is_better or moved > FAR_MM or turned > FAR_DEG:
            return "red"
        return "green" if moved < STILL_MM and turned < STILL_DEG else "yellow"

    def describe(self) -> str:
        """Return what was found in a sentence."""
        what = {
            "green": "the registration is good",
            "yellow": "check the registration in both images before you use it",
            "red": ("not to be trusted; give the six numbers by hand, or choose another map"),
        }
        gain = f"similarity {self.before:.3f} before, {self.after:.3f} after"
        return f"{self.light}: {self.motion.describe()} ({gain}); {what[self.light]}."

    def record(self) -> Plain:
        """Return what provenance holds."""
        return {
            **self.motion.record(),
            "likeness_before": self.before,
            "likeness_after": self.after,
            "light": self.light,
        }


def register(image: Volume, mu_map: Volume) -> Registered:
    """Return the motion that puts a map onto an emission image.

    Parameters
    ----------
    image
        image of the emission scan, not corrected for attenuation
    mu_map
        [1/mm]

    Raises
    ------
    DataError
        where both name a patient and it is not the same one, or one of them is empty
    """
    refuse_other_patient(image, mu_map)
    if not float(mu_map.values.max(initial=0.0)) > BODY_PER_MM:
        raise DataError("the map shows no body; choose another map.")
    coarse = Likeness(image, mu_map, LEVELS_MM[0])
    starts = [np.zeros(6), _middles_meet(image, mu_map)]
    tried = [_best(coarse, start, PRECISION[0]) for start in starts]
    best = max(tried, key=lambda numbers: coarse(_motion(numbers)))
    for spacing_mm, precision in zip(LEVELS_MM[1:-1], PRECISION[1:-1], strict=True):
        best = _best(Likeness(image, mu_map, spacing_mm), best, precision)
    fine = [Likeness(image, mu_map, LEVELS_MM[-1], seed=SEED + k) for k in range(SETS)]
    with ThreadPoolExecutor(SETS) as threads:
        found = list(threads.map(lambda each: _best(each, best, PRECISION[-1], LAST_FLAT), fine))
    motion = _motion(np.mean(found, axis=0))
    before, after = (
        float(np.mean([each(one) for each in fine])) for one in (RigidMotion(), motion)
    )
    return Registered(motion, before, after)


def refuse_other_patient(image: Volume, mu_map: Volume) -> None:
    """Refuse a map and an image whose files name two patients."""
    if image.patient and mu_map.patient and image.patient != mu_map.patient:
        raise DataError(
            "the map and the image belong to different patients; choose files of one patient."
        )


def _best(
    likeness: Callable[[RigidMotion], float], start: Numbers, precision: float, flat: float = FLAT
) -> Numbers:
    from scipy.optimize import minimize

    step = np.diag(SPANS) * min(precision * 10, 1.0)
    options: Plain = {"xtol": precision, "ftol": flat, "direc": step}

    def unlikeness(numbers: Numbers) -> float:
        return -likeness(_motion(numbers))

    found = minimize(unlikeness, start, method="Powell", options=options)  # type: ignore[call-overload]
    return np.asarray(found.x, float)


def _motion(numbers: Numbers) -> RigidMotion:
    return motion_of(tuple(float(n) for n in np.clip(numbers, -180, 180)))


def _middles_meet(image: Volume, mu_map: Volume) -> Numbers:
    """Return the shift that puts the middle of the map's body onto that of the image."""
    body = np.maximum(image.values, 0)
    top = float(np.percentile(body, 99))
    shift = _middle(image, np.minimum(body, top)) - _middle(mu_map, mu_map.values > BODY_PER_MM)
    return np.concatenate([shift, np.zeros(3)])


def _middle(volume: Volume, weights: Weights) -> Numbers:
    total = float(weights.sum(dtype=np.float64)) or 1.0
    middle = []
    for axis in range(3):
        across = tuple(k for k in range(3) if k != 2 - axis)
        along = weights.sum(axis=across, dtype=np.float64)
        middle.append(float(along @ volume.grid.centres_mm(axis)) / total)
    return np.array(middle)
