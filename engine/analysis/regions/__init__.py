"""Regions of interest: shapes, figures and files."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.analysis.regions.annotation import Annotation as Annotation
    from engine.analysis.regions.annotation import AnnotationKind as AnnotationKind
    from engine.analysis.regions.base import RegionShape as RegionShape
    from engine.analysis.regions.base import around as around
    from engine.analysis.regions.base import middle_of as middle_of
    from engine.analysis.regions.base import size_of as size_of
    from engine.analysis.regions.combined import CombinedRegion as CombinedRegion
    from engine.analysis.regions.combined import Operation as Operation
    from engine.analysis.regions.contour import RULES as RULES
    from engine.analysis.regions.contour import ContourRegion as ContourRegion
    from engine.analysis.regions.contour import Rule as Rule
    from engine.analysis.regions.coverage import RegionCoverage as RegionCoverage
    from engine.analysis.regions.dicom_image import DicomImage as DicomImage
    from engine.analysis.regions.dicom_image import DicomSource as DicomSource
    from engine.analysis.regions.dicom_image import dicom_source as dicom_source
    from engine.analysis.regions.errors import Difference as Difference
    from engine.analysis.regions.errors import FigureError as FigureError
    from engine.analysis.regions.errors import RegionErrors as RegionErrors
    from engine.analysis.regions.errors import difference_between as difference_between
    from engine.analysis.regions.errors import difference_within as difference_within
    from engine.analysis.regions.errors import quantile as quantile
    from engine.analysis.regions.figures import PERCENTILES as PERCENTILES
    from engine.analysis.regions.figures import VOXEL_RULES as VOXEL_RULES
    from engine.analysis.regions.figures import Contrast as Contrast
    from engine.analysis.regions.figures import RegionFigures as RegionFigures
    from engine.analysis.regions.figures import ValueHistogram as ValueHistogram
    from engine.analysis.regions.figures import VoxelRule as VoxelRule
    from engine.analysis.regions.figures import contrast_of as contrast_of
    from engine.analysis.regions.figures import figures_of as figures_of
    from engine.analysis.regions.figures import histogram_of as histogram_of
    from engine.analysis.regions.labels import regions_of as regions_of
    from engine.analysis.regions.labels import write_labels as write_labels
    from engine.analysis.regions.masks import MaskRegion as MaskRegion
    from engine.analysis.regions.measurement_report import (
        segmentation_path as segmentation_path,
    )
    from engine.analysis.regions.measurement_report import (
        write_measurement_report as write_measurement_report,
    )
    from engine.analysis.regions.measuring import MeasuredRegion as MeasuredRegion
    from engine.analysis.regions.measuring import coverage_of as coverage_of
    from engine.analysis.regions.measuring import mean_in as mean_in
    from engine.analysis.regions.measuring import measure as measure
    from engine.analysis.regions.measuring import measure_all as measure_all
    from engine.analysis.regions.pairs import compared as compared
    from engine.analysis.regions.planar import PlanarContours as PlanarContours
    from engine.analysis.regions.region_file import StoredRegions as StoredRegions
    from engine.analysis.regions.region_file import read_any as read_any
    from engine.analysis.regions.region_file import read_regions as read_regions
    from engine.analysis.regions.region_file import regions_at as regions_at
    from engine.analysis.regions.region_file import regions_file_of as regions_file_of
    from engine.analysis.regions.region_file import replace_regions as replace_regions
    from engine.analysis.regions.region_file import write_regions as write_regions
    from engine.analysis.regions.region_set import COLOURS as COLOURS
    from engine.analysis.regions.region_set import PRINT as PRINT
    from engine.analysis.regions.region_set import VALUES as VALUES
    from engine.analysis.regions.region_set import Region as Region
    from engine.analysis.regions.region_set import RegionSet as RegionSet
    from engine.analysis.regions.region_set import axes_of as axes_of
    from engine.analysis.regions.region_set import image_mark as image_mark
    from engine.analysis.regions.region_set import is_name as is_name
    from engine.analysis.regions.region_set import marks_of as marks_of
    from engine.analysis.regions.region_set import scan_marks as scan_marks
    from engine.analysis.regions.region_set import values_digests as values_digests
    from engine.analysis.regions.segmentation import write_segmentation as write_segmentation
    from engine.analysis.regions.solids import BoxRegion as BoxRegion
    from engine.analysis.regions.solids import CylinderRegion as CylinderRegion
    from engine.analysis.regions.solids import EllipsoidRegion as EllipsoidRegion
    from engine.analysis.regions.solids import PolygonRegion as PolygonRegion
    from engine.analysis.regions.solids import SphereRegion as SphereRegion
    from engine.analysis.regions.structure_set import write_structure_set as write_structure_set
    from engine.analysis.regions.table import csv_of as csv_of

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "annotation": ("Annotation", "AnnotationKind"),
            "base": ("RegionShape", "around", "middle_of", "size_of"),
            "combined": ("CombinedRegion", "Operation"),
            "contour": ("RULES", "ContourRegion", "Rule"),
            "coverage": ("RegionCoverage",),
            "dicom_image": ("DicomImage", "DicomSource", "dicom_source"),
            "errors": (
                *("Difference", "FigureError", "RegionErrors"),
                *("difference_between", "difference_within", "quantile"),
            ),
            "figures": (
                *(
                    "PERCENTILES",
                    "VOXEL_RULES",
                    "Contrast",
                    "RegionFigures",
                    "ValueHistogram",
                    "VoxelRule",
                ),
                *("contrast_of", "figures_of", "histogram_of"),
            ),
            "labels": ("regions_of", "write_labels"),
            "masks": ("MaskRegion",),
            "measurement_report": ("segmentation_path", "write_measurement_report"),
            "measuring": ("MeasuredRegion", "coverage_of", "mean_in", "measure", "measure_all"),
            "pairs": ("compared",),
            "planar": ("PlanarContours",),
            "region_file": (
                *("StoredRegions", "read_any", "read_regions", "regions_at"),
                *("regions_file_of", "replace_regions", "write_regions"),
            ),
            "region_set": (
                *("COLOURS", "Region", "RegionSet", "axes_of", "image_mark", "is_name"),
                *("PRINT", "VALUES", "marks_of", "scan_marks", "values_digests"),
            ),
            "segmentation": ("write_segmentation",),
            "solids": (
                *("BoxRegion", "CylinderRegion", "EllipsoidRegion", "PolygonRegion"),
                "SphereRegion",
            ),
            "structure_set": ("write_structure_set",),
            "table": ("csv_of",),
        },
    )
