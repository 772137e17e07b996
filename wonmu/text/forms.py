"""The open question of code: who owns it, and what the visitor's words are to it (S7, T8).

At most one question is open in a conversation. Words are first read for a wish to leave it; then
its owner reads them as the answer; a question is answered by a model without tools, and the open
question is put again behind that. What is none of these costs a try, and the tries end.
"""

from __future__ import annotations

from typing import Protocol

from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.billing_topics import asks_billing
from wonmu.korean.questions import is_question
from wonmu.policy.holding import calls_off
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye, wants_to_stop
from wonmu.text.moves import Ask, Move, Speak, Use
from wonmu.text.said import Said
from wonmu.text.state import Form, Memory
from wonmu.text.turn import Turn

TRIES = 3
"""Answers that are none, before a question is given up."""

BOOKING, BILLING, PERSON = "booking", "billing", "person"
"""What a form is about; a wish for something else leaves it."""

_OWN_BOOKINGS = frozenset({"inquire_booking", "change_booking"})
_BOOKING_WISHES = frozenset({Intent.CREATE, Intent.INQUIRE, Intent.CHANGE, Intent.CANCEL})


class Owner(Protocol):
    """Whoever opened a form of one kind."""

    def area(self, form: Form) -> str:
        """What it is about."""
        ...

    def free(self, form: Form) -> bool:
        """Whether the answer is the visitor's own words, so that a wish is an answer as well."""
        ...

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        """What stands for words that hold a secret; None when they may be shown masked."""
        ...

    def question(self, turn: Turn, form: Form) -> Said:
        """The open question."""
        ...

    def retry(self, turn: Turn, form: Form) -> Said:
        """The question after an answer that was none."""
        ...

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        """The move, if the words answer the question."""
        ...

    async def give_up(self, turn: Turn, form: Form) -> Move:
        """The tries are used up."""
        ...

    def stopped(self, turn: Turn, form: Form) -> Said:
        """The visitor wants it no more; the form is closed when this is said."""
        ...

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        """The visitor wants something else now; what must be said of what was open."""
        ...


_OWNERS: dict[str, Owner] = {}


def register(kind: str, owner: Owner) -> None:
    """Called once by the module that opens forms of this kind."""
    _OWNERS[kind] = owner


def owner_of(form: Form) -> Owner:
    return _OWNERS[form["kind"]]


def put(turn: Turn, form: Form) -> Said:
    """Open a form; its question."""
    turn.memory.form = form
    return owner_of(form).question(turn, form)


def open_question(turn: Turn) -> Said | None:
    """The question that is not answered yet, to be put again."""
    form = turn.memory.form
    return owner_of(form).question(turn, form) if form is not None else None


def private_text(turn: Turn, raw: str) -> str:
    """What of the visitor's words may be shown to timeline and model."""
    form = turn.memory.form
    hidden = owner_of(form).private(turn, form, raw) if form is not None else None
    return hidden if hidden is not None else turn.talk.masked(raw)


def evidence(turn: Turn) -> list[str]:
    """The visitor's words (masked) that led to a form, for the work that goes on behind it."""
    return list(turn.talk.heard[turn.talk.evidence_from :])


def recall_evidence(turn: Turn) -> None:
    """What led to an open form was said in an earlier visit; it still counts for that work (T4)."""
    found = turn.memory.form.get("heard", []) if turn.memory.form is not None else []
    turn.talk.heard = [*found, *turn.talk.heard]


async def drop(turn: Turn) -> None:
    """Close whatever is open, without a word; what was begun for staff is not lost with it."""
    form, turn.memory.form = turn.memory.form, None
    if form is not None:
        await owner_of(form).leave(turn, form)


async def answer(turn: Turn) -> Move | None:
    """The move for words that come while a form is open; None when none is, or it was left for
    something a model must find out."""
    form = turn.memory.form
    if form is None:
        return None
    owner = owner_of(form)
    if (left := await _left(turn, form, owner)) is not None:
        return left
    if turn.memory.form is None:
        return None
    if (move := await owner.answer(turn, form)) is not None:
        return move
    return await _missed(turn, form, owner)


async def _left(turn: Turn, form: Form, owner: Owner) -> Move | None:
    words = turn.text
    intent = read_intent(words)
    if intent is Intent.END_CALL:
        turn.memory.form = None if owner.area(form) != PERSON else form
        return Use("end_conversation", {"caller_words": words})
    if intent is Intent.PERSON and owner.area(form) != PERSON:
        turn.memory.form = None
        return Use("to_person", {"caller_words": words})
    stops = calls_off(words) if owner.area(form) == PERSON else wants_to_stop(words)
    if intent is Intent.CANCEL and form.get("tool") in _OWN_BOOKINGS:
        # "예약 취소해 주세요" is what is wanted instead, and no end of anything.
        turn.memory.form = None
        return None
    if stops and not owner.free(form):
        said = owner.stopped(turn, form)
        turn.memory.form = None
        return Speak((said,))
    if not owner.free(form) and _other_wish(words, intent, owner.area(form)):
        turn.memory.form = None
        turn.leave_said(*await owner.leave(turn, form))
    return None


def _other_wish(words: str, intent: Intent, area: str) -> bool:
    if intent in _BOOKING_WISHES and area != BOOKING:
        return True
    if says_goodbye(words):
        return True
    if area == PERSON:
        return False  # what is to be told to staff is often about a bill
    return area != BILLING and asks_billing(words)


async def _missed(turn: Turn, form: Form, owner: Owner) -> Move:
    if read_answer(turn.text).answer is Answer.REPEAT:
        return Speak((owner.question(turn, form),))
    if is_question(turn.text) and not owner.free(form):
        return Ask("none")
    misses = form.get("misses", 0) + 1
    turn.memory.form = {**form, "misses": misses}
    if misses >= TRIES:
        turn.memory.form = None
        return await owner.give_up(turn, form)
    return Speak((owner.retry(turn, form),))


def of(memory: Memory, kind: str) -> Form | None:
    """The open form if it is of this kind."""
    return memory.form_of(kind)
