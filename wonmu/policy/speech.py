"""Whether what a model answers may be said: the one judge for every channel (T2, T12, N6).

Claims without a receipt, amounts of money that nobody returned or published, and money on its way
are not said; neither is a statement behind one of those, since it leans on it. A question is no
statement. It rewrites nothing; what is said in place of an untrue sentence is its caller's.
"""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.ids import Won
from wonmu.policy.amounts import unproven_amounts
from wonmu.policy.claims import Blocked, Receipts, check_sentence
from wonmu.policy.money_promises import speaks_of_money_moved


@dataclass(frozen=True, slots=True)
class Sayable:
    """It may be said as it is."""


@dataclass(frozen=True, slots=True)
class Untrue:
    """It may not be said; ``kind`` is what was wrong, for the timeline."""

    kind: str


@dataclass(frozen=True, slots=True)
class Leaning:
    """A statement behind an untrue one; nothing is said in its place."""


Judged = Sayable | Untrue | Leaning


class Answer:
    """One answer of a model, sentence by sentence.

    ``amounts``: those that may be stated. ``published``: the hospital's facts, folded.
    """

    def __init__(self, receipts: Receipts, amounts: frozenset[Won], published: str) -> None:
        self._receipts = receipts
        self._amounts = amounts
        self._published = published
        self._untrue = False

    def judge(self, sentence: str) -> Judged:
        """The next sentence of the answer."""
        if self._untrue and not sentence.rstrip().endswith("?"):
            return Leaning()
        kind = self._objection(sentence)
        if kind is None:
            return Sayable()
        self._untrue = True
        return Untrue(kind)

    def _objection(self, sentence: str) -> str | None:
        verdict = check_sentence(sentence, self._receipts)
        if isinstance(verdict, Blocked):
            return verdict.kind.value
        if unproven_amounts(sentence, self._amounts):
            return "amount"
        if speaks_of_money_moved(sentence, self._published):
            return "money_moved"
        return None
