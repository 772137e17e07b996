"""What a model is sent by the text desk: of its step only, valid, masked (H2, N8, R132–R135)."""

from __future__ import annotations

import json

import pytest
from text_parts import (
    MINSU,
    Played,
    Scripted,
    called,
    history_faults,
    offered,
    play,
    situation,
    step_of,
    text_of,
)

from wonmu.model.port import ChatRequest
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.unit

WAYS = {"to_triage", "to_billing", "to_certificate", "to_booking", "to_person", "end_conversation"}
OWN = {
    "triage": set[str](),
    "billing": {"lookup_invoice", "refund_status", "request_refund", "receipt_request"},
    "certificate": {"certificate_fee"},
    "booking": {"create_booking", "inquire_booking", "change_booking", "cancel_booking"},
    "person": {"leave_note"},
}
OPEN = {"set_wish", "choose_time", "leave_booking", "to_person", "end_conversation"}

LONG = (
    "주차 되나요?",
    "진료비 얼마 나왔어요?",
    *MINSU,
    "환불해 주세요",
    "네",
    "소견서 얼마예요?",
    "내과 예약하고 싶어요",
    "건강보험이요",
    "아무나 괜찮아요",
    "다음 주 화요일 오전 열 시요",
    "주차는 무료인가요?",
    "네",
    "몇 시까지 해요?",
    "환불 어떻게 됐어요?",
    "상담원 연결해 주세요",
    "환불이 늦어서요",
    "아무 때나요",
    "네",
    "토요일에도 하나요?",
)


@pytest.fixture(scope="module")
def long() -> Played:
    return play(LONG)


def of_the_desk(visit: Played) -> list[ChatRequest]:
    return [each for each in visit.requests if "과제: text" in situation(each)]


def test_each_step_offers_only_its_own_tools(long: Played) -> None:
    seen = set()
    for request in of_the_desk(long):
        step = step_of(request)
        names = offered(request)
        seen.add(step)
        if not names:
            continue  # words only
        if step == "booking" and "set_wish" in names:
            assert names == OPEN
            continue
        own = f"to_{step}"
        assert names == OWN[step] | WAYS - {own}, step
    assert seen == {"triage", "billing", "booking", "person"}


def test_the_step_of_certificates_offers_only_its_own_tools() -> None:
    words = "서류 하나 떼려고요"
    visit = play((words,), model=Scripted(("to_certificate", {"caller_words": words})))
    request = visit.requests[-1]
    assert step_of(request) == "certificate"
    assert offered(request) == OWN["certificate"] | WAYS - {"to_certificate"}


def test_the_prompt_is_that_of_the_step(long: Played) -> None:
    prompts = {step_of(each): str(each.messages[0]["content"]) for each in of_the_desk(long)}
    assert len(set(prompts.values())) == len(prompts)
    assert all("한빛병원" in prompt for prompt in prompts.values())


def test_every_tool_call_has_its_answer_in_every_request(long: Played) -> None:
    assert of_the_desk(long)
    for request in of_the_desk(long):
        assert history_faults(request) == []


def test_the_situation_is_the_last_message(long: Played) -> None:
    for request in of_the_desk(long):
        assert situation(request).startswith("## 지금 상태\n과제: text\n단계: ")
        assert [m["role"] for m in request.messages].count("system") == 2


def test_after_a_handoff_nothing_of_the_other_steps_work_is_seen(long: Played) -> None:
    for request in of_the_desk(long):
        foreign = set().union(*(names for step, names in OWN.items() if step != step_of(request)))
        assert not set(called(request)) & foreign, step_of(request)
    booking = [each for each in of_the_desk(long) if step_of(each) == "booking"]
    assert booking
    assert all('"invoices"' not in text_of(each) for each in booking)


def test_nothing_personal_reaches_a_model_unmasked(long: Played) -> None:
    for request in of_the_desk(long):
        sent = text_of(request)
        assert "850312" not in sent
        assert "0000-1234" not in sent
        assert "팔십오" not in sent


def test_the_visit_keeps_every_rule(long: Played) -> None:
    assert long.violations() == []
    assert len(long.refunds) == 1
    assert [row["kind"] for row in long.inbox if row["kind"] != "callback"].count(
        "booking_request"
    ) == 1


def test_the_same_words_are_not_answered_by_two_steps(long: Played) -> None:
    """One greeting a conversation, none after a step has changed (R135, R136)."""
    greeted = [line for line in long.lines() if line == "text.greeting"]
    assert len(greeted) == 1
    answers = [said for said, line in zip(long.said(), long.lines(), strict=True) if line]
    assert not any("안녕하세요" in said for said in answers[1:])
    assert not any("연결해 드리겠습니다" in said for said in answers)


def test_a_hospital_that_delegates_has_one_tool_for_it() -> None:
    visit = play(("주차 되나요?", "진단서 얼마예요?", "토요일에 하나요?"), hospital="onnuri")
    triage = [each for each in of_the_desk(visit) if step_of(each) == "triage"]
    assert triage
    for request in triage:
        assert offered(request) == {
            "ask_specialist",
            "to_booking",
            "to_person",
            "end_conversation",
        }


