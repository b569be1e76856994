"""Run a parsed command; report errors as one sentence and an exit code."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, clean_library_messages
from engine.cli.exit_codes import (
    DONE,
    INTERRUPTED,
    OUR_FAULT,
    TOO_FEW_FILES,
    USER_FAULT,
    is_out_of_files,
)
from engine.cli.outputs import (
    fill_outputs,
    missing_file_hint,
    refuse_outputs,
    resolve_pseudonyms,
    writes_json,
)
from engine.cli.parser import contradiction
from engine.core.errors import EngineError, SettingsError
from engine.core.printing import print_traceback
from engine.core.private_files import refused_paths


def act(arguments: argparse.Namespace) -> int:
    """Run a parsed command.

    Parameters
    ----------
    arguments
        parsed options; `act` is the function of the verb

    Returns
    -------
    exit_code
        see `engine.cli.exit_codes`
    """
    console = Console(quiet=arguments.quiet, only_json=writes_json(arguments))
    clean_library_messages()
    try:
        fill_outputs(arguments)
        # Before the checks: a replay line has pseudonyms in place of paths
        resolve_pseudonyms(arguments)
        if not arguments.reads_apart:
            from engine.cli.worker_process import refuse_crashing  # `inspect` does without

            refuse_crashing(arguments)
        elif getattr(arguments, "outputs", ()):
            from engine.cli.worker_process import refuse_crashing  # few of these write a file

            refuse_crashing(arguments, inspects=False)
        # Before any work, so that hours of computing never end in "the file exists"
        refuse_outputs(arguments)
        if fault := contradiction(arguments):
            raise SettingsError(fault)
        arguments.act(arguments, console)
    except EngineError as e:
        console.fault(f"{e} {missing_file_hint(arguments)}".rstrip())
        return USER_FAULT
    except KeyboardInterrupt as e:
        console.fault(f"interrupted: {e}" if str(e) else "interrupted.")
        return INTERRUPTED
    # `isocenter ... | head` closes the pipe on purpose: nothing to report
    except BrokenPipeError:
        return DONE
    except MemoryError:
        console.fault(
            "Not enough memory. Choose larger voxels, a smaller field of view or fewer data."
        )
        return USER_FAULT
    except Exception as e:  # noqa: BLE001  the outermost handler: show a traceback to report
        if is_out_of_files(e):
            console.fault(TOO_FEW_FILES)
            return USER_FAULT
        from engine.core.plugins import at_fault  # few commands end here

        problem, plug_in = f"{type(e).__name__}: {e}", at_fault(e)
        if plug_in:
            console.fault(
                f"error in the plug-in {plug_in}: {problem}. Please report it to the authors of "
                "the plug-in with this traceback:"
            )
        else:
            console.fault(f"internal error: {problem}. Please report it with this traceback:")
        print_traceback(e)
        from engine.tools.diagnostics import keep_fault

        # Kept for `isocenter doctor --bundle`, because the terminal may be closed by then
        keep_fault(e)
        return OUR_FAULT
    finally:
        # A reader process of a live source has to end even after an error
        getattr(arguments, "ends_with_command", lambda: None)()
        # After an error too: a job can be missing because its folder was refused
        _note_refused(console)
    console.close()
    return DONE


def _note_refused(console: Console) -> None:
    """Print folders that others can change, and the replacements that were used."""
    for each in refused_paths():
        console.note(each.describe())
