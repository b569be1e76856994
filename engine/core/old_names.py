"""Old module names: each imports the present module and warns once.

User programs can contain names that the documentation gave before version 0.2.0. Nothing is
imported until a program asks for such a name.
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
    "engine.operators.flat": "engine.operators.of_any_operator",
    "engine.operators.norm": "engine.operators.of_any_operator",
    "engine.operators.scalar": "engine.operators.of_any_operator",
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
"""Old to present name of a module or package; submodules follow their package."""
PUBLIC = ("engine.algorithms",)
"""Old names that are public modules today; only the modules that were inside them are old."""


def renamed(name: str) -> str:
    """Return the present name of a module with an old name.

    Parameters
    ----------
    name
        old dotted name; modules inside a renamed package count too

    Returns
    -------
    present dotted name; empty if the name is not an old one
    """
    if not name.startswith("engine.") or name in PUBLIC:
        return ""  # the usual case, without a search
    package, rest = name, ""
    # From the longest name to the shortest, so that a submodule's own entry comes first.
    while package:
        if package in RENAMED:
            return RENAMED[package] + rest
        package, _, last = package.rpartition(".")
        rest = f".{last}{rest}"
    return ""


class OldNames:
    """Finder and loader of Python's import system for old module names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module specification for an old name, None for any other.

        Parameters
        ----------
        name
            dotted name of the import
        path
            not used
        target
            not used
        """
        # the annotation requires importlib.abc.Loader, whose import takes milliseconds
        return ModuleSpec(name, self) if renamed(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the present module and warn.

        Parameters
        ----------
        spec
            specification with the old name

        Returns
        -------
        the present module, so that old and new names share their state
        """
        from importlib import import_module
        from warnings import warn

        new = renamed(spec.name)
        module = import_module(new)
        warn(f"{spec.name} is now {new}.", DeprecationWarning, stacklevel=2)
        # The import system overwrites __spec__ with the old name; exec_module restores it.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own specification, which the import has replaced."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Register the finder for old names."""
    if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
        # first, because a folder of an older version would hide an old name
        sys.meta_path.insert(0, OldNames())
