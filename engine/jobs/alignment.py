"""Register a map of the body with the scan that it is for.

A quick image without attenuation correction shows where the scanner saw the body, whatever the
map says. The registration of map and image gives the motion between them. `align` replaces the
reconstruction in a process, see `engine.jobs.EngineProcess`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.settings import parse
from engine.corrections.base import AnyCorrection
from engine.corrections.scatter import Scatter
from engine.corrections.sinogram import BinScatter
from engine.data.runs.events import Event, Finished, StageStarted
from engine.geometry.scanner import Scanner
from engine.jobs.reconstruction import Resume, run
from engine.modalities.recognise import all_roles
from engine.modalities.studies import Study, modality_of
from engine.protocols.run_context.context import OnProgress
from engine.recon.algorithms import Osem
from engine.recon.postprocess import Gaussian

if TYPE_CHECKING:
    from engine.data.input_role import InputRole
    from engine.modalities.base import FinishEarly

N_ACROSS = 96
"""Voxels across the longer side of the field of view, unless the scanner's own are larger."""
QUICK = Osem(iterations=2)
SMOOTH = 2.0
"""Width of the Gaussian, in voxels."""


def uncorrected(study: Study, scanner: Scanner) -> Study:
    """Return a study of the same scan that quickly shows the position of the body.

    Corrections that need a map of the body are off, and the voxels are large.

    Parameters
    ----------
    study
        study of a scan whose protocol corrects attenuation
    scanner
        scanner of the scan; gives the field of view and the default voxel size

    Returns
    -------
    quick
        a study with two iterations of OSEM and a Gaussian filter
    """
    protocol = study.protocol
    modality = modality_of(protocol)
    for kind, choice in modality.choices(protocol).items():
        if _needs_map(type(choice)):
            # "off" keeps the other settings of the correction, so that the protocol stays valid
            off = choice.model_copy(update={"use": "off"})
            protocol = modality.with_choice(protocol, kind, off)
    values = protocol.model_dump()
    grid = values["grid"]
    edges = grid.get("voxel_mm") or scanner.default_voxel_mm
    coarse = max(scanner.default_size_mm) / N_ACROSS
    # Never finer than the user's own grid: voxels grow to 1/96 of the field of view at least
    voxel = tuple(max(float(edge), coarse) for edge in edges)
    if "voxel_mm" in grid:
        grid["voxel_mm"] = voxel
    # Two iterations on large voxels are noisy, and the registration compares edges
    smooth = Gaussian(fwhm_mm=SMOOTH * max(voxel))
    values |= {"algorithm": QUICK.model_dump(), "finishing": [smooth.model_dump()]}
    made = parse(type(protocol), values, where="quick image")
    return study.model_copy(update={"protocol": made})


def _needs_map(kind: type[AnyCorrection]) -> bool:
    """Return True for attenuation, and for scatter, which requires attenuation."""
    is_scatter = issubclass(kind, (Scatter, BinScatter))
    return is_scatter or any(role.is_aligned_with_patient for role in kind.inputs)


def align(
    study: Study,
    *,
    on: Backend,
    resume: Resume | None = None,
    on_progress: OnProgress | None = None,
    finish_early: FinishEarly | None = None,
) -> Iterator[Event]:
    """Reconstruct a study from `uncorrected`, then register its map to the image.

    Parameters
    ----------
    study
        result of `uncorrected`, with a map of the body among its inputs
    on
        device
    resume
        ignored: the quick image is always made from the start
    on_progress
        called inside long steps; may raise to stop
    finish_early
        polled after each iteration; True ends the iterations

    Yields
    ------
    event
        the events of the run; the provenance of the last one, `Finished`, has the key
        "registration" with the motion ("shift_mm", "turn_deg"), the "light" and a sentence, "text"

    Raises
    ------
    DataError
        if the study has no map, or the map or the image shows no body
    """
    # Before the run: a study without a map is refused at once, not after the reconstruction
    role, path = _map_of(study)
    for event in run(study, on=on, on_progress=on_progress, finish_early=finish_early):
        if not isinstance(event, Finished):
            yield event
            continue
        yield StageStarted("align", f"Compare {role.title} and image")
        # Imported here: the window imports this module and never registers anything itself
        from engine.analysis.registration.rigid import register
        from engine.io import facing

        mu_map = facing(role.read(path, None), event.volume)
        found = register(event.volume, mu_map)
        record = {**found.record(), "text": found.describe()}
        yield replace(event, provenance={**event.provenance, "registration": record})


def _map_of(study: Study) -> tuple[InputRole, Path]:
    for role in all_roles():
        if role.is_aligned_with_patient and role.key in study.inputs:
            return role, study.inputs[role.key]
    raise DataError("The study has no μ-map to register. Add one to the scan.")
