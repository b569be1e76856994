import numpy as np

from engine.core.backend import cpu
from engine.operators.rays import RayProjector
from engine.tools.benchmark import projector
from engine.tools.benchmark.crossing import as_crystals, cube, events


def test_every_case_has_a_speed_and_every_limit_a_case():
    result = projector.run(cpu(2), n_events=500, repeats=1)

    assert all(row["events_per_s"] > 0 and row["device"] == "cpu" for row in result["rows"])
    cases = {row["case"] for row in result["rows"]}
    assert set(projector.BARS_EVENTS_PER_S) | set(projector.BARS_RATIO) <= cases
    assert len(result["bars"]) == len(projector.BARS_EVENTS_PER_S) + len(projector.BARS_RATIO)


def test_all_events_of_the_workload_cross_the_image(rng):
    rays = events(1000, rng)
    for source in (rays, as_crystals(rays)):
        chords = RayProjector(source, cube(16), on=cpu(2))(np.ones((16, 16, 16), "f4"))

        assert chords.min() > 0


def test_crystals_are_next_to_the_ray_ends(rng):
    rays = events(1000, rng)

    snapped = as_crystals(rays)

    off_mm = np.linalg.norm(snapped.points_mm[snapped.ends] - rays.points_mm[rays.ends], axis=-1)
    # Half a crystal in each direction
    assert off_mm.max() < np.hypot(2.0, np.pi * 300 / 480) * 1.001
