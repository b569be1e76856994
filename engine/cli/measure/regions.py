"""`isocenter regions`: measure regions in images; convert regions to and from labels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.analysis.regions.dicom_image import DicomImage
from engine.analysis.regions.figures import VOXEL_RULES
from engine.analysis.regions.labels import write_labels
from engine.analysis.regions.measurement_report import (
    segmentation_path,
    write_measurement_report,
)
from engine.analysis.regions.measuring import MeasuredRegion, measure_all
from engine.analysis.regions.region_file import read_any, write_regions
from engine.analysis.regions.region_set import RegionSet, marks_of
from engine.analysis.regions.segmentation import write_segmentation
from engine.analysis.regions.structure_set import write_structure_set
from engine.analysis.regions.table import csv_of
from engine.cli.console import Console
from engine.cli.dicom.series import series_behind
from engine.cli.outputs import Output, add_force
from engine.cli.parser import needs
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.data.formatting import counted, interval_text, number_text, with_error
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io import read_frames, read_volume
from engine.io.dicom.order import is_order
from engine.io.dicom.patient_identity import subject_of_image
from engine.io.dicom.series import frames_in_series
from engine.io.safety.atomic_write import write_atomically
from engine.protocols.privacy.records import without_names

if TYPE_CHECKING:
    from engine.analysis.regions.errors import RegionErrors

OTHER_PATIENT = (
    "{regions}: these regions belong to a different patient than {image}. Choose regions of this "
    "patient."
)
OTHER_SCAN = (
    "{regions}: these regions were drawn on a different scan than {image}. If both show the same "
    "patient in the same position, add --other-scan."
)


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter regions`.

    It converts regions as well, so that drawings of other programs can be measured in the window.
    """
    p = add_verb(verbs, "regions")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="image, also with time frames")
    p.add_argument(
        "--regions", type=Path, metavar="R.toml", required=True,
        help="region file of the window, label image, or DICOM SEG or RTSTRUCT",
    )  # fmt: skip
    p.add_argument(
        "--csv",
        type=Path,
        action=Output,
        metavar="OUT",
        help="write the statistics as a table (default: none)",
    )
    p.add_argument(
        "--labels",
        type=Path,
        action=Output,
        metavar="OUT",
        help="write a label image (.nii.gz) with one number per region (default: none)",
    )
    p.add_argument(
        "--dicom", type=Path, action=Output, written=lambda path, _: (path,), metavar="OUT.dcm",
        help="write a DICOM segmentation for the series from `dicom write` (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--rtstruct", type=Path, action=Output, written=lambda path, _: (path,),
        metavar="OUT.dcm", help="write an RT structure set with contours in the slices "
        "(default: none)",
    )  # fmt: skip
    p.add_argument(
        "--sr", type=Path, action=Output, metavar="OUT.dcm",
        written=lambda path, _: (path, segmentation_path(path)),
        help="write the statistics as a DICOM structured report (TID 1500), with its segmentation "
        "next to it (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--like", type=Path, metavar="FILE",
        help="for DICOM: image or order with the patient, see `dicom write` "
        "(default: pseudonyms)",
    )  # fmt: skip
    p.add_argument(
        "--identify", action="store_true", help="for DICOM: write real names, see `dicom write`"
    )
    p.add_argument(
        "--save", type=Path, action=Output, metavar="OUT", written=lambda path, _: (path,),
        help="save the regions as a region file (.toml) (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--other-scan", action="store_true",
        help="accept regions of another scan of the same patient, in the same position",
    )  # fmt: skip
    p.add_argument(
        "--rule", choices=VOXEL_RULES, default="area",
        help="area: weight border voxels by the volume inside; centre: count voxels with the "
        "centre inside (default: area)",
    )  # fmt: skip
    add_force(p)
    for option in ("--like", "--identify"):
        needs(p, option, "--dicom", "--rtstruct", "--sr")
    p.set_defaults(act=_regions)


def _regions(arguments: argparse.Namespace, console: Console) -> None:
    volume = read_volume(arguments.volume)
    found = _fitting(arguments, volume)
    frames = read_frames(arguments.volume)
    images = _images(frames, volume)
    measured = measure_all(found.regions, images, rule=arguments.rule)
    for each in measured:
        console.line(_sentence(each))
        if each.errors is not None:
            console.line(f"  {_error_sentence(each, each.errors)}")
    # Frames would give one line for each pair and frame.
    if volume.error is not None and len(images) == 1:
        _show_differences(measured, console)
    console.line(f"Rule: {VOXEL_RULES[arguments.rule]}")
    if arguments.csv is not None:
        write_table(measured, arguments.csv)
        console.line(f"Table: {arguments.csv}")
    if arguments.labels is not None:
        labels = write_labels(found.regions, volume, arguments.labels)
        # A label image has one number per voxel, while regions can overlap
        if labels.n_shared:
            console.note(
                f"{labels.n_shared:,} voxels lie in several regions. The label image gives "
                "each to the region with the largest share of it."
            )
        console.line(f"Labels: {arguments.labels}")
    if any(each is not None for each in (arguments.dicom, arguments.rtstruct, arguments.sr)):
        _write_dicom(arguments, found, volume, frames, console)
    if arguments.save is not None:
        write_regions(found, arguments.save)
        console.line(f"Regions: {arguments.save}")


