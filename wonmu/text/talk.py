"""One visit of one conversation, alive in this process (E1, N5, T12).

Holds what must not outlive the visit: the timeline, what was heard word for word, what was offered,
and what this visit can prove. What must outlive it is in ``state``. Decides nothing but whether
words may still be said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from wonmu.desk.agents.consult import Consultation
from wonmu.desk.billing.refund import RefundDraft
from wonmu.errors import EmrFault
from wonmu.ids import CallId, Won
from wonmu.korean.mask import Secret, mask_text
from wonmu.korean.numbers import BirthOk, birth_from_words
from wonmu.korean.speak import speak_digits
from wonmu.lines import Lines, Value
from wonmu.model.sentences import SentenceCutter
from wonmu.policy.claims import Receipts
from wonmu.policy.proposals import ProposalReading, Proposals
from wonmu.policy.terminal import Latch
from wonmu.policy.verdict import Action
from wonmu.text.desk import TextDesk
from wonmu.text.said import Said
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder
from wonmu.visit.published import Published
from wonmu.visit.visit import Visit


@dataclass(slots=True)
class TalkState:
    """What one visit has proven and met."""

    receipts: Receipts = field(default_factory=Receipts)
    fault: EmrFault | None = None
    latch: Latch = field(default_factory=Latch)
    amounts: frozenset[Won] = frozenset()
    """Amounts of money that a tool of this visit returned; no other may be stated."""
    kept: set[str] = field(default_factory=set)
    """Keys of the notes that this visit has put into the inbox."""
    kept_kinds: set[str] = field(default_factory=set)
    callback_phone: str | None = None
    """A number the visitor gave to be called at; digits. Never leaves the process."""
    birth_said: date | None = None
    """A birth date given before it was asked for (S4). Never leaves the process."""
    refund_unknown: bool = False
    """A refund was asked for in this visit, and nobody knows whether the ledger has taken it."""
    written: Said | None = None
    """What was last told of something written; told again to "is it done?"."""


def sentences(text: str) -> list[str]:
    """The sentences of prepared words."""
    cutter = SentenceCutter(400)
    return [*cutter.feed(text), *cutter.flush()]


class Talk:
    """``thread``: the SHA-256 of the token; the token itself is not known here."""

    def __init__(self, desk: TextDesk, thread: str, caller: str | None, channel: str) -> None:
        front = desk.front
        self.desk = front
        self.text_desk = desk
        self.thread = thread
        self.caller = caller
        self.channel = channel
        self.state = TalkState()
        self.recorder = Recorder(CallId(front.ids.new("call")), front.clock, front.ids)
        self.visit = Visit(front, self.recorder, self.state)
        self.proposals = Proposals()
        self.reading: ProposalReading = None
        self.heard: list[str] = []
        """The visitor's turns, masked, oldest first. Evidence is looked up here (T4)."""
        self.evidence_from = 0
        self.used_up = False
        """A piece of work has ended; the words that led to it justify nothing more."""
        self.turn = 0
        self.after = 0
        """Number of the last words of the desk before the visitor's latest turn."""
        self.speeches = 0
        self.quiet_since = 0.0
        """When something was said last, in loop time."""
        self.text = ""
        self.raw = ""
        self.sentences: set[str] = set()
        """What was said in this turn, so that nothing is said twice in it."""
        self.end_reason: str | None = None
        self.last: Said | None = None
        self.draft: RefundDraft | None = None
        self.staged: set[str] = set()
        """Digests of refunds that this visit's timeline knows as staged."""
        self.delivered: tuple[str, int] | None = None
        """Digest of the read-back said last, and the number of those words."""
        self.settled_in = -1
        """The turn in which identity was settled last."""
        self.consultation: Consultation | None = None
        self.asides: tuple[str, ...] = ()
        """What was said about a visit while identity was asked; masked."""
        self.spoken: dict[Kind, Callable[[Said], None]] = {}
        """Told when words that carry a note of this kind were said."""
        self.hearers: list[Callable[[str], None]] = []
        """Told the desk's words as they are, for the visitor alone; the timeline masks them."""
        self.published = Published(front)
        self._number = speak_digits(front.hospital.phone)

    @property
    def lines(self) -> Lines:
        return self.desk.lines

    @property
    def facts(self) -> str:
        """What the hospital has published, as text for a prompt; the same all day."""
        return self.published.facts.text

    @property
    def id(self) -> CallId:
        return self.recorder.call_id

    # The visitor ---------------------------------------------------------------------------

    def hears(self, raw: str, text: str) -> None:
        """One turn of the visitor; ``text`` is what may leave the process."""
        if self.used_up:
            # What led to the last piece of work is used up; only later words count (T4).
            self.evidence_from, self.used_up = len(self.heard), False
        self.turn += 1
        self.after = self.speeches
        self.sentences.clear()
        self.text, self.raw = text, raw
        self.heard.append(text)
        self._note_birth(raw)
        self.recorder.write(Kind.CALLER_HEARD, {"text": text, "turn": self.turn, "barge_in": False})
        self.reading = self.proposals.caller_turn(text, self.after)

    def _note_birth(self, raw: str) -> None:
        """A birth date given before it was asked for is kept, not asked again (S4)."""
        today = self.desk.clock.now().date()
        if any(found.kind is Secret.BIRTH for found in mask_text(raw, today=today).found):
            reading = birth_from_words(raw, today=today)
            if isinstance(reading, BirthOk):
                self.state.birth_said = reading.value

    def masked(self, text: str) -> str:
        """Text as it may leave the process (N8). The hospital's own number is no secret."""
        today = self.desk.clock.now().date()
        parts = text.split(self._number) if self._number else [text]
        return self._number.join(mask_text(part, today=today).text for part in parts)

    # The desk ------------------------------------------------------------------------------

    def words(self, line: str, /, **values: Value) -> Said:
        """One line of ``lines/`` ready to be said."""
        return Said(self.lines.fill(line, values), line)

    def offer(self, line: str, action: Action, /, **values: Value) -> Said:
        """A line that offers ``action``; a yes to it counts for exactly that (T5)."""
        return Said(self.lines.fill(line, values), line, offers=action)

    def say(self, said: Said, *, aside: bool = False) -> bool:
        """Say it; False when nothing may be said any more (N5). ``aside``: a sign of life, which
        answers nothing, offers nothing and is not what "say that again" asks for."""
        if self.recorder.over or not self.state.latch.allows_speech(said.final):
            return False
        self.speeches += 1
        self.quiet_since = asyncio.get_running_loop().time()
        self.sentences.update(sentences(said.text))
        for note in said.notes:
            self.recorder.write(note.kind, note.data)
        text = self.masked(said.text)
        data: dict[str, object] = {
            "text": text,
            "heard": text,
            "full": True,
            "turn": self.turn,
            "line": said.line,
        }
        if said.final:
            data["final"] = True
        self.recorder.write(Kind.AGENT_SAID, data)
        for hearer in self.hearers:
            hearer(said.text)
        if aside:
            return True
        for note in said.notes:
            if (told := self.spoken.get(note.kind)) is not None:
                told(said)
        if said.offers is not None:
            self.proposals.propose(said.offers, self.speeches)
            self.recorder.write(Kind.PROPOSAL_OPENED, {"action": said.offers.value})
        self.proposals.agent_turn(self.speeches)
        self.last = said
        return True
