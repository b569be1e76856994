"""Rigid registration of a μ-map to the emission image, with a quality check.

From coarse to fine points, Powell's method (SciPy) maximises the similarity over the six parameters
of the motion. It starts at the original position and where the centres of both bodies coincide, and
continues with the better one. The points are random, and so is a part of the error. The last search
therefore uses several sets of points, and the result is the mean of their motions.
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
"""Spacing of the points, from the first to the last search."""
PRECISION = (0.2, 0.05, 0.01)
"""Step size at which each level ends [mm, degrees]."""
SETS = 3
"""Sets of points in the last search."""
FLAT, LAST_FLAT = 1e-5, 1e-6
"""Minimum relative gain of a step for another to follow; the second for the last search."""
SPANS = (10.0, 10.0, 10.0, 4.0, 4.0, 4.0)
"""First steps of the search [mm, degrees]."""
STILL_MM, STILL_DEG = 2.0, 1.0
"""Smaller motions do not count: they are below the resolution of PET."""
FAR_MM, FAR_DEG = 30.0, 10.0
"""Larger motions are not plausible for a patient between two scans."""
MIN_LIKENESS, NO_LESS = 0.1, 0.98
"""Minimum similarity after the motion: absolute, and relative to that before the motion."""
BODY_PER_MM = 0.003
ADVICE: dict[Light, str] = {
    "green": "The registration is good.",
    "yellow": "Check the registration in both images before you use it.",
    "red": "The registration is not reliable. Enter the six numbers, or choose another map.",
}
"""Sentence that follows each result."""


@dataclass(frozen=True)
class Registered:
    """Result of a registration.

    Attributes
    ----------
    motion : motion of the map onto the image
    before, after : similarity at the original and at the registered position, 0 to 1
    """

    motion: RigidMotion
    before: float
    after: float

    @property
    def light(self) -> Light:
        """Green: in place; yellow: moved, check it; red: not reliable."""
        moved, turned = self.motion.distance_mm, self.motion.angle_deg
        is_better = self.after >= max(MIN_LIKENESS, NO_LESS * self.before)
        if not is_better or moved > FAR_MM or turned > FAR_DEG:
            return "red"
        return "green" if moved < STILL_MM and turned < STILL_DEG else "yellow"

    def describe(self) -> str:
        """Return the result as a sentence."""
        moved = self.motion.describe()
        facts = f"{moved} (similarity {self.before:.3f} before, {self.after:.3f} after)"
        return f"{self.light}: {facts}. {ADVICE[self.light]}"

    def record(self) -> Plain:
        """Return the record for the provenance."""
        return {
            **self.motion.record(),
            "likeness_before": self.before,
            "likeness_after": self.after,
            "light": self.light,
        }


def register(image: Volume, mu_map: Volume) -> Registered:
    """Return the motion that aligns a map with an emission image.

    Parameters
    ----------
    image
        image of the emission scan, not corrected for attenuation
    mu_map
        map to move [1/mm]

    Raises
    ------
    DataError
        if the files state different patients, or one of the images is empty

    References
    ----------
    Viola and Wells, Int. J. Comput. Vis. 24 (1997) 137.
    """
    refuse_other_patient(image, mu_map)
    if not float(mu_map.values.max(initial=0.0)) > BODY_PER_MM:
        raise DataError(
            f"no value in the map is above {BODY_PER_MM:g} 1/mm, so no patient is visible in it; "
            "choose another map."
        )
    coarse = Likeness(image, mu_map, LEVELS_MM[0])
    # The similarity has local maxima. With one start, a map from another table position is often
    # lost.
    starts = [np.zeros(6), _centring_shift(image, mu_map)]
    tried = [_best(coarse, start, PRECISION[0]) for start in starts]
    best = max(tried, key=lambda numbers: coarse(_motion(numbers)))
    for spacing_mm, precision in zip(LEVELS_MM[1:-1], PRECISION[1:-1], strict=True):
        best = _best(Likeness(image, mu_map, spacing_mm), best, precision)
    fine = [Likeness(image, mu_map, LEVELS_MM[-1], seed=SEED + k) for k in range(SETS)]
    # SciPy and NumPy release the GIL in their loops, so the searches partly run in parallel.
    with ThreadPoolExecutor(SETS) as threads:
        found = list(threads.map(lambda each: _best(each, best, PRECISION[-1], LAST_FLAT), fine))
    # The rotations are small, so the mean of the parameters is a good mean of the motions.
    motion = _motion(np.mean(found, axis=0))
    before, after = (
        float(np.mean([each(one) for each in fine])) for one in (RigidMotion(), motion)
    )
    return Registered(motion, before, after)


def refuse_other_patient(image: Volume, mu_map: Volume) -> None:
    """Raise an error if the files of map and image state different patients.

    Parameters
    ----------
    image, mu_map
        volumes; one without a patient matches any other

    Raises
    ------
    DataError
        if both state a patient, and not the same one
    """
    if image.patient and mu_map.patient and image.patient != mu_map.patient:
        raise DataError(
            "the map and the image belong to different patients; choose files of the same patient."
        )


def _best(
    likeness: Callable[[RigidMotion], float], start: Numbers, precision: float, flat: float = FLAT
) -> Numbers:
    from scipy.optimize import minimize

    # Powell's method starts with steps of the size of its directions. Small ones keep a later level
    # near the result of the level before.
    step = np.diag(SPANS) * min(precision * 10, 1.0)
    options: Plain = {"xtol": precision, "ftol": flat, "direc": step}

    def dissimilarity(numbers: Numbers) -> float:
        return -likeness(_motion(numbers))

    found = minimize(dissimilarity, start, method="Powell", options=options)  # type: ignore[call-overload]
    return np.asarray(found.x, float)


def _motion(numbers: Numbers) -> RigidMotion:
    # The search may step far outside; a rotation beyond 180° has no meaning.
    return motion_of(tuple(float(n) for n in np.clip(numbers, -180, 180)))


def _centring_shift(image: Volume, mu_map: Volume) -> Numbers:
    """Return the shift that moves the centre of the map's body to that of the image."""
    body = np.maximum(image.values, 0)
    # A few hot voxels (bladder, brain) must not pull the centre, so values are capped.
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
