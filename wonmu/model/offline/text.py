"""The rules of the text desk: one agent whose step changes under it, several answers a turn (H2).

Decides what is still unanswered of the visitor's last words and takes the next step towards it: a
step's own tool, the way into another step, or words. Every tool is called at most once a turn. It
must never leave a result untold, and never end without being told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from wonmu.korean.billing_topics import BillingTopic, is_personal, read_billing
from wonmu.model.offline import booking, desk, heard, published, unclear
from wonmu.model.offline.billing_desk import answer, asks_how_much, booking_first, books, is_general
from wonmu.model.offline.billing_needs import follow_up, needs, specialists
from wonmu.model.offline.billing_told import tell
from wonmu.model.offline.history import Made, Turn, read_turn
from wonmu.model.offline.intent import Wish, read_wish
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Call, Reply, Say, Value
from wonmu.model.offline.view import View
from wonmu.model.port import ChatRequest

_UNCLEAR = ("unclear_1", "text_unclear_2", "text_unclear_3")
_WORK = frozenset({"create_booking", "inquire_booking", "change_booking", "cancel_booking"})
_OPEN = frozenset({"set_wish", "choose_time", "leave_booking"})
_NOTE_OFFERS = ("text_not_known", "text_needs_person", "text_failed", "text_unclear_3")
_END = re.compile(
    r"(?:대화|상담|채팅|문의)\s*(?:를|을|는|은)?\s*(?:이만|그만|여기서|이제)?\s*(?:끝|종료|마치|마칠|그만|나가|닫)|"
    r"^(?:네\s*)?(?:이제\s*)?(?:그만할게|이만\s*나갈게|나갈게|끝낼게|종료(?:할게|해)|종료요|이만\s*줄일게|볼일\s*끝)"
)
_START = re.compile(
    r"처음\s*(?:으로|부터|화면)|(?:다른|딴)\s*(?:거|것|걸|문의|일|질문|얘기|업무)|메뉴|돌아가|뒤로\s*가"
)
_NOTE = re.compile(
    r"메모|(?:전해|전달해|남겨)\s*(?:주|드|달)|(?:전화|연락)\s*(?:좀\s*)?(?:해\s*)?(?:주|달|부탁|받)"
)
_TELL_STAFF = re.compile(
    r"(?:직원|담당|선생님|원무과|간호사|병원)[^.?!]{0,12}(?:전해|전달해|말해|말씀해|물어봐)\s*(?:주|드|달)|메모\s*(?:좀\s*)?(?:를\s*)?(?:남|전)"
)
_CLAUSE = re.compile(
    r"[,.?!]+\s*|(?<=고요)\s+|(?<=구요)\s+|(?<=[가-힣]고)\s+|(?<=는데)\s+|(?<=은데)\s+"
)


@dataclass(frozen=True, slots=True)
class Desk:
    """One request of the text desk. ``view.last``: the visitor's words, answered or not."""

    view: View
    request: ChatRequest
    turn: Turn
    offered: frozenset[str]

    @property
    def words(self) -> str:
        return self.turn.words

    def can(self, tool: str) -> bool:
        """Whether the tool is offered and was not called in this turn."""
        return tool in self.offered and not self.turn.has_made(tool)

    def call(self, tool: str, first: str = "", **more: Value) -> Call:
        return Call(tool, {"caller_words": self.words, **more}, first=first)


def decide(view: View, request: ChatRequest) -> Reply:
    """The next words or call; after a tool's result the same words are looked at again."""
    turn = read_turn(request)
    here = replace(view, last=turn.words, tool_result=None)
    at = Desk(here, request, turn, frozenset(request.callable_tools()))
    rules = (_manners, _control, _offered, _open_booking) if not turn.made else (_handed,)
    for rule in (*rules, _work, _results, _noted, _information, _small_talk):
        reply: Reply | None = rule(at)
        if reply is not None:
            return reply
    return Say(unclear.ladder(at.view.agent, _UNCLEAR))


def _manners(at: Desk) -> Reply | None:
    words = at.words
    if not re.search(r"\w", words):
        return Say(unclear.ladder(at.view.agent, _UNCLEAR))
    if heard.is_injection(words):
        return Say(phrase("refuse_instruction"))
    if heard.is_hello(words):
        return Say(phrase("hello"))
    if heard.wants_repeat(words):
        return Say(at.view.agent_last or phrase("hello"))
    if heard.asks_who(words) and not read_billing(words) and read_wish(words) is Wish.NONE:
        name = at.view.facts.name
        return Say(phrase("text_who", hospital=name) if name else phrase("text_who_nameless"))
    return None


def _control(at: Desk) -> Reply | None:
    words, money = at.words, read_billing(at.words)
    if heard.wants_person(words) or _TELL_STAFF.search(words):
        return _person(at)
    ends = heard.wants_end(words) or _END.search(words)
    if ends and not money and read_wish(words) is Wish.NONE:
        return _end(at)
    if _START.search(words) and not money and read_wish(words) is Wish.NONE:
        if _OPEN & at.offered and not at.can("to_triage"):
            return at.call("leave_booking", reason="other_request")
        return at.call("to_triage") if at.can("to_triage") else Say(phrase("what_else"))
    return None


