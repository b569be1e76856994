"""Format numbers for people: few digits, a suitable unit, no exponents.

Units with prefixes get one, so that the number is between 1 and 1000 if possible: 46.5 MBq, 7.3
kBq/mL. Other units get a power of ten in steps of three if there would be many zeros: 73 × 10⁻⁶
counts/mm. `Information` marks notes that only inform.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

MINUS, TIMES = "−", "×"
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
PREFIXED = ("Bq", "Bq/mL", "Bq/s", "B/s", "Hz", "W", "J", "eV")
"""Units that take a prefix."""
PREFIXES = {9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ"}
MIN_SIZE, MAX_SIZE = 1e-3, 1e6
"""Range of numbers that are written without a power of ten."""
DECIMAL = (1e-2, 1e5)
"""Range of the largest value of an image that needs no power of ten."""
MIN_SHOWN = 1e-6
"""Smaller numbers next to a power of ten are shown as about zero."""
MAX_UNIT_CHARACTERS = 100
"""Longest unit of a volume; the records of results and checkpoints take no longer one."""
MAX_FIGURES = 6
"""Significant digits of a value with an error; more are not readable, however small the error."""
NO_BREAK = "\u00a0"
"""No-break space: a line does not end there."""
_UNITS = (
    *("[kMGTmµn]?Bq", "[cmµnk]?m[²³]?", "[mµ]?[Ll]", "[mµnp]?s", "min", "h", "d", "[kMG]?eV", "%"),
    *("°C?", "HU", "[KMGT]iB", "[kMGT]?B", "px", "dpi", "[kMG]?Hz", "k?V", "mAs?", "k?W", "m?g|kg"),
    *("counts", "1/[cm]?m", "SUV", "rad", "ppm"),
)
_JOINED = re.compile(
    rf"(?<=[\d⁰¹²³⁴-⁹)]) (?=(?:{'|'.join(_UNITS)})(?!\w))"
    r"|(?<=[\d⁰¹²³⁴-⁹]) (?=× ?10[⁻⁰¹²³⁴-⁹])|(?<=×) (?=10[⁻⁰¹²³⁴-⁹])"
    r"|(?<=\d) (?=× \d)|(?<=\d ×) (?=\d)"
)
"""Spaces between a number or a point and its unit, within a power of ten, and within a size."""
MINUTES_FROM_S, HOURS_FROM_S = 120, 10_800


def number_text(value: float, figures: int = 4) -> str:
    """Return a number with significant figures, a typographic minus and no trailing zeros.

    >>> number_text(7.3e-5), number_text(-1234567.0), number_text(0.5)
    ('73 × 10⁻⁶', '−1.235 × 10⁶', '0.5')
    """
    # NaN first: it compares false with every bound below.
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if value == 0 or MIN_SIZE <= abs(value) < MAX_SIZE:
        return _number_text(value, figures)
    # Steps of three match the prefixes of SI: 10⁻⁶, 10⁻³, 10³.
    power = 3 * math.floor(math.log10(abs(value)) / 3)
    mantissa = _number_text(value / 10.0**power, figures)
    if mantissa.lstrip(MINUS) == "1,000":  # rounded up to the next step
        mantissa, power = mantissa.replace("1,000", "1"), power + 3
    return f"{mantissa} {TIMES} {power_text(power)}"


def power_text(power: int) -> str:
    """Return a power of ten as text, "10⁻⁶"."""
    return f"10{str(power).translate(SUPERSCRIPTS)}"


def quantity(value: float, unit: str, figures: int = 4) -> str:
    """Return a value with its unit, in a size that can be read.

    >>> quantity(4.65e7, "Bq"), quantity(7300.0, "Bq/mL"), quantity(6586.2, "s")
    ('46.5 MBq', '7.3 kBq/mL', '109.8 min')
    >>> quantity(7.3e-5, "counts/mm")
    '73 × 10⁻⁶ counts/mm'
    """
    # Seconds get minutes and hours, which people read, instead of a prefix.
    if unit == "s" and math.isfinite(value) and abs(value) >= MINUTES_FROM_S:
        per, unit = (3600, "h") if abs(value) >= HOURS_FROM_S else (60, "min")
        return f"{number_text(value / per, figures)} {unit}"
    # Zero has no logarithm and needs no prefix.
    if unit in PREFIXED and value and math.isfinite(value):
        size = 3 * math.floor(math.log10(abs(value)) / 3)
        # Beyond micro and giga there is no prefix here; the number then has more digits.
        size = min(max(size, min(PREFIXES)), max(PREFIXES))
        return f"{number_text(value / 10.0**size, figures)} {PREFIXES[size]}{unit}"
    return f"{number_text(value, figures)} {unit}".rstrip()


def quantities(values: Sequence[float], unit: str, largest: float, figures: int = 4) -> list[str]:
    """Format values with a common prefix or power of ten, for comparison.

    Parameters
    ----------
    values
        values in `unit`
    unit
        common unit
    largest
        value that selects the prefix or power, such as the maximum of the image
    figures
        significant digits

    Returns
    -------
    one text for each value

    Examples
    --------
    >>> quantities([1.11e-4, 2.005e-3], "counts/mm", 0.005)
    ['0.111 ×10⁻³ counts/mm', '2.005 ×10⁻³ counts/mm']
    >>> quantities([850.0, 7300.0], "Bq/mL", 9000.0)
    ['0.85 kBq/mL', '7.3 kBq/mL']
    """
    power, named = scale_of(unit, largest)
    return [f"{scaled_number(value / 10.0**power, figures)} {named}".rstrip() for value in values]


def scale_of(unit: str, largest: float) -> tuple[int, str]:
    """Return the power of ten to take out of values, and their unit with this power or its prefix.

    Parameters
    ----------
    unit
        unit of the values
    largest
        value that selects the prefix or power, such as the maximum of the image

    Examples
    --------
    >>> scale_of("Bq/mL", 9000.0), scale_of("counts/mm", 0.005)
    ((3, 'kBq/mL'), (-3, '×10⁻³ counts/mm'))
    """
    if unit in PREFIXED and largest > 0 and math.isfinite(largest):
        size = 3 * math.floor(math.log10(largest) / 3)
        power = min(max(size, min(PREFIXES)), max(PREFIXES))
        return power, f"{PREFIXES[power]}{unit}"
    power = power_of(largest)
    return power, unit_text(unit, power)


def with_error(value: float, error: float, power: int = 0) -> str:
    """Format a value with its error; two digits of the error decide the decimals of both.

    Parameters
    ----------
    value, error
        in the same unit; the error is a standard deviation
    power
        power of ten to take out of both, from `scale_of`

    Examples
    --------
    >>> with_error(7312.0, 248.0), with_error(7312.0, 248.0, 3)
    ('7,312 ± 248', '7.31 ± 0.25')
    >>> with_error(7.312, 1.2e-8)
    '7.31200 ± < 0.00001'
    """
    value, error = value / 10.0**power, abs(error) / 10.0**power
    if not _sets_decimals(value, error):
        return f"{scaled_number(value, 4)} ± {scaled_number(error, 4)}"
    decimals = decimals_for(error, value)
    return f"{rounded(value, decimals)} ± {error_text(error, decimals)}"


def interval_text(value: float, half_width: float, power: int = 0) -> str:
    """Format an interval around a value.

    Parameters
    ----------
    value, half_width
        middle and half width, in the same unit
    power
        power of ten to take out of both ends, from `scale_of`

    Examples
    --------
    >>> interval_text(7312.0, 248.0, 3)
    '7.06 to 7.56'
    """
    value, half = value / 10.0**power, abs(half_width) / 10.0**power
    ends = value - half, value + half
    if not _sets_decimals(value, half):
        return " to ".join(scaled_number(each, 4) for each in ends)
    decimals = decimals_for(half, max(map(abs, ends)))
    return " to ".join(rounded(each, decimals) for each in ends)


def decimals_for(error: float, largest: float, figures: int = 2) -> int:
    """Return the number of decimals that an error and the values next to it are written with.

    So many digits of the error are significant (GUM 7.2.6). A value has at most `MAX_FIGURES`
    digits, however small its error is.

    Parameters
    ----------
    error
        standard deviation or half width, above 0
    largest
        value of the largest size that is written with this error
    figures
        significant digits of the error

    Examples
    --------
    >>> decimals_for(0.25, 7.3), decimals_for(248.0, 7312.0), decimals_for(1e-9, 7.3)
    (2, 0, 5)
    """
    # The rounded error decides: 0.096 is 0.1 with one digit.
    last = figures - 1 - math.floor(math.log10(float(f"{error:.{figures - 1}e}")))
    top = math.floor(math.log10(max(abs(largest), error)))
    return max(0, min(last, MAX_FIGURES - 1 - top))


def error_text(error: float, decimals: int) -> str:
    """Format an error with so many decimals; one that rounds to zero is stated as a limit.

    >>> error_text(0.248, 2), error_text(1e-9, 5)
    ('0.25', '< 0.00001')
    """
    text = f"{error:,.{decimals}f}"
    return text if _is_counted(text) else f"< {10.0**-decimals:.{decimals}f}"


def _sets_decimals(value: float, error: float) -> bool:
    """Return True if an error can decide the decimals of a value."""
    both_finite = math.isfinite(error) and math.isfinite(value)
    return both_finite and error > 0 and max(abs(value), error) > MIN_SHOWN


def rounded(value: float, decimals: int) -> str:
    """Format a value with so many decimals and a true minus.

    >>> rounded(-7312.04, 1), rounded(-0.01, 1)
    ('−7,312.0', '0.0')
    """
    text = f"{value:,.{decimals}f}"
    # Rounding can give "-0.0", which would look like a sign error.
    return text.replace("-", MINUS if _is_counted(text) else "")


def _is_counted(text: str) -> bool:
    """Return True if a number is not zero after rounding."""
    return any(each in text for each in "123456789")


def counted(n: float, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    Parameters
    ----------
    n
        whole number
    noun
        regular English noun in singular

    Examples
    --------
    >>> counted(1, "frame"), counted(2000, "frame")
    ('1 frame', '2,000 frames')
    """
    return f"{n:,.0f} {noun if n == 1 else f'{noun}s'}"


