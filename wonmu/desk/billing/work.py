"""The specialist tools' work: what each of them reads, refuses and may offer (H1–H3, T9, T11).

The same five tools serve a delegated specialist, the text desk and the billing agent of a call.
They read; they never write. A refund or a receipt is only *offered* here: code asks the caller and
carries it out (``wonmu.desk.billing.refund``), so that no model can commit one. Which patient is
asked about is fixed by whoever builds the tools, never by a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar
from unicodedata import normalize

from wonmu.desk.agents.answer import Facts, ReceiptOffer, RefundOffer
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    InvoiceState,
    Ledger,
    Payment,
    ReceiptKind,
)
from wonmu.desk.billing.results import (
    INVOICES,
    OPEN_REFUNDS,
    BillingResult,
    FeeResult,
    FeesRead,
    IdentityNeeded,
    InvoicesRead,
    LedgerDown,
    LookupResult,
    NotOffered,
    Numbered,
    ReceiptAnswer,
    ReceiptOffered,
    RefundAnswer,
    RefundOffered,
    RefundsRead,
    StatusResult,
    WhyNot,
    numbered,
    refunds_read,
)
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.hospital.billing import Certificate
from wonmu.ids import InvoiceId, PatientId

_PAID = frozenset({InvoiceState.PAID, InvoiceState.OVERPAID})
"""A receipt is given for what is paid in full."""

R = TypeVar("R", bound=BillingResult)


class BillingTools:
    """The tools for one patient, or for nobody (``patient`` None: certificates only).

    ``certificates``: the hospital's, for the other names they go by. ``listed``: the invoices that
    the model knows as 1, 2, …, when they were handed to it before this object was made.
    """

    def __init__(
        self,
        ledger: Ledger,
        patient: PatientId | None,
        *,
        certificates: Iterable[Certificate] = (),
        listed: Iterable[InvoiceId] = (),
    ) -> None:
        self._ledger = ledger
        self._patient = patient
        self._aliases = {each.id: each.aliases for each in certificates}
        self._listed = tuple(listed)
        self._results: list[BillingResult] = []

    @property
    def listed(self) -> tuple[InvoiceId, ...]:
        """The invoices of the list last read, in the order of their numbers."""
        return self._listed

    @property
    def results(self) -> tuple[BillingResult, ...]:
        """Everything these tools have answered, oldest first."""
        return tuple(self._results)

    @property
    def facts(self) -> Facts:
        """All that was returned so far; the offer is that of the newest answer that has one."""
        found = [result.facts for result in self._results]
        offers = [facts.offer for facts in found if facts.offer is not None]
        return Facts(
            frozenset().union(*(facts.amounts for facts in found)),
            frozenset().union(*(facts.read for facts in found)),
            offers[-1] if offers else None,
            next((facts.which for facts in reversed(found) if facts.which is not None), None),
        )

    @property
    def fault(self) -> EmrFault | None:
        """The ledger's newest fault, None if it never failed."""
        faults = [each.fault for each in self._results if isinstance(each, LedgerDown)]
        return faults[-1] if faults else None

    @property
    def identity_needed(self) -> bool:
        """Whether something personal was asked with nobody identified."""
        return any(isinstance(each, IdentityNeeded) for each in self._results)

    async def lookup_invoice(self) -> LookupResult:
        """The patient's invoices with their payments."""
        if self._patient is None:
            return self._kept(IdentityNeeded())
        try:
            invoices = await self._invoices(self._patient)
        except LedgerFailure as failure:
            return self._kept(LedgerDown(failure.fault))
        payments = await self._payments(self._patient)
        return self._kept(InvoicesRead(numbered(invoices, self._listed), payments))

    async def refund_status(self) -> StatusResult:
        """The patient's refunds."""
        if self._patient is None:
            return self._kept(IdentityNeeded())
        try:
            return self._kept(RefundsRead(await self._ledger.refunds(self._patient)))
        except LedgerFailure as failure:
            return self._kept(LedgerDown(failure.fault))

    async def request_refund(self, number: int | None = None) -> RefundAnswer:
        """Offer what can be given back for an invoice: the one with this number in the list last
        read, or the only one with something to give back. Requests nothing."""
        if self._patient is None:
            return self._kept(IdentityNeeded())
        try:
            return self._kept(await self._refund(self._patient, number))
        except LedgerFailure as failure:
            return self._kept(LedgerDown(failure.fault))

    async def receipt_request(self, kind: ReceiptKind, number: int | None = None) -> ReceiptAnswer:
        """Offer a receipt for a paid invoice, chosen like that of a refund. Requests nothing."""
        if self._patient is None:
            return self._kept(IdentityNeeded())
        try:
            return self._kept(await self._receipt(self._patient, kind, number))
        except LedgerFailure as failure:
            return self._kept(LedgerDown(failure.fault))

    async def certificate_fee(self, name: str | None = None) -> FeeResult:
        """Published fees; nothing personal, so identity is not needed."""
        try:
            fees = await self._ledger.certificates()
        except LedgerFailure as failure:
            return self._kept(LedgerDown(failure.fault))
        if name is None or not _plain(name):
            return self._kept(FeesRead(fees))
        found = self._named(fees, name)
        return self._kept(FeesRead(found, () if found else tuple(each.name for each in fees)))

    # How an invoice is found -----------------------------------------------------------------

    async def _refund(self, patient: PatientId, number: int | None) -> RefundOffered | NotOffered:
        chosen = await self._choose(patient, number, _refundable)
        match chosen:
            case NotOffered():
                return chosen
            case Numbered(at, invoice) if _refundable(invoice):
                return RefundOffered(at, RefundOffer(invoice, invoice.refundable))
        about = None if chosen is None else chosen.invoice.id
        refunds = await self._ledger.refunds(patient)
        mine = [refund for refund in refunds if about in (None, refund.invoice_id)]
        under_way = any(refund.state in OPEN_REFUNDS for refund in mine)
        why = WhyNot.ALREADY_REQUESTED if under_way else WhyNot.NOTHING_REFUNDABLE
        return NotOffered(why, read=refunds_read(mine) | {INVOICES})

    async def _receipt(
        self, patient: PatientId, kind: ReceiptKind, number: int | None
    ) -> ReceiptOffered | NotOffered:
        chosen = await self._choose(patient, number, _paid)
        match chosen:
            case NotOffered(why=WhyNot.WHICH_INVOICE):
                return replace(chosen, kind=kind)
            case NotOffered():
                return chosen
            case Numbered(at, invoice) if _paid(invoice):
                return ReceiptOffered(at, ReceiptOffer(invoice, kind))
        return NotOffered(WhyNot.NOT_PAID)

    async def _choose(
        self, patient: PatientId, number: int | None, fits: Callable[[Invoice], bool]
    ) -> Numbered | NotOffered | None:
        """The invoice meant, as it is now; it fits only if it was not named. None: none fits.

        A number means what it meant in the list that the model saw, though the ledger has moved on.
        """
        seen = self._listed
        invoices = await self._invoices(patient)
        if number is not None:
            named = seen or self._listed
            for each in numbered(invoices, named):
                if each.number == number:
                    self._listed = named
                    return each
            return NotOffered(WhyNot.NO_SUCH_NUMBER)
        found = tuple(each for each in numbered(invoices, self._listed) if fits(each.invoice))
        if len(found) > 1:
            return NotOffered(WhyNot.WHICH_INVOICE, found)
        return found[0] if found else None

    async def _invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        """Read the list; its order is what the numbers mean from now on."""
        invoices = await self._ledger.invoices(patient)
        self._listed = tuple(invoice.id for invoice in invoices)
        return invoices

    async def _payments(self, patient: PatientId) -> tuple[Payment, ...] | None:
        """None: could not be read; what is owed can be told all the same."""
        try:
            return await self._ledger.payments(patient)
        except LedgerFailure:
            return None

    # Which certificate is meant --------------------------------------------------------------

    def _named(self, fees: tuple[CertificateFee, ...], name: str) -> tuple[CertificateFee, ...]:
        """Those with exactly this name; else those whose name is in the words, the longest only
        ("영문진단서" is no "진단서"); else those whose name holds the words."""
        asked = _plain(name)
        exact = tuple(fee for fee in fees if asked in self._names(fee))
        if exact:
            return exact
        inside = {fee: self._longest(fee, asked) for fee in fees}
        best = max(inside.values(), key=len, default="")
        if best:
            return tuple(
                fee
                for fee, found in inside.items()
                if found and (found == best or found not in best)
            )
        return tuple(fee for fee in fees if any(asked in each for each in self._names(fee)))

    def _longest(self, fee: CertificateFee, asked: str) -> str:
        return max((n for n in self._names(fee) if n in asked), key=len, default="")

    def _names(self, fee: CertificateFee) -> tuple[str, ...]:
        return tuple(_plain(each) for each in (fee.name, *self._aliases.get(fee.id, ())))

    def _kept(self, result: R) -> R:
        self._results.append(result)
        return result


def _refundable(invoice: Invoice) -> bool:
    return invoice.refundable > 0


def _paid(invoice: Invoice) -> bool:
    return invoice.state in _PAID


def _plain(name: str) -> str:
    """A name as it is compared: composed letters, no spaces, small Latin letters."""
    return "".join(normalize("NFC", name).split()).lower()
