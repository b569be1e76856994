"""Run a parsed command; report errors as one sentence and an exit code."""

from __future__ import annotations

import argparse
import traceback

from engine.cli.console import Console
from engine.cli.exit_codes import DONE, INTERRUPTED, OUR_FAULT, USER_FAULT
from engine.cli.outputs import refuse_outputs, resolve_pseudonyms
from engine.cli.worker_process import refuse_crashing
from engine.core.errors import EngineError


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
    console = Console()
    try:
        # Before the checks: a replay line has pseudonyms in place of paths
        resolve_pseudonyms(arguments)
        if not arguments.reads_apart:
            refuse_crashing(arguments)
        # Before any work, so that hours of computing never end in "the file exists"
        refuse_outputs(arguments)
        arguments.act(arguments, console)
    except EngineError as e:
        console.fault(str(e))
        return USER_FAULT
    except KeyboardInterrupt as e:
        console.fault(f"interrupted: {e}" if str(e) else "interrupted.")
        return INTERRUPTED
    # `isocenter ... | head` closes the pipe on purpose: nothing to report
    except BrokenPipeError:
        return DONE
    except MemoryError:
        console.fault("Not enough memory. Choose larger voxels or a smaller field of view.")
        return USER_FAULT
    except Exception as e:  # noqa: BLE001  the outermost handler: show a traceback to report
        console.fault(
            f"internal error: {type(e).__name__}: {e}. Please report it with this traceback:"
        )
        traceback.print_exc()
        from engine.tools.diagnostics import keep_fault

        # Kept for `isocenter doctor --bundle`, since the terminal may be gone by then
        keep_fault(e)
        return OUR_FAULT
    finally:
        # A reader process of a live source has to end even after an error
        getattr(arguments, "ends_with_command", lambda: None)()
    console.close()
    return DONE
