"""Taking down a call back: what for, who, when, which number (P2, S6).

Typed result; storing it and telling the caller is the owner's. The number is only in the result
after it was read back digit by digit and agreed to.
"""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.call.people import LONGEST_TOPIC, known_phone, patient_known
from wonmu.call.tasks.note_steps import name_step, phone_step, topic_step, window_step
from wonmu.call.tasks.notes import NoteTask, Step
from wonmu.desk.records import CallWindow


@dataclass(frozen=True, slots=True)
class CallbackTaken:
    """A call back, whole. ``window`` None: any time of the desk. ``name`` None: known or unsaid.

    Raises ``ValueError`` for a number that is none and for a topic that is too long.
    """

    topic: str
    phone: str
    name: str | None = None
    window: CallWindow | None = None

    def __post_init__(self) -> None:
        if not self.phone.isdigit():
            raise ValueError("a call back needs a number")
        if len(self.topic) > LONGEST_TOPIC:
            raise ValueError("a topic is cut before it is kept")


class CallbackTask(NoteTask[CallbackTaken]):
    """Asks for what is not known yet."""

    name = "callback"

    def steps(self) -> list[Step]:
        note, call = self.note, self.call
        topic = [] if note.asked_topic else [topic_step(note, "callback.what")]
        known = patient_known(call) is not None or note.name is not None
        name = [] if known else [name_step(note)]
        return [*topic, *name, window_step(call, note), phone_step(call)]

    def result(self) -> CallbackTaken:
        note = self.note
        phone = known_phone(self.call) or ""
        return CallbackTaken(note.topic, phone, note.name, note.window)
