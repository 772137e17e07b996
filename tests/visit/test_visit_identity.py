"""Identification one typed turn at a time: who is found, what never leaves (D1–D3, N8)."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from visit_parts import MINSU, Owner, desk_at

from wonmu.booking.result import ExitCode, Exited
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.identity.facts import Level
from wonmu.identity.result import (
    AmbiguousPatient,
    Escalated,
    IdentityError,
    Incomplete,
    IncompleteReason,
    NewPatient,
    Verified,
)
from wonmu.loop import run
from wonmu.timeline.events import Kind
from wonmu.visit.people import KnownWho, NewWho, who_from_json, who_to_json

pytestmark = pytest.mark.unit


def played(main: Coroutine[Any, Any, None]) -> None:
    run(lambda: main)


@pytest.mark.parametrize("typed", ["850312", "19850312", "1985-03-12", "85년 3월 12일이요"])
def test_one_match_is_verified(tmp_path: Path, typed: str) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            who = await owner.identify(typed, caller_phone=MINSU[0])
            assert isinstance(owner.outcome, Verified)
            assert isinstance(who, KnownWho)
            assert who_from_json(json.loads(json.dumps(who_to_json(who)))) == who
            assert [e.data for e in owner.of(Kind.IDENTITY_SETTLED)] == [{"outcome": "verified"}]
            assert await owner.violations() == []

    played(main())


def test_the_answer_is_hidden_and_forgotten(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            who = await owner.identify("850312", "010-0000-1234")
            assert isinstance(who, KnownWho)
            assert [e.data["text"] for e in owner.of(Kind.CALLER_HEARD)] == [
                "[생년월일]",
                "[전화번호]",
            ]
            kept = json.dumps(owner.identity.state.to_json()) + json.dumps(who_to_json(who))
            assert "1985" not in kept
            assert "850312" not in kept

    played(main())


@pytest.mark.parametrize("typed", ["8503121", "901301", "900101-1234567"])
def test_a_wrong_entry_is_hidden_too(tmp_path: Path, typed: str) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await owner.identify(typed, caller_phone=MINSU[0])
            assert owner.of(Kind.CALLER_HEARD)[0].data["text"] == "[생년월일]"
            assert owner.lines[0].startswith("identity.birth_")
            assert "누르" not in owner.said[0]
            assert "눌러" not in owner.said[0]

    played(main())


def test_a_new_patient_is_read_back_and_kept_whole(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            who = await owner.identify("990101", "01000009999", "네 처음이에요", "홍길순", "네")
            assert isinstance(owner.outcome, NewPatient)
            assert isinstance(who, NewWho)
            assert who.name == "홍길순"
            assert who_from_json(json.loads(json.dumps(who_to_json(who)))) == who

    played(main())


def test_an_unknown_person_and_a_mismatch_get_the_same_words(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            said = []
            for phone in ("01000009999", MINSU[0]):
                owner = desk.visit()
                await owner.identify("990101", phone)
                said.append(owner.said)
            assert said[0] == said[1]
            assert said[0][0].startswith("입력하신 정보로는")

    played(main())


def test_telling_needs_the_name_and_ends_after_three_dates(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            wrong = ("850313", "김민수", "01000001234")
            answers = (*wrong, "850314", "김민수", "850315", "김민수")
            who = await owner.identify(*answers, level=Level.READ)
            assert who is None
            assert owner.outcome == Escalated()

    played(main())


def test_twins_are_told_apart_by_the_name(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await owner.identify("190202", caller_phone="01000003456", relation="아들")
            assert owner.lines == ["identity.name_other"]
            owner = desk.visit()
            await owner.identify("190202", "최하준", caller_phone="01000003456", relation="아들")
            assert isinstance(owner.outcome, Verified)
            assert owner.outcome.contact.relation == "아들"
            owner = desk.visit()
            await owner.identify("190202", "김아무", caller_phone="01000003456")
            assert owner.outcome == AmbiguousPatient()

    played(main())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("그만", ExitCode.CANCELLED_BY_CALLER),
        ("그만할게요", ExitCode.CANCELLED_BY_CALLER),
        ("상담원 연결해 주세요", ExitCode.STAFF_CONNECTION),
        ("안녕히 계세요", ExitCode.OTHER_REQUEST),
    ],
)
def test_leaving_is_typed_and_leaves_nothing(tmp_path: Path, words: str, code: ExitCode) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await owner.identify("850312", words)
            assert isinstance(owner.outcome, Exited)
            assert owner.outcome.code is code
            assert "1985" not in json.dumps(owner.identity.state.to_json())

    played(main())


def test_what_is_not_given_ends_incomplete(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await owner.identify("음", "글쎄", "몰라")
            assert owner.outcome == Incomplete(IncompleteReason.REFUSED)

    played(main())


def test_a_side_question_is_a_models_and_costs_no_try(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            who = await owner.identify(
                "주차되나요?", "주차비는요?", "850312", caller_phone=MINSU[0]
            )
            assert isinstance(who, KnownWho)

    played(main())


def test_words_about_the_visit_are_kept(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk_at("hanbit", tmp_path) as desk:
            owner = desk.visit()
            await owner.identify("내과 내일 오후요", takes_asides=True)
            assert owner.lines == ["call.kept_aside", "identity.birth_short"]
            assert owner.identity.state.asides == ("내과 내일 오후요",)

    played(main())


def test_a_failing_record_system_is_no_unknown_person(tmp_path: Path) -> None:
    async def main() -> None:
        plan = FaultPlan((FaultRule("find_patients", FaultKind.ERROR),))
        async with desk_at("hanbit", tmp_path, plan) as desk:
            owner: Owner = desk.visit()
            await owner.identify("850312", caller_phone=MINSU[0])
            assert owner.outcome == IdentityError()
            assert owner.visit.state.fault is not None
            settled = owner.of(Kind.SEARCH_SETTLED)
            assert [event.data["outcome"] for event in settled] == ["error"]

    played(main())


def test_a_restart_in_the_middle_asks_only_what_is_missing(tmp_path: Path) -> None:
    async def main() -> None:
        from wonmu.visit.identity_engine import IdentityEngine, IdentityState

        async with desk_at("hanbit", tmp_path) as desk:
            first = desk.visit()
            await first.identify("990101", "01000009999", "네 처음이에요")
            saved = json.dumps(first.identity.state.to_json())
            second = desk.visit()
            state = IdentityState.from_json(json.loads(saved))
            engine = IdentityEngine(second.visit)
            question = engine.question(state)
            assert question is not None
            assert question.line == "identity.name"
            turned = await engine.answer(state, "홍길순")
            assert turned is not None
            assert [each.line for each in turned.say] == ["identity.confirm_new"]

    played(main())
