"""Check if Qt can open a window: its system libraries and the display.

Without one of them Qt aborts the process with a message that does not help the user.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from engine.core.printing import print_line

QT_LIBRARIES = (
    *("libGL.so.1", "libEGL.so.1", "libxkbcommon.so.0", "libdbus-1.so.3"),
    *("libfontconfig.so.1", "libglib-2.0.so.0"),
)
"""System libraries that the wheels of Qt do not contain, for any display."""
XCB_LIBRARIES = (
    *("libX11.so.6", "libX11-xcb.so.1", "libxcb.so.1", "libxcb-cursor.so.0", "libxcb-icccm.so.4"),
    *("libxcb-image.so.0", "libxcb-keysyms.so.1", "libxcb-randr.so.0", "libxcb-render.so.0"),
    *("libxcb-render-util.so.0", "libxcb-shape.so.0", "libxcb-shm.so.0", "libxcb-sync.so.1"),
    *("libxcb-util.so.1", "libxcb-xfixes.so.0", "libxcb-xkb.so.1", "libxkbcommon-x11.so.0"),
)
"""Further system libraries for X11."""
OTHER_NAMES = {"libglib-2.0.so.0": "libglib2.0-0"}
"""Packages with names that do not follow Debian's rule."""
WITHOUT = "Work without a window: `isocenter demo`, `isocenter reconstruct DATA -o OUT`."


def obstacle(environment: Mapping[str, str]) -> str:
    """Return the reason why Qt would abort the process instead of opening a window.

    Parameters
    ----------
    environment
        environment variables of the process

    Returns
    -------
    str
        one sentence with the remedy; empty if a window can open
    """
    # On Windows and macOS the wheels of Qt are complete.
    if not sys.platform.startswith("linux"):
        return ""
    on_x = uses_x(environment)
    # Libraries first: the checks below need libxcb.
    if missing := missing_libraries((*QT_LIBRARIES, *(XCB_LIBRARIES if on_x else ()))):
        return missing_text(missing)
    if on_x and (fault := plugin_fault()):
        return f"Qt cannot open a window on X ({fault}). {WITHOUT}"
    if on_x and not display_answers():
        display = environment.get("DISPLAY", "")
        return f"the display {display!r} does not answer, so no window can open. {WITHOUT}"
    return ""


def uses_x(environment: Mapping[str, str]) -> bool:
    """Return True if Qt would use X11.

    Parameters
    ----------
    environment
        environment variables of the process
    """
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if chosen:
        return chosen.startswith("xcb")
    # Qt prefers Wayland if both are available.
    return bool(environment.get("DISPLAY")) and not environment.get("WAYLAND_DISPLAY")


def missing_libraries(names: Iterable[str]) -> list[str]:
    """Return the libraries that cannot be loaded."""
    return [name for name in names if not _can_load(name)]


def _can_load(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_text(missing: list[str]) -> str:
    """Return a sentence with the missing libraries and the command that installs them.

    Parameters
    ----------
    missing
        file names of the libraries
    """
    packages = " ".join(debian_package(name) for name in missing)
    return (
        f"Qt cannot open a window, because this system lacks {', '.join(missing)}. Install them "
        f"with `sudo apt-get install {packages}` (Debian, Ubuntu), or in a clone with "
        f"`python3 packaging/bootstrap.py run`. {WITHOUT}"
    )


def debian_package(library: str) -> str:
    """Return the Debian package of a library, by the rule of names: libGL.so.1 is in libgl1.

    Parameters
    ----------
    library
        file name with the version, such as "libX11-xcb.so.1"
    """
    if library in OTHER_NAMES:
        return OTHER_NAMES[library]
    name, _, version = library.lower().partition(".so.")
    # Debian policy 8.1: a hyphen separates a name that ends in a digit from the version.
    return f"{name}{'-' if name[-1:].isdigit() else ''}{version}"


def plugin_fault() -> str:
    """Return the reason why Qt's X11 plugin cannot be loaded; empty if it can."""
    found = find_spec("PySide6")
    folders = list(found.submodule_search_locations or ()) if found is not None else []
    for folder in folders:
        for plugin in Path(folder).glob("Qt/plugins/platforms/libqxcb.so"):
            try:
                # Loading it here gives the error of the dynamic linker, which Qt does not show.
                ctypes.CDLL(str(plugin))
            except OSError as e:
                return str(e)
    return ""


def display_answers() -> bool:
    """Return True if the X server of DISPLAY accepts a connection."""
    xcb = ctypes.CDLL("libxcb.so.1")
    # Without this ctypes cuts the pointer to 32 bits.
    xcb.xcb_connect.restype = ctypes.c_void_p
    for call in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        call.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    is_broken = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not is_broken


def main() -> int:
    """Print the missing libraries, one per line, for `bootstrap.py test`."""
    missing = missing_libraries((*QT_LIBRARIES, *XCB_LIBRARIES))
    for name in missing:
        print_line(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
