"""Tune kernels for one study: its detector, its volume, its events."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.core.errors import DataError, ResourceError, SettingsError
from engine.core.paths import cache_dir
from engine.data.layered_response import one_matrix
from engine.geometry.dual_head import DualHead
from engine.geometry.scanner import Scanner
from engine.io import is_histogram, read_histogram, read_listmode, read_projections
from engine.io.hdf5.response import read_response
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.layers import given_panels
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response_role import RESPONSE
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.rays import Rays
from engine.tools.benchmark.cone.variants import ScanWork
from engine.tools.tuning import device_rays, host_rays
from engine.tools.tuning.device_cone import DeviceBack, thinned
from engine.tools.tuning.device_matrix import DeviceProjection
from engine.tools.tuning.host_cone import HostBack, TunedScan
from engine.tools.tuning.host_matrix import HostProjection
from engine.tools.tuning.problem import TuningProblem


def problem_of_study(target: str, study: Study, on: Backend) -> TuningProblem:
    """Return the tuning problem of a study.

    Parameters
    ----------
    target
        requested kind of scan, see `engine.tools.tuning.choices`
    study
        scan and protocol
    on
        device

    Raises
    ------
    SettingsError
        if the study is of another kind
    ResourceError
        if its response has not been computed yet
    DeviceError
        if it is too large for the GPU
    """
    match target, study.protocol:
        case "cone", CtProtocol() as protocol:
            return _of_projections(study, protocol, on)
        case "listmode", ListModeProtocol() as protocol:
            return _of_events(study, protocol, on)
        case "dual-head", DualHeadProtocol() as protocol:
            return _of_panels(study, protocol, on)
    raise SettingsError(
        f"{study.data.name}: this scan does not match `tune {target}`; choose cone, listmode or "
        "dual-head to match the study."
    )


def _of_projections(study: Study, protocol: CtProtocol, on: Backend) -> TuningProblem:
    geometry = read_projections(study.data).geometry
    grid = protocol.grid.grid_for(geometry)
    if not on.is_cuda:
        return HostBack(on, TunedScan(geometry, grid))
    return DeviceBack(on, thinned(ScanWork(geometry, grid)))


def _of_events(study: Study, protocol: ListModeProtocol, on: Backend) -> TuningProblem:
    data = read_listmode(study.data, scanner=study.scanner, complete_events=study.complete_events)
    # Sorted like in a run: the order decides about the speed
    prompts = prepare(data, on=on).data
    # every n-th of the sorted events, as in a subset
    most = device_rays.EVENTS if on.is_cuda else host_rays.EVENTS * on.threads
    rows = slice(None, None, -(-prompts.n_events // most))
    is_timed = protocol.time_of_flight and prompts.tof_bins is not None
    rays = Rays(
        prompts.scanner.positions_mm,
        prompts.crystals[rows],
        prompts.tof_bins[rows] if is_timed and prompts.tof_bins is not None else None,
    )
    update = device_rays.DeviceUpdate if on.is_cuda else host_rays.HostUpdate
    return update(
        on,
        rays,
        protocol.grid.grid_for(prompts.scanner),
        prompts.scanner.tof if is_timed else None,
        reproducible=protocol.reproducible,
    )


def _of_panels(study: Study, protocol: DualHeadProtocol, on: Backend) -> TuningProblem:
    scanner = _scanner_of(study)
    if not isinstance(scanner, DualHead):
        raise DataError(
            f"{study.data.name}: {scanner.name} does not have two panels; choose a study with a "
            "dual-head scanner."
        )
    given = study.inputs.get(RESPONSE.key)
    # The protocol may merge layers, or cut the grid: both change the matrix
    counted = protocol.layers.scanner_for(scanner, given_panels(given))
    panels = protocol.grid.scanner_for(counted)
    response = (
        response_cache.find(cache_dir() / "response", panels, protocol.response)
        if given is None
        else read_response(given, panels, any_image=True)
    )
    # Computing it here would take the time of the whole search
    if response is None:
        raise ResourceError(
            f"{study.data.name}: the response matrix of {panels.name} has not been computed yet; "
            "reconstruct the study once, or compute the matrix with `isocenter response build`."
        )
    projection = DeviceProjection if on.is_cuda else HostProjection
    return projection(on, one_matrix(response), protocol.algorithm.n_subsets)


def _scanner_of(study: Study) -> Scanner:
    if is_histogram(study.data):
        return read_histogram(study.data, study.scanner).scanner
    data = read_listmode(study.data, scanner=study.scanner, complete_events=study.complete_events)
    return data.scanner
