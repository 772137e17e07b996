"""The smallest written values of the settings: a time, a day, a number, a line of text.

Decides how they are spelled in the files; the messages name what would be right. It must never
accept a value that reads two ways.
"""

from __future__ import annotations

import re
from datetime import date, time
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PHONE = re.compile(r"0[0-9]{1,2}-?[0-9]{3,4}-?[0-9]{4}|1[568][0-9]{2}-?[0-9]{4}")


def _clock(value: object) -> object:
    if isinstance(value, time):
        return value
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError('should be a time of day such as "09:00"')
    return time(int(found[1]), int(found[2]))


def _day(value: object) -> object:
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or _DAY.fullmatch(value) is None:
        raise ValueError("should be a day such as 2026-12-24")
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise ValueError("is not a day of the calendar") from error


def _phone(value: str) -> str:
    if _PHONE.fullmatch(value) is None:
        raise ValueError('should be a Korean phone number such as "02-0000-0000"')
    return value


def closed_or_hours(value: object) -> object:
    """``closed`` becomes None; an empty value is a slip and is refused."""
    if value is None:
        raise ValueError("should be hours, or the word closed")
    return None if value == "closed" else value


def _said(value: str) -> str:
    if value != value.strip() or not value or any(not c.isprintable() for c in value):
        raise ValueError("should be one line of text without blanks at its ends")
    return value


ClockTime = Annotated[time, BeforeValidator(_clock)]
Day = Annotated[date, BeforeValidator(_day)]
PhoneNumber = Annotated[str, AfterValidator(_phone)]
Line = Annotated[str, Field(max_length=600), AfterValidator(_said)]
IdText = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
Seconds = Annotated[float, Field(gt=0, le=120, allow_inf_nan=False)]


class Settings(BaseModel):
    """Base of all settings: nothing unknown, nothing converted, nothing changed later."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def digits_of(number: str) -> str:
    """National digits of a number in any spelling: +82-2-…, 0082…, 82…, sip:02…@host, 02-…

    No Korean national number starts with 82, so that prefix is the country's even without a plus.
    """
    user = number.removeprefix("sip:").removeprefix("tel:").split("@")[0].split(";")[0]
    digits = "".join(c for c in user if c in "0123456789")
    for prefix in ("0082", "82"):
        if digits.startswith(prefix):
            return "0" + digits.removeprefix(prefix).removeprefix("0")
    return digits
