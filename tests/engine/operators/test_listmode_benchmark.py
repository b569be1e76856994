import json

import numpy as np

from engine.backend import cpu
from engine.benchmark import listmode
from engine.operators.rays import RayProjector


def test_a_small_run_can_be_kept_and_shown():
    result = json.loads(json.dumps(listmode.run(cpu(2), n_events=500, repeats=1)))

    text = listmode.table(result)

    assert all(speed > 0 for speed in result["events_per_s"].values())
    for name in listmode.BARS_RATIO | listmode.BARS_EVENTS_PER_S:
        assert name in text


def test_all_events_of_the_workload_cross_the_image(rng):
    rays = listmode._events(1000, rng)

    chords = RayProjector(rays, listmode.GRID, on=cpu(2))(np.ones(listmode.GRID.shape, "f4"))

    assert chords.min() > 0
