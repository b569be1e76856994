"""Isocenter's reconstruction engine: read a scan, reconstruct it, save the volume.

The engine has no user interface and runs in scripts. The names of this module and of the modules
`algorithms`, `corrections`, `filters`, `geometry`, `phantoms`, `preprocessing` and `priors` are its
public interface; everything else may change.

Examples
--------
>>> import engine
>>> volume = engine.reconstruct("scan.h5", "brain-fdg")             # doctest: +SKIP
>>> engine.save(volume, "image.nii.gz")                             # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.core.old_names import install as _find_old_names

if TYPE_CHECKING:
    from engine import (
        algorithms,
        corrections,
        filters,
        geometry,
        phantoms,
        preprocessing,
        priors,
    )
    from engine.core.backend import cpu
    from engine.core.errors import EngineError
    from engine.data.histogram import Histogram
    from engine.data.listmode import ListMode
    from engine.data.projections import Projections
    from engine.data.sinogram import Sinogram
    from engine.data.volume import Volume
    from engine.geometry.crystal_map import CrystalMap
    from engine.geometry.dual_head import DualHead, DualHeadSettings
    from engine.geometry.grid import ImageGrid
    from engine.geometry.orbits import circular_cone, fan, from_astra_vectors, helical, parallel
    from engine.geometry.ring import RingScanner, RingSettings
    from engine.geometry.sinogram_layout import SinogramLayout
    from engine.geometry.tof import TofBins
    from engine.geometry.xray import XrayGeometry
    from engine.io.any_file import read, save
    from engine.io.scanners import read_scanner
    from engine.jobs.reconstruction import reconstruct, reconstruct_frames, run
    from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
    from engine.modalities.listmode_pet.protocol import ListModeProtocol
    from engine.modalities.listmode_pet.scan_model import listmode_model, sensitivity
    from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
    from engine.modalities.studies import Study, find_protocol, read_study
    from engine.modalities.xray_ct.protocol import CtProtocol
    from engine.operators.base import LinearOperator
    from engine.operators.gaussian import GaussianBlur
    from engine.operators.matrix.projector import MatrixProjector
    from engine.operators.point_spread import PointSpreadBlur
    from engine.operators.rays import RayProjector, Rays
    from engine.operators.xray.patches import Patches
    from engine.operators.xray.slices import Slices
    from engine.operators.xray.transform import XrayTransform
    from engine.operators.xray.user_kernel import UserKernel
    from engine.recon.filtering.fdk import fdk
    from engine.recon.model import BinnedModel, HistogramModel, LinearModel, ListModeModel
    from engine.selftest import best
    from engine.selftest.operator_check import OperatorCheck, check_operator
    from engine.simulate.histogram import simulate_histogram
    from engine.simulate.listmode import simulate_listmode
    from engine.simulate.xray import simulate_integrals, simulate_xray
    from engine.tools.tuning.user_kernel import TunedKernel, tune_kernel

    __version__: str

_MODULES: dict[str, tuple[str, ...]] = {
    "core.backend": ("cpu",),
    "data.histogram": ("Histogram",),
    "data.listmode": ("ListMode",),
    "data.projections": ("Projections",),
    "data.sinogram": ("Sinogram",),
    "data.volume": ("Volume",),
    "core.errors": ("EngineError",),
    "geometry.crystal_map": ("CrystalMap",),
    "geometry.dual_head": ("DualHead", "DualHeadSettings"),
    "geometry.grid": ("ImageGrid",),
    "geometry.orbits": ("circular_cone", "fan", "from_astra_vectors", "helical", "parallel"),
    "geometry.ring": ("RingScanner", "RingSettings"),
    "geometry.sinogram_layout": ("SinogramLayout",),
    "geometry.tof": ("TofBins",),
    "geometry.xray": ("XrayGeometry",),
    "io.any_file": ("read", "save"),
    "io.scanners": ("read_scanner",),
    "jobs.reconstruction": ("reconstruct", "reconstruct_frames", "run"),
    "modalities.dual_head_pet.protocol": ("DualHeadProtocol",),
    "modalities.listmode_pet.protocol": ("ListModeProtocol",),
    "modalities.ring_sinogram_pet.protocol": ("RingSinogramProtocol",),
    "modalities.listmode_pet.scan_model": ("listmode_model", "sensitivity"),
    "modalities.studies": ("Study", "find_protocol", "read_study"),
    "modalities.xray_ct.protocol": ("CtProtocol",),
    "recon.filtering.fdk": ("fdk",),
    "recon.model": ("BinnedModel", "HistogramModel", "LinearModel", "ListModeModel"),
    "operators.base": ("LinearOperator",),
    "operators.gaussian": ("GaussianBlur",),
    "operators.matrix.projector": ("MatrixProjector",),
    "operators.point_spread": ("PointSpreadBlur",),
    "operators.rays": ("RayProjector", "Rays"),
    "operators.xray.patches": ("Patches",),
    "operators.xray.slices": ("Slices",),
    "operators.xray.transform": ("XrayTransform",),
    "operators.xray.user_kernel": ("UserKernel",),
    "selftest": ("best",),
    "selftest.operator_check": ("OperatorCheck", "check_operator"),
    "simulate.histogram": ("simulate_histogram",),
    "simulate.listmode": ("simulate_listmode",),
    "simulate.xray": ("simulate_integrals", "simulate_xray"),
    "tools.tuning.user_kernel": ("TunedKernel", "tune_kernel"),
}
"""Module to the public names that it defines; it is imported at the first access to one."""
_SUBPACKAGES = (
    "algorithms",
    "corrections",
    "filters",
    "geometry",
    "phantoms",
    "preprocessing",
    "priors",
)
"""Public modules of the engine, imported at the first access."""
_HOME = {name: f"engine.{module}" for module, names in _MODULES.items() for name in names}

__all__ = [
    "BinnedModel",
    "CrystalMap",
    "CtProtocol",
    "DualHead",
    "DualHeadProtocol",
    "DualHeadSettings",
    "EngineError",
    "GaussianBlur",
    "Histogram",
    "HistogramModel",
    "ImageGrid",
    "LinearModel",
    "LinearOperator",
    "ListMode",
    "ListModeModel",
    "ListModeProtocol",
    "MatrixProjector",
    "OperatorCheck",
    "Patches",
    "PointSpreadBlur",
    "Projections",
    "RayProjector",
    "Rays",
    "RingScanner",
    "RingSettings",
    "RingSinogramProtocol",
    "Sinogram",
    "SinogramLayout",
    "Slices",
    "Study",
    "TofBins",
    "TunedKernel",
    "UserKernel",
    "Volume",
    "XrayGeometry",
    "XrayTransform",
    "__version__",
    "algorithms",
    "best",
    "check_operator",
    "circular_cone",
    "corrections",
    "cpu",
    "fan",
    "fdk",
    "filters",
    "find_protocol",
    "from_astra_vectors",
    "geometry",
    "helical",
    "listmode_model",
    "parallel",
    "phantoms",
    "preprocessing",
    "priors",
    "read",
    "read_scanner",
    "read_study",
    "reconstruct",
    "reconstruct_frames",
    "run",
    "save",
    "sensitivity",
    "simulate_histogram",
    "simulate_integrals",
    "simulate_listmode",
    "simulate_xray",
    "tune_kernel",
]

# programs can contain module names from before version 0.2.0
_find_old_names()


def __getattr__(name: str) -> Any:
    # reading the metadata takes milliseconds, and few programs need the version
    if name == "__version__":
        from importlib.metadata import version

        return version("isocenter")
    if name in _SUBPACKAGES:
        return import_module(f"engine.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # later accesses do not call this function
    return value


def __dir__() -> list[str]:
    # completion in an interactive Python also shows names that are not imported yet
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
