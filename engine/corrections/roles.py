"""Auxiliary files of corrections, and how they are read.

The command line lists these files for every kind of scan. This module therefore imports neither
the corrections nor the readers of the files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import DataError
from engine.data.input_role import InputRole, Making

if TYPE_CHECKING:
    from engine.data.calibration import Calibration
    from engine.data.components import Components
    from engine.data.listmode import ListMode
    from engine.data.timing.tracer import Tracer
    from engine.data.volume import Volume
    from engine.geometry.point_spread import PointSpread
    from engine.geometry.scanner import Scanner
    from engine.io.safety.open_input import InputFile


def _read_efficiencies(path: Path, scanner: Scanner) -> Components:
    from engine.io import read_components

    return read_components(path, scanner)


# The suffix proves nothing, so both kinds of files are recognised by their content.
def _is_normalisation(file: Any) -> bool:
    from engine.io.castor.normalisation import is_normalisation
    from engine.io.hdf5.normalisation import is_components

    return is_components(file) or is_normalisation(file.head)


def _attach_efficiencies(data: Any, components: Components) -> Any:
    """Return the scan with the new efficiencies of crystals and the tables of its lines."""
    crystals = components.of_crystals(data.scanner)
    if crystals is not None:
        # New efficiencies replace the live times that the old ones had been multiplied by. Only
        # list mode has that attribute.
        others = {"live_times": None} if hasattr(data, "live_times") else {}
        data = replace(data, efficiencies=crystals, **others)
    if components.live is not None:
        # The calibration checks this entry, so that dead time is not corrected twice.
        from engine.data.calibration import LIVE_BLOCKS

        data = replace(data, info={**data.info, LIVE_BLOCKS: len(components.live)})
    more = components.has_tables or components.live is not None
    return replace(data, components=components) if more else data


EFFICIENCIES = InputRole(
    key="normalisation",
    title="Normalisation",
    text="Crystal efficiencies or a normalisation of this scanner",
    without="File with crystal efficiencies or a normalisation of this scanner. Without it, all "
    "crystals are treated as equally efficient.",
    suffixes=(".h5", ".hdf5", ".txt", ".csv", ".tsv", ".cdh"),
    read=_read_efficiencies,
    describe=lambda components: components.describe(),
    attach=_attach_efficiencies,
    accepts=_is_normalisation,
    format="Crystal efficiencies",
    of_scanner=True,
    making=Making(
        "normalise",
        words="Create …",
        tip="Create a normalisation from scans of a source of known shape",
        of_rings=True,
    ),
)


def _read_mu_map(path: Path, scanner: Any) -> Volume:
    from engine.io import read_mu_map

    return read_mu_map(path, scanner)


def _describe_mu_map(mu_map: Volume) -> str:
    n_z, n_y, n_x = mu_map.grid.shape
    peak = float(mu_map.values.max(initial=0.0))
    source = mu_map.info.get("converted_from")
    origin = f", from {source}" if source else ""
    return f"{n_x} × {n_y} × {n_z} voxels, up to {peak:.4f} {mu_map.unit}{origin}"


def _attach_mu_map(data: ListMode, mu_map: Volume) -> ListMode:
    return replace(data, mu_map=_in_scanner_axes(data, mu_map))


def _in_scanner_axes(data: ListMode, mu_map: Volume) -> Volume:
    """Return the map in the axes of the scanner; DICOM series have those of the patient."""
    from engine.io.volumes.straight_axes import NO_SIDES, in_scanner_frame, is_in_patient_axes

    is_of_patient = is_in_patient_axes(mu_map)
    # HFP, FFS and FFP scans without a stated position have no known rotation to the patient.
    if is_of_patient and data.info.get("axes") == NO_SIDES:
        raise DataError(
            "the μ-map is in patient coordinates, but the scan does not state the patient "
            "position; register the map, or save it in scanner coordinates."
        )
    # "LPI" means that the scanner's z points to the feet, so the map must be flipped.
    sign = -1 if str(data.info.get("axes", "LPS")).endswith("I") else 1
    if not is_of_patient or mu_map.head_sign == sign:
        return mu_map
    turned = in_scanner_frame(mu_map)
    return replace(turned, info={**turned.info, "axes": "LPI" if sign < 0 else "LPS"})


def _is_mu_map(volume: Volume) -> bool:
    """Return True for a μ-map or a CT, by its unit or else by its values."""
    if volume.unit == "HU" or volume.info.get("content") == "mu-map":
        # Without a unit only the values tell: 511 keV in tissue is near 0.0096/mm, bone below
        # 0.02/mm.
        return True
    peak = float(volume.values.max(initial=0.0))
    return volume.unit in ("1/mm", "1/cm") or (not volume.unit and 0.001 < peak < 0.05)


ATTENUATION_MAP = InputRole(
    key="attenuation",
    title="μ-map",
    text="Attenuation map [1/mm]",
    without="Attenuation map (μ-map). Without it, the image is not corrected for attenuation.",
    suffixes=(".nii", ".nii.gz", ".h5", ".hdf5", ".dcm", ".ima"),
    read=_read_mu_map,
    describe=_describe_mu_map,
    attach=_attach_mu_map,
    takes_volume=_is_mu_map,
    is_aligned_with_patient=True,
)


def _read_calibration(path: Path, scanner: Scanner | None) -> Calibration:
    from engine.io.auxiliary.calibration_file import read_calibration

    return read_calibration(path, scanner)


def _is_calibration(file: InputFile) -> bool:
    from engine.io.auxiliary.calibration_file import is_calibration

    return is_calibration(file)


def _read_tracer(path: Path, scanner: Scanner | None) -> Tracer:
    from engine.io.auxiliary.tracer_file import read_tracer

    return read_tracer(path)


def _is_tracer(file: InputFile) -> bool:
    from engine.io.auxiliary.tracer_file import is_tracer

    return is_tracer(file)


CALIBRATION = InputRole(
    key="calibration",
    title="Calibration",
    text="Calibration factor from counts/mm to Bq/mL, measured with `isocenter calibrate`",
    without=(
        "Calibration measured with a cylinder of known activity. Without it, values are in "
        "counts/mm."
    ),
    suffixes=(".json",),
    read=_read_calibration,
    describe=lambda found: f"{found.scanner}, standard error {found.error_percent:.2g} %",
    accepts=_is_calibration,
    of_scanner=True,
    making=Making(
        "calibrate",
        words="Measure …",
        tip="Measure the calibration factor in the image of a cylinder of known activity",
    ),
)
TRACER = InputRole(
    key="tracer",
    title="Tracer and dose",
    text="Tracer file (TOML) with the nuclide, dose, times and patient weight for this scan",
    without=(
        "File with the nuclide, dose, times and patient weight. Without it, these values come "
        "from the scan."
    ),
    suffixes=(".toml",),
    read=_read_tracer,
    describe=lambda tracer: tracer.describe(),
    accepts=_is_tracer,
    attach=lambda data, tracer: replace(data, info={**data.info, **tracer.facts()}),
    making=Making(
        "describe_tracer",
        words="Fill in …",
        tip="Enter the nuclide, dose, times and patient weight for this scan",
    ),
)


def _read_point_spread(path: Path, scanner: object) -> PointSpread:
    from engine.io.auxiliary.point_spread import read_point_spread

    return read_point_spread(path)


POINT_SPREAD = InputRole(
    key="point_spread",
    title="Measured resolution",
    text="Measured widths of point sources at several distances from the axis",
    without=(
        "Measured resolution. Without it, the resolution is calculated from crystal size, "
        "crystal depth and bore."
    ),
    suffixes=(".txt", ".csv", ".tsv"),
    read=_read_point_spread,
    describe=lambda spread: spread.describe(),
    of_scanner=True,
    making=Making(
        "measure_resolution",
        words="Measure …",
        tip="Measure the resolution with point sources",
        of_rings=True,
    ),
)

LISTMODE_ROLES: tuple[InputRole, ...] = (
    EFFICIENCIES,
    ATTENUATION_MAP,
    POINT_SPREAD,
    CALIBRATION,
    TRACER,
)
"""Files of the corrections of list mode, in the order of the corrections."""
HISTOGRAM_ROLES: tuple[InputRole, ...] = (EFFICIENCIES, ATTENUATION_MAP)
"""Files of the corrections of histograms."""
