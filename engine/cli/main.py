"""The parser of the command line, and what each exit code means.

0 done; 2 the input or the settings are at fault (one sentence on standard error); 1 a fault of
ours; 130 interrupted, with a word on how it goes on, where it does.
"""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Sequence

from engine.cli import (
    bench,
    calibrate,
    curve,
    dicom,
    doctor,
    import_scan,
    inspect,
    live,
    mu_map,
    normalise,
    protocols,
    quality,
    queue,
    reconstruct,
    register,
    response,
    results,
    simulate,
    sinogram,
    storage,
    suv,
    tune,
    verify_log,
    volumes,
)
from engine.cli.console import Console
from engine.cli.outputs import refuse_outputs, resolve_pseudonyms
from engine.cli.reading_apart import refuse_crashing
from engine.cli.streams import say_what_can_be_said
from engine.errors import EngineError
from engine.reporting.environment import environment
from engine.support import keep_fault

DONE, OUR_FAULT, USER_FAULT, INTERRUPTED = 0, 1, 2, 130
VERBS = (
    *(
        reconstruct,
        live,
        queue,
        results,
        inspect,
        import_scan,
        protocols,
        simulate,
        response,
        sinogram,
        volumes,
        dicom,
        mu_map,
        register,
        calibrate,
        suv,
    ),
    *(normalise, quality, curve, storage, bench, tune, doctor, verify_log),
)


def parser() -> argparse.ArgumentParser:
    """Build the parser of all verbs."""
    top = argparse.ArgumentParser(
        prog="isocenter",
        description="Turn PET and X-ray CT scans into images. Without a verb: open the window.",
        epilog="Research use only. Not for diagnosis or treatment.",
    )
    top.add_argument(
        "--version", action="version", version=f"isocenter {environment()['isocenter']}"
    )
    top.set_defaults(reads_apart=False)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    for module in VERBS:
        module.add_verbs(verbs)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    say_what_can_be_said()
    arguments = parser().parse_args(argv)
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
        console.fault(f"interrupted; {e}" if str(e) else "interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        return DONE
    except MemoryError:
        console.fault("out of memory; choose larger voxels or a smaller field of view.")
        return USER_FAULT
    except Exception as e:  # noqa: BLE001  the last door: say that it is ours, and where
        console.fault(f"a fault of ours: {type(e).__name__}: {e}; please report it with this:")
        traceback.print_exc()
        keep_fault(e)
        return OUR_FAULT
    finally:
        getattr(arguments, "ends_with_command", lambda: None)()
    console.close()
    return DONE
