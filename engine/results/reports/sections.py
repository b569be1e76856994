"""Sections of a report, each from the stored files of a result. A new section is one function.

Sections without content are left out. Those in `BRIEF` form the report of one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.analysis.quality.suv import suv_factor
from engine.analysis.quality.suv_volume import facts_of, in_suv, why_no_suv
from engine.analysis.regions.figures import VOXEL_RULES
from engine.analysis.regions.measuring import MeasuredRegion, measure
from engine.analysis.regions.region_set import Region
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.formatting import number_text, quantities, quantity
from engine.data.runs.record import RecordedCorrection, RecordedRun
from engine.data.volume import Volume
from engine.io.safety.audit_log import latest_line
from engine.io.text.fact_labels import fact_of
from engine.io.text.json_text import object_of
from engine.modalities.base import AnyModality
from engine.modalities.studies import modality_of
from engine.protocols.run_context.assigned import assignments
from engine.protocols.study.stored_protocol import ORIGINS, SavedAs, digest_of
from engine.results.reports.annotated import annotated_slices, annotation_table
from engine.results.reports.blocks import Grid, Illustration, ReportRow, Section, Tone
from engine.results.reports.errors import (
    error_of_image,
    error_summary,
    grid_of_bias,
    grid_of_pairs,
    grid_with_errors,
    notes_of_errors,
)
from engine.results.reports.outlined import snapshot_with_regions
from engine.results.reports.page_flow import BETWEEN_MM, LEFT_MM, RIGHT_MM
from engine.results.reports.subject import ReportSubject

Part = Callable[[ReportSubject], Section | None]
STATES = {"applied": "applied", "off": "switched off", "unavailable": "not applied"}
NOT_RECORDED = "not recorded"
UNSIGNED = "Not signed off"


def illustrations(subject: ReportSubject) -> Section:
    """Return the key images, or slices and a projection, each 75 mm wide, with the regions."""
    if subject.own_key_images:
        return _key_images(subject)
    return _image(subject, snapshot_with_regions(subject, n_columns=2), 1.0)


def illustrations_in_a_row(subject: ReportSubject) -> Section:
    """Return the key images, or slices and projection in a row over the page, with the regions."""
    if subject.own_key_images:
        return _key_images(subject)
    return _image(subject, snapshot_with_regions(subject, n_columns=4), 1.0)


def summary(subject: ReportSubject) -> Section:
    """Return the main facts of the reconstruction, from the record of the run.

    Parameters
    ----------
    subject
        result of the report
    """
    record, run = subject.result.record, subject.run
    rows = [
        ReportRow("Scan", subject.result.record.title.rpartition(",")[0] or record.title),
        ReportRow("Protocol", run.protocol.describe()),
        ReportRow("Quality", (run.quality or NOT_RECORDED).capitalize()),
        ReportRow("Algorithm", run.describe_algorithm()),
        ReportRow("Run", run.describe_run(), "warning" if run.is_partial else ""),
        ReportRow("Reconstructed", f"{subject.result.created:%d %b %Y %H:%M %Z}"),
        ReportRow("Device", run.device),
    ]
    # Inserted from the end, so that the positions of the earlier rows are still valid.
    if run.axis:
        rows.insert(5, ReportRow("Rotation axis", run.axis))
    if run.fitted:
        rows.insert(4, ReportRow("Adapted to the scan", run.fitted))
    if run.protocol.changed:
        rows.insert(2, ReportRow("Changed settings", "; ".join(run.protocol.changed), "warning"))
    # Settings that were never saved cannot be found again by a protocol name, so this is marked.
    elif run.protocol.origin == "nowhere":
        rows.insert(2, ReportRow("Saved", ORIGINS["nowhere"], "warning"))
    return Section("Reconstruction", tuple(rows))


def scan(subject: ReportSubject) -> Section | None:
    """Return the facts of the scan; None if none are known."""
    known = subject.known("scan")
    facts = known if isinstance(known, dict) else {}
    rows = [ReportRow(*fact_of(key, value)) for key, value in facts.items() if _is_short(value)]
    return Section("Scan", tuple(rows)) if rows else None


def corrections(subject: ReportSubject) -> Section | None:
    """Return each correction with its effect or the reason why it was not used, and warnings.

    Parameters
    ----------
    subject
        result of the report

    Returns
    -------
    Section or None
        None for a kind of scan without corrections, if there are no messages
    """
    modality, run = modality_of(subject.result.study.protocol), subject.run
    titles = _titles(modality)
    rows = [_ledger_row(each, run, titles) for each in run.corrections]
    notes = [ReportRow("", each.text, "warning") for each in run.warnings]
    notes += [ReportRow("", text, "muted") for text in run.notes]
    if not rows and not notes:
        return None
    return Section(modality.ledger_title, tuple(rows), notes=tuple(notes))


def settings(subject: ReportSubject) -> Section:
    """Return each setting that differs from the default, as assigned on the command line."""
    # Where a protocol was saved is not a setting of the reconstruction.
    protocol = subject.result.study.protocol.model_copy(update={"saved": None})
    pairs = (each.partition("=") for each in assignments(protocol))
    rows = [ReportRow(key, value) for key, _, value in pairs if key != "name"]
    notes = () if rows else (ReportRow("", "All settings have their default values.", "muted"),)
    return Section("Settings that differ from the defaults", tuple(rows), notes=notes)


def image_numbers(subject: ReportSubject) -> Section:
    """Return statistics of the image, and how closely it fits the data."""
    volume, values = subject.volume, subject.volume.values
    n_bad = int(values.size - np.count_nonzero(np.isfinite(values)))
    share = 100 * float(np.count_nonzero(values < 0)) / values.size
    # float64, because the float32 sum of 10⁸ voxels has few valid digits.
    mean = float(np.mean(values, dtype=np.float64))
    rows = [
        ReportRow("Largest value", quantity(float(values.max()), volume.unit)),
        ReportRow("Smallest value", quantity(float(values.min()), volume.unit)),
        ReportRow("Mean", quantity(mean, volume.unit)),
        ReportRow("Negative values", f"{number_text(share, 3)} %"),
        ReportRow("Values that are not finite", f"{n_bad:,}", "warning" if n_bad else ""),
        *_convergence(subject),
    ]
    return Section("Image statistics", tuple(rows))


def regions(subject: ReportSubject) -> Section | None:
    """Return the figures of each region, with errors and differences if there is an error map.

    Parameters
    ----------
    subject
        result with its regions

    Returns
    -------
    Section or None
        None without regions; regions that cannot be measured become notes
    """
    return _regions(subject, full=False)


def regions_in_full(subject: ReportSubject) -> Section | None:
    """Return the figures of each region as `regions` does, and the bias of their means.

    Parameters
    ----------
    subject
        result with its regions
    """
    return _regions(subject, full=True)


def _regions(subject: ReportSubject, *, full: bool) -> Section | None:
    found = subject.regions
    if found is None or not found.regions:
        return None
    measured = [measure(region, subject.volume) for region in found.regions]
    # One power of ten for the whole table, so that numbers can be compared line by line.
    largest = float(np.nanmax(np.abs(subject.volume.values)))
    rows = tuple(_region_row(each, largest) for each in measured if each.figures is not None)
    faults = (each for each in measured if each.figures is None)
    notes = tuple(ReportRow("", f"{each.region.name}: {each.fault}", "warning") for each in faults)
    grids: tuple[Grid, ...] = (
        Grid(("Region", "Mean", "SD", "Largest", "Peak 1 mL", "Volume"), rows),
    )
    rule: tuple[ReportRow, ...] = (ReportRow("Rule", VOXEL_RULES["area"]),) if rows else ()
    if rows and not why_no_suv(subject.volume):
        grids += (_grid_in_suv(found.regions, subject.volume),)
        rule += (ReportRow("SUV by body weight", _suv_text(subject.volume)),)
    error = subject.volume.error
    if rows and error is not None:
        # Replicates of the Hessian are linear, and have no bias.
        full = full and error.method == "bootstrap"
        in_suv_only = grids[1:]
        grids = (grid_with_errors(measured, largest), *grid_of_pairs(measured, largest))
        grids += (grid_of_bias(measured, largest),) if full else ()
        grids += in_suv_only
        notes += tuple(notes_of_errors(measured, full=full))
    return Section("Regions", rule, grids=grids if rows else (), notes=notes)


def quality(subject: ReportSubject) -> Section | None:
    """Return the figures of a quality report.

    Parameters
    ----------
    subject
        result with the quality report as JSON values

    Raises
    ------
    FileFormatError
        if the quality report is damaged
    """
    # Imported here: only reports with phantom measurements need the package.
    from engine.analysis.quality.quality_report import QualityFigure

    try:
        made = [QualityFigure(**each) for each in subject.quality.get("figures", [])]
    except TypeError as e:
        raise FileFormatError(
            f"The quality report is damaged ({e}); measure the phantom again."
        ) from e
    if not made:
        return None
    head: tuple[str, ...] = ("Group", "Figure", "Value")
    rows: list[tuple[str, ...]] = [(each.group, each.name, each.text()) for each in made]
    facts: tuple[ReportRow, ...] = ()
    source = object_of(subject.quality.get("replicates"))
    if source:
        head = (*head, "Noise, 95 % interval")
        rows = [(*row, each.noise_text()) for row, each in zip(rows, made, strict=True)]
        from engine.data.error_map import METHODS  # few reports have errors

        kind = "replicates"
        for method, words in METHODS.items():
            kind = words if source.get("method") == method else kind
        text = f"{source.get('replicates')} {kind} (seed {source.get('seed')})"
        facts = (ReportRow("Noise", text),)
    title = str(subject.quality.get("title", "Image quality"))
    return Section(title, facts, grids=(Grid(head, tuple(rows)),))


def signatures(subject: ReportSubject) -> Section:
    """Return the signatures of the result, or a note that there are none."""
    faults = tuple(ReportRow("", text, "warning") for text in subject.all_warnings)
    words, remark = subject.draft
    if words:
        # Marked, because a printed preview must not look like a signed report.
        rows = [ReportRow("Not signed yet", words, "warning")]
        notes = [ReportRow("", remark)] if remark else []
        return Section("Signed off", tuple(rows), notes=(*notes, *faults))
    if not subject.signatures:
        return Section("Signed off", notes=(ReportRow("", f"{UNSIGNED}.", "warning"), *faults))
    rows = [
        ReportRow(each.moment, f"{each.who}: {each.judgement}{each.origin}")
        for each in subject.signatures
    ]
    notes = [ReportRow("", each.remark) for each in subject.signatures if each.remark]
    notes += faults
    return Section("Signed off", tuple(rows), notes=tuple(notes))


def provenance(subject: ReportSubject) -> Section:
    """Return files, digests, versions, and the command that reproduces the image."""
    record, protocol = subject.result.record, subject.result.study.protocol
    saved = protocol.saved or SavedAs()
    rows = [ReportRow(_role_text(role), _file_text(file)) for role, file in record.inputs.items()]
    rows += [
        ReportRow("Image SHA-256", str(subject.known("output", "sha256") or "not known")),
        ReportRow("Protocol as used, SHA-256", digest_of(protocol)),
        *([ReportRow("Protocol as saved, SHA-256", saved.sha256)] if saved.sha256 else []),
        ReportRow("Result", f"{record.id}, SHA-256 {record.sha256}"),
        ReportRow("Software", _software(subject)),
        *_plug_in_rows(subject),
        ReportRow("System", str(subject.known("environment", "system") or "not known")),
        *_log_row(),
        ReportRow("Command to reproduce", str(subject.provenance.get("replay", "not known"))),
    ]
    return Section("Provenance", tuple(rows))


def digests(subject: ReportSubject) -> Section:
    """Return the digests that identify image, result and program."""
    rows = (
        ReportRow("Image SHA-256", str(subject.known("output", "sha256") or "not known")),
        ReportRow("Result", subject.result.id),
        ReportRow("Software", _software(subject)),
        *_plug_in_rows(subject),
        *_log_row(),
    )
    return Section("Provenance", rows)


BRIEF: tuple[Part, ...] = (
    *(signatures, illustrations_in_a_row, summary, error_summary, regions, annotation_table),
    *(corrections, digests),
)
FULL: tuple[Part, ...] = (
    *(signatures, illustrations, summary, error_of_image, regions_in_full, annotated_slices, scan),
    *(corrections, settings, image_numbers, quality, provenance),
)


def _log_row() -> tuple[ReportRow, ...]:
    """Return the newest line of the audit log, by which a later rollback is noticed."""
    number, digest = latest_line()
    return (ReportRow("Audit log", f"line {number:,}, SHA-256 {digest}"),) if number else ()


def _key_images(subject: ReportSubject) -> Section:
    """Return the pictures that a reader chose, two in a row."""
    text_mm = RIGHT_MM - LEFT_MM
    # The image within its margins is 75 mm wide, so it is never scaled down.
    width = (text_mm - BETWEEN_MM) / 2 / text_mm
    shown = (Illustration(each.png, each.caption, width, width) for each in subject.own_key_images)
    return Section("Key images", illustrations=tuple(shown))


def _image(subject: ReportSubject, png: bytes, width: float) -> Section:
    volume = subject.volume
    caption = f"{volume.grid.describe()} voxels, {volume.unit or 'no unit'}"
    return Section("Image", illustrations=(Illustration(png, caption, width),))


def _titles(modality: AnyModality) -> dict[str, str]:
    return {kind.kind: kind.title for kind in modality.ledger}


def _ledger_row(each: RecordedCorrection, run: RecordedRun, titles: dict[str, str]) -> ReportRow:
    title = titles.get(each.kind) or each.kind.replace("_", " ").capitalize()
    tone: Tone = "warning" if run.is_in_doubt(each.kind) else ""
    if not tone and each.state == "off":
        tone = "muted"
    return ReportRow(title, f"{STATES[each.state]}: {each.text}", tone)


def _convergence(subject: ReportSubject) -> Iterator[ReportRow]:
    penalised = subject.provenance.get("penalised") or []
    curves = {
        "Log-likelihood": subject.provenance.get("log_likelihoods"),
        "Relative residual": subject.provenance.get("relative_residuals"),
    }
    if penalised:
        # The log-likelihood alone may fall: the prior gives up some of it for less noise.
        curves = {"Penalised log-likelihood": [each["objective"] for each in penalised]}
    for name, found in curves.items():
        values = found or []
        if len(values) > 1:
            change = number_text(values[-1] - values[-2], 3)
            text = f"{number_text(values[-1], 6)}, change in the last iteration {change}"
            yield ReportRow(name, text)
    if penalised:
        last = penalised[-1]
        text = (
            f"{number_text(100 * last['change'], 3)} % in the last iteration, KKT residual "
            f"{number_text(last['kkt'], 2)}"
        )
        yield ReportRow("Largest change in a region", text)


def _region_row(measured: MeasuredRegion, largest: float) -> tuple[str, ...]:
    """Return the cells of a region; `largest` sets one power of ten for all regions."""
    found = measured.figures
    if found is None:
        return (measured.region.name,)
    peaks = [] if found.peak is None else [found.peak.value]
    values = quantities([found.mean, found.sd, found.maximum, *peaks], found.unit, largest)
    cells = values if peaks else [*values, ""]
    return measured.region.name, *cells, f"{number_text(found.volume_ml)} mL"


def _grid_in_suv(regions: Sequence[Region], volume: Volume) -> Grid:
    """Return the figures of each region in SUV, as the views show them."""
    converted = in_suv(volume)
    measured = [measure(region, converted) for region in regions]
    largest = float(np.nanmax(np.abs(converted.values)))
    rows = tuple(_region_row(each, largest) for each in measured if each.figures is not None)
    return Grid(("Region", "SUV mean", "SD", "SUV max", "SUV peak", "Volume"), rows)


def _suv_text(volume: Volume) -> str:
    """Return the facts of the conversion: weight, dose and factor."""
    facts = facts_of(volume)
    mbq = number_text((facts.dose_bq or 0.0) / 1e6)
    factor = number_text(1e3 * suv_factor(facts))
    weight = number_text(facts.weight_kg or 0.0)
    return f"weight {weight} kg, injected dose {mbq} MBq; 1 kBq/mL is an SUV of {factor}"


def _role_text(role: str) -> str:
    head, _, rest = role.partition(",")
    # Inputs of several parts have roles such as "data, part 2".
    words = "Scan" if head == "data" else head.replace("_", " ").capitalize()
    return f"{words},{rest}" if rest else words


def _file_text(file: Plain) -> str:
    n_bytes = file.get("bytes")
    size = f", {n_bytes:,} bytes" if isinstance(n_bytes, int) else ""
    return f"{file.get('name', '')}{size}, SHA-256 {file.get('sha256') or 'not known'}"


def _software(subject: ReportSubject) -> str:
    found = subject.known("environment")
    known = found if isinstance(found, dict) else {}
    commit = known.get("commit")
    words = f"Isocenter {known.get('isocenter', '(version not known)')}"
    hash, dash, changed = str(commit).partition("-")  # "-dirty" after changes
    return f"{words}, commit {hash[:12]}{dash}{changed}" if commit else words


def _plug_in_rows(subject: ReportSubject) -> Iterator[ReportRow]:
    """Yield a row for each plug-in that the run used.

    It states name, version, used features and the digest of the files.
    """
    found = subject.known("plug_ins")
    for each in found if isinstance(found, list) else ():
        features = "; ".join(each.get("features", ()))
        text = f"{each.get('name')} {each.get('version')} ({features})"
        yield ReportRow("Plug-in", f"{text}, SHA-256 {each.get('sha256', 'not known')}")


def _is_short(value: object) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) < 200
