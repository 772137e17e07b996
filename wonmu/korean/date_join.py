"""Lays the phrases of one sentence together into the wishes it holds.

Decides which phrases complete each other, which stand as alternatives and which are left out. It
never sees opening hours and never drops a past day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta

from wonmu.korean import date_words as w
from wonmu.korean.date_context import Phrase, Role
from wonmu.korean.date_draft import Clock, Draft, corrected, joined, settled_weekday
from wonmu.korean.when import AmbiguityKind

_DAY = timedelta(days=1)
_MOST_OPTIONS = 4
"""More than four options cannot be asked in one spoken question."""


def wishes(phrases: list[Phrase], today: date) -> tuple[list[Draft], AmbiguityKind | None]:
    """The wishes said, most often one; with several, why there are several."""
    live = _without_replaced([p for p in phrases if p.role is not Role.TOLD])
    said = [p for p in live if p.role is Role.WISH]
    said = _without_past(said, today)
    refused = Draft()
    for phrase in live:
        if phrase.role is Role.REFUSED:
            refused = _ruled_out(phrase.draft, refused)
    drafts, kind = _folded(said)
    if not drafts:
        return ([] if refused.empty else [refused]), None
    return [_restricted(draft, refused) for draft in drafts], kind


def _without_replaced(phrases: list[Phrase]) -> list[Phrase]:
    """A phrase taken back lends the one after it what that one does not say itself."""
    kept: list[Phrase] = []
    carried: Draft | None = None
    for phrase in phrases:
        draft = phrase.draft if carried is None else corrected(phrase.draft, carried)
        if phrase.role is Role.REPLACED:
            carried = draft
            continue
        kept.append(replace(phrase, draft=draft))
        carried = None
    if carried is not None:
        kept.append(Phrase(carried, Role.WISH))
    return kept


def _without_past(said: list[Phrase], today: date) -> list[Phrase]:
    """A day that is over only counts when nothing else was wished for."""
    ahead = [p for p in said if not p.draft.days or p.draft.days[-1][1] >= today]
    return ahead if any(p.draft.days or p.draft.clock for p in ahead) else said


def _folded(said: list[Phrase]) -> tuple[list[Draft], AmbiguityKind | None]:
    options: list[Draft] = []
    kind: AmbiguityKind | None = None
    offered = False
    for phrase in said:
        draft = phrase.draft
        together = [joined(option, draft) for option in options]
        whole = [one for one in together if one is not None]
        if not options:
            options = [draft]
        elif not offered and len(whole) == len(options):
            options = whole
        elif len(options) < _MOST_OPTIONS:
            options = _beside(options, draft)
            kind = kind or (AmbiguityKind.ALTERNATIVES if offered else AmbiguityKind.SEVERAL)
        offered = phrase.or_next
    return options, kind if len(options) > 1 else None


def _beside(options: list[Draft], draft: Draft) -> list[Draft]:
    """Alternatives share what only one of them says: "내일 두 시나 세 시"."""
    options, draft = [settled_weekday(option) for option in options], settled_weekday(draft)
    last = options[-1]
    if not draft.days and last.days:
        draft = replace(draft, days=last.days, doubt=last.doubt, weekday=last.weekday)
    elif draft.clock and not any(option.clock for option in options):
        options = [replace(option, clock=draft.clock) for option in options]
    return options if draft in options else [*options, draft]


def _ruled_out(draft: Draft, so_far: Draft) -> Draft:
    if draft.clock is not None:
        clock = _other_half(draft.clock) or so_far.clock
        return replace(so_far, clock=clock, days=draft.days or so_far.days)
    days = list(so_far.not_days)
    for first, last in draft.days:
        days += [first + n * _DAY for n in range(min((last - first).days, 30) + 1)]
    return replace(so_far, not_days=tuple(days))


def _other_half(clock: Clock) -> Clock | None:
    """ "오전은 안 돼요" leaves the afternoon; a single hour leaves nothing that could be said."""
    if clock.end is None:
        return None
    if clock.end <= time(12):
        return Clock(time(12), w.DAY_END)
    return Clock(w.DAY_BEGIN, clock.begin) if clock.begin > w.DAY_BEGIN else None


def _restricted(draft: Draft, refused: Draft) -> Draft:
    one_day = len(draft.days) == 1 and not draft.wide
    ruled_out = () if one_day else refused.not_days
    clock = draft.clock or refused.clock
    days = draft.days or refused.days
    return replace(draft, days=days, clock=clock, not_days=(*draft.not_days, *ruled_out))