def _person(at: Desk) -> Reply:
    for tool in ("leave_note", "to_person", "connect_person"):
        if at.can(tool):
            return at.call(tool)
    if _OPEN & at.offered:
        return at.call("leave_booking", reason="staff_connection")
    return Say(phrase("text_cannot"))


def _end(at: Desk) -> Reply:
    return at.call("end_conversation") if at.can("end_conversation") else _goodbye()


def _goodbye() -> Say:
    return Say(phrase("text_goodbye"))


def _offered(at: Desk) -> Reply | None:
    """A bare yes or no to what was offered just before (T4, T5)."""
    offer, words, last = at.view.get("방금 제안한 것"), at.words, at.view.agent_last
    if heard.is_yes(words):
        if offer == "billing.refund" and at.can("request_refund"):
            return at.call("request_refund", number=None)
        if offer == "booking.create" and at.can("create_booking"):
            return desk.create(at.view)
        if offer == "booking.create" and at.can("to_booking"):
            return at.call("to_booking")
        if offer == "person.connect" or any(phrase(name) in last for name in _NOTE_OFFERS):
            return _person(at)
    if phrase("more_help") in last and heard.declines_more(words):
        return _goodbye()
    if heard.is_no(words) and not _OPEN & at.offered:
        return Say(phrase("what_else"))
    return None


def _open_booking(at: Desk) -> Reply | None:
    """While a booking is open its task has the talk; money and papers lead out of it."""
    if not _OPEN & at.offered:
        return None
    if read_billing(at.words) and not books(at.words):
        switch = _switch(at)
        return switch or at.call("leave_booking", reason="other_request")
    reply = booking.decide(at.view, at.request)
    if reply == Say(phrase("not_known_no_person")) or reply == Say(desk.who(at.view)):
        return Say(_unknown(at))
    return reply


def _handed(at: Desk) -> Reply | None:
    """In the step for staff the words are the note. After ``ask_specialist`` its answer is told,
    and nobody is asked again (H1)."""
    if at.turn.made[-1].name == "to_person" and at.can("leave_note"):
        return at.call("leave_note")
    asked = [made for made in at.turn.untold if made.name == "ask_specialist"]
    if not asked or at.turn.made[-1].name != "ask_specialist":
        return None
    told = " ".join(part for part in map(_spoken, asked) if part) or _failed(at)
    return _booking(at, first=told) or Say(told)


def _work(at: Desk) -> Reply | None:
    """Money and bookings, in the order in which they were asked for."""
    if booking_first(at.words):
        waits = phrase("then_billing") if _money_open(at) else ""
        reply = _booking(at, first="" if waits in at.turn.said else waits)
        if reply is not None:
            return reply
    reply = _money(at)
    return reply if reply is not None else _booking(at)


def _money(at: Desk) -> Reply | None:
    if not at.turn.made and (chosen := follow_up(at.turn)) and at.can(chosen.name):
        return chosen
    topics = read_billing(at.words)
    if not topics or (is_general(at.words) and answer(at.view) is None):
        return None
    if not is_personal(at.words) and not at.turn.made and (told := answer(at.view)):
        return None if books(at.words) else Say(told)
    for call in needs(at.turn, at.offered):
        if call.name in at.offered:
            return replace(call, first=_published_part(at))
    return _switch(at)


def _money_open(at: Desk) -> bool:
    """Whether something about money was asked for and nothing was done about it yet."""
    return bool(read_billing(at.words)) and not at.turn.made


def _switch(at: Desk) -> Reply | None:
    """The way to whoever does what is still open."""
    wanted = {call.name for call in needs(at.turn, at.offered)} - at.offered
    if not wanted or _came_from_work(at):
        return None
    told = " ".join(part for part in (_published_part(at), _told(at)) if part)
    if at.can("ask_specialist"):
        names = specialists(at.words)
        return at.call("ask_specialist", first=told, specialists=names)
    papers = wanted == {"certificate_fee"} or read_billing(at.words) == {BillingTopic.CERTIFICATE}
    ways = ("to_certificate", "to_billing") if papers else ("to_billing", "to_certificate")
    for way in ways[: 1 if wanted - {"certificate_fee"} or papers else 2]:
        if at.can(way):
            return at.call(way, first=told)
    # Where specialists are asked, only the first step can ask them.
    return at.call("to_triage") if at.can("to_triage") and not at.turn.made else None


def _came_from_work(at: Desk) -> bool:
    """Whether the way here led through other steps' work, whose calls are not seen here: then
    something beside published facts was said before the first call."""
    rest = at.turn.said_first
    for told in _published(at):
        rest = rest.replace(told, "")
    return bool(rest.strip())


