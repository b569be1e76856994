"""A study file, reconstructed as a job that survives an interruption."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

import engine
from engine.data.runs.events import Finished, Preview
from engine.jobs.checkpoint import Job, keep
from engine.simulate import shepp_logan

orbit = engine.circular_cone(
    np.linspace(0, 2 * np.pi, 30, endpoint=False),
    source_axis_mm=1000,
    source_detector_mm=1500,
    shape=(6, 64),
    pixel_mm=6,
)
engine.save(engine.simulate_integrals(shepp_logan(per_mm=0.02), orbit), "scan.h5")
Path("study.toml").write_text(
    """
data = "scan.h5"

[protocol]
modality = "ct"
name = "SIRT, six passes"
grid = { voxel_mm = [6.0, 6.0, 6.0], diameter_mm = 250.0, length_mm = 12.0 }
algorithm = { kind = "sirt", iterations = 6, subsets = 3 }
""",
    encoding="utf-8",
)
study, on = engine.read_study(Path("study.toml")), engine.cpu()

# the run is interrupted in its third pass, because the loop stops reading its events
job = Job.create(study, Path("job"))
with closing(keep(engine.run(study, on=on), job)) as events:
    for event in events:
        if isinstance(event, Preview) and event.iteration == 3:
            print(f"left after update {event.update}")
            break
print(f"the job is {job.info.status}")

# the job continues from there, perhaps days later or on another machine
job = Job.open(Path("job"))
for event in keep(engine.run(job.study, on=on, resume=job.latest()), job):
    if isinstance(event, Finished):
        resumed = event.volume
print(f"the job is {job.info.status}")

whole = engine.reconstruct(study, on=on)
print(f"largest difference to a run in one go: {np.abs(resumed.values - whole.values).max():.1e}")
if not np.allclose(resumed.values, whole.values, atol=1e-5):
    raise SystemExit("a resumed run must end with the same image")
