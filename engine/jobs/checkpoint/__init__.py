"""Store jobs on disk: everything an interrupted reconstruction needs to continue."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.checkpoint.job import Job as Job
    from engine.jobs.checkpoint.job import job_files as job_files
    from engine.jobs.checkpoint.job import jobs as jobs
    from engine.jobs.checkpoint.job_record import JobInfo as JobInfo
    from engine.jobs.checkpoint.saving import keep as keep

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "job": (
                "Job",
                "job_files",
                "jobs",
            ),
            "job_record": ("JobInfo",),
            "saving": ("keep",),
        },
    )
