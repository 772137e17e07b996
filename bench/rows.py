"""One measured figure beside its limits, and the table that people read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median


class Measure(Enum):
    """What of a row a limit is about."""

    MEDIAN = "median"
    EXTRA = "own − base"
    RATIO = "own ÷ base"


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``most``, in the row's unit (a ratio has none)."""

    measure: Measure
    most: float


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. ``base`` is what it is compared with, measured in the same run.

    ``values`` and ``base_values`` are the single measurements in ``unit``, taken in pairs right
    after each other; the row refuses a ratio or a difference without a base. ``extra`` and
    ``ratio`` are medians over the pairs, so that a machine that slows down in between counts less.
    """

    name: str
    unit: str
    values: tuple[float, ...]
    base_name: str = ""
    base_values: tuple[float, ...] = ()
    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"{self.name}: nothing was measured")
        if self.base_values and len(self.base_values) != len(self.values):
            raise ValueError(f"{self.name}: each measurement needs its own to compare with")
        if not self.base_values and any(x.measure is not Measure.MEDIAN for x in self.limits):
            raise ValueError(f"{self.name}: a limit beside something needs that something measured")

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def base(self) -> float | None:
        return median(self.base_values) if self.base_values else None

    @property
    def extra(self) -> float | None:
        pairs = self._pairs()
        return median(own - base for own, base in pairs) if pairs else None

    @property
    def ratio(self) -> float | None:
        pairs = self._pairs()
        return median(own / base for own, base in pairs) if pairs else None

    def _pairs(self) -> list[tuple[float, float]]:
        return list(zip(self.values, self.base_values, strict=True)) if self.base_values else []

    def measured(self, measure: Measure) -> float:
        """The number a limit on ``measure`` looks at."""
        match measure:
            case Measure.MEDIAN:
                return self.median
            case Measure.EXTRA:
                value = self.extra
            case Measure.RATIO:
                value = self.ratio
        if value is None:
            raise ValueError(f"{self.name}: there is nothing to compare with")
        return value

    @property
    def ok(self) -> bool:
        return all(self.measured(limit.measure) <= limit.most for limit in self.limits)

    def to_json(self) -> dict[str, object]:
        """The row as plain numbers, with every single measurement."""
        return {
            "figure": self.name,
            "unit": self.unit,
            "median": self.median,
            "compared_with": self.base_name or None,
            "base": self.base,
            "extra": self.extra,
            "ratio": self.ratio,
            "limits": [{"of": x.measure.name.lower(), "most": x.most} for x in self.limits],
            "ok": self.ok,
            "values": list(self.values),
            "base_values": list(self.base_values),
        }


HEAD = ("figure", "n", "median", "compared with", "extra", "ratio", "limit", "")


def cells(row: Row) -> tuple[str, ...]:
    """A row in the words of the table."""
    base = "" if row.base is None else f"{row.base_name} {amount(row.base)} {row.unit}"
    return (
        row.name,
        str(len(row.values)),
        f"{amount(row.median)} {row.unit}",
        base,
        "" if row.extra is None else f"{amount(row.extra)} {row.unit}",
        "" if row.ratio is None else f"{row.ratio:.2f}",
        ", ".join(limit_words(row, limit) for limit in row.limits),
        verdict(row),
    )


def verdict(row: Row) -> str:
    if not row.limits:
        return "–"
    return "ok" if row.ok else "OVER"


def limit_words(row: Row, limit: Limit) -> str:
    match limit.measure:
        case Measure.MEDIAN:
            return f"≤ {limit.most:g} {row.unit}"
        case Measure.EXTRA:
            return f"extra ≤ {limit.most:g} {row.unit}"
        case Measure.RATIO:
            return f"ratio ≤ {limit.most:g}"


def amount(value: float) -> str:
    """Three significant digits, never an exponent."""
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    return f"{value:.{digits}f}"


def table(rows: Sequence[Row]) -> str:
    """All rows under one head, columns aligned."""
    lines = [HEAD, *(cells(row) for row in rows)]
    widths = [max(width(line[n]) for line in lines) for n in range(len(HEAD))]
    ruled = [lines[0], tuple("─" * each for each in widths), *lines[1:]]
    return "\n".join(_line(line, widths) for line in ruled)


def _line(line: Sequence[str], widths: Sequence[int]) -> str:
    padded = (text + " " * (wide - width(text)) for text, wide in zip(line, widths, strict=True))
    return "  ".join(padded).rstrip()


def width(text: str) -> int:
    """Columns on a terminal: Korean letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
