"""Count issue slots and memory accesses of list-mode, CT and dual-head kernels per unit of work.

Each piece of work is small, always the same, and arranged as in a run: the counts per event, per
32 voxel updates or per 32 products hardly depend on the size of the work. Issue slots are those of
sm_90, calculated from PTX (`tests.emulator.ptx.slots`); all other counts are counts of PTX.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path

import numpy as np

from engine.core.backend import cuda
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone.cone_variants import BackVariant, fitted
from engine.kernels.cone.device_cone import ConeBack
from engine.kernels.cone.device_joseph import InMemory, Joseph, Lines
from engine.kernels.cone.device_joseph_gather import JosephGather, fitting
from engine.kernels.cone.joseph_variants import JosephVariant
from engine.kernels.tuning import UNMEASURED_BACK
from engine.kernels.variants import Order, RayVariant
from engine.operators.rays import RayProjector, Rays
from engine.operators.xray.scene import Scene
from engine.operators.xray.tools import Transposing
from engine.tools.benchmark.cone.steps import n_steps
from engine.tools.benchmark.cone.suite import ConeWork
from engine.tools.benchmark.cone.variants import FormsWork
from engine.tools.benchmark.crossing import cube, events, sorted_events
from tests.emulator.arrays import DeviceArray
from tests.emulator.counted_panels import PRODUCTS, panels
from tests.emulator.gpu import EmulatedGpu
from tests.emulator.nvrtc import compile_for, version
from tests.emulator.ptx.counted import Counters
from tests.emulator.ptx.slots import machine_slots
from tests.emulator.registers import digests
from tests.emulator.sass import MachineCode

ARCH = 90
RECORD = Path(__file__).parents[2] / "resources" / "counted" / "kernels.json"
SOURCES = (
    *("rays.cu", "cone_back.cu", "joseph_view.cu", "joseph.cu", "joseph_gather.cu"),
    "matrix.cu",
)
N_EVENTS = 256
SEED = 4
UPDATES = "32 updates"


@dataclass(frozen=True)
class Work:
    """A piece of work for kernels.

    Attributes
    ----------
    name : description and key of the record
    unit : unit that the counts refer to
    run : function that does the work; returns the units of each kernel that is counted
    idle : the same launches without work. Their counts are subtracted: a run spreads this fixed
        cost over thousands of units
    """

    name: str
    unit: str
    run: Callable[[EmulatedGpu], dict[str, float]]
    idle: Callable[[EmulatedGpu], object] | None = None


def counts(work: Work) -> dict[str, dict[str, float]]:
    """Do the work and return the counts of each kernel per unit."""
    gpu = EmulatedGpu(ptx=ARCH, counted=True)
    units = work.run(gpu)
    found = _sums(gpu, units)
    if work.idle:
        gpu = EmulatedGpu(ptx=ARCH, counted=True)
        work.idle(gpu)
        for kernel, sums in _sums(gpu, units).items():
            found[kernel] = {name: n - sums[name] for name, n in found[kernel].items()}
    return {
        kernel: {name: round(n / units[kernel], 3) for name, n in sums.items()}
        for kernel, sums in found.items()
    }


def _sums(gpu: EmulatedGpu, kernels: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the total counts of some kernels."""
    found = {}
    for (source, options, name), counters in gpu.counters().items():
        if name in kernels:
            cubin = compile_for(source, ARCH, options).cubin
            found[name] = _row(counters, MachineCode(cubin, name, ARCH))
    return found


def _row(counters: Counters, code: MachineCode) -> dict[str, float]:
    return {
        "slots": machine_slots(counters, code),
        "slots of PTX": sum(counters.slots.values()),
        "loads": counters.sum_of("issued", "load"),
        "loads of threads": counters.sum_of("lanes", "load") / 32,
        "atomics": counters.sum_of("issued", "atomic"),
        "fetches": counters.sum_of("issued", "texture"),
        "lines of loads": counters.sum_of("lines", "load"),
        "lines of atomics": counters.sum_of("lines", "atomic"),
        "lines of stores": counters.sum_of("lines", "store"),
        "sectors": counters.sum_of("sectors", "load", "atomic", "store"),
        "shared accesses": counters.sum_of("issued", "shared"),
        "shared wave-fronts": counters.sum_of("wavefronts", "shared"),
    }


