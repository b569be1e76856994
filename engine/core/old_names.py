"""Old names of modules: each imports the module of today, and warns once.

Programs of users may hold names that the documentation gave before version 0.2.0. Nothing
else is imported until a program asks for one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

RENAMED = {
    "engine.algorithms": "engine.recon.algorithms",
    "engine.arrays": "engine.core.arrays",
    "engine.backend": "engine.core.backend",
    "engine.benchmark": "engine.tools.benchmark",
    "engine.catalogue": "engine.jobs.study_index",
    "engine.data.column_room": "engine.data.storage.columns",
    "engine.data.decay": "engine.data.timing.decay",
    "engine.data.iterate_room": "engine.data.storage.iterates",
    "engine.data.moment": "engine.data.timing.datetime_setting",
    "engine.data.moments": "engine.data.timing.timestamps",
    "engine.data.moving": "engine.data.rigid_resampling",
    "engine.data.out_of_core": "engine.data.storage.out_of_core",
    "engine.data.readable": "engine.data.formatting",
    "engine.data.run_record": "engine.data.runs.record",
    "engine.data.time_frames": "engine.data.timing.time_frames",
    "engine.data.tracer": "engine.data.timing.tracer",
    "engine.data.volume_file": "engine.data.storage.volume_file",
    "engine.documents": "engine.results.reports",
    "engine.errors": "engine.core.errors",
    "engine.events": "engine.data.runs.events",
    "engine.faces": "engine.core.lazy_exports",
    "engine.filtering": "engine.recon.filtering",
    "engine.importing": "engine.raw_import",
    "engine.io.atomic_write": "engine.io.safety.atomic_write",
    "engine.io.crystal_map": "engine.io.scanners.crystal_map",
    "engine.io.cut_off": "engine.io.safety.cut_off",
    "engine.io.hdf5_writer": "engine.io.hdf5.writer",
    "engine.io.nifti": "engine.io.volumes.nifti",
    "engine.io.open_input": "engine.io.safety.open_input",
    "engine.io.outputs": "engine.io.safety.outputs",
    "engine.model": "engine.recon.model",
    "engine.normalise": "engine.tools.normalisation_scan",
    "engine.operators.xray_slabs": "engine.operators.xray.slabs",
    "engine.paths": "engine.core.paths",
    "engine.penalties": "engine.recon.priors",
    "engine.plain": "engine.core.json_types",
    "engine.postprocess": "engine.recon.postprocess",
    "engine.preprocess": "engine.corrections.preprocess",
    "engine.privacy": "engine.protocols.privacy",
    "engine.profiling": "engine.core.profiling",
    "engine.quality": "engine.analysis.quality",
    "engine.regions": "engine.analysis.regions",
    "engine.registration": "engine.analysis.registration",
    "engine.reporting": "engine.protocols.run_context",
    "engine.scatter": "engine.corrections.scatter_estimation",
    "engine.scatter.twice": "engine.corrections.scatter_estimation.double_scatter",
    "engine.settings": "engine.core.settings",
    "engine.study": "engine.protocols.study",
    "engine.support": "engine.tools.diagnostics",
    "engine.tuning": "engine.tools.tuning",
}
"""Old name of a module or package to its name of today; modules in a package follow it."""


def renamed(name: str) -> str:
    """Return the name of today of a module, empty if the old one is unknown."""
    if not name.startswith("engine."):
        return ""  # most imports: no time to lose
    package, rest = name, ""
    while package:
        if package in RENAMED:
            return RENAMED[package] + rest
        package, _, last = package.rpartition(".")
        rest = f".{last}{rest}"
    return ""


class OldNames:
    """Finds modules by their old names; a finder and a loader of Python's import system."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module that has an old name, None for any other."""
        # Python's own types ask for an abstract loader, whose module takes milliseconds to import
        return ModuleSpec(name, self) if renamed(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module of today, and warn."""
        from importlib import import_module
        from warnings import warn

        new = renamed(spec.name)
        module = import_module(new)
        warn(f"{spec.name} is now {new}.", DeprecationWarning, stacklevel=2)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own specification, which the import has replaced."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Have old names found."""
    if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
        # before all others: a folder that an older version left behind would hide an old name
        sys.meta_path.insert(0, OldNames())
