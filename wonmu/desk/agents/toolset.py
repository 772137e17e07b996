"""The specialist tools as LangChain tools: names, schemas, and JSON back.

Decides nothing: ``wonmu.desk.billing.work`` does the work. A model can name an invoice by its
number in the list it was shown, and never a patient.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict

from wonmu.desk.billing.port import ReceiptKind
from wonmu.desk.billing.work import BillingTools
from wonmu.lines import Lines


class Nothing(BaseModel):
    """No arguments."""

    model_config = ConfigDict(extra="forbid")


class ByNumber(BaseModel):
    """``number``: of the list last read."""

    model_config = ConfigDict(extra="forbid", strict=True)

    number: int | None = None


class Receipt(BaseModel):
    """Which paper, for which invoice."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["receipt", "detail", "year_end"]
    number: int | None = None


class ByName(BaseModel):
    """``name``: of a certificate, as the caller calls it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str | None = None


Run = Callable[..., Awaitable[str]]


def toolset(names: tuple[str, ...], work: BillingTools, lines: Lines) -> list[BaseTool]:
    """These tools over this work."""
    bodies = _bodies(work)
    return [_tool(name, *bodies[name], lines) for name in names]


def _bodies(work: BillingTools) -> Mapping[str, tuple[Run, type[BaseModel]]]:
    async def lookup_invoice() -> str:
        return (await work.lookup_invoice()).json

    async def refund_status() -> str:
        return (await work.refund_status()).json

    async def request_refund(number: int | None = None) -> str:
        return (await work.request_refund(number)).json

    async def receipt_request(kind: str, number: int | None = None) -> str:
        return (await work.receipt_request(ReceiptKind(kind), number)).json

    async def certificate_fee(name: str | None = None) -> str:
        return (await work.certificate_fee(name)).json

    return {
        "lookup_invoice": (lookup_invoice, Nothing),
        "refund_status": (refund_status, Nothing),
        "request_refund": (request_refund, ByNumber),
        "receipt_request": (receipt_request, Receipt),
        "certificate_fee": (certificate_fee, ByName),
    }


def _tool(name: str, run: Run, schema: type[BaseModel], lines: Lines) -> BaseTool:
    about = lines.say(f"specialist.tool_{name}")
    return StructuredTool.from_function(
        coroutine=run, name=name, description=about, args_schema=schema, infer_schema=False
    )
