"""`isocenter reconstruct`, `resume` and `demo`: reconstruct a scan and save the volume."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine import io
from engine.cli.console import Console
from engine.cli.device import add_device, device_of
from engine.cli.outputs import (
    Output,
    add_complete_events,
    add_force,
    add_identify,
    add_inputs,
    add_json,
    add_output,
    add_threads,
    seed,
)
from engine.cli.shards import add_shards, cluster_hint, source_of
from engine.cli.streams import output as standard_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DeviceError, ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.core.printing import print_lines
from engine.data.runs.events import Event, Finished, Progressed
from engine.data.volume import Volume
from engine.io import WRITERS, can_save, default_suffixes, save, save_note
from engine.io.safety.locks import only_writer
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.jobs.checkpoint import Job, job_files, jobs, keep
from engine.jobs.reconstruction import run
from engine.modalities.demos import DEMOS, demo_folder
from engine.modalities.protocol_identity import identified
from engine.modalities.recognise import all_roles
from engine.modalities.studies import (
    Study,
    files_of_study,
    find_protocol,
    modality_of,
    standard_of,
    study_at,
)
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import version_text

if TYPE_CHECKING:
    from engine.jobs.process.messages import Source
    from engine.modalities.demo import Demo
    from engine.modalities.scan_files import ScanFiles


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter reconstruct`, `resume` and `demo`.

    They share a module, because all three run a job and save its volume.
    """
    _add_reconstruct(add_verb(verbs, "reconstruct"))
    _add_resume(add_verb(verbs, "resume"))
    _add_demo(add_verb(verbs, "demo"))


def _add_reconstruct(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "data", type=Path, metavar="DATA", help="scan, header file, or study file (.toml)"
    )
    add_output(
        p,
        f"image: {default_suffixes(WRITERS)}",
        default="image.nii.gz",
        written=_image_files,
    )
    p.add_argument(
        "--protocol",
        metavar="P",
        help="protocol name (see `isocenter protocols`) or file (default: the standard "
        "protocol of the scan)",
    )
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner name, S.toml or crystal map (default: that of the scan)",
    )
    # One option per auxiliary file of any kind of scan; a wrong one is refused by the study
    add_inputs(p, all_roles())
    p.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="assignments",
        help="change a setting of the protocol, such as algorithm.iterations=4; none empties one",
    )
    p.add_argument(
        "--frames", metavar="F",
        help="time frames: 10x60,5x300 (number x seconds), 0-60,120-180 (seconds from the start), "
        "or n=20 (frames of equal prompts) (default: one image)",
    )  # fmt: skip
    add_complete_events(p)
    p.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help="random seed of a sampled sensitivity (default: that of the protocol)",
    )
    add_identify(p)
    p.add_argument(
        "--checkpoint", type=Path, action=Output, written=lambda folder, _: job_files(folder),
        metavar="DIR", help="folder for checkpoints (default: the jobs folder)",
    )  # fmt: skip
    p.add_argument(
        "--as-script", action="store_true",
        help="print a Python script that makes the same image, instead of making it",
    )  # fmt: skip
    _device_options(p)
    add_shards(p)
    p.set_defaults(act=_reconstruct)


def _image_files(path: Path, arguments: argparse.Namespace) -> tuple[Path, ...]:
    """Return the files that a reconstruction writes; a script writes none."""
    return () if getattr(arguments, "as_script", False) else files_written(path)


def _add_resume(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "job",
        nargs="?",
        metavar="JOB",
        help="job ID or folder (default: the newest interrupted job)",
    )
    p.add_argument(
        "-o", "--output", type=Path, action=Output, metavar="OUT",
        help="output file (default: that of the job)",
    )  # fmt: skip
    _device_options(p)
    add_shards(p)
    # The files of the job are inputs as well, which the options do not name
    p.set_defaults(act=_resume, files_of=lambda arguments: _files_of_job(_job_of(arguments)))


def _add_demo(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "demo",
        nargs="?",
        choices=tuple(DEMOS),
        default=next(iter(DEMOS)),
        help="kind of scan (default: %(default)s)",
    )
    p.add_argument("--headless", action="store_true", help="do not open the window")
    p.add_argument(
        "-o", "--output", type=Path, action=Output, written=_demo_files, metavar="DIR",
        help="folder for the scan and the results (default: the cache)",
    )  # fmt: skip
    _device_options(p)
    p.set_defaults(act=_demo)


