"""What a caller hears who speaks while something is read or written (A2, A5, A6, R74, R79).

A question is answered. Whoever wants a person, the end or something else does not wait for a read:
it ends there, and is never told. A write goes on to its end, and the wish is kept for then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wonmu.booking.result import ExitCode
from wonmu.call.moves import AskModel, Move, SayText, StaySilent
from wonmu.call.people import want_person
from wonmu.call.tasks.asides import USES_ASIDES
from wonmu.call.tools.gates import verdict_on
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.billing_topics import asks_billing
from wonmu.korean.dates import mentions_when
from wonmu.korean.questions import is_question
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.modes import BILLING_ACTIONS
from wonmu.policy.stopping import says_goodbye, wants_to_stop
from wonmu.policy.verdict import Action

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

_ACTION_OF = {
    Intent.CREATE: Action.BOOKING_CREATE,
    Intent.INQUIRE: Action.BOOKING_INQUIRE,
    Intent.CHANGE: Action.BOOKING_CHANGE,
    Intent.CANCEL: Action.BOOKING_CANCEL,
}

_ARE_YOU_THERE = re.compile(
    r"여보세요|듣고\s*(계|있)|들리(세요|시나요|나요|십니까)|아직(도|이에요|인가요|이요|이야|입니까)?\s*\??$"
    r"|왜\s*(말|대답)|끊(긴|어진)\s*(건|거|것)"
)
"""Asks whether anybody is there, or how long it takes; not for a fact."""


def asks_if_there(words: str) -> bool:
    """Whether the words only ask whether anybody is there, or how long it takes."""
    return bool(_ARE_YOU_THERE.search(words))


def answer_meanwhile(call: Call, turn: CallerTurn) -> Move:
    """The move for a turn that comes while a tool reads or writes."""
    code = _leaves(call, turn)
    if code is not None:
        return _leave(call, turn, code)
    if _asks_the_same(call, turn):
        call.lookups.refuse()
        return _line(call, "lookup.again")
    if asks_if_there(turn.text):
        return _here(call)
    if not call.lookups.running() and _changes_mind(call, turn.text):
        return _line(call, "lookup.change_later")
    if _about_the_visit(call, turn.text) and call.state.working_on in USES_ASIDES:
        call.state.asides.append(turn.text)
        return _line(call, "call.kept_aside")
    if is_question(turn.text):
        return AskModel("none")
    return _here(call)


def _about_the_visit(call: Call, words: str) -> bool:
    """Whether the words lay down a time, a department or a doctor."""
    named = mentions_when(words, now=call.desk.clock.now()) or call.names_care(words)
    return named and not is_question(words)


def _changes_mind(call: Call, words: str) -> bool:
    """Whether the caller wants it otherwise. What is being written stays as it was agreed, so to
    say that the words will be taken into account would be untrue."""
    return _about_the_visit(call, words) or read_answer(words).answer is Answer.NO


def _leaves(call: Call, turn: CallerTurn) -> ExitCode | None:
    """Whether the caller wants something else now, and what."""
    intent = read_intent(turn.text)
    if turn.choice is not None or intent is Intent.PERSON:
        return ExitCode.STAFF_CONNECTION
    if intent is Intent.END_CALL:
        return ExitCode.END_CALL
    if wants_to_stop(turn.text):
        return ExitCode.CANCELLED_BY_CALLER
    wanted = _wanted(call, turn.text)
    if says_goodbye(turn.text) or (wanted is not None and wanted is not call.state.working_on):
        return ExitCode.OTHER_REQUEST
    return None


def _leave(call: Call, turn: CallerTurn, code: ExitCode) -> Move:
    if code is ExitCode.STAFF_CONNECTION:
        action = Action.CONNECT_PERSON
        verdict_on(call, "connect_person", action, turn.text, after_work=True)
        want_person(call, turn.text)
    if call.lookups.stop(code):
        return StaySilent(on_purpose=True)  # the tool goes on at once and speaks
    call.state.left_meanwhile = code
    match code:
        case ExitCode.STAFF_CONNECTION:
            return _line(call, "lookup.person_after")
        case ExitCode.END_CALL:
            return _line(call, "lookup.end_after")
        case _:
            return _here(call)


def _wanted(call: Call, words: str) -> Action | None:
    """The work these words ask for; while bills are looked at, more about bills is the same."""
    wanted = _ACTION_OF.get(read_intent(words))
    working = call.state.working_on
    if wanted is None and working in BILLING_ACTIONS and asks_billing(words):
        return working
    return wanted


def _asks_the_same(call: Call, turn: CallerTurn) -> bool:
    wanted = _wanted(call, turn.text)
    return wanted is not None and wanted is call.state.working_on and call.lookups.running()


def _here(call: Call) -> SayText:
    return _line(call, "lookup.here" if call.lookups.running() else "lookup.here_record")


def _line(call: Call, line: str) -> SayText:
    return SayText(call.lines.say(line), line)
