"""The gate in front of every acting tool (T3–T7, N4, N10).

Decides from what the caller really said and what code saw accepted, never from the model's
arguments alone. A fault inside it is a refusal; it must never fail open.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wonmu.korean.billing_topics import BillingTopic, asks_billing, read_billing, wants_refund
from wonmu.policy.evidence import really_said, sources
from wonmu.policy.intent import Intent, read_intents
from wonmu.policy.modes import BOOKING_ACTIONS, WORK, Modes, by_mode
from wonmu.policy.verdict import Action, AskConsent, AskIntent, Refuse, Verdict
from wonmu.policy.which import answers_which

log = logging.getLogger(__name__)

_INTENT = {
    Action.BOOKING_CREATE: Intent.CREATE,
    Action.BOOKING_INQUIRE: Intent.INQUIRE,
    Action.BOOKING_CHANGE: Intent.CHANGE,
    Action.BOOKING_CANCEL: Intent.CANCEL,
    Action.CONNECT_PERSON: Intent.PERSON,
    Action.END_CALL: Intent.END_CALL,
}

_ASKED: Mapping[Action, Callable[[str], bool]] = {
    Action.BILLING_ASK: asks_billing,
    Action.REFUND_REQUEST: wants_refund,
    Action.RECEIPT_REQUEST: lambda words: BillingTopic.RECEIPT in read_billing(words),
}
"""Work whose wish has a reader of its own, beside the intents."""

KEY_ACTIONS = BOOKING_ACTIONS | {Action.CONNECT_PERSON, Action.BILLING_ASK}
"""What a key of a menu can stand for. Ending and money are asked for in words (N4)."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """Everything the gate looks at.

    ``caller_words``: what the model hands in as the caller's words. ``heard_turns``: what the
    caller said, oldest first; pass only turns that may still count (after an exit: the later
    ones). ``accepted``: ``Proposals.accepted``. ``chosen_by_key``: what the caller's latest key of
    the keypad menu stands for; a choice is a wish without words, and for no other action (T6).
    ``ended``: the terminal latch is closed. ``task_open``: a task has the talk. ``urgent``: a red
    flag was heard and the fixed words were not spoken yet.
    """

    action: Action
    caller_words: str
    heard_turns: Sequence[str]
    modes: Modes
    accepted: Action | None = None
    chosen_by_key: Action | None = None
    ended: bool = False
    task_open: bool = False
    urgent: bool = False


def decide(request: GateRequest) -> Verdict:
    """The verdict, in this order: ended, urgent, task open, words said, wish, mode."""
    try:
        return _decide(request)
    except Exception as broken:  # noqa: BLE001 - a Refuse is the contract of a broken gate
        # The gate fails closed whatever breaks in it. The message is not logged: it can carry
        # the caller's words (R154).
        log.error("the gate failed and refused: %s", type(broken).__name__)
        return Refuse("gate_fault")


def _decide(request: GateRequest) -> Verdict:
    if request.ended:
        return Refuse("ended")
    if request.urgent and request.action in WORK:
        return Refuse("urgent_first")
    if request.task_open:
        return Refuse("task_open")
    return _missing_wish(request) or by_mode(request.action, request.modes)


def _missing_wish(request: GateRequest) -> Verdict | None:
    """What is wrong with the evidence, or None if the caller wants exactly this action."""
    if request.chosen_by_key is not None:
        chosen = request.chosen_by_key is request.action and request.action in KEY_ACTIONS
        return None if chosen else Refuse("other_key")
    accepted = request.accepted is request.action
    turns = _turns_that_count(request)
    if not really_said(request.caller_words, turns, bare_yes_counts=accepted):
        return Refuse("not_said")
    if accepted:
        return None
    said = sources(request.caller_words, turns)
    wishes = {w for turn in said for w in read_intents(turn)}
    if (asked := _ASKED.get(request.action)) is not None:
        if any(map(asked, said)):
            return None
    elif _INTENT[request.action] in wishes or (not wishes and _names_it_now(request, turns)):
        return None
    if Intent.VAGUE_BOOKING in wishes:
        return AskIntent("vague_booking")
    if wishes:
        return Refuse("asked_for_" + "_or_".join(sorted(wishes)))
    return AskConsent(request.action, "not_asked_for")


_BACK = 3
"""How many turns back a booking may have been mentioned; a "네?" may lie between."""


def _names_it_now(request: GateRequest, turns: Sequence[str]) -> bool:
    """The caller was asked which of the four, and the latest words answer with this one."""
    if not sources(request.caller_words, turns[-1:]):
        return False
    before = (wish for turn in turns[-1 - _BACK : -1] for wish in read_intents(turn))
    return Intent.VAGUE_BOOKING in before and answers_which(turns[-1]) is _INTENT[request.action]


def _turns_that_count(request: GateRequest) -> Sequence[str]:
    """Ending happens once and without a question, so only the latest words can ask for it."""
    if request.action is Action.END_CALL:
        return request.heard_turns[-1:]
    return request.heard_turns
