"""The wish as it was said in this call: what a model handed in, and what it left out (S4).

Reads the call's own memory; what the words mean is read in ``wonmu.visit.wishes``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.korean.answers import is_bare_yes
from wonmu.visit.wishes import FirstWish, named, over

if TYPE_CHECKING:
    from wonmu.call.session import Call


def with_asides(call: Call, first: FirstWish) -> FirstWish:
    """The first wish with what the caller said about the visit while asked for other things.

    Later words count before earlier ones. Each is taken up once.
    """
    asides, call.state.asides = call.state.asides, []
    for words in asides:
        first = over(first, named(call, words))
    return first


def or_named(call: Call, first: FirstWish) -> FirstWish:
    """The wish as a model handed it in; if it handed in nothing, what the last turn names (S4).

    A model that calls the right tool with empty hands must not make the caller say it again. Nor
    must a yes to "새로 진료 예약을 도와드릴까요?": the turn it answers for has named the visit.
    """
    last = call.state.last
    if last is None or first != FirstWish():
        return first
    found = named(call, last.text)
    if found == FirstWish() and is_bare_yes(last.text):
        before = call.state.heard[call.state.evidence_from : -1]
        return named(call, before[-1]) if before else found
    return found