def _device_options(p: argparse.ArgumentParser) -> None:
    add_device(p)
    add_threads(p)
    add_json(p, "write all events as JSON lines")
    add_force(p)


def _reconstruct(arguments: argparse.Namespace, console: Console) -> None:
    source = source_of(arguments.scheduler, arguments.split)
    study = _study(arguments, console)
    if arguments.as_script:
        from engine.jobs.scripts import script_of  # few commands print a script

        text = script_of(
            study, arguments.output, device=arguments.device, threads=arguments.threads
        )
        with standard_output():
            print_lines(text.removesuffix("\n"))
        return
    # Tested before hours of work
    can_save(arguments.output, study.protocol.modality)
    if study.protocol.has_frames:
        # through the package, which loads the writers of frames only here
        io.can_save_frames(arguments.output, gated=study.protocol.has_gates)
    # Two commands with the same output would both run to their end, and one result be lost
    with only_writer(arguments.output):
        job = Job.create(study, folder=arguments.checkpoint, output=arguments.output)
        _complete(study, job, arguments, arguments.output, console, resume=False, source=source)


def _resume(arguments: argparse.Namespace, console: Console) -> None:
    source = source_of(arguments.scheduler, arguments.split)
    job = _job_of(arguments)
    output = arguments.output or Path(job.record.output)
    if output == Path():
        raise SettingsError(f"job {job.id} has no output file. Name one with -o OUT.")
    # Without -o the output is that of the job, which no earlier check has seen
    refuse_to_overwrite(files_written(output), _files_of_job(job), force=arguments.force)
    can_save(output, job.study.protocol.modality)
    with only_writer(output):
        _complete(job.study, job, arguments, output, console, resume=True, source=source)


def _job_of(arguments: argparse.Namespace) -> Job:
    return Job.open(arguments.job) if arguments.job else _newest_interrupted()


def _files_of_job(job: Job) -> tuple[Path, ...]:
    return (*job.study.files.values(), *job_files(job.folder))


def _newest_interrupted() -> Job:
    # A finished job counts too if its result could not be saved
    for info in jobs():
        if info.interrupted or info.resumable:
            return Job.open(info.folder)
    raise SettingsError("There is no interrupted job to resume. Give the folder of a job.")


def _demo(arguments: argparse.Namespace, console: Console) -> None:
    demo, folder = DEMOS[arguments.demo], arguments.output or demo_folder()
    arguments.force |= arguments.output is None  # in the cache, the demo replaces its own files
    console.log(demo.busy)
    from engine.modalities.warm_up import compiled_early  # only demos need it

    with compiled_early(demo):
        study = demo.make(
            folder,
            on_progress=lambda done, total: console.show(Progressed("simulate", done, total)),
        )
    output, image = _demo_outputs(demo, folder)
    job = Job.create(study, output=output)
    volume = _complete(study, job, arguments, output, console, resume=False)
    # A picture next to the volume, so that a demo shows something without a viewer
    save(volume, image, None)
    console.line(f"Picture: {image}")


def _demo_files(folder: Path, arguments: argparse.Namespace) -> tuple[Path, ...]:
    """Return all files that a demo writes into a folder."""
    demo = DEMOS[arguments.demo]
    volume, image = _demo_outputs(demo, folder)
    return (*demo.replaced(folder), *files_written(volume), *files_written(image))


def _demo_outputs(demo: Demo, folder: Path) -> tuple[Path, Path]:
    return folder / demo.name("-volume.nii.gz"), folder / demo.name("-picture.png")


def _study(arguments: argparse.Namespace, console: Console) -> Study:
    """Combine the study file and the options. Options take precedence."""
    study = study_at(arguments.data, lambda files: _show_files(files, console))
    protocol = find_protocol(arguments.protocol) if arguments.protocol else study.protocol
    assignments = list(arguments.assignments)
    for option, key, value in (
        ("--frames", "frames", arguments.frames),
        ("--seed", "sensitivity.seed", arguments.seed),
    ):
        if value is not None:
            _refuse_without_meaning(option, key, protocol)
            # Values are read as TOML, in which a JSON string is valid
            assignments.append(f"{key}={json.dumps(value)}")
    given = {role.key: getattr(arguments, f"input_{role.key}") for role in all_roles()}
    study = study.with_inputs({key: path for key, path in given.items() if path is not None})
    changes: Plain = {"protocol": _assigned(protocol, tuple(assignments))}
    if arguments.identify:
        changes["identified"] = True
    if arguments.complete_events:
        changes["complete_events"] = True
    if arguments.scanner is not None:
        changes["scanner"] = arguments.scanner
    return study.model_copy(update=changes)