def power_of(largest: float) -> int:
    """Return the power of ten, in steps of three, to take out of values so that they can be read.

    >>> power_of(7.3e-5)
    -6
    """
    if largest <= 0 or not math.isfinite(largest) or DECIMAL[0] <= largest < DECIMAL[1]:
        return 0
    return 3 * math.floor(math.log10(largest) / 3)


def unit_text(unit: str, power: int) -> str:
    """Return a unit with the power of ten that was taken out of its values.

    >>> unit_text("counts/mm", -3)
    '×10⁻³ counts/mm'
    """
    factor = f"{TIMES}{power_text(power)}" if power else ""
    return " ".join(part for part in (factor, unit) if part)


def scaled_number(value: float, figures: int = 3) -> str:
    """Return a value without a power of ten, because its unit may already contain one.

    >>> scaled_number(6.24e-5), scaled_number(1e-9)
    ('0.0000624', '≈ 0')
    """
    if not math.isfinite(value) or value == 0:
        return number_text(value, figures)
    # Such values come from noise or rounding; their digits would look like a measurement.
    if abs(value) < MIN_SHOWN:
        return "≈ 0"
    # The number of decimals follows from the magnitude: all significant digits are shown, never
    # more.
    exponent = math.floor(math.log10(abs(value)))
    text = f"{value:,.{max(0, figures - 1 - exponent)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", MINUS)


