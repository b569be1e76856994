"""Update the catalogues of the window's texts, resources/translations.

    .venv/bin/python packaging/translations.py            # add new texts, remove old ones, compile
    .venv/bin/python packaging/translations.py --check    # count missing texts, change nothing

The texts are the arguments of `tr` (app/language/translation.py), and the names of settings,
corrections, files and demos in the engine. The catalogues have the format of Qt Linguist. A new
text is marked as unfinished until it has a translation. The compiled catalogues (.qm) are in the
same folder, so an installation needs no Qt tools.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
CONTEXT = "Isocenter"
FUNCTION = "tr"
SHOWN = (
    *("recon/algorithms", "corrections", "results/reports", "recon/filtering", "live"),
    *("modalities", "tools/normalisation_scan", "recon/postprocess", "analysis/quality"),
    *("protocols/study/fields.py", "protocols/study/study.py", "tools/tuning"),
    "data/timing/tracer.py",
)
"""Parts of the engine with settings and titles that the window shows."""
TITLES = frozenset({"title", "ledger_title", "tip"})
WORDS = frozenset({"label", "empty", "description", "title", "without", "text", "tip", "words"})
"""Fields of a class, and arguments of settings and roles, that the window shows."""


def main(arguments: list[str]) -> int:
    """Update or check all catalogues; return the exit code."""
    parser = argparse.ArgumentParser(prog="translations.py", description="Update the catalogues.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    only_checks = parser.parse_args(arguments).check
    texts = all_texts(ROOT)
    n_open = 0
    for path in sorted(FOLDER.glob("*.ts")):
        known = translations_in(path)
        missing = [text for text in texts if not known.get(text)]
        stale = [text for text in known if text not in texts]
        n_open += len(missing)
        print(f"{path.name}: {len(texts):,} texts, {len(missing):,} open, {len(stale):,} gone")
        if not only_checks:
            write(path, {text: known.get(text, "") for text in texts}, texts)
            compile_catalogue(path)
    return min(n_open, 1) if only_checks else 0


def texts_of(folder: Path) -> dict[str, str]:
    """Return the texts of a source tree in order, each with the first file that contains it."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        for text in _texts_in(path.read_text("utf-8")):
            found.setdefault(text, path.relative_to(folder.parent).as_posix())
    return found


def all_texts(root: Path) -> dict[str, str]:
    """Return the texts of the window, then the texts of the engine that it shows."""
    found = texts_of(root / "app")
    engine = root / "engine"
    for part in SHOWN:
        place = engine / part
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            for text in _names_in(path.read_text("utf-8")):
                found.setdefault(text, path.relative_to(root).as_posix())
    return found


def _names_in(source: str) -> Iterator[str]:
    """Yield titles of classes, and labels and descriptions of settings and roles."""
    tree = ast.parse(source)
    constants = dict(_constants_of(tree))
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(text))):
                yield from [text] if name in TITLES else []
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))) if (
                name in TITLES
            ):
                yield text
            case ast.Call(func=ast.Name(id=name)) if name == "setting" or name[:1].isupper():
                given = [k.value for k in node.keywords if k.arg in WORDS]
                given += node.args[1:2] if name == "setting" else []
                yield from filter(None, (_text_of(each, constants) for each in given))


def _text_of(node: ast.expr, constants: dict[str, str]) -> str:
    """Return a literal text or the text of a constant; empty for other values."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return constants.get(name, "")
    return ""


def _constants_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the texts that a module assigns to names, one by one or as a tuple."""
    pairs: list[tuple[ast.expr, ast.expr]]
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name() as name], value=value):
                pairs = [(name, value)]
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = list(zip(names, values, strict=False))
            case _:
                continue
        for target, given in pairs:
            match target, given:
                case ast.Name(id=key), ast.Constant(value=str(text)):
                    yield key, text


def _texts_in(source: str) -> Iterator[str]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        is_translated = isinstance(call.func, ast.Name) and call.func.id == FUNCTION
        if is_translated and call.args and isinstance(call.args[0], ast.Constant):
            yield str(call.args[0].value)


def translations_in(path: Path) -> dict[str, str]:
    """Return the translation of each text, empty if unfinished."""
    found = dict[str, str]()
    for message in ElementTree.parse(path).iter("message"):
        translation = message.find("translation")
        is_open = translation is None or translation.get("type") == "unfinished"
        found[message.findtext("source") or ""] = "" if is_open else (translation.text or "")
    return found


def write(path: Path, translations: dict[str, str], files: dict[str, str]) -> None:
    """Write a catalogue: file, source text and translation of each text."""
    top = ElementTree.Element("TS", version="2.1", language=path.stem.split("_")[-1])
    context = ElementTree.SubElement(top, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text, translation in translations.items():
        message = ElementTree.SubElement(context, "message")
        ElementTree.SubElement(message, "location", filename=files[text])
        ElementTree.SubElement(message, "source").text = text
        element = ElementTree.SubElement(message, "translation")
        element.text = translation
        if not translation:
            element.set("type", "unfinished")
    ElementTree.indent(top)
    body = ElementTree.tostring(top, encoding="unicode")
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
    path.write_text(f"{head}{body}\n", "utf-8")


def compile_catalogue(path: Path, into: Path | None = None) -> Path:
    """Compile a catalogue with Qt's lrelease, by default into its folder; return the file."""
    import PySide6

    tool = Path(PySide6.__path__[0]) / "lrelease"
    compiled = into or path.with_suffix(".qm")
    command = [str(tool), "-silent", "-nounfinished", str(path), "-qm", str(compiled)]
    subprocess.run(command, check=True)
    return compiled


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