def _refuse_without_meaning(option: str, key: str, protocol: Protocol) -> None:
    """Refuse an option that sets a key of another kind of scan. --set would name that key."""
    from engine.core.settings.keys import keys_of  # few commands have these options

    if all(each.key != key for each in keys_of(type(protocol))):
        title = modality_of(protocol).title
        raise SettingsError(f"{option} has no meaning for {title}. Remove it.")


def _assigned(protocol: Protocol, assignments: tuple[str, ...]) -> Protocol:
    """Return the changed protocol, with a record of the differences from the saved one."""
    # Another kind of scan has its own settings, so it comes before all others
    kinds = [each for each in assignments if each.startswith("modality=")]
    if kinds:
        others = tuple(each for each in assignments if each not in kinds)
        key = kinds[-1].partition("=")[2].strip("\"'")
        if key != protocol.modality:
            protocol, assignments = standard_of(key), others
    return identified(with_settings(protocol, assignments))


def _show_files(files: ScanFiles, console: Console) -> None:
    titles = {role.key: role.title for role in all_roles()}
    for key, file in files.inputs.items():
        console.log(f"{titles[key]}: {file.name}")
    for note in files.notes:
        console.note(note)


def _complete(
    study: Study,
    job: Job,
    arguments: argparse.Namespace,
    output: Path,
    console: Console,
    *,
    resume: bool,
    source: Source = run,
) -> Volume:
    """Run the job and save the volume."""
    threads = job.threads(arguments.threads, resumes=resume)
    on = device_of(arguments.device, threads, console)
    job.note_device(on)
    # The run refuses a scan that has replaced that of the job
    study = study.model_copy(update={"fingerprints": job.study.fingerprints})
    where = job.latest() if resume else None
    console.log(f"Job {job.id} on {on.label}")
    _show_protocol(job.study.protocol, console)
    # Closed at the end, so that an interrupted run still saves its checkpoint
    events = keep(
        source(study, on=on, resume=where, on_progress=console.show, folder=job.folder), job
    )
    volume: Volume | None = None
    hints = _resume_hints(job, arguments)
    with _event_log(arguments.json, console) as write, hints, closing(events):
        for event in events:
            console.show(event)
            write(event)
            if isinstance(event, Finished):
                volume = event.volume
                # check again: files may have appeared during the run
                refuse_to_overwrite(
                    files_written(output), files_of_study(study), force=arguments.force
                )
                # Some formats cannot store everything, such as frames or the unit
                note = save_note(volume, output, volume.info, event.frames)
                if note:
                    console.note(f"{note}")
                if event.frames:
                    io.save_frames(volume, event.frames, output, volume.info)
                else:
                    save(volume, output, volume.info)
    if volume is None:
        raise ResourceError("The run ended without a volume. Resume it from its last checkpoint.")
    console.line(f"Volume: {output}")
    return volume


@contextmanager
def _event_log(path: Path | None, console: Console) -> Iterator[Callable[[Event], None]]:
    """Yield a function that writes each event to the file of `--json`, if there is one."""
    if path is None:
        yield lambda event: None
        return
    from engine.cli.event_log import log_lines  # few runs write their events

    with log_lines(path, console) as lines:
        yield lines.write


def _show_protocol(protocol: Protocol, console: Console) -> None:
    console.log(f"Protocol: {version_text(protocol)}")
    for change in protocol.saved.changed if protocol.saved is not None else ():
        console.log(f"  {change}")


@contextmanager
def _resume_hints(job: Job, arguments: argparse.Namespace) -> Iterator[None]:
    """Add to an error how to resume the job, or how to continue without a faulty GPU."""
    # A folder of the user has to be named by its path
    name = job.id if getattr(arguments, "checkpoint", None) is None else job.folder
    try:
        with cluster_hint(str(name), getattr(arguments, "scheduler", None)):
            yield
    except KeyboardInterrupt:
        hint = "there is no checkpoint yet; run the same command again."
        if job.info.done:
            hint = f"`isocenter resume {name}` continues from the last checkpoint."
        raise KeyboardInterrupt(hint) from None
    except DeviceError as e:
        command = f"`isocenter resume {name} --device cpu`"
        if job.info.done:
            hint = f"Run {command} to continue on the CPU from the last checkpoint."
        else:
            hint = f"Run {command} to start again on the CPU."
        raise type(e)(f"{e} {hint}") from e
