"""Running dialogue files: play, judge, and one screen of text for each that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wonmu.chat import plain
from wonmu.evals.dialogue import Dialogue, load_dialogue
from wonmu.evals.judging import Miss, judge
from wonmu.evals.playing import Played, play_dialogue
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.view import Check

MOST_MISSES = 8
"""Differences shown at a failure; the first one is nearly always the cause of the others."""


@dataclass(frozen=True, slots=True)
class Result:
    """One dialogue, played and judged."""

    dialogue: Dialogue
    played: tuple[Played, ...]
    misses: tuple[Miss, ...]

    @property
    def passed(self) -> bool:
        return not self.misses

    @property
    def known_to_fail(self) -> bool:
        """It fails, and the file says why."""
        return self.dialogue.open_bug is not None and not self.passed

    @property
    def failed(self) -> bool:
        """It fails unexpectedly, or passes although the file says that it fails."""
        return self.passed == (self.dialogue.open_bug is not None)

    @property
    def not_checked(self) -> Mapping[Check, str]:
        """Checks that could not judge the call, and why. They count for nothing."""
        return self.played[-1].checks.not_checked

    def text(self) -> str:
        """The talk with the point marked, and what was expected instead."""
        misses = list(self.misses)
        if self.passed and self.dialogue.open_bug is not None:
            misses = [Miss(f"a failure: {self.dialogue.open_bug}", "it passes; take open_bug out")]
        return "\n".join((*_head(self.dialogue), *_talk(self), "", *_differences(misses)))


@dataclass(frozen=True, slots=True)
class RunReport:
    """All results, in the order of the files."""

    results: tuple[Result, ...]

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.failed)

    def text(self) -> str:
        """Every failure in full, then one line with the count and what was not checked."""
        skipped = {check for result in self.results for check in result.not_checked}
        known = sum(1 for result in self.results if result.known_to_fail)
        as_written = len(self.results) - len(self.failed) - known
        count = f"{as_written} of {len(self.results)} dialogues passed"
        count += f"; {known} known to fail" if known else ""
        not_checked = f"; not checked in some: {', '.join(sorted(skipped))}" if skipped else ""
        return "\n\n".join([*(result.text() for result in self.failed), count + not_checked])


def run_dialogue(dialogue: Dialogue) -> Result:
    played = play_dialogue(dialogue)
    return Result(dialogue, played, judge(dialogue, played))


def run_files(
    paths: Iterable[Path], on_result: Callable[[Result], None] = lambda result: None
) -> RunReport:
    """Play every file. Raises ``InputError`` for a file that is no dialogue, before playing any."""
    dialogues = [load_dialogue(path) for path in paths]
    return RunReport(tuple(_played(dialogue, on_result) for dialogue in dialogues))


def _played(dialogue: Dialogue, on_result: Callable[[Result], None]) -> Result:
    result = run_dialogue(dialogue)
    on_result(result)
    return result


def _head(dialogue: Dialogue) -> tuple[str, ...]:
    talk = dialogue.talk
    caller = talk.caller or "발신번호 없음"
    return (f"{dialogue.path.name}: {dialogue.title}", f"{dialogue.hospital}, {caller}, {talk.now}")


def _talk(result: Result) -> list[str]:
    marks = {miss.seq for miss in result.misses[:MOST_MISSES] if miss.seq is not None}
    return list(_marked(result.played[-1].events, marks))


def _marked(events: Sequence[Event], marks: set[int]) -> Iterable[str]:
    for event in events:
        line = _line(event)
        if event.seq in marks:
            yield f"▶ {line or event.kind.value}"
        elif line is not None:
            yield f"  {line}"


def _line(event: Event) -> str | None:
    if event.kind is Kind.KEYPAD_PRESSED:
        return "고객:   (키)" if event.data.get("done") else None
    return plain(event)


def _differences(misses: Sequence[Miss]) -> Iterable[str]:
    for miss in misses[:MOST_MISSES]:
        yield f"✗ expected: {miss.expected}"
        yield f"  found:    {miss.found}"
    if len(misses) > MOST_MISSES:
        yield f"  and {len(misses) - MOST_MISSES} more"
