"""Asking a model in one step of the text desk, and what of its answer may be said (T6, T12, H2).

The step's prompt and tools, masked and valid history, the situation last; one answer. Its words are
judged sentence by sentence by what this visit can prove; one call of a tool of this step is let
through. It must never leave a turn without words.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, SystemMessage

from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.specialist import described
from wonmu.desk.agents.watch import TimelineWatch
from wonmu.model.port import Tool
from wonmu.policy import speech
from wonmu.policy.proposals import find_proposal
from wonmu.policy.verdict import Action
from wonmu.text import booking, forms
from wonmu.text.history import view
from wonmu.text.moves import Ask
from wonmu.text.said import Said
from wonmu.text.steps import delegates, tools_at
from wonmu.text.talk import Talk, sentences
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind

Handler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]

MODEL_LINE = "model.answer"


async def ask(
    turn: Turn,
    request: ModelRequest[Any],
    handler: Handler,
    move: Ask,
    wire: Mapping[str, Tool],
    more: Sequence[AnyMessage] = (),
) -> AIMessage:
    """The model's answer as it came. ``wire``: all tools by name, as sent. ``more``: words said
    since the last message.

    Raises ``ModelFailure`` when no model gave anything usable.
    """
    turn.memory.asked += 1
    talk = turn.talk
    names = tools_at(turn.memory, talk.desk.hospital) if move.choice == "auto" else ()
    model = LadderChat(
        rungs=talk.text_desk.models,
        limits=talk.text_desk.limits,
        watch=TimelineWatch(talk.recorder),
    )
    seen = view([*request.messages, *more], turn.memory, talk.masked)
    asked = request.override(
        model=model,
        system_message=SystemMessage(prompt(turn)),
        messages=[*seen, SystemMessage(situation(turn))],
        tools=[dict(wire[name]) for name in names],
    )
    response = await handler(asked)
    answer = response.result[0]
    return answer if isinstance(answer, AIMessage) else AIMessage(content="")


def prompt(turn: Turn) -> str:
    """The step's system prompt."""
    desk, lines, facts = turn.talk.desk, turn.talk.lines, turn.talk.facts
    step = turn.memory.step.value
    if step == "triage" and delegates(desk.hospital):
        people = described(lines)
        return lines.prompt(
            "text_triage_delegate", hospital=desk.hospital.name, facts=facts, specialists=people
        )
    return lines.prompt(f"text_{step}", hospital=desk.hospital.name, facts=facts)


_HEADING = re.compile(r"^(##.*|과제:.*)\n?", re.MULTILINE)


def situation(turn: Turn) -> str:
    """The state of the talk, as the last system message."""
    memory, talk = turn.memory, turn.talk
    offered = talk.proposals.open
    aside = bool(memory.booking and memory.booking.get("aside"))
    text = talk.lines.prompt(
        "text_situation",
        step=memory.step.value,
        proposed=offered.value if offered is not None else "none",
        identity="완료" if memory.who is not None else "없음",
        aside="있음" if aside else "없음",
    )
    work = _HEADING.sub("", booking.situation(turn)).strip()
    return f"{text}\n{work}" if work else text


# What may be said --------------------------------------------------------------------------


def truthful(turn: Turn, text: str) -> list[str]:
    """The sentences that may be said, each with what is said in its place when this visit cannot
    prove it; none twice in a turn, and no question beside one that code has open."""
    talk = turn.talk
    held = turn.memory.form is not None or booking.opened(turn) is not None
    facts = talk.published.facts
    judge = speech.Answer(talk.state.receipts, talk.state.amounts | facts.amounts, facts.folded)
    out: list[str] = []
    for sentence in sentences(text):
        if held and sentence.endswith("?"):
            continue  # the open question is put by code, once
        said = _sayable(talk, judge, sentence)
        if said and said not in out and said not in talk.sentences:
            out.append(said)
    return out


def _sayable(talk: Talk, answer: speech.Answer, sentence: str) -> str:
    match answer.judge(sentence):
        case speech.Sayable():
            return sentence
        case speech.Leaning():
            return ""
        case speech.Untrue(kind):
            talk.recorder.write(Kind.CLAIM_BLOCKED, {"kind": kind})
            return talk.lines.say("claims.blocked")


def words_of(turn: Turn, text: str) -> Said | None:
    """A model's answer as words that may be said; None when nothing of it may."""
    allowed = truthful(turn, text)
    if not allowed:
        return None
    answer = " ".join(allowed)
    return Said(answer, MODEL_LINE, offers=_offer_in(allowed))


_NOTE_OFFER = re.compile(
    r"(?:직원|상담원|담당자).{0,14}(?:남겨|전해|전달|전화|연락|문의).{0,10}(?:드릴까요|할까요|원하세요)\?"
)
"""Where nobody can be dialled, a person is offered as a note or a call back."""


def _offer_in(sentences: Sequence[str]) -> Action | None:
    """What these words offer; a yes to them is a yes to exactly that (T4)."""
    offered = find_proposal(" ".join(sentences))
    if offered is None and _NOTE_OFFER.search(sentences[-1]):
        return Action.CONNECT_PERSON
    return offered


async def behind(turn: Turn) -> list[Said]:
    """What code puts behind a model's words: the open question again."""
    question = forms.open_question(turn)
    if question is not None:
        return [question]
    return await booking.question(turn)
