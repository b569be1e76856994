"""`isocenter scanners`, `phantoms` and `settings`: the names that options accept."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_json, write_json, writes_json
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.io import to_json

if TYPE_CHECKING:
    from engine.modalities.setting_list import ListedSetting


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter scanners`, `phantoms` and `settings`."""
    for name, act in (("scanners", _scanners), ("phantoms", _phantoms), ("settings", _settings)):
        p = add_verb(verbs, name)
        if name == "settings":
            p.add_argument(
                "key", nargs="?", metavar="KEY",
                help="key such as algorithm.iterations, or a group such as grid (default: all)",
            )  # fmt: skip
        add_json(p, "also write the list as JSON")
        add_force(p)
        p.set_defaults(act=act)


class _Phantom(NamedTuple):
    """A phantom of `isocenter simulate`.

    Attributes
    ----------
    make : returns the phantom
    kinds : kinds of scans that can be simulated with it
    """

    make: Callable[[], object]
    kinds: tuple[str, ...]


def _scanners(arguments: argparse.Namespace, console: Console) -> None:
    from engine.io.scanners import builtin_scanners, read_scanner

    rows: list[Plain] = []
    for key, name in builtin_scanners().items():
        rows.append({"key": key, "name": name, "description": read_scanner(key).describe()})
    _show(rows, ("key", "name", "description"), arguments, console)


def _phantoms(arguments: argparse.Namespace, console: Console) -> None:
    rows: list[Plain] = [
        {"key": key, "name": getattr(each.make(), "name", key), "kinds": list(each.kinds)}
        for key, each in _all_phantoms().items()
    ]
    _show(rows, ("key", "name", "kinds"), arguments, console)


def _all_phantoms() -> dict[str, _Phantom]:
    from engine.cli.simulate.projections import phantom_makers
    from engine.simulate import PHANTOMS

    found: dict[str, _Phantom] = {}
    kinds = (("listmode", PHANTOMS), ("histogram", PHANTOMS), ("projections", phantom_makers()))
    for kind, some in kinds:
        for key, make in some.items():
            before = found.get(key)
            found[key] = _Phantom(make, (*(before.kinds if before else ()), kind))
    return found


def _settings(arguments: argparse.Namespace, console: Console) -> None:
    from engine.core.settings.keys import nearest_key
    from engine.modalities.setting_list import all_settings

    listed = all_settings()
    key = arguments.key
    if key is not None:
        # --set accepts both names of a choice: algorithm and algorithm.kind
        key = key.removesuffix(".kind")
        known = list(dict.fromkeys(each.key for each in listed))
        found = [each for each in listed if each.key == key or each.key.startswith(f"{key}.")]
        if not found:
            near = nearest_key(key, known)
            meant = f" Did you mean {near!r}?" if near else ""
            raise SettingsError(
                f"there is no setting {key!r}.{meant} `isocenter settings` lists all settings."
            )
        listed = found
    if arguments.json is not None:
        write_json(to_json([each.to_json() for each in listed], indent=2), arguments.json)
        if writes_json(arguments):
            return
    # One setting with all its facts, many with one line each
    show = (
        _show_facts if key is not None and all(each.key == key for each in listed) else _show_line
    )
    for each in listed:
        show(each, console)


def _show_line(setting: ListedSetting, console: Console) -> None:
    kinds = f" ({', '.join(setting.kinds)})" if setting.kinds else ""
    unit = f" {setting.unit}" if setting.unit else ""
    default = f"{setting.default}{unit}" if setting.default else "automatic"
    allowed = f"; {setting.allowed}{unit if not setting.default else ''}" if setting.allowed else ""
    console.line(f"{setting.key + kinds:44s} {default}{allowed}")


def _show_facts(setting: ListedSetting, console: Console) -> None:
    console.line(setting.key)
    facts = {
        "Meaning": setting.text,
        "Default": setting.default or "none; the program chooses a value",
        "Unit": setting.unit or "none",
        "Allowed": setting.allowed or "any value",
        "Kinds": ", ".join(setting.kinds) or "",
        "Protocols": ", ".join(setting.modalities),
        "Example": f"--set {setting.key}={_example(setting)}",
    }
    for name, text in facts.items():
        if text:
            console.line(f"  {name + ':':11s} {text}")


def _example(setting: ListedSetting) -> str:
    """Return a value that the shell passes on unchanged."""
    value = setting.default.strip('"') or {"mm": "2"}.get(setting.unit, "VALUE")
    if setting.key.endswith("voxel_mm"):
        return "2,2,2"
    return value.strip("[]").replace(" ", "") if value.startswith("[") else value


def _show(
    rows: Iterable[Plain], columns: tuple[str, ...], arguments: argparse.Namespace, console: Console
) -> None:
    """Print a table, and write it as JSON if requested."""
    rows = list(rows)
    if arguments.json is not None:
        write_json(to_json(rows, indent=2), arguments.json)
        if writes_json(arguments):
            return
    texts = [
        [", ".join(v) if isinstance(v, list) else str(v) for v in (row[c] for c in columns)]
        for row in rows
    ]
    widths = [max(len(row[n]) for row in texts) for n in range(len(columns))]
    for row in texts:
        line = "  ".join(f"{text:{width}s}" for text, width in zip(row, widths, strict=True))
        console.line(line.rstrip())
