"""What stands around a phrase decides what it is for.

Decides whether a phrase is a wish, a bound ("추석 지나고", "금요일까지"), taken back, ruled out, or
only told ("어제부터 아파요"). It never computes the phrase's own day or time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import Enum

from wonmu.korean import date_words as w
from wonmu.korean.date_draft import Clock, Draft, Half, Piece
from wonmu.korean.when import OpenTimes

_DAY = timedelta(days=1)
_OPEN_ENDED = 13 * _DAY
"""How far "after ..." reaches beyond its first day: two weeks, which is what a desk offers."""
_THREE_DAY_FEASTS = frozenset({"추석", "한가위", "설", "설날", "구정"})


@dataclass(frozen=True, slots=True)
class Scene:
    """The moment and the calendar in which words are read."""

    now: datetime
    open_times: OpenTimes
    holidays: Mapping[date, str]

    @property
    def today(self) -> date:
        return self.now.date()


class Role(Enum):
    """What a phrase is for."""

    WISH = "wish"
    TOLD = "told"
    REFUSED = "refused"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A piece in its role. ``or_next``: the next phrase is an alternative to this one."""

    draft: Draft
    role: Role
    or_next: bool = False


def in_context(pieces: list[Piece], shown: str, scene: Scene) -> list[Phrase]:
    """Each piece with the words after it taken into account."""
    phrases = []
    for at, piece in enumerate(pieces):
        last = at + 1 == len(pieces)
        tail = shown[piece.end : len(shown) if last else pieces[at + 1].start]
        role = _role(piece, tail, shown, last=last, scene=scene)
        draft = piece.draft if role is Role.TOLD else _bounded(piece, tail, scene)
        phrases.append(Phrase(draft, role, or_next=w.ALTERNATIVE.match(tail) is not None))
    return _refused_together(phrases)


def _refused_together(phrases: list[Phrase]) -> list[Phrase]:
    """ "화요일이랑 목요일은 안 돼요" rules out both."""
    for at in range(len(phrases) - 2, -1, -1):
        this, following = phrases[at], phrases[at + 1]
        if this.or_next and this.role is Role.WISH and following.role is Role.REFUSED:
            phrases[at] = replace(this, role=Role.REFUSED)
    return phrases


def _role(piece: Piece, tail: str, shown: str, *, last: bool, scene: Scene) -> Role:
    if _told(piece, tail, scene):
        return Role.TOLD
    if _beside(piece, tail) or (w.DAY_AFTER.match(tail) and len(piece.draft.days) == 1):
        return Role.WISH
    if not last and w.CORRECTION.match(tail):
        return Role.REPLACED
    if not last and w.BOOKED.match(tail) and w.CHANGE.search(shown):
        return Role.REPLACED
    if w.REFUSED.match(tail) and not w.REFUSAL_IS_QUESTION.search(tail):
        return Role.REFUSED
    return Role.WISH


def _told(piece: Piece, tail: str, scene: Scene) -> bool:
    """A symptom, an accident, an earlier visit: told, not wished."""
    clause = tail.split(".")[0].split("?")[0]
    past_tense = past_tense_at(clause)
    symptom = _at(w.SYMPTOM.search(clause))
    wish = _at(w.WISH.search(clause))
    if piece.draft.days and all(last < scene.today for _, last in piece.draft.days):
        asked = w.PLAIN_ANSWER.match(clause) is not None or wish < min(past_tense, symptom)
        return not asked or _very_old(piece.draft, scene.today)
    if w.FUTURE_WORD.search(piece.text):
        return False
    if past_tense < wish and not w.BOOKING_VERB.search(clause[:past_tense]):
        return True
    only_part_of_day = not piece.draft.days and piece.draft.clock is not None
    since = clause.lstrip().startswith("부터")
    return symptom < wish and (since or only_part_of_day)


def _very_old(draft: Draft, today: date) -> bool:
    """More than a year back is a birth date or a history, whatever stands around it."""
    return all((today - last).days > 366 for _, last in draft.days)


