"""Run a parsed command; report errors as one sentence and an exit code."""

from __future__ import annotations

import argparse
import traceback

from engine.cli.console import Console
from engine.cli.exit_codes import DONE, INTERRUPTED, OUR_FAULT, USER_FAULT
from engine.cli.outputs import refuse_outputs, resolve_pseudonyms
from engine.cli.worker_process import refuse_crashing
from engine.core.errors import EngineError
from engine.tools.diagnostics import keep_fault


def act(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    console = Console()
    try:
        resolve_pseudonyms(arguments)
        if not arguments.reads_apart:
            refuse_crashing(arguments)
        refuse_outputs(arguments)
        arguments.act(arguments, console)
    except EngineError as e:
        console.fault(str(e))
        return USER_FAULT
    except KeyboardInterrupt as e:
        console.fault(f"interrupted: {e}" if str(e) else "interrupted.")
        return INTERRUPTED
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
        keep_fault(e)
        return OUR_FAULT
    finally:
        getattr(arguments, "ends_with_command", lambda: None)()
    console.close()
    return DONE