def _write_dicom(
    arguments: argparse.Namespace,
    found: RegionSet,
    volume: Volume,
    frames: Sequence[FrameVolume],
    console: Console,
) -> None:
    info = volume.info if arguments.identify else without_names(volume.info)
    like, frame = arguments.like, volume.frame_of_reference
    # A segmentation refers to the slices of a series by their UIDs (PS3.3, C.8.20)
    if like is None and volume.patient:
        raise SettingsError(
            f"{arguments.volume.name}: this image is a DICOM series. Add --like with a file of the "
            "series, so that the regions match it."
        )
    subject = None
    if like is not None:
        # An order has no images, and so no frame of reference
        same_frame = bool(frame) and not is_order(like)
        written = frames_in_series(volume, info, frames)
        subject = subject_of_image(like, volume, info, written, same_frame=same_frame)
        if same_frame and subject.frame_uid != frame:
            raise DataError(
                f"{like.name}: the frame of reference differs from that of the image. Choose a "
                "file of the same series."
            )
    series, regions = series_behind(arguments.volume, like), found.regions
    image = DicomImage.of(volume, info, subject, series=series, frames=frames)
    if arguments.dicom is not None:
        n = write_segmentation(regions, image, arguments.dicom)
        console.line(f"Segmentation: {arguments.dicom} ({counted(n, 'frame')})")
    if arguments.rtstruct is not None:
        n = write_structure_set(regions, image, arguments.rtstruct)
        console.line(f"Structure set: {arguments.rtstruct} ({counted(n, 'contour')})")
    if arguments.sr is not None:
        segmentation = write_measurement_report(regions, image, arguments.sr, rule=arguments.rule)
        console.line(f"Structured report: {arguments.sr}")
        console.line(f"Segmentation of the report: {segmentation}")


def write_table(measured: Sequence[MeasuredRegion], path: Path) -> None:
    """Write the statistics as a CSV table, atomically.

    Parameters
    ----------
    measured
        statistics of each region in each image
    path
        output file
    """
    write_atomically(csv_of(measured).encode(), path)


def _fitting(arguments: argparse.Namespace, volume: Volume) -> RegionSet:
    """Return the regions in the coordinates of an image; refuse regions of another scan."""
    path, marks = arguments.regions, marks_of(volume)
    found = read_any(path)
    if not found.regions:
        raise DataError(f"{path.name}: the file has no regions. Draw some in the window.")
    # A different patient is an error in any case; a different scan may be intended
    if found.is_of_other_patient(volume.patient):
        raise DataError(OTHER_PATIENT.format(regions=path.name, image=arguments.volume.name))
    if not found.is_of(marks) and not arguments.other_scan:
        raise DataError(OTHER_SCAN.format(regions=path.name, image=arguments.volume.name))
    # Bound to this image, so that saved regions fit it the next time
    return found.facing(volume).bound_to(marks)


def _images(frames: Sequence[FrameVolume], volume: Volume) -> list[tuple[str, Volume]]:
    """Return time frames with their names, or the single image of a file."""
    if not frames:
        return [("", volume)]
    return [(f"frame {k}, {e.frame.describe()}", e.volume) for k, e in enumerate(frames, 1)]


def _sentence(measured: MeasuredRegion) -> str:
    found, place = measured.figures, f", {measured.image}" if measured.image else ""
    head = f"{measured.region.name}{place}: "
    if found is None:
        return f"{head}{measured.fault}"
    peak = "" if found.peak is None else f", peak {found.peak.value:.5g}"
    return (
        f"{head}mean {found.mean:.5g} ± {found.sd:.3g} {found.unit}, {found.minimum:.5g} to "
        f"{found.maximum:.5g}{peak}, {found.volume_ml:.4g} mL"
    )


def _error_sentence(measured: MeasuredRegion, errors: RegionErrors) -> str:
    found, mean = measured.figures, errors.mean
    if found is None:
        return ""
    peak = "" if errors.peak is None else f", peak ± {number_text(errors.peak.sd, 2)}"
    return (
        f"errors from {errors.n} replicates: mean ± {number_text(mean.sd, 2)} (95 %: "
        f"{interval_text(found.mean, mean.half_width)}), "
        f"maximum ± {number_text(errors.maximum.sd, 2)}"
        f"{peak} "
        f"{found.unit}"
    )


def _show_differences(measured: Sequence[MeasuredRegion], console: Console) -> None:
    from engine.analysis.regions.pairs import compared, limit_of  # few images have errors

    for each in compared(measured):
        value, error = each.difference.value, each.difference.error
        console.line(
            f"{each.one} − {each.other}: difference of the means {with_error(value, error.sd)} "
            f"{each.unit} (95 %: {interval_text(value, error.half_width)}), {each.verdict()}"
        )
    if limit := limit_of(measured):
        console.note(f"{limit}")
