"""Results that a caller must hear (R07, R79, A5).

A result that was talked over before half of it was heard is said again, once, before the answer to
what was said over it. What was only read is not said to a caller who wants something else now;
what was written always is. Decides nothing about what a result says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wonmu.call.moves import SayText
from wonmu.call.voice import Utterance
from wonmu.lines import Value
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import wants_to_stop
from wonmu.policy.verdict import Action

if TYPE_CHECKING:
    from wonmu.call.session import Call


@dataclass(slots=True)
class Owed:
    """A result on its way to the caller's ear."""

    utterance: Utterance
    wrote: bool
    again: bool = False


def offer(call: Call, name: str, action: Action, /, **values: Value) -> None:
    """Speak a result that offers ``action``; only when heard in full does a yes count (T5)."""
    words = Utterance(call.lines.fill(name, values), line=name)
    words.on_end = lambda full: call.propose(action) if full else None
    call.state.owed = Owed(words, wrote=False)
    call.speak(words)


def tell(call: Call, name: str, /, *, wrote: bool = False, **values: Value) -> None:
    """Speak the line ``name`` as a result. ``wrote``: it tells what was written somewhere."""
    utterance = Utterance(call.lines.fill(name, values), line=name)
    call.state.owed = Owed(utterance, wrote)
    if wrote:
        call.state.written = SayText(utterance.text, name)
    call.speak(utterance)


def note_heard(call: Call, utterance: Utterance, heard: str) -> None:
    """A speech is over: is the result in it heard well enough?"""
    owed = call.state.owed
    if owed is not None and owed.utterance is utterance:
        enough = 2 * len(heard.split()) >= len(utterance.text.split())
        if enough or owed.again:
            call.state.owed = None


def repeat_owed(call: Call, words: str) -> None:
    """The caller talked over the agent: a result they did not hear is said again first."""
    owed = call.state.owed
    if owed is None:
        return
    leaves = read_intent(words) in (Intent.PERSON, Intent.END_CALL) or wants_to_stop(words)
    if owed.again or (leaves and not owed.wrote):
        call.state.owed = None
        return
    first = owed.utterance
    again = Utterance(first.text, line=first.line, on_end=first.on_end)
    call.state.owed = Owed(again, owed.wrote, again=True)
    call.speak(again)