def test_the_desk_never_sees_how_a_specialist_worked() -> None:
    visit = play(("진료비 얼마 나왔어요?", *MINSU, "주차 되나요?"), hospital="onnuri")
    specialist = [each for each in visit.requests if each not in of_the_desk(visit)]
    assert any("lookup_invoice" in called(each) for each in specialist)
    for request in of_the_desk(visit):
        assert "lookup_invoice" not in text_of(request)
        assert '"invoices"' not in text_of(request)
    assert visit.violations() == []


def test_a_hospital_without_a_billing_desk_has_no_way_to_one() -> None:
    visit = play(("진료비 얼마 나왔어요?", "진단서 얼마예요?"), hospital="saebom")
    assert visit.requests
    for request in visit.requests:
        assert offered(request) == {"to_booking", "to_person", "end_conversation"}


def test_steps_that_go_round_and_round_end_in_words() -> None:
    """R132: at most three hops a turn, then the visitor is spoken to."""
    round_trip = [
        (name, {"caller_words": "그게 뭐냐면요"})
        for name in ("to_billing", "to_triage", "to_booking", "to_triage", "to_billing")
    ]
    visit = play(("그게 뭐냐면요",), model=Scripted(*round_trip))
    assert len(visit.of(Kind.STEP_CHANGED)) == 3
    assert visit.lines()[-1] == "text.too_many"
    assert visit.violations() == []


def test_a_specialist_asked_again_and_again_is_asked_once() -> None:
    again = ("ask_specialist", {"caller_words": "진단서 얼마예요", "specialists": ["certificates"]})
    visit = play(("진단서 얼마예요?",), hospital="onnuri", model=Scripted(again, again, again))
    assert len(visit.of(Kind.SPECIALIST_STARTED)) == 1
    assert visit.lines()[-1] == "specialist.answer"


def test_a_question_and_a_change_in_one_breath_are_both_served() -> None:
    """R133."""
    visit = play(("주차비 얼마고요, 예약도 바꿔 주세요",))
    assert "주차" in " ".join(visit.said())
    assert visit.lines()[-1] == "identity.birth_read"
    for request in of_the_desk(visit):
        assert history_faults(request) == []


def test_a_bill_and_a_booking_in_one_breath_are_both_served() -> None:
    visit = play(("진단서 얼마예요? 그리고 내과 예약하고 싶어요",))
    assert any("20,000원" in said or "이만 원" in said for said in visit.said())
    assert "identity.birth" in visit.lines()


def test_a_trailing_word_after_a_change_of_step_asks_once() -> None:
    """R134: the open question is not put twice for one turn."""
    visit = play(("진료비 얼마 나왔어요?", "여보세요?"))
    per_turn = [e.data["turn"] for e in visit.of(Kind.AGENT_SAID) if "생년월일" in e.data["heard"]]
    assert len(per_turn) == len(set(per_turn))


def test_the_next_tool_after_a_handoff_runs() -> None:
    """R131."""
    visit = play(("진료비 얼마 나왔어요?", *MINSU, "내과 예약하고 싶어요", "건강보험이요"))
    names = [event.data["name"] for event in visit.of(Kind.TOOL_STARTED)]
    assert names[-2:] == ["to_booking", "create_booking"]
    assert visit.lines()[-1] == "booking.ask_doctor"


def test_a_tool_of_another_step_is_refused_and_answered() -> None:
    """A model that ignores what it is offered reaches nothing (T9)."""
    use = ("request_refund", {"caller_words": "환불해 주세요", "number": 1})
    visit = play(("환불해 주세요",), model=Scripted(use))
    assert [e.data["reason"] for e in visit.of(Kind.MODEL_FALLBACK)] == ["unknown_tool"]
    assert visit.refunds == []


def test_a_bad_argument_is_an_answer_and_words() -> None:
    use = ("to_billing", {"caller_words": "진료비 얼마예요", "step": "person"})
    visit = play(("진료비 얼마 나왔어요?",), model=Scripted(use))
    assert visit.lines()[-1] == "call.say_again"
    assert visit.violations() == []


def test_words_that_were_never_said_lead_nowhere() -> None:
    use = ("to_booking", {"caller_words": "예약해 주세요"})
    visit = play(("음 글쎄요",), model=Scripted(use))
    assert not visit.of(Kind.STEP_CHANGED)


def test_a_claim_of_a_model_without_a_receipt_is_replaced() -> None:
    visit = play(("환불 되나요?",), model=Scripted("환불 15,000원이 완료되었습니다."))
    assert visit.said()[-1] == (
        "그 부분은 아직 처리된 것이 없습니다. 원하시는 내용을 말씀해 주시면 확인해 드리겠습니다."
    )
    assert visit.of(Kind.CLAIM_BLOCKED)


def test_an_amount_that_no_tool_returned_is_not_said() -> None:
    visit = play(("얼마예요?",), model=Scripted("내실 금액은 77,000원입니다."))
    assert "77,000" not in visit.said()[-1]
    assert visit.of(Kind.CLAIM_BLOCKED)[-1].data["kind"] == "amount"


def test_a_published_amount_is_said() -> None:
    visit = play(("주차비요",), model=Scripted("주차는 30분에 1,000원입니다."))
    assert visit.said()[-1] == "주차는 30분에 1,000원입니다."


def test_every_request_can_be_written_as_json(long: Played) -> None:
    for request in long.requests:
        json.dumps([dict(message) for message in request.messages])
        json.dumps([dict(tool) for tool in request.tools])
