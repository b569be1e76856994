"""Write the glossary of the guide from the glossary of the window.

python packaging/words_page.py writes docs/user/words.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "user" / "words.md"
HEAD = """# Words

This glossary has one word for each thing. The window uses the same words and explains them in a
tooltip. The tab **Glossary** of the help (F1) shows the same list. The last column has the names in
standards (NEMA, DICOM) and in other programs.

| Word | Meaning | Also called |
|---|---|---|
"""
ALSO_CALLED = {
    "Background variability": "percent background variability (NEMA NU 2)",
    "Centre of rotation": "centre of rotation (CIL)",
    "Contrast recovery": "percent contrast, contrast recovery coefficient (NEMA NU 2)",
    "CT number": "Hounsfield unit, HU (DICOM)",
    "Dark and flat field": "dark and white field",
    "Dead time": "dead time factor (DICOM)",
    "Delayeds": "delayed coincidences",
    "Filtered back projection": "FBP, FDK",
    "Half fan": "displaced or offset detector (RTK)",
    "Line of response": "LOR",
    "Modulation transfer": "modulation transfer function, MTF",
    "Noise power": "noise power spectrum, NPS",
    "Normalisation": "normalization factors (CASToR)",
    "Peak (1 mL)": "SUVpeak",
    "Prompts": "prompt coincidences",
    "Randoms": "random coincidences (NEMA), accidentals",
    "Resolution": "point spread function, PSF modelling",
    "Response": "system matrix",
    "Rings": "ring artefacts",
    "Scatter": "scattered coincidences (NEMA)",
    "Sensitivity": "sensitivity image (STIR, CASToR)",
    "Sinogram": "projection data (STIR)",
    "Spill-over": "spill-over ratio (NEMA NU 4)",
    "Standard deviation": "SD",
    "Time of flight": "TOF",
    "Trues": "true coincidences (NEMA)",
    "Valley / peak": "valley-to-peak ratio",
    "μ-map": "attenuation image (STIR), attenuation map (CASToR)",
}
"""Names of the same things in standards and in other programs."""


def page() -> str:
    """Return the page: all words in alphabetical order."""
    sys.path.insert(0, str(ROOT))
    from app.ui.theme.glossary import GLOSSARY

    rows = sorted(GLOSSARY.items(), key=lambda each: each[0].lower())
    lines = (f"| {word} | {text} | {ALSO_CALLED.get(word, '')} |\n" for word, text in rows)
    return HEAD + "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} written")
