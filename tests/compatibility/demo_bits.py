"""Reconstruct a small demo of each modality and print the SHA-256 of its values.

python -m tests.compatibility.demo_bits                 print the hashes and compare them
python -m tests.compatibility.demo_bits --record NAME   store them as those of commit NAME

Values depend on the instruction set for which Numba compiles, so hashes are stored by instruction
set. The hash of the simulated scan tells a changed simulation from a changed reconstruction.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engine.core.backend import cpu
from engine.jobs.reconstruction import reconstruct
from engine.kernels.processor import HAS_AVX512, HAS_LANES
from engine.modalities.demo import Demo
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.ring_sinogram_pet.demo import SinogramDemo
from engine.modalities.xray_ct.demo import CtDemo

RECORD = Path(__file__).with_suffix(".json")
THREADS = 2
SMALL: tuple[Demo, ...] = (
    PetDemo(n_prompts=50_000),
    CtDemo(n_views=60, n_rows=36, n_columns=56),
    DualHeadDemo(n_prompts=200_000, n_points=1 << 8),
    SinogramDemo(n_prompts=50_000),
)


def instruction_set() -> str:
    """Return the name of the vector instructions that Numba uses on this machine."""
    if HAS_AVX512:
        return "avx512"
    return "avx2" if HAS_LANES else "baseline"


def digest(values: Any) -> str:
    """Return the SHA-256 of an array's shape, type and bytes."""
    array = np.ascontiguousarray(values)
    head = f"{array.dtype.str}{array.shape}".encode()
    return sha256(head + array.tobytes()).hexdigest()


def hashes(demo: Demo, folder: Path, threads: int = THREADS) -> dict[str, str]:
    """Make a demo in a folder and return the hashes of its scan and of its image.

    Parameters
    ----------
    demo
        simulated scan and its size
    folder
        folder for its files
    threads
        CPU threads of the reconstruction

    Returns
    -------
    dict
        "scan" is the hash of the scan's files, "image" that of the voxels
    """
    study = demo.make(folder)
    protocol = study.protocol
    if "reproducible" in type(protocol).model_fields:
        protocol = protocol.model_copy(update={"reproducible": True})
    volume = reconstruct(study.model_copy(update={"protocol": protocol}), on=cpu(threads))
    record = json.loads((folder / demo.name(".json")).read_text("utf-8"))
    files = json.dumps(record["sha256"], sort_keys=True).encode()
    return {"scan": sha256(files).hexdigest(), "image": digest(volume.values)}


def recorded() -> dict[str, dict[str, str]] | None:
    """Return the stored hashes for this instruction set, by demo; None if there are none."""
    stored = json.loads(RECORD.read_text("utf-8"))["hashes"]
    found: dict[str, dict[str, str]] | None = stored.get(instruction_set())
    return found


def record(found: dict[str, dict[str, str]], commit: str) -> None:
    """Store hashes for this instruction set."""
    stored = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"hashes": {}}
    stored["commit"] = commit
    stored["hashes"][instruction_set()] = found
    RECORD.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", "utf-8")


def main() -> int:
    """Print the hashes; return 1 if one differs from the stored one."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--record", metavar="COMMIT")
    options.add_argument("--threads", type=int, default=THREADS)
    given = options.parse_args()
    with TemporaryDirectory() as folder:
        found = {demo.key: hashes(demo, Path(folder), given.threads) for demo in SMALL}
    if given.record:
        record(found, given.record)
    before = recorded()
    sys.stdout.write(f"instruction set: {instruction_set()}\n")
    for key, values in found.items():
        same = "not recorded" if before is None else str(before[key]["image"] == values["image"])
        sys.stdout.write(f"{key}: scan {values['scan']}, image {values['image']}, same: {same}\n")
    return int(
        before is not None and any(before[k]["image"] != v["image"] for k, v in found.items())
    )


if __name__ == "__main__":
    sys.exit(main())
