"""What a hospital may set about its billing desk (H3).

Decides which settings exist and their limits; it must never guess a fee that a hospital did not
publish. A hospital without these settings has no billing desk: such questions go to a person.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from wonmu.hospital.fields import IdText, Line, Seconds, Settings


class BillingWay(StrEnum):
    """How a channel uses the billing specialist (H1–H3).

    ``delegate``: the specialist works in a window of its own and its last message comes back.
    ``handoff``: the talk itself changes hands (a step of the text desk, an agent of the call).
    """

    DELEGATE = "delegate"
    HANDOFF = "handoff"


class BillingMode(StrEnum):
    """Who takes a request for a refund or a receipt (T7)."""

    AUTO = "auto"
    TRANSFER = "transfer"
    LEAVE_MEMO = "leave_memo"


class VoiceRight(StrEnum):
    """What the billing agent of a call may do itself; without it the call goes back first."""

    TRANSFER = "transfer"
    END = "end"


class BillingAgentSettings(Settings):
    """The agent that a call is handed to. ``voice``: name of its voice, None: the desk's own."""

    voice: IdText | None = None
    rights: tuple[Annotated[VoiceRight, Field(strict=False)], ...] = ()


class SpecialistLimits(Settings):
    """``steps``: model calls of one question; ``seconds``: the whole of it.

    ``asks``: how often one specialist is asked within one turn of the caller.
    """

    steps: Annotated[int, Field(ge=1, le=20)] = 6
    seconds: Seconds = 20.0
    asks: Annotated[int, Field(ge=1, le=5)] = 1


class Certificate(Settings):
    """One published certificate (제증명). Fees in won; ``copy_fee``: each further copy."""

    id: IdText
    name: Line
    aliases: tuple[Line, ...] = ()
    fee: Annotated[int, Field(ge=0, le=10_000_000)]
    copy_fee: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    note: Line | None = None


class BillingSettings(Settings):
    """The billing desk of one hospital."""

    voice: Annotated[BillingWay, Field(strict=False)] = BillingWay.DELEGATE
    text: Annotated[BillingWay, Field(strict=False)] = BillingWay.HANDOFF
    refunds: Annotated[BillingMode, Field(strict=False)] = BillingMode.AUTO
    receipts: Annotated[BillingMode, Field(strict=False)] = BillingMode.AUTO
    agent: BillingAgentSettings = BillingAgentSettings()
    limits: SpecialistLimits = SpecialistLimits()
    certificates: tuple[Certificate, ...] = ()
