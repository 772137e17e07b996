"""A turn of ours beside a turn of a bare LiveKit agent, in real time.

Both in one process, on one ordinary event loop, in turns: the same scripted model, the same
instructions, as many tools, the caller's text in and the last word out. The bare agent is
``Agent`` and ``AgentSession`` with nothing added. Ours is the whole path: masking, the timeline,
what code decides in a turn, the ladder, the checks of each sentence. Both hand the loop on after
each word and neither waits for it to be spoken. Conversations grow as real ones do, so later turns
carry the earlier ones. The timeline's store is open; what it writes while the agent waits for the
caller is not in the turn, and is shown as a figure of its own: processor time of turn and store.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from livekit.agents import Agent, AgentSession, function_tool, llm

import wonmu.call.voice
from bench.parts import call_at, office_on
from bench.rows import Limit, Measure, Row
from bench.script import ANSWER, PlainSink, ScriptedModel
from wonmu.call.session import Call
from wonmu.office import Office
from wonmu.timeline.events import Kind

CALLS = 12
WARM_UP = 2
"""Conversations that are not counted."""

QUESTIONS = (
    "주차는 되나요?",
    "차를 어디에 세우면 되죠?",
    "주차비는 얼마예요?",
    "주차장이 넓은가요?",
    "지하 주차장도 있어요?",
    "버스로 가려면 어떻게 하나요?",
    "엘리베이터가 있나요?",
    "휠체어로 들어갈 수 있어요?",
)


def bare_tools() -> list[llm.Tool | llm.Toolset]:
    """Three tools, as many as the front desk has."""

    async def note(caller_words: str) -> str:
        """Note what the caller said."""
        return caller_words

    return [
        function_tool(note, name=name, description="고객이 실제로 한 말로 부른다")
        for name in ("create_booking", "connect_person", "end_call")
    ]


@dataclass(frozen=True, slots=True)
class Took:
    """Milliseconds of one turn: on the clock, and of processor time with what follows it."""

    clock: float
    processor: float


class Bare:
    """A plain agent of the framework in text."""

    def __init__(self, instructions: str) -> None:
        self.sink = PlainSink()
        self.agent = Agent(instructions=instructions, tools=bare_tools())
        self.session: AgentSession[None] = AgentSession(
            llm=ScriptedModel(),
            vad=None,
            turn_handling={"turn_detection": None},
            user_away_timeout=None,
        )
        self.session.output.transcription = self.sink

    async def turn(self, text: str) -> Took:
        self.sink.text = ""
        began, work = time.perf_counter(), time.process_time()
        await self.session.generate_reply(user_input=text, input_modality="text")
        took, worked = time.perf_counter() - began, time.process_time() - work
        if self.sink.text.strip() != ANSWER:
            raise RuntimeError(f"the bare agent said {self.sink.text!r}")
        return Took(took * 1000, worked * 1000)


async def our_turn(call: Call, office: Office, text: str) -> Took:
    began, work = time.perf_counter(), time.process_time()
    call.caller_says(text)
    await call.floor.until_quiet()
    took = time.perf_counter() - began
    await office.timeline.stored()
    worked = time.process_time() - work
    said = [e.data["heard"] for e in call.recorder.events if e.kind is Kind.AGENT_SAID]
    if said[-1] != ANSWER:
        raise RuntimeError(f"the front desk said {said[-1]!r}")
    return Took(took * 1000, worked * 1000)


async def conversation(office: Office) -> list[tuple[Took, Took]]:
    """One talk each, turn by turn side by side: (ours, bare)."""
    call = call_at(office, models=(ScriptedModel(),))
    await call.start()
    await call.floor.until_quiet()
    bare = Bare(str(call.session.current_agent.instructions))
    await bare.session.start(bare.agent, record=False)
    await office.timeline.stored()
    pairs = []
    for number, text in enumerate(QUESTIONS):
        # Whoever goes second may find the caches warm; they take turns at that too.
        if number % 2:
            second = await bare.turn(text)
            first = await our_turn(call, office, text)
        else:
            first = await our_turn(call, office, text)
            second = await bare.turn(text)
        pairs.append((first, second))
    await bare.session.aclose()
    await call.hang_up()
    return pairs


async def _all() -> list[tuple[Took, Took]]:
    pairs = []
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as folder:
        async with office_on(Path(folder)) as office:
            for number in range(WARM_UP + CALLS):
                talk = await conversation(office)
                pairs += talk if number >= WARM_UP else []
    return pairs


def unpaced() -> list[tuple[Took, Took]]:
    """All conversations, with a voice whose words take no time."""
    pace = wonmu.call.voice.SYLLABLES_PER_SECOND
    wonmu.call.voice.SYLLABLES_PER_SECOND = math.inf
    try:
        return asyncio.run(_all())
    finally:
        wonmu.call.voice.SYLLABLES_PER_SECOND = pace


def measure() -> list[Row]:
    ours, bare = zip(*unpaced(), strict=True)
    limits = (Limit(Measure.EXTRA, 3.0), Limit(Measure.RATIO, 1.5))
    clock = tuple(each.clock for each in ours), tuple(each.clock for each in bare)
    work = tuple(each.processor for each in ours), tuple(each.processor for each in bare)
    return [
        Row("turn", "ms", clock[0], "bare agent", clock[1], limits),
        Row("turn and its storing, processor", "ms", work[0], "bare agent", work[1]),
    ]
