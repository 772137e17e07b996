"""Bills, refunds and certificates on the phone: delegated and handed over (H1, H3, S2, D3, N1).

What a model is sent is read from a rung that keeps it: the caller's agent never sees a specialist's
steps, and each agent is offered only its own tools.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from call_parts import CALLER, hospital
from livekit.agents import llm, tts
from model_rungs import Recording, Reply, Scripted, check_history, say, use

from wonmu.call.billing_agent import BillingAgent
from wonmu.desk.billing.port import Ledger, Refund, RefundState
from wonmu.desk.billing.sql import open_ledger
from wonmu.emr.fault_plan import load_faults
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import judged, play_talk
from wonmu.hospital.billing import BillingAgentSettings, BillingMode, BillingWay, VoiceRight
from wonmu.hospital.config import Hospital
from wonmu.ids import PatientId, RandomIds
from wonmu.lines import Lines
from wonmu.model.port import ChatRequest, Rung
from wonmu.place import ledger_file
from wonmu.timeline.events import Event, Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

pytestmark = pytest.mark.scenario

ME = ("#850312", "김민수")
"""Identity of the demo patient with 15,000 won to get back."""


@dataclass(frozen=True)
class Heard:
    """A finished call: its events, and what the model was sent."""

    events: tuple[Event, ...]
    refunds: tuple[Refund, ...]

    def of(self, kind: Kind) -> list[Event]:
        return [event for event in self.events if event.kind is kind]

    @property
    def said(self) -> list[str]:
        return [str(event.data["text"]) for event in self.of(Kind.AGENT_SAID)]

    @property
    def tools(self) -> list[str]:
        return [str(event.data["name"]) for event in self.of(Kind.TOOL_STARTED)]


def at(way: BillingWay, name: str = "hanbit", **changed: object) -> Hospital:
    """A hospital whose calls use its billing desk in this way."""
    plain = hospital(name)
    assert plain.billing is not None
    return plain.model_copy(
        update={"billing": plain.billing.model_copy(update={"voice": way, **changed})}
    )


def talk(
    where: Hospital,
    *lines: str,
    models: tuple[Rung, ...] = (),
    faults: str = "",
    caller: str = CALLER,
) -> Heard:
    """One call with every check that applies."""
    told = Talk(caller, NOW, lines)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        plan = None
        if faults:
            (folder / "faults.yaml").write_text(faults, encoding="utf-8")
            plan = load_faults(str(folder / "faults.yaml"))
        round_ = play_talk(where, told, folder, RandomIds(), faults=plan, models=models)[1]
        call = judged(where, told, round_, folder)
        refunds = asyncio.run(_refunds(folder / ledger_file(where.id)))
    assert call.checks.clean, (call.checks.violations, [e.data for e in call.events])
    assert call.status == 0
    return Heard(call.events, refunds)


async def _refunds(file: Path) -> tuple[Refund, ...]:
    ledger = await open_ledger(str(file))
    try:
        return await ledger.refunds(PatientId("p-0001"))
    finally:
        await ledger.close()


def body(request: ChatRequest) -> str:
    return json.dumps([dict(each) for each in request.messages], ensure_ascii=False)


BOTH = pytest.mark.parametrize("way", list(BillingWay))

SPECIALIST = {"lookup_invoice", "refund_status", "request_refund", "receipt_request"}
DESK = {"create_booking", "inquire_booking", "change_booking", "cancel_booking"}


@BOTH
def test_a_bill_is_told_after_identity_only(way: BillingWay) -> None:
    heard = talk(at(way), "진료비 얼마 나왔어요?", *ME)
    before = heard.said[
        : [e.data["line"] for e in heard.of(Kind.AGENT_SAID)].index("identity.name")
    ]
    assert not any("원" in each and "만" in each for each in before)
    assert "만" in heard.said[-1]
    assert "원" in heard.said[-1]
    assert heard.of(Kind.IDENTITY_SETTLED)[0].data["outcome"] == "verified"


@BOTH
def test_a_refund_needs_a_yes_to_its_exact_amount(way: BillingWay) -> None:
    heard = talk(at(way), "더 낸 돈 환불해 주세요", *ME, "네")
    readback = heard.of(Kind.REFUND_READBACK)[0].data["text"]
    assert "만 오천 원" in readback
    assert [each.amount for each in heard.refunds] == [15_000]
    assert heard.refunds[0].state is RefundState.REQUESTED
    assert "접수되었습니다" in heard.said[-1]


@BOTH
@pytest.mark.parametrize("answer", ["아니요", "잠깐만요", "네?", "음", "만 원만 해 주세요"])
def test_nothing_is_asked_back_without_a_yes(way: BillingWay, answer: str) -> None:
    heard = talk(at(way), "더 낸 돈 환불해 주세요", *ME, answer, "/hangup")
    assert heard.refunds == ()
    assert heard.of(Kind.REFUND_COMMITTED) == []


@BOTH
def test_a_yes_over_the_read_back_is_none(way: BillingWay) -> None:
    heard = talk(at(way), "더 낸 돈 환불해 주세요", *ME, "!네", "/hangup")
    assert heard.refunds == ()


@BOTH
def test_the_same_refund_twice_is_one(way: BillingWay) -> None:
    again = "더 낸 돈 환불해 주세요"
    heard = talk(at(way), again, *ME, "네", again, "네")
    assert len(heard.refunds) == 1
    assert any("이미" in each for each in heard.said[-2:])


@BOTH
def test_a_question_about_refunds_asks_for_none(way: BillingWay) -> None:
    heard = talk(at(way), "환불은 어떻게 됐나요?", *ME, "네", "네")
    assert heard.refunds == ()
    assert heard.of(Kind.REFUND_STAGED) == []


@BOTH
@pytest.mark.parametrize("kind", ["error", "hang"])
def test_a_ledger_that_fails_is_never_no_bills(way: BillingWay, kind: str) -> None:
    faults = f"- {{op: invoices, kind: {kind}}}\n"
    heard = talk(at(way), "진료비 얼마 나왔어요?", *ME, faults=faults)
    assert "확인하지 못했습니다" in heard.said[-1]
    assert not any("내역이 없습니다" in each for each in heard.said)


@BOTH
@pytest.mark.parametrize("mode", [BillingMode.TRANSFER, BillingMode.LEAVE_MEMO])
def test_the_hospital_decides_who_takes_refunds(way: BillingWay, mode: BillingMode) -> None:
    heard = talk(at(way, refunds=mode), "더 낸 돈 환불해 주세요", *ME, "네")
    assert heard.refunds == ()
    assert heard.of(Kind.REFUND_STAGED) == []


@BOTH
def test_a_booking_can_follow_and_bills_again(way: BillingWay) -> None:
    heard = talk(
        at(way), "진료비 얼마 나왔어요?", *ME, "예약 확인하고 싶어요", "환불은 어떻게 됐나요?"
    )
    assert "inquire_booking" in heard.tools
    assert heard.tools.count("back_to_desk") == (way is BillingWay.HANDOFF)
    assert len([s for s in heard.said if "안녕하세요" in s]) == 1, "greeted once (R135)"
    assert "환불" in heard.said[-1]


@BOTH
@pytest.mark.parametrize(
    ("words", "tool"), [("상담원 바꿔 주세요", "connect_person"), ("끊어 주세요", "end_call")]
)
def test_a_person_and_the_end_are_the_desks(way: BillingWay, words: str, tool: str) -> None:
    heard = talk(at(way), "진료비 얼마 나왔어요?", *ME, words)
    assert heard.tools[-1] == tool
    owners = [event.data["to"] for event in heard.of(Kind.OWNER_CHANGED)]
    assert owners == (["billing", "desk"] if way is BillingWay.HANDOFF else [])


def test_a_billing_agent_with_the_right_ends_the_call_itself() -> None:
    rights = BillingAgentSettings(rights=(VoiceRight.END, VoiceRight.TRANSFER))
    where = at(BillingWay.HANDOFF, agent=rights)
    heard = talk(where, "진료비 얼마 나왔어요?", *ME, "끊어 주세요")
    assert heard.tools[-1] == "end_call"
    assert [event.data["to"] for event in heard.of(Kind.OWNER_CHANGED)] == ["billing"]


def test_the_desk_never_sees_what_a_specialist_does() -> None:
    model = Recording()
    talk(at(BillingWay.DELEGATE), "진료비 얼마 나왔어요?", *ME, "주차는 되나요?", models=(model,))
    desk = [each for each in model.requests if "ask_specialist" in each.tool_names()]
    inner = [each for each in model.requests if "ask_specialist" not in each.tool_names()]
    inner = [each for each in inner if set(each.tool_names()) & SPECIALIST]
    assert desk
    assert inner
    for request in desk:
        assert not SPECIALIST & set(request.tool_names())
        assert not any(
            name in body(request) for name in ("invoices", "lookup_invoice", "refundable")
        )
    for request in inner:
        assert not DESK & set(request.tool_names())
        assert [m["role"] for m in request.messages].count("user") == 1
        assert "850312" not in body(request)
        assert "김민수" not in body(request)
        check_history(request.messages)


def test_each_owner_is_offered_its_own_tools_only() -> None:
    model = Recording()
    talk(
        at(BillingWay.HANDOFF),
        "진료비 얼마 나왔어요?",
        *ME,
        "예약 확인하고 싶어요",
        models=(model,),
    )
    for request in model.requests:
        names = set(request.tool_names())
        if "back_to_desk" in names:
            assert not names & (DESK | {"to_billing", "connect_person", "end_call"})
        elif names:
            assert not names & SPECIALIST
        check_history(request.messages)
        assert "생년월일 여섯" not in body(request) or names, "a handover takes no inner talk along"


def test_a_model_that_hands_over_again_and_again_stops() -> None:
    """R132: whatever a model wants, the caller hears words after every turn."""

    def reply(request: ChatRequest) -> Reply:
        said = [m for m in request.messages if m["role"] == "user"][-1]["content"]
        offered = request.tool_names()
        if "ask_specialist" in offered:
            return use("ask_specialist", caller_words=said, specialists=["billing"])
        for name in ("to_billing", "back_to_desk"):
            if name in offered:
                return use(name, caller_words=said)
        return say("네.")

    for way in BillingWay:
        model = Scripted(reply)
        heard = talk(at(way), "진료비 얼마 나왔어요?", "네", "여보세요?", models=(model,))
        assert len(heard.of(Kind.OWNER_CHANGED)) <= 8
        turns = [event.data["turn"] for event in heard.of(Kind.AGENT_SAID)]
        assert {1, 2, 3} <= set(turns)


def test_two_specialists_are_asked_at_once_and_answered_once() -> None:
    heard = talk(
        at(BillingWay.DELEGATE),
        "미납된 진료비가 얼마인지랑 진단서 비용이 얼마인지 알려 주세요",
        *ME,
    )
    started = [event.data["name"] for event in heard.of(Kind.SPECIALIST_STARTED)]
    assert sorted(started) == ["billing", "certificates"]
    answers = [e for e in heard.of(Kind.AGENT_SAID) if e.data["line"] == "specialist.answer"]
    assert len(answers) == 1
    assert "진단서" in answers[0].data["text"]


def test_certificates_need_no_identity() -> None:
    heard = talk(at(BillingWay.HANDOFF), "영문진단서 떼는 데 얼마예요?")
    assert heard.of(Kind.IDENTITY_SETTLED) == []
    assert "이만 원" in heard.said[-1] or "20,000원" in heard.said[-1]


def test_a_hospital_without_a_billing_desk_offers_no_billing_tool() -> None:
    model = Recording()
    talk(hospital("saebom"), "진료비 얼마 나왔어요?", models=(model,))
    offered = {name for each in model.requests for name in each.tool_names()}
    assert not offered & (SPECIALIST | {"ask_specialist", "to_billing", "certificate_fee"})


MOTHER = ("#830701", "이서연")
"""Identity of the demo patient with two bills to get back."""


@BOTH
def test_two_bills_are_asked_back_one_at_a_time(way: BillingWay) -> None:
    lines = ("환불해 주세요", *MOTHER, "둘 다요", "두 번째요", "네")
    heard = talk(at(way), *lines, caller="01000002345")
    said = [str(event.data["line"]) for event in heard.of(Kind.AGENT_SAID)]
    assert "billing.which_refund_one" in said
    assert [event.data["amount"] for event in heard.of(Kind.REFUND_COMMITTED)] == [12_000]


@BOTH
@pytest.mark.parametrize("words", ["방금 그거 취소해 주세요", "아까 그거 취소할게요"])
def test_what_was_asked_for_last_is_not_taken_back_as_a_booking(
    way: BillingWay, words: str
) -> None:
    heard = talk(at(way), "더 낸 돈 환불해 주세요", *ME, "네", words)
    assert "cancel_booking" not in heard.tools
    assert heard.of(Kind.AGENT_SAID)[-1].data["line"] == "billing.undo"


@BOTH
def test_asked_whether_it_is_done_the_receipt_is_told_again(way: BillingWay) -> None:
    heard = talk(at(way), "더 낸 돈 환불해 주세요", *ME, "네", "접수된 거 맞죠?")
    lines = [event.data["line"] for event in heard.of(Kind.AGENT_SAID)]
    assert lines[-2:] == ["billing.refund_taken", "billing.refund_taken"]


@BOTH
def test_an_emergency_at_the_billing_desk_is_gone_along_with(way: BillingWay) -> None:
    heard = talk(
        at(way), "진료비 얼마 나왔어요?", *ME, "가슴이 아프고 숨을 못 쉬겠어요", "119 부를게요"
    )
    lines = [event.data["line"] for event in heard.of(Kind.AGENT_SAID)]
    assert lines[-2:] == ["emergency.instructions", "emergency.go"]


@BOTH
def test_a_receipt_whose_reply_was_lost_is_told_as_unknown(way: BillingWay) -> None:
    lines = ("영수증 떼어 주세요", *ME, "첫 번째요", "네")
    heard = talk(at(way), *lines, faults="- {op: request_receipt, kind: lost_reply}\n")
    assert "아직 확인되지 않았습니다" in heard.said[-1]
    assert heard.of(Kind.RECEIPT_COMMITTED) == []


@BOTH
def test_nobody_says_there_is_no_refund_while_one_is_unknown(way: BillingWay) -> None:
    lines = ("더 낸 돈 환불해 주세요", *ME, "네", "환불 어떻게 됐나요?")
    heard = talk(at(way), *lines, faults="- {op: request_refund, kind: hang}\n")
    assert "내역이 없습니다" not in heard.said[-1]
    assert "아직 확인되지 않았고" in heard.said[-1]


def test_a_model_says_nothing_of_money_on_its_way() -> None:
    model = Scripted([say("고객님 계좌로 송금했습니다. 내일 들어갑니다. 더 궁금하신 점이 있나요?")])
    heard = talk(at(BillingWay.DELEGATE), "여보세요?", models=(model,))
    assert "송금" not in heard.said[-1]
    assert "들어갑니다" not in heard.said[-1]
    assert "더 궁금하신 점이 있나요?" in heard.said[-1]


def test_the_billing_agent_has_the_voice_its_hospital_names() -> None:
    voice = cast("tts.TTS[Any]", object())
    where = hospital("onnuri")
    ledger = cast("Ledger", object())
    lines = Lines.load()
    front = SimpleNamespace(hospital=where, lines=lines, voices={"billing": voice}, ledger=ledger)
    published = SimpleNamespace(facts=SimpleNamespace(text=""))
    call = cast("Call", SimpleNamespace(desk=front, lines=lines, published=published))
    agent = BillingAgent(call, llm.ChatContext())
    assert agent.tts is voice
    assert {"connect_person", "end_call"}.isdisjoint(agent.offered())
