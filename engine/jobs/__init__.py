"""Run reconstructions with checkpoints, in separate processes, one by one or from a queue."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.alignment import align as align
    from engine.jobs.alignment import uncorrected as uncorrected
    from engine.jobs.caches import StoredItem as StoredItem
    from engine.jobs.checkpoint.job import Job as Job
    from engine.jobs.checkpoint.job import jobs as jobs
    from engine.jobs.checkpoint.run_result import keep_partial as keep_partial
    from engine.jobs.demo_simulation import DemoSimulation as DemoSimulation
    from engine.jobs.loader.foreign_files import ForeignFiles as ForeignFiles
    from engine.jobs.loader.loader import Loader as Loader
    from engine.jobs.process.engine_process import EngineProcess as EngineProcess
    from engine.jobs.process.messages import Source as Source
    from engine.jobs.process.starting import new_process as new_process
    from engine.jobs.process.starting import process_context as process_context
    from engine.jobs.queue.entry import QueueEntry as QueueEntry
    from engine.jobs.queue.launching import ensure_runner as ensure_runner
    from engine.jobs.queue.question import InputFile as InputFile
    from engine.jobs.queue.question import Question as Question
    from engine.jobs.queue.question import QuestionKind as QuestionKind
    from engine.jobs.queue.settings import QueueSettings as QueueSettings
    from engine.jobs.queue.store import StudyQueue as StudyQueue
    from engine.jobs.scripts import command_of as command_of
    from engine.jobs.scripts import definition_of as definition_of
    from engine.jobs.scripts import script_of as script_of
    from engine.jobs.storage import choose_stored as choose_stored
    from engine.jobs.storage import kind_title as kind_title
    from engine.jobs.storage import remove_stored as remove_stored
    from engine.jobs.storage import stored as stored
    from engine.jobs.window_work import MAX_EDITS as MAX_EDITS
    from engine.jobs.window_work import EditedStudy as EditedStudy
    from engine.jobs.window_work import RecoveredWork as RecoveredWork
    from engine.jobs.window_work import UnreadScan as UnreadScan
    from engine.jobs.window_work import UnsentResult as UnsentResult
    from engine.jobs.window_work import WindowWork as WindowWork
    from engine.jobs.window_work import WindowWorkFile as WindowWorkFile
    from engine.protocols.run_context.provenance import hash_array as hash_array
    from engine.protocols.run_context.provenance import with_run as with_run

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "alignment": (
                "align",
                "uncorrected",
            ),
            "caches": ("StoredItem",),
            "engine.jobs.checkpoint.job": (
                "Job",
                "jobs",
            ),
            "engine.jobs.checkpoint.run_result": ("keep_partial",),
            "engine.jobs.demo_simulation": ("DemoSimulation",),
            "engine.jobs.loader.foreign_files": ("ForeignFiles",),
            "engine.jobs.loader.loader": ("Loader",),
            "engine.jobs.process.engine_process": ("EngineProcess",),
            "engine.jobs.process.messages": ("Source",),
            "engine.jobs.process.starting": (
                "new_process",
                "process_context",
            ),
            "engine.jobs.queue.entry": ("QueueEntry",),
            "engine.jobs.queue.launching": ("ensure_runner",),
            "engine.jobs.queue.question": (
                "InputFile",
                "Question",
                "QuestionKind",
            ),
            "engine.jobs.queue.settings": ("QueueSettings",),
            "engine.jobs.queue.store": ("StudyQueue",),
            "scripts": ("command_of", "definition_of", "script_of"),
            "storage": (
                "choose_stored",
                "kind_title",
                "remove_stored",
                "stored",
            ),
            "engine.jobs.window_work": (
                "MAX_EDITS",
                "EditedStudy",
                "RecoveredWork",
                "UnreadScan",
                "UnsentResult",
                "WindowWork",
                "WindowWorkFile",
            ),
            "engine.protocols.run_context.provenance": ("hash_array", "with_run"),
        },
    )
