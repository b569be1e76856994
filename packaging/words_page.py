"""Write the guide's page of words from those that the window explains.

python packaging/words_page.py writes docs/user/words.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "user" / "words.md"
HEAD = """# Words

What the window explains where a word stands, when the pointer rests on it, and in **Help > Words**.

| word | meaning |
|---|---|
"""


def page() -> str:
    """Return the page: all words in the order of the alphabet."""
    sys.path.insert(0, str(ROOT))
    from app.look.glossary import GLOSSARY

    rows = sorted(GLOSSARY.items(), key=lambda each: each[0].lower())
    return HEAD + "".join(f"| {word} | {meaning} |\n" for word, meaning in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} written")