def unbroken(text: str) -> str:
    """Return a text for display in which no line ends within a quantity or a size.

    Parameters
    ----------
    text
        any text; copied texts and files get the original with ordinary spaces

    Examples
    --------
    >>> unbroken("a mean of 7.3 kBq/mL").replace(NO_BREAK, "_")
    'a mean of 7.3_kBq/mL'
    >>> unbroken("73 × 10⁻⁶ counts/mm in 2 s").replace(NO_BREAK, "_")
    '73_×_10⁻⁶_counts/mm in 2_s'
    >>> unbroken("pixels of 0.9 × 0.9 mm at (3, 4) mm").replace(NO_BREAK, "_")
    'pixels of 0.9_×_0.9_mm at (3, 4)_mm'
    """
    return _JOINED.sub(NO_BREAK, text)


def _number_text(value: float, figures: int) -> str:
    whole = math.floor(math.log10(abs(value))) + 1 if value else 1
    text = f"{value:,.{max(0, figures - whole)}f}"
    # Trailing zeros are removed only after a decimal point; those of whole numbers count.
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return ("0" if text in ("-0", "") else text).replace("-", MINUS)


class Information(str):
    """A sentence about the reading of a file, without an assumption or a loss.

    All other notes of a reader are assumptions or losses that the user should check.
    `engine.data.runs.events` derives the level of a message from this class.
    """

    __slots__ = ()