def _booking(at: Desk, first: str = "") -> Reply | None:
    """Work on a booking: its tool, the way to it, or the question which work it is."""
    if _OPEN & at.offered or any(made.name in _WORK for made in at.turn.made):
        return None
    if read_billing(at.words) and not books(at.words):
        return None
    if _waits(at.turn):
        told = _told(at)
        return Say(" ".join((told, phrase("then_booking")))) if _wish(at) and told else None
    reply = desk.work(at.view, at.request)
    if reply is None:
        return None
    said = " ".join(part for part in (first or _told(at), _published_part(at)) if part)
    if isinstance(reply, Call) and reply.name in at.offered:
        return replace(reply, first=said)
    if at.can("to_booking"):
        return at.call("to_booking", first=said)
    if isinstance(reply, Say):
        return Say(" ".join(part for part in (said, reply.text) if part))
    return None if "to_booking" not in at.offered and not at.turn.made else _no_way(at)


def _wish(at: Desk) -> bool:
    return desk.work(at.view, at.request) is not None


def _waits(turn: Turn) -> bool:
    """Whether an offer or a choice now waits for an answer: no other work is begun over that."""
    bodies = [made.body or {} for made in turn.made]
    offers = any("refund_offer" in body or "receipt_offer" in body for body in bodies)
    return offers or any(body.get("refused") == "which_invoice" for body in bodies)


def _results(at: Desk) -> Reply | None:
    told = _told(at)
    if told:
        return Say(told)
    if not at.turn.made or _is_step(at.turn.made[-1]):
        return None
    if not at.turn.untold:
        # All of it was told already: code says what its tools have found.
        return Say(phrase("go_on" if phrase("more_help") in at.turn.said else "more_help"))
    body = at.turn.made[-1].body
    if body is None or "error" in body:
        return Say(_failed(at))
    return _no_way(at) if "refused" in body else Say(phrase("tool_noted"))


def _no_way(at: Desk) -> Say:
    return Say(phrase("text_needs_person" if at.can("to_person") else "text_cannot"))


def _told(at: Desk) -> str:
    """Everything the untold results come to."""
    money = tell(at.words, at.turn.untold)
    other = [part for made in at.turn.untold if (part := _spoken(made))]
    return " ".join(part for part in (money, *other) if part)


def _is_step(made: Made) -> bool:
    return made.name.startswith("to_") and "step" in (made.body or {})


def _spoken(made: Made) -> str:
    """A result that is plain Korean; code says the rest itself."""
    said = (made.result or "").strip()
    plain = bool(re.search(r"[가-힣]{2}", said)) and not said.startswith(("{", "[", "<"))
    return " ".join(said.split()) if plain and not tell("", [made]) else ""


def _failed(at: Desk) -> str:
    return phrase("text_failed" if at.can("to_person") else "text_failed_no_person")


def _published_part(at: Desk) -> str:
    """Published facts asked for beside work, as words before the call; once a turn (T1)."""
    if at.turn.made:
        return ""
    return " ".join(told for told in _published(at) if told not in at.turn.said)


def _published(at: Desk) -> tuple[str, ...]:
    """The published answers to those parts of the words that ask for no work."""
    parts = [part for part in _CLAUSE.split(at.words) if part.strip()]
    if len(parts) < 2:
        return ()
    asked = (p for p in parts if heard.asks(p) and not read_billing(p) and not books(p))
    found = (published.answer(replace(at.view, last=part)) for part in asked)
    return tuple(dict.fromkeys(told for told in found if told))


def _noted(at: Desk) -> Reply | None:
    """In the step for staff, what is said is the note, unless it is small talk or a question."""
    words = at.words
    if not at.can("leave_note"):
        return at.call("to_person") if _NOTE.search(words) and at.can("to_person") else None
    if at.turn.has_made("to_person") or _NOTE.search(words):
        return at.call("leave_note")
    if heard.is_yes(words) or heard.is_ack(words) or heard.is_thanks(words):
        return None
    if not heard.has_korean(words):
        return None
    return None if published.answer(at.view) else at.call("leave_note")


def _information(at: Desk) -> Reply | None:
    words = at.words
    if heard.asks_medical(words):
        return Say(phrase("text_no_medical"))
    told = published.answer(at.view)
    if told is not None:
        return Say(told)
    if heard.is_thanks(words):
        asked_more = phrase("more_help") in at.view.agent_last
        return _goodbye() if asked_more else Say(phrase("more_help"))
    if heard.tells_symptom(words):
        return Say(phrase("text_symptom"))
    if heard.asks(words) and heard.has_korean(words) and not heard.is_yes(words):
        if asks_how_much(words) and at.can("lookup_invoice"):
            return at.call("lookup_invoice")
        return Say(_unknown(at))
    return None


def _unknown(at: Desk) -> str:
    return phrase("text_not_known" if at.can("to_person") else "not_known_no_person")


def _small_talk(at: Desk) -> Reply | None:
    reply = desk.small_talk(at.view, at.request)
    if isinstance(reply, Call) and reply.name not in at.offered:
        return at.call("to_booking") if at.can("to_booking") else None
    return reply
