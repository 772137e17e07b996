"""Taking down a memo: what for, who, which number (P2, T7, S6).

Typed result; storing it and telling the caller is the owner's. No booking and no record system is
touched for it (N10).
"""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.call.people import LONGEST_TOPIC, known_phone, patient_known
from wonmu.call.tasks.note_steps import name_step, phone_step, topic_step
from wonmu.call.tasks.notes import NoteTask, Step


@dataclass(frozen=True, slots=True)
class MemoTaken:
    """A memo, whole. Raises ``ValueError`` without words, without a number, or when too long."""

    topic: str
    phone: str
    name: str | None = None

    def __post_init__(self) -> None:
        if not self.topic.strip() or len(self.topic) > LONGEST_TOPIC:
            raise ValueError("a memo needs words that fit")
        if not self.phone.isdigit():
            raise ValueError("a memo needs a number")


class MemoTask(NoteTask[MemoTaken]):
    """Asks for what is not known yet."""

    name = "memo"

    def steps(self) -> list[Step]:
        note, call = self.note, self.call
        line = "memo.what" if note.by_mode else "memo.what_after"
        topic = [] if note.asked_topic else [topic_step(note, line)]
        known = patient_known(call) is not None or note.name is not None
        return [*topic, *([] if known else [name_step(note)]), phone_step(call)]

    def result(self) -> MemoTaken:
        note = self.note
        return MemoTaken(note.topic, known_phone(self.call) or "", note.name)
