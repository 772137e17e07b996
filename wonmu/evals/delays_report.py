"""``python -m wonmu.evals.delays_report``: the delay table's figures, as plain text (A1, A9).

Plays every cell of ``delays`` and sums each row of cells that differ only in what the caller does
meanwhile. Says how waits ended, how often they were explained, how long it was silent, and both
clocks. Decides nothing about right or wrong; ``tests/scenario/test_delay_table.py`` does.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from wonmu.evals.delays import NEVER, Cell, Limits, Waited, cells, heard, play
from wonmu.testing import Cue, silences
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.figures import Spread, responses

UNSETTLED = "left"
"""The timeline ended before it was settled: a write that goes on after a hang-up."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One cell's call. ``answers``: outcome and seconds of each wait for what is slow.

    ``fillers``: the most in one wait. ``silent`` and ``unexplained``: seconds of the longest
    silence of any kind, and of the longest that nothing had explained. ``first_sounds``: seconds
    from the caller's words to the agent's.
    """

    cell: Cell
    answers: tuple[tuple[str, float | None], ...]
    fillers: int
    silent: float
    unexplained: float
    first_sounds: tuple[float, ...]


def measure(cell: Cell) -> Measured:
    """Play the cell's call."""
    result = play(cell)
    gaps = silences(result.recording)
    return Measured(
        cell,
        tuple(answers(cell.waited, result.events)),
        heard(cell, result).fillers,
        max((gap.seconds for gap in gaps), default=0.0),
        max((gap.seconds for gap in gaps if gap.cue is Cue.NONE), default=0.0),
        tuple(each for each in responses(result.events) if each is not None),
    )


def answers(waited: Waited, events: Sequence[Event]) -> Iterator[tuple[str, float | None]]:
    """Outcome and seconds of each wait of this kind, beginning to end; None without an end."""
    open_: dict[str, float] = {}
    for event in events:
        if _begins(waited, event):
            open_.setdefault(_id(waited, event), event.mono)
        elif _ends(waited, event) and (began := open_.pop(_id(waited, event), None)) is not None:
            yield str(event.data["outcome"]), event.mono - began
    for _ in open_:
        yield UNSETTLED, None


def _begins(waited: Waited, event: Event) -> bool:
    match waited:
        case Waited.LOOKUP:
            return event.kind is Kind.LOOKUP_STARTED
        case Waited.SEARCH:
            return event.kind is Kind.SEARCH_STARTED and event.data["name"] == "slots"
        case Waited.COMMIT:
            return event.kind is Kind.COMMIT_STEP


def _ends(waited: Waited, event: Event) -> bool:
    match waited:
        case Waited.LOOKUP:
            return event.kind is Kind.LOOKUP_SETTLED
        case Waited.SEARCH:
            return event.kind is Kind.SEARCH_SETTLED
        case Waited.COMMIT:
            return event.kind is Kind.COMMIT_SETTLED


def _id(waited: Waited, event: Event) -> str:
    return str(event.data["key" if waited is Waited.COMMIT else "id"])


# The table ----------------------------------------------------------------------------------------

HEAD = (
    *("slow", "delay", "limits", "calls", "ended", "fillers", "silent", "unexplained"),
    *("first sound p50/p90/p95", "answer p50/p90/p95"),
)


def table(measured: Iterable[Measured]) -> str:
    """One line for each kind of wait, delay and limits; then one for each kind of wait."""
    all_ = tuple(measured)
    lines: list[tuple[str, ...]] = [HEAD]
    for waited in Waited:
        of_kind = [each for each in all_ if each.cell.waited is waited]
        lines += [_line(group, *key) for key, group in _groups(of_kind)]
    lines += [
        _line(group, waited.value, "all", "all")
        for waited in Waited
        if (group := [each for each in all_ if each.cell.waited is waited])
    ]
    return _aligned(lines)


def _groups(
    measured: Sequence[Measured],
) -> Iterator[tuple[tuple[str, str, str], list[Measured]]]:
    for limits in Limits:
        delays = dict.fromkeys(each.cell.delay for each in measured if each.cell.limits is limits)
        for delay in delays:
            words = "never" if delay == NEVER else f"{delay:g} s"
            group = [
                each for each in measured if each.cell.limits is limits and each.cell.delay == delay
            ]
            yield (group[0].cell.waited.value, words, limits.value), group


def _line(group: Sequence[Measured], waited: str, delay: str, limits: str) -> tuple[str, ...]:
    ended = Counter(outcome for each in group for outcome, _ in each.answers)
    seconds = [
        took
        for each in group
        for outcome, took in each.answers
        if took is not None and outcome != "cancelled"
    ]
    sounds = [took for each in group for took in each.first_sounds]
    return (
        *(waited, delay, limits, str(len(group))),
        ", ".join(f"{name} {count}" for name, count in sorted(ended.items())) or "–",
        str(max((each.fillers for each in group), default=0)),
        f"{max((each.silent for each in group), default=0.0):.1f} s",
        f"{max((each.unexplained for each in group), default=0.0):.1f} s",
        _spread(sounds),
        _spread(seconds),
    )


def _spread(seconds: Sequence[float]) -> str:
    spread = Spread.of(seconds)
    parts = [f"{value:.2f}" for value in (spread.p50, spread.p90, spread.p95) if value is not None]
    return f"{' '.join(parts)} s of {spread.count}" if parts else "–"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[n]) for line in lines) for n in range(len(HEAD))]
    ruled = [lines[0], tuple("-" * each for each in widths), *lines[1:]]
    padded = (
        "  ".join(text.ljust(wide) for text, wide in zip(line, widths, strict=True))
        for line in ruled
    )
    return "\n".join(line.rstrip() for line in padded)


def main(write: Callable[[str], object] = sys.stdout.write, workers: int | None = None) -> int:
    """Play all cells on ``workers`` processes (None: one for each core) and print the table."""
    all_ = tuple(cells())
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        measured = list(pool.map(measure, all_))
    write(table(measured) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
