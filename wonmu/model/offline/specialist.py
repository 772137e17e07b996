"""The rules of a specialist: one question in, tools one after the other, one message out (H1).

Decides which of its tools the question needs and puts their results into its last message, which is
all that anybody sees of it. It talks to nobody, asks nothing back and never calls a tool twice.
"""

from __future__ import annotations

from wonmu.model.offline import heard
from wonmu.model.offline.billing_desk import is_general
from wonmu.model.offline.billing_needs import TOOLS, certificate_name, needs
from wonmu.model.offline.billing_told import tell
from wonmu.model.offline.history import Turn, read_turn
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Call, Reply, Say
from wonmu.model.offline.view import text_of
from wonmu.model.port import ChatRequest

_MARK = "과제: specialist_"


def decide(request: ChatRequest) -> Reply:
    """The next tool call, or the last message."""
    turn, offered = read_turn(request), request.callable_tools()
    if not turn.made and (not heard.has_korean(turn.words) or heard.is_hello(turn.words)):
        return Say(phrase("no_question"))
    if heard.is_injection(turn.words):
        return Say(phrase("refuse_instruction"))
    if not turn.made and is_general(turn.words):
        return Say(phrase("outside"))
    for call in needs(turn, offered) or _default(turn):
        if call.name in offered:
            return call
    return Say(tell(turn.words, turn.made) or phrase("outside"))


def _default(turn: Turn) -> tuple[Call, ...]:
    """A question that names no work of ours is taken for one about the bill, or about the fees."""
    if any(made.name in TOOLS for made in turn.made):
        return ()
    words = {"caller_words": turn.words}
    fee = {"name": certificate_name(turn.words), **words}
    return (Call("lookup_invoice", words), Call("certificate_fee", fee))


def is_one(request: ChatRequest) -> bool:
    """Whether the prompt makes it one, at its end or in its state; tools may have been withheld."""
    return any(
        message.get("role") in ("system", "developer") and _MARK in text_of(message)
        for message in request.messages[:2]
    )
