"""Documents of a result: the report, who signed it off, and the site that it comes from."""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.documents.blocks import ResultReport as ResultReport
    from engine.documents.making import report_of as report_of
    from engine.documents.printed import to_images as to_images
    from engine.documents.sending import send_report as send_report
    from engine.documents.signature import JUDGEMENTS as JUDGEMENTS
    from engine.documents.signature import Judgement as Judgement
    from engine.documents.signature import Signature as Signature
    from engine.documents.signature import login_name as login_name
    from engine.documents.signature import sign as sign
    from engine.documents.signature import signatures_of as signatures_of
    from engine.documents.site import Site as Site
    from engine.documents.subject import ReportSubject as ReportSubject
    from engine.documents.writing import KINDS as KINDS
    from engine.documents.writing import ending_of_report as ending_of_report
    from engine.documents.writing import write_report as write_report

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "blocks": ("ResultReport",),
            "making": ("report_of",),
            "printed": ("to_images",),
            "sending": ("send_report",),
            "signature": (
                "JUDGEMENTS",
                "Judgement",
                "Signature",
                "login_name",
                "sign",
                "signatures_of",
            ),
            "site": ("Site",),
            "subject": ("ReportSubject",),
            "writing": ("KINDS", "ending_of_report", "write_report"),
        },
    )
