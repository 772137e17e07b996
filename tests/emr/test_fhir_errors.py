"""Every way a FHIR server can fail, as a typed failure and never as an empty answer (A8, T11)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta

import httpx
import pytest
from fhir_fake import KIM, NOW, ORTHO, FakeServer, a_slot, opened, problem, reply, window, wish

from wonmu.clock import FixedClock
from wonmu.emr.fhir import FhirEmr, open_fhir
from wonmu.emr.port import PatientQuery, Slot, Unknown, Window
from wonmu.errors import EmrFailure, EmrFault, InputError
from wonmu.hospital.config import FhirSettings, WriteRule
from wonmu.ids import AppointmentId, BookingKey, SlotId

pytestmark = pytest.mark.unit

Spoilt = httpx.Response | Exception


@dataclass(frozen=True)
class Row:
    name: str
    spoilt: Callable[[], Spoilt]
    fault: EmrFault
    retryable: bool
    known: bool
    """Whether a write that met it certainly did not happen."""
    retry_after: float | None = None


def outcome(status: int, severity: str = "error", code: str = "processing") -> httpx.Response:
    issue = {"severity": severity, "code": code}
    return reply(status, {"resourceType": "OperationOutcome", "issue": [issue]})


def _r5(status: int) -> httpx.Response:
    bundle = {"resourceType": "Bundle", "type": "searchset"}
    return reply(status, bundle, **{"content-type": "application/fhir+json; fhirVersion=5.0"})


LATER = "Mon, 30 Nov 2026 23:00:20 GMT"  # twenty seconds after NOW

ROWS = (
    Row("400", lambda: problem(400, "invalid"), EmrFault.UNPROCESSABLE, False, True),
    Row("401", lambda: problem(401, "login"), EmrFault.UNAUTHORIZED, False, True),
    Row("403", lambda: problem(403, "forbidden"), EmrFault.FORBIDDEN, False, True),
    Row("404 page", lambda: httpx.Response(404, text="<html>"), EmrFault.NOT_FOUND, False, True),
    Row("405", lambda: problem(405, "not-supported"), EmrFault.REFUSED, False, True),
    Row("429", lambda: reply(429, {}, **{"retry-after": "7"}), EmrFault.TOO_MANY, True, True, 7.0),
    Row(
        "429 date",
        lambda: reply(429, {}, **{"retry-after": LATER}),
        EmrFault.TOO_MANY,
        True,
        True,
        20.0,
    ),
    Row(
        "429 odd", lambda: reply(429, {}, **{"retry-after": "soon"}), EmrFault.TOO_MANY, True, True
    ),
    Row("500", lambda: httpx.Response(500, text="oops"), EmrFault.BROKEN, True, False),
    Row("501", lambda: httpx.Response(501), EmrFault.REFUSED, False, False),
    Row("502", lambda: httpx.Response(502), EmrFault.UNAVAILABLE, True, False),
    Row(
        "503",
        lambda: reply(503, {}, **{"retry-after": "3"}),
        EmrFault.UNAVAILABLE,
        True,
        False,
        3.0,
    ),
    Row("504", lambda: httpx.Response(504), EmrFault.UNAVAILABLE, True, False),
    Row("another version", lambda: _r5(200), EmrFault.WRONG_VERSION, False, False),
    Row("moved", lambda: httpx.Response(302), EmrFault.INVALID, False, False),
    Row("refused", lambda: httpx.ConnectError("no"), EmrFault.UNREACHABLE, True, True),
    Row("connecting", lambda: httpx.ConnectTimeout("late"), EmrFault.TIMEOUT, True, True),
    Row("no free connection", lambda: httpx.PoolTimeout("late"), EmrFault.TIMEOUT, True, True),
    Row("reset", lambda: httpx.ReadError("reset"), EmrFault.UNREACHABLE, True, False),
    Row("cut", lambda: httpx.RemoteProtocolError("cut"), EmrFault.UNREACHABLE, True, False),
    Row("silence", lambda: httpx.ReadTimeout("late"), EmrFault.TIMEOUT, True, False),
    Row("sending", lambda: httpx.WriteTimeout("late"), EmrFault.TIMEOUT, True, False),
    Row("200 outcome", lambda: outcome(200), EmrFault.OUTCOME, False, False),
    Row("200 fatal", lambda: outcome(200, "fatal"), EmrFault.OUTCOME, False, False),
    Row("no JSON", lambda: httpx.Response(200, text="<html>"), EmrFault.INVALID, False, False),
    Row("cut JSON", lambda: httpx.Response(200, text='{"re'), EmrFault.INVALID, False, False),
    Row(
        "other resource",
        lambda: reply(200, {"resourceType": "Basic", "id": "x"}),
        EmrFault.INVALID,
        False,
        False,
    ),
)
BY_NAME = {row.name: row for row in ROWS}

READS: dict[str, Callable[[FhirEmr], Awaitable[object]]] = {
    "find_patients": lambda emr: emr.find_patients(PatientQuery(birth_date=date(1985, 3, 12))),
    "appointments": lambda emr: emr.appointments(KIM, Window(NOW, NOW + timedelta(days=30))),
    "departments": lambda emr: emr.departments(),
    "doctors": lambda emr: emr.doctors(ORTHO),
    "find_slots": lambda emr: emr.find_slots(window()),
    "read_slot": lambda emr: emr.read_slot(SlotId("d1-0")),
    "lookup_key": lambda emr: emr.lookup_key(BookingKey("k")),
    "read_appointment": lambda emr: emr.read_appointment(AppointmentId("a1")),
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("read", READS)
def test_a_failed_read_is_its_failure_and_never_empty(row: Row, read: str) -> None:
    server = FakeServer(before=lambda request, number: row.spoilt())

    async def main() -> EmrFailure:
        emr = opened(server)
        with pytest.raises(EmrFailure) as caught:
            await READS[read](emr)
        await emr.close()
        return caught.value

    failure = asyncio.run(main())
    assert failure.fault is row.fault
    assert (failure.retryable, failure.outcome_known) == (row.retryable, True)
    assert failure.retry_after == row.retry_after
    assert len(server.log) == 1, "nothing is retried here"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_booking_that_failed_at_its_create(row: Row) -> None:
    """Known: said so, and the slot is free again. Not known: looked up, then unknown."""

    def cut(request: httpx.Request, number: int) -> Spoilt | None:
        return row.spoilt() if request.method == "POST" else None

    server = FakeServer(before=cut)

    async def main() -> object:
        emr = opened(server)
        slot = await a_slot(emr)
        try:
            return await emr.book(wish(slot))
        except EmrFailure as failure:
            return failure

    result = asyncio.run(main())
    creates = [one for one in server.log if one.method == "POST"]
    assert len(creates) == 1, "a create is never blindly sent again"
    assert server.live() == []
    if not row.known:
        assert result == Unknown(BookingKey("k1"))
        assert server.claimed() == ["d1-0"], "an appointment may still appear on it"
        return
    assert isinstance(result, EmrFailure)
    assert (result.fault, result.outcome_known) == (row.fault, True)
    assert server.claimed() == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_booking_that_failed_at_its_claim(row: Row) -> None:
    def cut(request: httpx.Request, number: int) -> Spoilt | None:
        return row.spoilt() if request.method == "PUT" else None

    server = FakeServer(before=cut)

    async def main() -> object:
        emr = opened(server)
        slot = await a_slot(emr)
        try:
            return await emr.book(wish(slot))
        except EmrFailure as failure:
            return failure

    result = asyncio.run(main())
    assert server.all("Appointment") == []
    if row.known:
        assert isinstance(result, EmrFailure)
        assert result.fault is row.fault
    else:
        assert result == Unknown(BookingKey("k1"))


def test_missing_is_none_only_in_the_servers_own_words() -> None:
    async def main() -> None:
        emr = opened(FakeServer())
        assert await emr.read_slot(SlotId("nothing")) is None
        assert await emr.read_appointment(AppointmentId("nothing")) is None
        assert await emr.lookup_key(BookingKey("nothing")) is None
        gone = opened(FakeServer(before=lambda request, number: problem(410, "deleted")))
        assert await gone.read_slot(SlotId("d1-0")) is None
        with pytest.raises(EmrFailure) as caught:
            await gone.find_slots(window())
        assert caught.value.fault is EmrFault.NOT_FOUND

    asyncio.run(main())


@pytest.mark.parametrize("id_", ["../Patient/p1", "a/b", "a?b", "", "x" * 65, "가"])
def test_an_id_that_is_none_is_never_asked_for(id_: str) -> None:
    server = FakeServer()

    async def main() -> None:
        emr = opened(server)
        assert await emr.read_slot(SlotId(id_)) is None
        assert await emr.read_appointment(AppointmentId(id_)) is None

    asyncio.run(main())
    assert server.log == []


@pytest.mark.parametrize("severity", ["error", "fatal"])
def test_an_error_among_the_entries_fails_the_search(severity: str) -> None:
    """Also beside matches: they are then not all of them."""
    issue = {"resourceType": "OperationOutcome", "issue": [{"severity": severity, "code": "x"}]}
    server = FakeServer()
    matches = [{"resource": one} for one in server.all("HealthcareService")]
    entries = [*matches, {"resource": issue, "search": {"mode": "outcome"}}]
    body = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: reply(200, body)

    async def main() -> None:
        with pytest.raises(EmrFailure) as caught:
            await opened(server).departments()
        assert caught.value.fault is EmrFault.OUTCOME

    asyncio.run(main())


def test_a_passing_outcome_may_be_asked_again() -> None:
    server = FakeServer(before=lambda request, number: outcome(200, code="throttled"))

    async def main() -> None:
        with pytest.raises(EmrFailure) as caught:
            await opened(server).departments()
        assert caught.value.retryable

    asyncio.run(main())


def test_a_warning_is_no_failure() -> None:
    hint = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "x"}]}
    body = {
        "resourceType": "Bundle",
        "type": "searchset",
        "entry": [{"resource": hint, "search": {"mode": "outcome"}}],
    }
    server = FakeServer(before=lambda request, number: reply(200, body))
    assert asyncio.run(opened(server).departments()) == ()


def test_messages_hold_no_personal_data() -> None:
    server = FakeServer(before=lambda request, number: problem(400, "invalid", "김민수 1985"))

    async def main() -> None:
        with pytest.raises(EmrFailure) as caught:
            await opened(server).find_patients(PatientQuery(phone="01000001111", name="김민수"))
        text = f"{caught.value} {caught.value.doing}"
        assert "김" not in text
        assert "0000" not in text

    asyncio.run(main())


@pytest.mark.parametrize("version", ["5.0.0", "3.0.2", "4.3.0", "1.0.2"])
def test_another_version_of_fhir_is_refused_for_everything(version: str) -> None:
    server = FakeServer()
    statement = {**server.statement(), "fhirVersion": version}
    server.before = lambda request, number: (
        reply(200, statement) if request.url.path.endswith("metadata") else None
    )

    async def main() -> None:
        emr = opened(server)
        for ask in (lambda emr: emr.capabilities(), *READS.values()):
            with pytest.raises(EmrFailure) as caught:
                await ask(emr)
            assert caught.value.fault is EmrFault.WRONG_VERSION
            assert not caught.value.retryable

    asyncio.run(main())


SETTINGS = {"url": "http://emr.test/fhir", "write": WriteRule.AUTO}


@pytest.mark.parametrize(
    ("more", "env"),
    [
        ({"url": "http:///fhir"}, {}),
        ({"url": "http://[::1/fhir"}, {}),
        ({"url": "http://u:p@emr.test/fhir"}, {}),
        ({"url": "http://emr.test/fhir?x=1"}, {}),
        ({"url": "http://emr.test:99999999/fhir"}, {}),
        ({"token_env": "EMR_TOKEN"}, {}),
        ({"token_env": "EMR_TOKEN"}, {"EMR_TOKEN": " "}),
        ({"token_env": "EMR_TOKEN"}, {"EMR_TOKEN": "a\nb"}),
        ({"token_env": "EMR_TOKEN"}, {"EMR_TOKEN": "비밀"}),
    ],
)
def test_settings_that_cannot_work_are_one_sentence(
    more: dict[str, str], env: dict[str, str]
) -> None:
    settings = FhirSettings.model_validate({**SETTINGS, **more})
    with pytest.raises(InputError) as caught:
        open_fhir(settings, _clock(), env=env)
    assert "\n" not in str(caught.value)
    assert not any(value.strip() and value in str(caught.value) for value in env.values())


def test_the_token_goes_with_every_request() -> None:
    server = FakeServer()
    settings = FhirSettings.model_validate({**SETTINGS, "token_env": "EMR_TOKEN"})
    emr = open_fhir(settings, _clock(), env={"EMR_TOKEN": "t0p"}, transport=server.transport())

    async def main() -> Slot | None:
        await emr.find_slots(window())
        return await emr.read_slot(SlotId("d1-0"))

    assert asyncio.run(main()) is not None
    assert {one.headers["authorization"] for one in server.log} == {"Bearer t0p"}
    assert {one.headers["accept"] for one in server.log} == {"application/fhir+json"}


def _clock() -> FixedClock:
    return FixedClock(NOW)
