"""Gates, modes and guards of the text desk, and that removing one is noticed (T4, T7, V4)."""

from __future__ import annotations

import pytest
from text_parts import MINSU, Played, Scripted, play

from wonmu.commands.common import hospitals_of
from wonmu.hospital.billing import BillingMode
from wonmu.hospital.config import Hospital
from wonmu.policy import speech
from wonmu.text import confirm
from wonmu.text.state import Memory, Step
from wonmu.text.steps import TO, home_of, steps_of, tools_at
from wonmu.text.tools import TOOLS
from wonmu.timeline.events import Kind
from wonmu.timeline.view import Check
from wonmu.visit.arguments import Arguments

pytestmark = pytest.mark.unit

HOSPITALS = {str(each.id): each for each in hospitals_of(None).all()}


def with_modes(refunds: BillingMode, receipts: BillingMode = BillingMode.AUTO) -> Hospital:
    hospital = HOSPITALS["hanbit"]
    assert hospital.billing is not None
    billing = hospital.billing.model_copy(update={"refunds": refunds, "receipts": receipts})
    return hospital.model_copy(update={"billing": billing})


@pytest.mark.parametrize(
    ("mode", "line", "kind"),
    [
        (BillingMode.TRANSFER, "text.by_person", "callback"),
        (BillingMode.LEAVE_MEMO, "memo.what", "memo"),
    ],
)
def test_where_the_hospital_wants_it_a_person_refunds(
    mode: BillingMode, line: str, kind: str
) -> None:
    lines = ("환불해 주세요", "11월 검사비요", "홍길동", "아무 때나요", "010-0000-7777", "네", "네")
    visit = play(lines, hospital=with_modes(mode))
    assert line in visit.lines()
    assert not visit.of(Kind.LOOKUP_STARTED, Kind.REFUND_STAGED)
    assert [row["kind"] for row in visit.inbox] == [kind]
    assert visit.violations() == []


def test_the_mode_of_receipts_is_its_own() -> None:
    hospital = with_modes(BillingMode.AUTO, BillingMode.TRANSFER)
    visit = play(("영수증 필요해요",), hospital=hospital)
    assert "text.by_person" in visit.lines()
    visit = play(("환불해 주세요", *MINSU), hospital=hospital)
    assert visit.lines()[-1] == "billing.readback_refund"


def test_a_refund_nobody_asked_for_is_only_proposed() -> None:
    words = "진료비 얼마 나왔어요?"
    use = ("request_refund", {"caller_words": words})
    model = Scripted(("to_billing", {"caller_words": words}), use)
    visit = play((words,), model=model)
    assert not visit.of(Kind.REFUND_STAGED)
    assert visit.lines()[-1] == "text.propose_refund"


@pytest.mark.parametrize("words", ["네", "환불해 주세요", ""])
def test_words_that_were_not_said_open_nothing(words: str) -> None:
    model = Scripted(
        ("to_billing", {"caller_words": "진료비 얼마"}), ("request_refund", {"caller_words": words})
    )
    visit = play(("진료비 얼마 나왔어요?",), model=model)
    assert not visit.of(Kind.REFUND_STAGED)


def test_each_step_has_tools_of_its_own_and_no_hidden_one() -> None:
    for hospital in HOSPITALS.values():
        for step in steps_of(hospital):
            names = tools_at(Memory(step=step), hospital)
            assert len(names) == len(set(names))
            assert TO.get(step) not in names
            assert not [name for name in names if TOOLS[name].only_code]
            homes = {home_of(name, hospital) for name in names}
            assert homes <= {step, None}


def test_a_hospital_without_bills_has_no_step_for_them() -> None:
    assert steps_of(HOSPITALS["saebom"]) == (Step.TRIAGE, Step.BOOKING, Step.PERSON)
    assert steps_of(HOSPITALS["onnuri"]) == (Step.TRIAGE, Step.BOOKING, Step.PERSON)
    assert len(steps_of(HOSPITALS["hanbit"])) == 5


def test_every_tool_refuses_fields_it_does_not_know() -> None:
    for tool in TOOLS.values():
        assert issubclass(tool.arguments, Arguments)
        assert tool.arguments.model_config["extra"] == "forbid"


def violated(visit: Played) -> set[Check]:
    return {violation.check for violation in visit.report().violations}


def test_a_yes_that_is_not_checked_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """N1: without the guard a yes to something else requests a refund."""
    monkeypatch.setattr(confirm.Confirms, "_agreed", lambda self, turn, form: True)
    visit = play(("환불해 주세요", *MINSU, "네"))
    assert visit.refunds == []  # the draft itself refuses what it has no consent for


def test_words_that_are_not_checked_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """N6: without the guard a model's claim is told."""
    monkeypatch.setattr(speech.Answer, "judge", lambda self, sentence: speech.Sayable())
    visit = play(("예약 됐나요?",), model=Scripted("예약이 완료되었습니다."))
    assert Check.N6 in violated(visit)


def test_an_identity_that_is_not_asked_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """N3: without the guard another's name is told."""
    monkeypatch.setattr(speech.Answer, "judge", lambda self, sentence: speech.Sayable())
    visit = play(("누구 예약이 있나요?",), model=Scripted("이서연 님 진료비가 있습니다."))
    assert Check.N3 in violated(visit)


def test_a_token_that_is_short_of_a_letter_opens_nothing() -> None:
    visit = play(("주차 되나요?",))
    with pytest.raises(AssertionError, match="unknown conversation"):
        play((), token=visit.token[:-1])
