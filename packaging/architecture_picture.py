"""Draw the imports between the parts of the program as SVG.

python packaging/architecture_picture.py writes docs/contributing/architecture.svg.

Parts that import no other part are in the bottom row. Every other part is one row above the highest
part that it imports, so all lines run downwards. A line that follows from two others is left out.
Imports inside functions count. Imports for type checkers only do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "contributing" / "architecture.svg"
TOPS = ("engine", "app")
WIDTH, ROW, BOX_HEIGHT, GAP, MARGIN = 1160, 74, 30, 14, 24
LETTER_PX = 7.4
COLOURS = {"engine": "#2f6f9f", "app": "#8a5a2b"}
STYLE = (
    "text{font:13px sans-serif;fill:#fff;text-anchor:middle;dominant-baseline:central}"
    "line{stroke:#9aa5b1;stroke-width:1}"
)

Parts = dict[str, frozenset[str]]


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawing(parts_of(ROOT)), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)} written")


def parts_of(root: Path) -> Parts:
    """Return each part, engine.io or app.views, with the other parts it imports."""
    found: dict[str, set[str]] = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            part = part_of(name.removesuffix(".__init__"), root)
            inner = imported(ast.parse(path.read_text(encoding="utf-8")))
            others = {part_of(module, root) for module in inner}
            found.setdefault(part, set()).update(others - {part})
    for top in TOPS:  # the `__init__` of the top only names its parts
        found.pop(top, None)
    return {part: frozenset(others & found.keys()) for part, others in found.items()}


def part_of(module: str, root: Path) -> str:
    """Return the part of a module: its package below the top, or the file itself."""
    names = module.split(".")
    if len(names) > 1 and ((root / names[0] / names[1]).is_dir() or is_file(names, root)):
        return ".".join(names[:2])
    return names[0]


def is_file(names: list[str], root: Path) -> bool:
    """Return True if the second name is a module of the first."""
    return (root / names[0] / f"{names[1]}.py").is_file()


def imported(node: ast.AST) -> Iterator[str]:
    """Yield our modules that are imported when the program runs."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            continue  # expressions contain no imports
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "").split(".")[0] in TOPS:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from (a.name for a in child.names if a.name.split(".")[0] in TOPS)
        yield from imported(child)


def reach_of(parts: Parts) -> Parts:
    """Return all direct and indirect imports of each part."""
    found: dict[str, frozenset[str]] = {}
    for part in parts:
        seen: set[str] = set()
        todo = list(parts[part])
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                todo.extend(parts[one])
        found[part] = frozenset(seen)
    return found


def rows_of(parts: Parts) -> list[list[str]]:
    """Return the parts row by row, the lowest first. Parts that import each other share a row."""
    reach = reach_of(parts)

    @cache
    def height(part: str) -> int:
        below = (height(each) for each in reach[part] if part not in reach[each])
        return 1 + max(below, default=-1)

    top = max(map(height, parts))
    return [sorted(part for part in parts if height(part) == row) for row in range(top + 1)]


def drawn_lines(parts: Parts) -> list[tuple[str, str]]:
    """Return the imports that do not follow from other imports."""
    reach = reach_of(parts)
    return [
        (part, other)
        for part in sorted(parts)
        for other in sorted(parts[part])
        if not any(
            other in reach[each] and part not in reach[each] for each in parts[part] - {other}
        )
    ]


def drawing(parts: Parts) -> str:
    """Return the SVG text."""
    rows = rows_of(parts)
    height = 2 * MARGIN + ROW * (len(rows) - 1) + BOX_HEIGHT
    places = {
        part: (x, height - MARGIN - BOX_HEIGHT / 2 - ROW * k, width)
        for k, row in enumerate(rows)
        for part, x, width in spread(row)
    }
    lines = "".join(line(places[one], places[other]) for one, other in drawn_lines(parts))
    boxes = "".join(box(part, *places[part]) for part in sorted(places))
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>'
    return f"{head}\n{lines}{boxes}</svg>\n"


def spread(row: list[str]) -> Iterator[tuple[str, float, float]]:
    """Yield name, centre and width of each box of a row, centred in the drawing."""
    widths = [LETTER_PX * len(part) + 2 * GAP for part in row]
    space = min(60.0, max(GAP, (WIDTH - 2 * MARGIN - sum(widths)) / max(1, len(row))))
    x = (WIDTH - sum(widths) - space * (len(row) - 1)) / 2
    for part, width in zip(row, widths, strict=True):
        yield part, x + width / 2, width
        x += width + space


def line(upper: tuple[float, float, float], lower: tuple[float, float, float]) -> str:
    """Return a line from the lower edge of one box to the upper edge of another."""
    (x1, y1, _), (x2, y2, _) = upper, lower
    half = BOX_HEIGHT / 2
    return f'<line x1="{x1:.0f}" y1="{y1 + half:.0f}" x2="{x2:.0f}" y2="{y2 - half:.0f}"/>\n'


def box(part: str, x: float, y: float, width: float) -> str:
    """Return the box of a part with its name."""
    corner = f'x="{x - width / 2:.0f}" y="{y - BOX_HEIGHT / 2:.0f}"'
    return (
        f'<rect {corner} width="{width:.0f}" height="{BOX_HEIGHT}" rx="5" '
        f'fill="{COLOURS[part.split(".")[0]]}"/>'
        f'<text x="{x:.0f}" y="{y:.0f}">{escape(part)}</text>\n'
    )


if __name__ == "__main__":
    main()
