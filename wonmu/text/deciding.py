"""What code does with a visitor's turn before a model is asked (T5, T8, T13, H2).

In this order: red flags; the open question of code; a yes to an offer; a person or the end, asked
for in so many words; "is it done?"; a goodbye; "say that again". Everything else is for a model. It
must never read a wish that was not said, and never leave an open question unanswered for one.
"""

from __future__ import annotations

from collections.abc import Mapping

from wonmu.korean.answers import Answer, read_answer
from wonmu.policy.asking_done import asks_if_done
from wonmu.policy.emergency import red_flag
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.proposals import Closed, Declined, Kept
from wonmu.policy.stopping import says_goodbye, wants_more
from wonmu.policy.undoing import takes_back_the_last
from wonmu.policy.verdict import Action
from wonmu.text import booking, forms
from wonmu.text.moves import Ask, Move, Speak, Use
from wonmu.text.said import Note, Said
from wonmu.text.steps import ASK, delegates
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind

_TOOL_OF: Mapping[Action, str] = {
    Action.BOOKING_CREATE: "create_booking",
    Action.BOOKING_INQUIRE: "inquire_booking",
    Action.BOOKING_CHANGE: "change_booking",
    Action.BOOKING_CANCEL: "cancel_booking",
    Action.CONNECT_PERSON: "to_person",
    Action.END_CALL: "end_conversation",
}
"""What a yes to an offer sets going."""

_BILLS: Mapping[Action, str] = {
    Action.BILLING_ASK: "lookup_invoice",
    Action.REFUND_REQUEST: "request_refund",
    Action.RECEIPT_REQUEST: "receipt_request",
}


async def decide(turn: Turn) -> Move:
    """The move for the visitor's latest words."""
    talk = turn.talk
    if (urgent := await _emergency(turn)) is not None:
        return urgent
    if (answered := await forms.answer(turn)) is not None:
        return answered
    if (answered := await booking.answer(turn)) is not None:
        return answered
    accepted = talk.proposals.accepted
    if accepted is not None and (use := _carries_out(turn, accepted)) is not None:
        # The yes was read by code, so what it was a yes to is not a model's to choose.
        return use
    if (asked := _undoes_request(turn) or _explicit(turn.text)) is not None:
        return asked
    if talk.state.written is not None and _asks_if_done(turn.text):
        return Speak((talk.state.written,))
    if _goes_for_help(turn):
        return Speak((talk.words("text.emergency_go"),))
    if (ending := _about_ending(turn)) is not None:
        return ending
    if read_answer(turn.text).answer is Answer.REPEAT and talk.last is not None:
        return Speak((talk.last,))
    return Ask()


def _carries_out(turn: Turn, accepted: Action) -> Use | None:
    words = {"caller_words": turn.text}
    if (tool := _TOOL_OF.get(accepted)) is not None:
        return Use(tool, words)
    if accepted not in _BILLS:
        return None
    if delegates(turn.talk.desk.hospital):
        return Use(ASK, {**words, "specialists": ["billing"]})
    return Use(_BILLS[accepted], words)


async def _emergency(turn: Turn) -> Move | None:
    flag = red_flag(turn.text)
    if flag is None:
        return None
    await forms.drop(turn)  # nothing routine is asked again after these words
    booking.lay_aside(turn)
    line = "text.emergency"
    note = Note(Kind.EMERGENCY_SPOKEN, {"flag": flag.kind.value})
    text = turn.talk.lines.say(line)
    return Speak((Said(text, line, offers=Action.CONNECT_PERSON, notes=(note,)),))


def _undoes_request(turn: Turn) -> Speak | None:
    """ "방금 그거 취소해 주세요" behind a refund or a receipt: a person's work, no booking's."""
    written = turn.talk.state.written
    if written is None or not written.line.startswith("billing."):
        return None
    if not takes_back_the_last(turn.text):
        return None
    return Speak((turn.talk.offer("billing.undo", Action.CONNECT_PERSON),))


def _explicit(words: str) -> Use | None:
    """Carried out on the visitor's word alone, whatever a model makes of it (T5, T8)."""
    match read_intent(words):
        case Intent.PERSON:
            return Use("to_person", {"caller_words": words})
        case Intent.END_CALL:
            return Use("end_conversation", {"caller_words": words})
        case _:
            return None


def _about_ending(turn: Turn) -> Speak | None:
    """The closing question and what is no agreement to it (T8)."""
    talk = turn.talk
    match talk.reading:
        case Kept(Action.END_CALL) if talk.last is not None:
            return Speak((talk.last,))
        case Declined(Action.END_CALL):
            return Speak((talk.words("text.go_on"),))
        case Closed(Action.END_CALL) if wants_more(turn.text):
            return Speak((talk.words("text.go_on"),))
        case _ if says_goodbye(turn.text):
            # Taking leave is no request to end, but the moment to ask for one.
            return Speak((talk.offer("text.propose_end", Action.END_CALL),))
        case _:
            return None


def _asks_if_done(words: str) -> bool:
    """ "예약된 거죠?" after a receipt: the receipt says it best (T12)."""
    wish = read_intent(words)
    return wish in (Intent.NONE, Intent.VAGUE_BOOKING) and asks_if_done(words)


_HELP = ("119", "일일구", "응급실", "구급차")


def _goes_for_help(turn: Turn) -> bool:
    """The visitor takes up the fixed words about 119."""
    last = turn.talk.last
    after_flag = last is not None and last.line == "text.emergency"
    return after_flag and any(word in turn.text for word in _HELP)
