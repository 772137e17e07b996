"""The insurance kind, from the hospital's closed list; may be skipped (D5)."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.hospital.config import InsuranceKind
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.visit.asks import Got, Not, Question, Reading
from wonmu.visit.host import Host
from wonmu.visit.wishes import names_care

_SKIPPING = (
    "모르",
    "몰라",
    "나중",
    "글쎄",
    "상관없",
    "아무거나",
    "생각 안",
    "기억",
    "안 할",
    "패스",
)


@dataclass(frozen=True, slots=True)
class Insurance:
    """``kind`` None: skipped. ``went_on``: the caller spoke of the visit instead of answering."""

    kind: InsuranceKind | None
    went_on: bool = False


def insurance_question(host: Host) -> Question[Insurance] | None:
    """The question, or None where the hospital does not ask."""
    rules = host.desk.hospital.booking.insurance
    if not rules.ask:
        return None

    def read(words: str) -> Reading[Insurance]:
        kind = kind_in(words, rules.kinds)
        if kind is not None:
            return Got(Insurance(kind))
        if any(word in words for word in _SKIPPING) or read_answer(words).answer is Answer.NO:
            return Got(Insurance(None))
        now = host.desk.clock.now()
        if mentions_when(words, now=now) or names_care(host, words):
            return Got(Insurance(None, went_on=True))
        return Not()

    names = ", ".join([kind.name for kind in rules.kinds])
    values = {"names": names}
    return Question("insurance", "insurance.ask", "insurance.retry", read, dict(values), tries=2)


def kind_in(words: str, kinds: tuple[InsuranceKind, ...]) -> InsuranceKind | None:
    """The one kind that is named; None when none is, or when two are."""
    folded = "".join(words.split())
    found = [
        kind
        for kind in kinds
        if any("".join(name.split()) in folded for name in (kind.name, *kind.aliases))
    ]
    return found[0] if len(found) == 1 else None
