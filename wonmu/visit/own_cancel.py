"""The read-back of a cancellation, the yes to it, and its record, once (B2, B3, N1, N2)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from wonmu.booking.commit import Written
from wonmu.booking.draft import Consent, Digest, ReadBack
from wonmu.booking.result import ExitCode, Exited
from wonmu.errors import ProgrammingError, StoreFailure
from wonmu.identity.result import Verified
from wonmu.korean.answers import Answer, Topic, read_answer
from wonmu.korean.mask import mask_text
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind
from wonmu.visit.asks import Got, Not, Question, Reading
from wonmu.visit.keys import key_of
from wonmu.visit.own import OwnBooking
from wonmu.visit.own_state import CancelDone, Doing, OwnEnd, OwnState, Stage
from wonmu.visit.parties import person
from wonmu.visit.turned import Agreed, Saying, Turned
from wonmu.visit.typed import saying, typed
from wonmu.visit.undo import Gone, Known, Unkept, cancel_request, record_cancel
from wonmu.visit.visit import Visit
from wonmu.visit.written import Told, written_line

OwnTurned = Turned[OwnState, OwnEnd]

LINE = "own.readback_cancel"
ACT = Doing.CANCEL.value


def readback_question() -> Question[bool]:
    """A plain yes, a no, and nothing else."""

    def read(words: str) -> Reading[bool]:
        match read_answer(words, topic=Topic.CANCEL):
            case reading if reading.answer is Answer.YES and not reading.rest.strip():
                return Got(True)
            case reading if reading.answer is Answer.NO:
                return Got(False)
            case _:
                return Not()

    return Question(ACT, LINE, LINE, read, tries=4)


async def read_back(visit: Visit, state: OwnState) -> OwnTurned:
    """Say what will be cancelled, and ask."""
    chosen, digest = _chosen(state)
    patient = await person(visit, state.who)
    if isinstance(patient, Exited):
        return Turned((), state, patient)
    values: dict[str, Value] = {
        "when": chosen.start,
        "department": chosen.department,
        "doctor": chosen.doctor,
        "patient": patient.name,
    }
    text = typed(visit.lines, LINE, values)
    visit.memory.composed = {digest: text}
    visit.memory.staged.add(digest)
    state = replace(state, stage=Stage.CONFIRM, key=None)
    return Turned((Saying(text, LINE, digest),), state)


def heard(visit: Visit, state: OwnState, digest: Digest, turn: int) -> OwnState:
    """The read-back was delivered whole."""
    memory, text = visit.memory, visit.memory.composed.get(digest)
    if state.key is not None or digest != state.digest or text is None:
        return state
    memory.readbacks = {digest: ReadBack(digest, text, turn, heard=True)}
    data = {"digest": digest, "text": text, "turn": turn, "act": ACT}
    visit.recorder.write(Kind.BOOKING_READBACK, data)
    return state


async def agreed(visit: Visit, state: OwnState, words: str, turn: int) -> OwnTurned:
    """A plain yes: it counts for the read-back delivered in the turn just before (N1)."""
    _, digest = _chosen(state)
    readback = visit.memory.readbacks.get(digest)
    if readback is None or readback.turn != turn - 1:
        return await read_back(visit, state)
    masked = mask_text(words, today=visit.desk.clock.now().date()).text
    data = {"digest": digest, "words": masked, "turn": turn, "act": ACT}
    visit.recorder.write(Kind.BOOKING_CONSENT, data)
    key = key_of(ACT, visit.recorder.call_id, digest, turn)
    visit.memory.readbacks.clear()
    visit.memory.consents[key] = Consent(digest, masked, turn)
    return Turned((), replace(state, key=key), Agreed(key))


async def commit(visit: Visit, state: OwnState) -> OwnTurned:
    """Record it under the key in the state; read back anew what nobody here has agreed to."""
    chosen, _ = _chosen(state)
    key = state.key
    if key is None:
        return await read_back(visit, state)
    try:
        known = await visit.desk.inbox.get(key) is not None
    except StoreFailure:
        return Turned((), state, Exited(ExitCode.SYSTEM_ERROR, ACT))
    if not known and key not in visit.memory.consents:
        return await read_back(visit, state)
    patient = await person(visit, state.who)
    if isinstance(patient, Exited):
        return Turned((), state, patient)
    return _told(visit, state, await _finished(visit, state, state.who.verified(patient), chosen))


async def _finished(
    visit: Visit, state: OwnState, who: Verified, chosen: OwnBooking
) -> Gone | Known | Unkept:
    """The write to its end, also when the waiting for it is cancelled (A5)."""
    if state.key is None:
        raise ProgrammingError("a cancellation is written under a key")
    key, writes = state.key, visit.memory.cancels
    request = cancel_request(visit, who, chosen, key)

    async def write() -> Gone | Known | Unkept:
        with visit.writes.running():
            return await record_cancel(visit, chosen, request)

    if key in writes:  # somebody else waits for it already
        result = await asyncio.shield(writes[key])
        return replace(result, replayed=True) if isinstance(result, Gone) else result
    writes[key] = asyncio.ensure_future(write())
    writes[key].add_done_callback(lambda _: writes.pop(key))
    return await asyncio.shield(writes[key])


def _told(visit: Visit, state: OwnState, result: Gone | Known | Unkept) -> OwnTurned:
    chosen, digest = _chosen(state)
    match result:
        case Known():
            said = saying(visit.lines, "own.cancel_known")
            return Turned((said,), state, CancelDone(Written.REQUESTED, known=True))
        case Unkept():
            # Nothing was kept, so nothing is claimed (N6).
            return Turned((), state, Exited(ExitCode.SYSTEM_ERROR, ACT))
        case Gone():
            pass
    mode = "direct" if result.written is Written.CONFIRMED else "request"
    data = {"key": state.key, "digest": digest, "act": ACT, "cancels": chosen.ref}
    more = {"replayed": result.replayed, "mode": mode, "written": result.written.value}
    visit.recorder.write(Kind.BOOKING_COMMITTED, {**data, **more})
    told = Told(Act.CANCEL, chosen.start, result.written, result.reason)
    values: dict[str, Value] = {"when": chosen.start, "department": chosen.department}
    name, filled = written_line(visit, "own.cancel", told, **values, doctor=chosen.doctor)
    said = Saying(typed(visit.lines, name, filled), name)
    return Turned((said,), state, CancelDone(result.written))


def _chosen(state: OwnState) -> tuple[OwnBooking, Digest]:
    if state.chosen is None or state.digest is None:
        raise ProgrammingError("no booking was chosen")
    return state.chosen, state.digest
