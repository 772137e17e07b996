"""What a model may hand to a tool, on the phone or in text: strict shapes, nothing unknown (T9)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Arguments(BaseModel):
    """What a model may hand in. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(Arguments):
    caller_words: str = Field(description="고객이 실제로 한 말 그대로")


class WithNumber(Words):
    number: int | None = Field(
        default=None, description="안내한 진료비의 번호. 하나뿐이면 비워 둔다"
    )


class ReceiptWords(WithNumber):
    kind: Literal["receipt", "detail", "year_end"] = Field(
        default="receipt", description="receipt 영수증, detail 세부내역서, year_end 연말정산 서류"
    )


class FeeWords(Words):
    name: str | None = Field(default=None, description="서류 이름, 고객의 말 그대로")


class AskSpecialist(Words):
    specialists: list[Literal["billing", "certificates"]] = Field(
        description="물어볼 담당. 수납·환불·영수증은 billing, 제증명 서류는 certificates",
        min_length=1,
        max_length=2,
    )


class CreateBooking(Words):
    department: str | None = Field(default=None, description="고객이 말한 진료과, 고객의 말 그대로")
    doctor: str | None = Field(default=None, description="고객이 말한 의사, 고객의 말 그대로")
    when: str | None = Field(default=None, description="고객이 말한 날짜나 시각, 고객의 말 그대로")
    patient: Literal["self", "other"] = Field(
        default="self", description="본인 예약이면 self, 가족 등 다른 사람이면 other"
    )


class ChangeBooking(Words):
    when: str | None = Field(
        default=None, description="옮기고 싶은 새 날짜나 시각, 고객의 말 그대로"
    )


class SetWish(Words):
    department: str | None = Field(default=None, description="진료과, 고객의 말 그대로")
    doctor: str | None = Field(
        default=None, description="의사, 고객의 말 그대로. 누구든 좋다면 상관없음"
    )
    when: str | None = Field(default=None, description="날짜나 시각, 고객의 말 그대로")


class ChooseTime(Words):
    number: int = Field(description="제시한 시간의 번호")


class LeaveBooking(Words):
    reason: Literal["staff_connection", "cancelled_by_caller", "other_request"]


class Nothing(Arguments):
    pass