def list_mode(order: Order, *, is_sorted: bool, gpu: EmulatedGpu) -> dict[str, float]:
    """Update an image of 128³ voxels with events, either unsorted or adjacent."""
    rng = np.random.default_rng(SEED)
    if is_sorted:
        many = sorted_events(400 * N_EVENTS, rng)
        start = 150 * N_EVENTS
        rays = Rays(many.points_mm[2 * start :][: 2 * N_EVENTS], many.ends[:N_EVENTS])
    else:
        rays = events(N_EVENTS, rng)
    variant = RayVariant("warp", order)
    image = np.ones(cube(128).shape, np.float32)
    RayProjector(rays, cube(128), on=cuda(gpu), variant=variant).em_numerator(image)
    return {"update": N_EVENTS}


def _scan(n_views: int, shape: tuple[int, int], tilt: float) -> XrayGeometry:
    angle = 0.1 + np.arange(n_views) * 2 * np.pi / n_views
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(n_views)
    out, up = np.stack([c, s, o], axis=1), np.stack([o, o, o + 1], axis=1)
    return XrayGeometry(
        beam="cone", source_mm=400.0 * out, detector_mm=-200.0 * out, shape=shape,
        u_mm=1.6 * np.stack([-s, c, o], axis=1), v_mm=1.6 * (up + tilt * out),
    )  # fmt: skip


def cone(
    variant: BackVariant, shape: tuple[int, int, int], scan: XrayGeometry, gpu: EmulatedGpu
) -> dict[str, float]:
    """Back-project some views onto a box."""
    grid = ImageGrid(shape, (1.2, 1.2, 1.2))
    kernels = ConeBack(gpu, variant, Profiler(cuda(gpu)))
    views = kernels.views(scan.in_voxels(grid), shape, scan.shape)
    n_views = len(scan.source_mm)
    y = np.ones((n_views, *scan.shape), np.float32)
    y = np.ascontiguousarray(y.transpose(["vrc".index(axis) for axis in variant.projections]))
    if variant.texture == "memory":
        projections = gpu.upload(y)
    else:
        projections = gpu.texture(variant.texture, y.shape)
        projections.update(gpu.upload(y))
    kernels.back(projections, views, gpu.empty(shape, np.float32))
    return {"back": float(np.prod(shape)) * n_views / 32}


def line_integrals(work: ConeWork | FormsWork, gpu: EmulatedGpu) -> dict[str, float]:
    """Integrate a volume in memory along rays of a measured scan.

    The rays belong to four middle rows of views in one eighth of the circle (the others are
    mirror images) and to the slices that they cross. Rows at the edge of a detector read up to a
    fifth more cache lines, because their rays change slices.
    """
    views = [round(work.n_views * (i + 0.5) / 64) for i in range(8)]
    scan = replace(work.geometry.select(views), shape=(4, work.geometry.shape[1]))
    grid = replace(work.grid, shape=(32, *work.grid.shape[1:]))
    scene = Scene(scan, grid)
    lines = Lines.upload(gpu, scene.rays, scan.shape, grid.shape, grid.voxel_mm)
    kernels = Joseph(gpu, JosephVariant(texture="memory"), Profiler(cuda(gpu)))
    n_z, n_y, n_x = grid.shape
    volume = InMemory(_ones(gpu, (n_z, n_y, n_x)), _ones(gpu, (n_z, n_x, n_y)))
    kernels.forward(volume, lines, _ones(gpu, scene.seen))
    return {"forward": n_steps(scan, grid) / 32}


