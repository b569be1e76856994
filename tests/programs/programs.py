"""Twelve programs of physicists, each of at most eight lines, from public names.

Each function is a program; its arguments are the data that a physicist brings.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import isocenter as iso


def mlem_of_own_events(ring: iso.RingScanner, crystals: Any, grid: iso.ImageGrid) -> Any:
    A = iso.RayProjector(iso.Rays(ring.positions_mm, crystals), grid, on=iso.cpu())
    sensitivity = iso.sensitivity(iso.ListMode(ring, crystals), grid)
    no_background = np.zeros(len(crystals), np.float32)
    model = iso.ListModeModel(A, no_background, sensitivity.values)
    start = np.ones(grid.shape, np.float32)
    *_, last = iso.algorithms.solve(iso.algorithms.Mlem(iterations=5), model, start)
    return last.image


def tof_projector(points_mm: Any, ends: Any, bins: Any, image: iso.Volume) -> tuple[Any, Any]:
    tof = iso.TofBins(fwhm_ps=300, bin_ps=150, n_bins=9)
    rays = iso.Rays(points_mm, ends, bins)
    A = iso.RayProjector(rays, image.grid, on=iso.cpu(), tof=tof)
    expected = A @ image.values
    return expected, A.T @ expected


def fdk_of_an_array(values: Any, angles_rad: Any) -> iso.Volume:
    orbit = iso.circular_cone(
        angles_rad, source_axis_mm=300, source_detector_mm=450, shape=(6, 64), pixel_mm=1.25
    )
    return iso.reconstruct(iso.Projections(values, orbit, calibrated=True))


def scan_to_numpy(path: Path) -> tuple[Any, Any]:
    scan = iso.read(path)
    return (
        (scan.crystals, scan.scanner.positions_mm) if isinstance(scan, iso.ListMode) else ((), ())
    )


def arrays_of_another_library(A: iso.LinearOperator, x: Any) -> tuple[Any, Any]:
    y = A @ x
    model = iso.LinearModel(A, y)
    *_, last = iso.algorithms.solve(iso.algorithms.Sirt(iterations=2, subsets=1), model, 0 * x)
    return y, last.image


def layer_of_torch(A: iso.LinearOperator, measured: Any, x: Any) -> Any:
    layer = A.as_torch()
    loss = ((layer(x) - measured) ** 2).sum()
    loss.backward()
    return x.grad


def poisson_likelihood_by_scipy(A: iso.LinearOperator, counts: Any, background: float) -> Any:
    from scipy.optimize import minimize

    def fall(x: Any) -> tuple[float, Any]:
        q = A @ x.reshape(A.in_shape).astype(np.float32) + background
        return float((q - counts * np.log(q)).sum()), (A.T @ (1 - counts / q)).ravel().astype(float)

    x = np.ones(A.shape[1])
    return minimize(fall, x, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(x))


def sirt_on_own_orbit(vectors: Any, values: Any) -> iso.Volume:
    orbit = iso.from_astra_vectors(vectors, shape=values.shape[1:])
    sirt = {"kind": "sirt", "iterations": 20, "subsets": 1}
    return iso.reconstruct(iso.Projections(values, orbit), iso.CtProtocol(algorithm=sirt))


def batch_in_threads(scans: list[Any], A: iso.LinearOperator, images: list[Any]) -> Any:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(iso.reconstruct, scans)), list(pool.map(A, images))


def batch_in_processes(scans: list[Any], A: iso.LinearOperator, images: list[Any]) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return list(pool.map(iso.reconstruct, scans)), list(pool.map(A, images))


def batch_by_dask(scans: list[Any]) -> Any:
    from dask.delayed import delayed

    return delayed([delayed(iso.reconstruct)(scan) for scan in scans]).compute()


def figure_of_a_volume(volume: iso.Volume) -> tuple[Any, str]:
    import matplotlib.pyplot as plt

    x, y = volume.grid.centres_mm(0), volume.grid.centres_mm(1)
    figure, axes = plt.subplots()
    axes.imshow(np.asarray(volume)[len(volume.values) // 2], extent=(x[0], x[-1], y[-1], y[0]))
    axes.set(xlabel="x [mm]", ylabel="y [mm]", title=volume.unit)
    return figure, volume._repr_html_()


def volume_in_xarray(volume: iso.Volume) -> Any:
    return volume.to_xarray().sel(x=slice(-10, 10)).mean(("x", "y"))


def cgls_of_cil(A: iso.LinearOperator, images: Any, data: Any, values: Any) -> Any:
    from cil.optimisation.algorithms import CGLS

    measured = data.allocate(0)
    measured.fill(values)
    cgls = CGLS(initial=images.allocate(0), operator=A.as_cil(images, data), data=measured)
    cgls.run(5)
    return cgls.solution.as_array()


def model_of_sirf(A: iso.LinearOperator, image: Any, data: Any) -> Any:
    model = A.as_sirf(image, data)
    return model.backward(model.forward(image))