def _at(match: object) -> int:
    start = getattr(match, "start", None)
    return int(start()) if start is not None else 10**6


def past_tense_at(clause: str) -> int:
    """Where the first past-tense syllable stands (final ㅆ, not 있/겠/-ㅆ으면); far off if none."""
    for at, c in enumerate(clause):
        is_past = 0 <= ord(c) - 0xAC00 < 11172 and (ord(c) - 0xAC00) % 28 == 20
        if is_past and c not in "있겠" and not clause[at + 1 :].startswith(("으면", "음")):
            return at
    return 10**6


def _bounded(piece: Piece, tail: str, scene: Scene) -> Draft:
    draft = _halved(piece.draft, tail)
    after, since = w.AFTER_END.match(tail), w.FROM.match(tail)
    until, before = w.UNTIL.match(tail), w.BEFORE.match(tail)
    if beside := _beside(piece, tail):
        return replace(draft, clock=beside)
    if draft.clock is not None:
        return replace(draft, clock=_clock_bound(draft.clock, after, since, until, before))
    if not draft.days:
        return draft
    first, last = draft.days[0][0], draft.days[-1][1]
    if w.DAY_AFTER.match(tail):
        return replace(draft, days=((last + _DAY, last + _DAY),), doubt=None, weekday=None)
    if before:
        # "연말 전에" in December: before the end of what has begun already.
        end = last if first <= scene.today < last else first - _DAY
        return Draft(days=((min(scene.today, end), end),))
    if until:
        return Draft(days=((min(scene.today, last), last),))
    if since and not piece.feast:
        return Draft(days=((first, max(last, first + _OPEN_ENDED)),))
    if after or since:
        begin = first_open_after(_feast_end(piece, last, scene), scene)
        return Draft(days=((begin, begin + _OPEN_ENDED),))
    return draft


def _beside(piece: Piece, tail: str) -> Clock | None:
    """ "두 시 말고 더 늦게": the hours after (or before) the one named, without it."""
    clock = piece.draft.clock
    if clock is None or clock.end is not None or not w.DAY_BEGIN < clock.begin < time(23, 58):
        return None
    if w.LATER_THAN.match(tail):
        after = datetime.combine(date.min, clock.begin) + timedelta(minutes=1)
        return Clock(after.time(), w.DAY_END)
    return Clock(w.DAY_BEGIN, clock.begin) if w.SOONER_THAN.match(tail) else None


def _halved(draft: Draft, tail: str) -> Draft:
    half = Half.LATE if w.LATE.match(tail) else Half.EARLY if w.EARLY.match(tail) else None
    if half is None:
        return draft
    if draft.clock is None:
        return replace(draft, half=half)
    if draft.clock.end is None:
        return draft
    return replace(draft, clock=replace(draft.clock, half=half))


def _clock_bound(
    clock: Clock, after: object, since: object, until: object, before: object
) -> Clock:
    begin, end = clock.begin, clock.end
    if before or until:
        limit = begin if before or end is None else end
        return Clock(w.DAY_BEGIN, limit) if limit > w.DAY_BEGIN else clock
    if after or since:
        start = end if after and not since and end is not None else begin
        if since and end is not None and begin == time(12):
            start = end if end <= time(14) else begin  # "점심 이후": after lunch
        return Clock(start, w.DAY_END) if start < w.DAY_END else clock
    return clock


def _feast_end(piece: Piece, last: date, scene: Scene) -> date:
    """The last day of the feast's holidays, so that "추석 지나고" is not its third day."""
    if not piece.feast:
        return last
    if "".join(piece.text.split()) in _THREE_DAY_FEASTS:
        last += _DAY
    while last + _DAY in scene.holidays:
        last += _DAY
    return last


def first_open_after(day: date, scene: Scene) -> date:
    """The first day after ``day`` on which the hospital opens; the next day if none within 14."""
    for ahead in range(1, 15):
        if scene.open_times.opening(day + ahead * _DAY):
            return day + ahead * _DAY
    return day + _DAY
