"""The rules of the one who owns the call: information, the doors to work, goodbye (S1, T2–T8).

Decides what the caller wants. It must never guess facts, act on a hint, or end without being told.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from wonmu.model.offline import billing_desk, heard, published, unclear
from wonmu.model.offline.intent import Wish, answers_which, read_wish
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Call, Reply, Say, needs_person, not_known
from wonmu.model.offline.view import View
from wonmu.model.offline.wishes import (
    Named,
    find_department,
    find_when,
    for_someone_else,
    read_named,
)
from wonmu.model.port import ChatRequest

_TOOLS = {
    Wish.INQUIRE: ("inquire_booking", "lookup_booking", "find_booking"),
    Wish.CHANGE: ("change_booking", "reschedule_booking"),
    Wish.CANCEL: ("cancel_booking",),
}
_UNCLEAR = ("unclear_1", "unclear_2", "unclear_3")
_WHICH = ("which_booking", "propose_new", "unclear_3")
_RESUME = re.compile(
    r"(?:아까|이어서|계속|마저|다시).{0,8}(?:예약|할게|해\s*주|진행)|예약\s*(?:계속|마저|이어)"
)
_MAY_COME = re.compile(r"(?:갈|볼|받을|진료할)\s*수\s*있|되나요|될까요|돼요|가능")
_WISH_TIME = re.compile(
    r"(?:제일|가장)\s*빠른|(?:걸로|로)\s*(?:요|해|할|부탁)|가고\s*싶|가려고|갈\s*수"
)


def decide(view: View, request: ChatRequest) -> Reply:
    """What to say or do next."""
    for rule in (_manners, _control, _offered, _billing, work, _information, small_talk):
        reply = rule(view, request)
        if reply is not None:
            return reply
    return _not_understood(view, request)


Rule = Callable[[View, ChatRequest], Reply | None]


def _manners(view: View, request: ChatRequest) -> Reply | None:
    words = view.last
    if not heard.squeezed(words) or not re.search(r"\w", words):
        return Say(unclear.ladder(view.agent, _UNCLEAR))
    if heard.is_injection(words):
        return Say(phrase("refuse_instruction"))
    if heard.is_hello(words):
        return Say(phrase("hello"))
    if heard.wants_repeat(words):
        return Say(view.agent_last or phrase("hello"))
    return None


def _control(view: View, request: ChatRequest) -> Reply | None:
    words = view.last
    if heard.wants_person(words):
        return Call("connect_person", {"caller_words": words})
    if heard.wants_end(words) and read_wish(words) is Wish.NONE:
        return Call("end_call", {"caller_words": words}, otherwise=phrase("goodbye"))
    if heard.asks_who(words) and read_wish(words) is Wish.NONE:
        return Say(who(view))
    return None


def who(view: View) -> str:
    """The same name on every call and in every task (R49)."""
    name = view.facts.name
    return phrase("who", hospital=name) if name else phrase("who_nameless")


def _offered(view: View, request: ChatRequest) -> Reply | None:
    """A bare yes or no to what was offered just before (T4, T5)."""
    offer, words = view.get("방금 제안한 것"), view.last
    if heard.is_yes(words) and offer == "person.connect":
        return Call("connect_person", {"caller_words": words})
    if heard.is_yes(words) and offer == "booking.create":
        return create(view)
    asked_more = phrase("more_help") in view.agent_last
    if asked_more and heard.declines_more(words):
        return Call("end_call", {"caller_words": words}, otherwise=phrase("goodbye"))
    if heard.is_no(words):
        return Say(phrase("what_else"))
    return None


def _billing(view: View, request: ChatRequest) -> Reply | None:
    """Bills, refunds and papers, where the hospital has a desk for them."""
    offered = request.tool_names()
    if "ask_specialist" not in offered and "to_billing" not in offered:
        return None
    return billing_desk.ask(view, offered)


def work(view: View, request: ChatRequest) -> Reply | None:
    """The doors to bookings; None when the words are about no booking."""
    words = view.last
    if view.get("이어갈 예약") and _RESUME.search(words) and not heard.asks(words):
        return create(view)
    asked_which = phrase("which_booking") in view.agent_last
    wish = answers_which(words) if asked_which else Wish.NONE
    if wish in (Wish.NONE, Wish.VAGUE):
        wish = read_wish(words)
    match wish:
        case Wish.CREATE:
            return create(view)
        case Wish.VAGUE:
            return _which(view)
        case Wish.INQUIRE | Wish.CHANGE | Wish.CANCEL:
            return _existing(wish, view, request)
        case Wish.NONE:
            return create(view) if _goes_on(view) else None


def _goes_on(view: View) -> bool:
    """A named department or doctor with a wished time, or more about a booking left open."""
    words = view.last
    named = _named(view, words)
    if heard.asks_hours(words) or (heard.asks(words) and not _MAY_COME.search(words)):
        return False
    if view.get("이어갈 예약") and named:
        return True
    return bool(named.department or named.doctor) and bool(named.when or _WISH_TIME.search(words))


def _existing(wish: Wish, view: View, request: ChatRequest) -> Reply:
    """Work on a booking that exists; without a tool for it only a person can (T11)."""
    offered = request.tool_names()
    tool = next((name for name in _TOOLS[wish] if name in offered), _TOOLS[wish][0])
    named = _named(view, view.last)
    arguments = {
        "caller_words": view.last,
        "department": named.department,
        "doctor": named.doctor,
        "when": named.when,
    }
    return Call(tool, arguments, otherwise=needs_person(request))


def create(view: View) -> Call:
    """Open a booking with everything said in this call that no booking has used yet (S4)."""
    named = _named(view, view.last)
    for words in reversed(view.turns[:-1]):
        if not (heard.asks_hours(words) or published_only(view, words)):
            named = named.filled_from(_named(view, words))
    other = any(for_someone_else(words) for words in view.turns)
    return Call(
        "create_booking",
        {
            "caller_words": view.last,
            "department": named.department,
            "doctor": named.doctor,
            "when": named.when,
            "patient": "other" if other else "self",
        },
    )


def published_only(view: View, words: str) -> bool:
    """Whether a turn was a question about published facts: its words are no wishes."""
    return heard.asks(words) and read_wish(words) is Wish.NONE


def _named(view: View, words: str) -> Named:
    return read_named(words, view.facts.departments, [d.name for d in view.facts.doctors])


def _information(view: View, request: ChatRequest) -> Reply | None:
    words = view.last
    if heard.asks_medical(words):
        return Say(phrase("no_medical"))
    told = published.answer(view)
    if told is not None:
        return Say(told)
    if heard.is_thanks(words):
        # Thanks are no wish to end (T8), but asking the same thing again would be a loop.
        asked_more = phrase("more_help") in view.agent_last
        return Say(phrase("goodbye" if asked_more else "more_help"))
    if heard.tells_symptom(words):
        return Say(phrase("symptom"))
    if heard.asks(words) and heard.has_korean(words) and not heard.is_yes(words):
        return Say(not_known(request))
    return None


def small_talk(view: View, request: ChatRequest) -> Reply | None:
    """A yes, a nod, a department by itself."""
    words = view.last
    if heard.is_yes(words) and phrase("more_help") in view.agent_last:
        return Say(phrase("go_on"))
    if heard.is_yes(words) and phrase("which_booking") in view.agent_last:
        return _which(view)
    if heard.is_ack(words) or heard.is_yes(words):
        return Say(phrase("more_help"))
    if find_department(words, view.facts.departments) or find_when(words):
        # Named in answer to an offer: the gate asks for the yes, the same question would be a loop.
        offered = ("symptom", "which_booking", "propose_new")
        again = unclear.times_said(view.agent, _WHICH) > 1
        if not again and any(phrase(name) in view.agent_last for name in offered):
            return create(view)
        return _which(view)
    return None


def _which(view: View) -> Say:
    """Which of the four is wanted; asked again, it is narrowed, at last a person is offered."""
    return Say(unclear.ladder(view.agent, _WHICH))


def _not_understood(view: View, request: ChatRequest) -> Reply:
    return Say(unclear.ladder(view.agent, _UNCLEAR))
