"""Write the figures of regions as a structured report: TID 1500 with groups of TID 1411 (PS3.16).

The report contains one group of measurements for each region: mean, standard deviation, minimum,
maximum, median, peak, total and volume, with the errors where the image has replicates. Each group
refers to a segment of a DICOM segmentation of the same regions, which is written next to the
report. The object is a Comprehensive SR (PS3.3 A.35.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from engine.analysis.regions import measurement_codes as codes
from engine.analysis.regions.dicom_image import SUFFIX, DicomImage
from engine.analysis.regions.errors import FigureError
from engine.analysis.regions.figures import PERCENTILES, RegionFigures, VoxelRule
from engine.analysis.regions.measurement_codes import Code
from engine.analysis.regions.measuring import MeasuredRegion, measure
from engine.analysis.regions.region_set import Region
from engine.analysis.regions.segmentation import Segmentation
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.io.dicom.general import encoded_object
from engine.io.dicom.private_block import SIGNED
from engine.io.dicom.series import instance_uid
from engine.io.dicom.values import decimal, uid_of, words
from engine.io.safety.atomic_write import write_all

CLASS_UID = "1.2.840.10008.5.1.4.1.1.88.33"
"""Comprehensive SR Storage."""
NUMBER = "906"
"""Series number that no other export of this program uses."""
MEDIAN_AT = PERCENTILES.index(50)
MAX_CHARACTERS = 64
CONTAINS, HAS_MODIFIER = "CONTAINS", "HAS CONCEPT MOD"
HAS_CONTEXT, HAS_PROPERTIES = "HAS OBS CONTEXT", "HAS PROPERTIES"
ENGLISH = Code("en", "RFC5646", "English")
DEVICE = Code("121007", codes.DCM, "Device")
PROCEDURE = Code("363679005", codes.SCT, "Imaging procedure")
TISSUE = Code("85756007", codes.SCT, "Tissue")
UPPER = Code("371886008", codes.SCT, "+, range of upper measurement uncertainty")
LOWER = Code("371885007", codes.SCT, "-, range of lower measurement uncertainty")


@dataclass(frozen=True)
class ReportFiles:
    """A structured report and the segmentation that it refers to.

    Attributes
    ----------
    report, segmentation : bytes of the DICOM files
    """

    report: bytes
    segmentation: bytes


def segmentation_path(path: Path) -> Path:
    """Return the path of the segmentation that is written next to a structured report.

    Parameters
    ----------
    path
        target of the report

    Examples
    --------
    >>> from pathlib import Path
    >>> from engine.analysis.regions.measurement_report import segmentation_path
    >>> segmentation_path(Path("regions.sr.dcm")).name, segmentation_path(Path("a.dcm")).name
    ('regions.seg.dcm', 'a.seg.dcm')
    """
    # Suffixes of DICOM files can be in capitals.
    stem = path.name[: -len(SUFFIX)] if path.name.lower().endswith(SUFFIX) else path.name
    return path.with_name(f"{stem[:-3] if stem.lower().endswith('.sr') else stem}.seg{SUFFIX}")


def write_measurement_report(
    regions: Sequence[Region],
    image: DicomImage,
    path: Path,
    *,
    rule: VoxelRule = "area",
) -> Path:
    """Write the figures of regions and their segmentation; both files or none.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    image
        image to measure
    path
        target of the report, .dcm
    rule
        rule for voxels that are partly inside

    Returns
    -------
    path of the segmentation

    Raises
    ------
    DataError
        if the name has another suffix, there is no region, a region cannot be measured, or no
        series of the image is known
    """
    if not path.name.lower().endswith(SUFFIX):
        raise DataError(
            f"{path.name}: a structured report is a DICOM file; choose a name that ends with .dcm."
        )
    found = report_files(regions, image, rule=rule)
    target = segmentation_path(path)
    # The segmentation first: a report means that the segmentation is complete.
    write_all({target: found.segmentation, path: found.report})
    return target


def report_files(
    regions: Sequence[Region],
    image: DicomImage,
    *,
    rule: VoxelRule = "area",
    signed: str = "",
) -> ReportFiles:
    """Return the structured report of regions with its segmentation.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    image
        image to measure
    rule
        rule for voxels that are partly inside
    signed
        text by which the report states its signature; empty if it is not signed

    Raises
    ------
    DataError
        if there is no region, a region cannot be measured, or no series of the image is known
    """
    segments = Segmentation.of(regions, image)
    measured = [measure(region, image.volume, rule=rule) for region in regions]
    return ReportFiles(_encoded(measured, segments, signed), segments.encoded())


def _encoded(measured: Sequence[MeasuredRegion], segments: Segmentation, signed: str) -> bytes:
    image = segments.image
    source = str(image.named_series[0]["SeriesInstanceUID"])
    groups = [
        _group(number, each, segments, source, image.volume.unit)
        for number, each in enumerate(measured, 1)
    ]
    # The UID depends on the figures: the same export keeps its UID, and other figures are a new
    # object instead of a conflicting copy.
    digest = sha256(repr(groups).encode()).hexdigest()
    own = uid_of("measurement report", image.study, segments.uid, digest)
    general = image.attributes()
    attributes: Plain = {
        **general,
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": NUMBER,
        "SeriesDescription": words(f"Figures, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        "Modality": "SR",
        "DeviceSerialNumber": "0",
        "ReferencedPerformedProcedureStepSequence": [],
        "PerformedProcedureCodeSequence": [],
        "CompletionFlag": "COMPLETE",
        "VerificationFlag": "UNVERIFIED",
        "CurrentRequestedProcedureEvidenceSequence": [_evidence(segments)],
        SIGNED: signed,
        **_container(Code("126000", codes.DCM, "Imaging Measurement Report"), "1500"),
        "ContentSequence": [
            *_head(general),
            {
                "RelationshipType": CONTAINS,
                **_container(Code("126010", codes.DCM, "Imaging Measurements")),
                "ContentSequence": groups,
            },
        ],
    }
    return encoded_object(attributes)


def _evidence(segments: Segmentation) -> Plain:
    """Return the objects that the report uses, all in one study (PS3.3 C.17.2.3)."""
    own = {"SeriesInstanceUID": segments.uid, "ReferencedSOPSequence": [segments.reference]}
    image = segments.image.named_series[0]
    source = {
        "SeriesInstanceUID": image["SeriesInstanceUID"],
        "ReferencedSOPSequence": image["ReferencedInstanceSequence"],
    }
    return {"StudyInstanceUID": segments.image.study, "ReferencedSeriesSequence": [own, source]}


def _head(general: Plain) -> Iterator[Plain]:
    """Yield language, observer and procedure (TID 1204, 1001 and row 4 of TID 1500)."""
    language = Code("121049", codes.DCM, "Language of Content Item and Descendants")
    yield _coded(HAS_MODIFIER, language, ENGLISH)
    yield _coded(HAS_CONTEXT, Code("121005", codes.DCM, "Observer Type"), DEVICE)
    observer = Code("121012", codes.DCM, "Device Observer UID")
    # One UID for each version, because figures can depend on it.
    yield _named_uid(HAS_CONTEXT, observer, uid_of("Isocenter", general["SoftwareVersions"]))
    for value, meaning, text in (
        ("121013", "Device Observer Name", f"Isocenter {general['SoftwareVersions']}"),
        ("121014", "Device Observer Manufacturer", str(general["Manufacturer"])),
    ):
        yield _text(HAS_CONTEXT, Code(value, codes.DCM, meaning), text)
    yield _coded(HAS_MODIFIER, Code("121058", codes.DCM, "Procedure reported"), PROCEDURE)


def _group(
    number: int, measured: MeasuredRegion, segments: Segmentation, source: str, unit: str
) -> Plain:
    """Return the measurements of a region (TID 1411)."""
    region, found = measured.region, measured.figures
    if found is None:
        raise DataError(f"{region.name}: {measured.fault}")
    name = words(region.name, MAX_CHARACTERS) or f"Region {number}"
    tracking = uid_of("tracked region", segments.image.subject.frame_uid, region.name)
    segment = {**segments.reference, "ReferencedSegmentNumber": number}
    items = [
        _text(HAS_CONTEXT, Code("112039", codes.DCM, "Tracking Identifier"), name),
        _named_uid(HAS_CONTEXT, Code("112040", codes.DCM, "Tracking Unique Identifier"), tracking),
        _coded(CONTAINS, Code("121071", codes.DCM, "Finding"), TISSUE),
        {
            "RelationshipType": CONTAINS,
            "ValueType": "IMAGE",
            **_concept(Code("121191", codes.DCM, "Referenced Segment")),
            "ReferencedSOPSequence": [segment],
        },
        _named_uid(CONTAINS, Code("121232", codes.DCM, "Source series for segmentation"), source),
        *_measurements(measured, found, unit),
    ]
    return {
        "RelationshipType": CONTAINS,
        **_container(Code("125007", codes.DCM, "Measurement Group"), "1411"),
        "ContentSequence": items,
    }


def _measurements(measured: MeasuredRegion, found: RegionFigures, unit: str) -> Iterator[Plain]:
    quantity, code, e = codes.quantity_code(unit), codes.unit_code(unit), measured.errors
    rows: list[tuple[Code, float, FigureError | None]] = [
        (codes.MEAN, found.mean, None if e is None else e.mean),
        (codes.DEVIATION, found.sd, None),
        (codes.MINIMUM, found.minimum, None if e is None else e.minimum),
        (codes.MAXIMUM, found.maximum, None if e is None else e.maximum),
        (codes.MEDIAN, found.percentiles[MEDIAN_AT], None),
    ]
    if found.peak is not None:
        rows.append((codes.PEAK, found.peak.value, None if e is None else e.peak))
    for derivation, value, error in rows:
        yield _number(quantity, value, code, derivation, error)
    whole = None if e is None else e.total
    yield _number(quantity, found.total, codes.total_unit_code(unit), codes.TOTAL, whole)
    yield _number(codes.VOLUME, found.volume_ml, codes.CUBIC_CENTIMETRE)


def _number(
    name: Code,
    value: float,
    unit: Code,
    derivation: Code | None = None,
    error: FigureError | None = None,
) -> Plain:
    """Return a measurement (TID 300), with one standard deviation as its uncertainty (TID 310)."""
    below = list[Plain]()
    if derivation is not None:
        below.append(_coded(HAS_MODIFIER, Code("121401", codes.DCM, "Derivation"), derivation))
    if error is not None:
        below += [
            {**_number(bound, error.sd, unit), "RelationshipType": HAS_PROPERTIES}
            for bound in (UPPER, LOWER)
        ]
    measured = {
        "MeasurementUnitsCodeSequence": [_code(unit)],
        "NumericValue": decimal(value),
        # A decimal string can be shorter than the value.
        "FloatingPointValue": value,
    }
    return {
        "RelationshipType": CONTAINS,
        "ValueType": "NUM",
        **_concept(name),
        "MeasuredValueSequence": [measured],
        **({"ContentSequence": below} if below else {}),
    }


def _container(concept: Code, template: str = "") -> Plain:
    named: Plain = {}
    if template:
        item = {"MappingResource": "DCMR", "TemplateIdentifier": template}
        named = {"ContentTemplateSequence": [item]}
    return {
        "ValueType": "CONTAINER",
        **_concept(concept),
        "ContinuityOfContent": "SEPARATE",
        **named,
    }


def _coded(relation: str, concept: Code, value: Code) -> Plain:
    return {
        "RelationshipType": relation,
        "ValueType": "CODE",
        **_concept(concept),
        "ConceptCodeSequence": [_code(value)],
    }


def _text(relation: str, concept: Code, text: str) -> Plain:
    return {
        "RelationshipType": relation,
        "ValueType": "TEXT",
        **_concept(concept),
        "TextValue": text,
    }


def _named_uid(relation: str, concept: Code, uid: str) -> Plain:
    return {"RelationshipType": relation, "ValueType": "UIDREF", **_concept(concept), "UID": uid}


def _concept(code: Code) -> Plain:
    return {"ConceptNameCodeSequence": [_code(code)]}


def _code(code: Code) -> Plain:
    return {
        "CodeValue": code.value,
        "CodingSchemeDesignator": code.scheme,
        "CodeMeaning": code.meaning,
    }