def _ones(gpu: EmulatedGpu, shape: tuple[int, ...]) -> DeviceArray:
    """Return ones that start at a cache line, as GPU memory does; line counts are then equal."""
    n, line = prod(shape), 128
    memory = gpu.empty((n + line // 4,), np.float32)
    first = -memory.ctypes.data % line // 4
    ones = memory[first : first + n].reshape(shape)
    ones[...] = 1
    return ones


def exact_adjoint(by: str, gpu: EmulatedGpu) -> dict[str, float]:
    """Back-project line integrals of a high box, by scattering along rays or by gathering."""
    grid, scan = ImageGrid((128, 24, 24), (1.2, 1.2, 1.2)), _scan(6, (160, 32), 0.0)
    scene, profiler = Scene(scan, grid), Profiler(cuda(gpu))
    lines = Lines.upload(gpu, scene.rays, scan.shape, grid.shape, grid.voxel_mm)
    form = fitting(scene.rays, scan.shape, grid.shape)
    if form is None:
        raise ValueError("the work gathers nothing")
    kernels: Transposing = JosephGather(gpu, form, profiler)
    if by == "rays":
        kernels = Joseph(gpu, JosephVariant(texture="memory"), profiler)
    y, out = np.ones(scene.seen, np.float32), gpu.empty(grid.shape, np.float32)
    kernels.transposed(gpu.upload(y), lines, out)
    n_units = float(grid.n_voxels) * len(y) / 32
    return {"back": n_units} if by == "rays" else {"weigh": n_units, "gather": n_units}


SLICE = fitted(UNMEASURED_BACK, (1, 1024, 1024), 400, 132)
"""Variant for a slice of many voxels."""
COLUMNS = BackVariant("memory", "columns", (32, 4), 16, projections="vcr")
_LEANING, _UPRIGHT = _scan(64, (128, 128), 0.05), _scan(24, (768, 768), 0.0)
WORKS = (
    Work("list mode, x fastest", "event", lambda g: list_mode("linear", is_sorted=False, gpu=g)),
    Work("list mode, tiles", "event", lambda g: list_mode("tiles", is_sorted=False, gpu=g)),
    Work(
        "sorted list mode, x fastest", "event",
        lambda g: list_mode("linear", is_sorted=True, gpu=g),
    ),
    Work("sorted list mode, tiles", "event", lambda g: list_mode("tiles", is_sorted=True, gpu=g)),
    Work("slice of CT", UPDATES, partial(cone, SLICE, (1, 32, 128), _LEANING)),
    Work("volume of CT, columns", UPDATES, partial(cone, COLUMNS, (512, 1, 4), _UPRIGHT)),
    Work(
        "volume of CT, texture", UPDATES,
        partial(cone, BackVariant(path="upright"), (24, 32, 16), _scan(64, (128, 128), 0.0)),
    ),
    Work("line integrals of CT, 256³", "32 steps", partial(line_integrals, ConeWork(256))),
    Work("line integrals of CT, 512³", "32 steps", partial(line_integrals, FormsWork())),
    Work("exact adjoint of CT, by rays", UPDATES, partial(exact_adjoint, "rays")),
    Work("exact adjoint of CT, by voxels", UPDATES, partial(exact_adjoint, "voxels")),
    Work("two panels", PRODUCTS, panels, partial(panels, is_idle=True)),
)  # fmt: skip


def record() -> str:
    """Count all works and return the record as JSON."""
    rows = [
        {"work": work.name, "unit": work.unit, "kernel": kernel, **row}
        for work in WORKS
        for kernel, row in counts(work).items()
    ]
    head = {"nvrtc": version(), "arch": ARCH, "sources": digests(SOURCES)}
    lines = ",\n    ".join(json.dumps(row) for row in rows)
    return f'{json.dumps(head, indent=2)[:-2]},\n  "counts": [\n    {lines}\n  ]\n}}\n'


if __name__ == "__main__":
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(record(), encoding="utf-8")
