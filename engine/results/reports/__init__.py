"""Documents of a result: the report, who signed it off, and the site that it comes from."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.io.safety.file_signature import login_name as login_name
    from engine.io.safety.signing_key import needs_passphrase as needs_passphrase
    from engine.io.safety.signing_key import unlock as unlock
    from engine.results.reports.archiving import archive_subject as archive_subject
    from engine.results.reports.archiving import send_to_archive as send_to_archive
    from engine.results.reports.blocks import ResultReport as ResultReport
    from engine.results.reports.building import report_of as report_of
    from engine.results.reports.key_images import MAX_IMAGES as MAX_IMAGES
    from engine.results.reports.key_images import KeyImage as KeyImage
    from engine.results.reports.key_images import UsableKeyImages as UsableKeyImages
    from engine.results.reports.key_images import patient_mark as patient_mark
    from engine.results.reports.key_images import read_key_images as read_key_images
    from engine.results.reports.key_images import usable_key_images as usable_key_images
    from engine.results.reports.key_images import write_key_images as write_key_images
    from engine.results.reports.printed import to_images as to_images
    from engine.results.reports.sending import send_report as send_report
    from engine.results.reports.signature import JUDGEMENTS as JUDGEMENTS
    from engine.results.reports.signature import Judgement as Judgement
    from engine.results.reports.signature import Signature as Signature
    from engine.results.reports.signature import sign as sign
    from engine.results.reports.signature import signature_warnings as signature_warnings
    from engine.results.reports.signature import signatures_of as signatures_of
    from engine.results.reports.site import Site as Site
    from engine.results.reports.subject import ReportSubject as ReportSubject
    from engine.results.reports.subject import usable_regions as usable_regions
    from engine.results.reports.writing import KINDS as KINDS
    from engine.results.reports.writing import REGION_KINDS as REGION_KINDS
    from engine.results.reports.writing import ending_of_report as ending_of_report
    from engine.results.reports.writing import write_report as write_report

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "archiving": ("archive_subject", "send_to_archive"),
            "blocks": ("ResultReport",),
            "building": ("report_of",),
            "key_images": (
                "MAX_IMAGES",
                "KeyImage",
                "UsableKeyImages",
                "patient_mark",
                "read_key_images",
                "usable_key_images",
                "write_key_images",
            ),
            "printed": ("to_images",),
            "sending": ("send_report",),
            "signature": (
                "JUDGEMENTS",
                "Judgement",
                "Signature",
                "sign",
                "signature_warnings",
                "signatures_of",
            ),
            "engine.io.safety.file_signature": ("login_name",),
            "engine.io.safety.signing_key": ("needs_passphrase", "unlock"),
            "site": ("Site",),
            "subject": ("ReportSubject", "usable_regions"),
            "writing": ("KINDS", "REGION_KINDS", "ending_of_report", "write_report"),
        },
    )
